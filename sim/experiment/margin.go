package experiment

import (
	"fmt"
	"math"

	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/qp/general"
	"halfspace/sim/plot"
)

var margin = &Experiment{
	Name:    "margin",
	Title:   "The widest slab between two classes, its support points and its dual",
	Topic:   "Separating planes",
	ESL:     "§4.5.2",
	Formula: "min ½‖β‖², yᵢ(β₀ + βᵀxᵢ) ≥ 1 (4.48);  max Σαᵢ − ½ΣΣαᵢαₖyᵢyₖxᵢᵀxₖ, αᵢ ≥ 0, Σαᵢyᵢ = 0 (4.52)",
	run:     runMargin,
}

func runMargin(seed uint64) (*Result, error) {
	s := separable(20, 0.6, seed)
	m, err := hyperplane.FitHardMargin(s.x, s.y, nil)
	if err != nil {
		return nil, err
	}
	k, err := m.Conditions(0, s.x, s.y, nil)
	if err != nil {
		return nil, err
	}
	plane := m.Machines()[0].Plane
	r := &Result{}
	t := r.table("Support points", "row", "class", "x₁", "x₂", "α", "y·f", "distance")
	p := &plot.Plot{Title: "Plane, slab and support points", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 560, Height: 520}
	var x, y []float64
	for a, alpha := range k.Alpha {
		if alpha > 0 {
			row := s.x.Row(a)
			t.Add(fmt.Sprint(a), fmt.Sprint(s.y[a]), row[0], row[1], alpha, k.Margin[a], math.Abs(plane.SignedDistance(row)))
			x, y = append(x, row[0]), append(y, row[1])
			p.Text(plot.Ink, row[0], row[1], fmt.Sprintf("α = %.2f", alpha))
		}
	}
	tabulate(r, k)
	p.Margin("plane and slab", plot.Style{Width: 2.5}, [2]float64(plane.Normal()), plane.Intercept())
	ls, err := regression.FitLeastSquares(s.x, s.y, nil)
	if err != nil {
		return nil, err
	}
	p.Boundary("least squares", plot.Style{Color: plot.Purple, Dash: plot.DashDot, Width: 2}, function(ls))
	p.Scatter(s.x, 0, 1, s.y, classNames(2))
	p.Rings("support points", x, y)
	r.draw("margin", p, "The plane with the widest margin; the slab −1 ≤ f ≤ 1 between the dashed lines is 2/‖β‖ wide and holds no row; the support points have their multipliers α beside them (ESL figure 4.16).")
	r.draw("margin-geometry", geometry(plane, s), "Geometry of f(x) = β₀ + βᵀx: the unit normal β/‖β‖ (arrow), a row, its foot on the plane, and the distance f(x)/‖β‖ between them (ESL figure 4.15).")
	if err := scaled(r, plane, s); err != nil {
		return nil, err
	}
	dots, err := dotProductForm(m, s)
	if err != nil {
		return nil, err
	}
	apart, err := posed(plane, k.Alpha, s)
	if err != nil {
		return nil, err
	}
	wrong, sets, first, err := leastSquaresErrs(seed)
	if err != nil {
		return nil, err
	}
	if err := erring(r, first); err != nil {
		return nil, err
	}
	r.say("The slab is %.4f wide, twice 1/‖β‖ = %.4f. %d of %d rows carry it: only they have multipliers, and deleting all others would change nothing. "+
		"Σα = ‖β‖² = %.4f; primal ½‖β‖² and dual Σα − ½‖Σαyx‖² meet at %.6f (weak duality: no dual value is above any primal one; strong: they meet). "+
		"From dot products alone, f(x) = β₀ + Σαᵢyᵢxᵢᵀx gives the same values on all rows, to %.0e: a kernel could stand in for xᵢᵀx. "+
		"Posed as the quadratic program that it is, in (β₀, β) with a constraint for each row, and solved by a general method, it has the same plane and the same multipliers, to %.0e.",
		plane.Slab(), m.Margin(), len(x), len(s.y), plane.Norm()*plane.Norm(), k.Primal, dots, apart)
	r.say("Least squares need not separate what a plane separates: of %d sets drawn like this one, but with some rows of class 1 far out, it errs on training rows in %d.", sets, wrong)
	return r, nil
}

// tabulate adds the conditions of the widest margin.
func tabulate(r *Result, k *hyperplane.Conditions) {
	c := r.table("Conditions of Karush, Kuhn and Tucker (ESL 4.50 to 4.53)", "condition", "residual")
	c.Add("(1) β = Σαyx, Σαy = 0", fmt.Sprintf("%.1e", k.Stationarity))
	c.Add("(2) y·f ≥ 1", fmt.Sprintf("%.1e", k.PrimalFeasibility))
	c.Add("(3) α ≥ 0", fmt.Sprintf("%.1e", k.DualFeasibility))
	c.Add("(4) α(y·f − 1) = 0", fmt.Sprintf("%.1e", k.ComplementarySlackness))
	c.Add("(5) primal − dual", fmt.Sprintf("%.1e", math.Abs(k.Primal-k.Dual)))
}

// geometry draws a plane's normal and the projection of the row farthest from it.
func geometry(plane *hyperplane.Plane, s *trainingSet) *plot.Plot {
	far := 0
	for i := range s.y {
		if math.Abs(plane.SignedDistance(s.x.Row(i))) > math.Abs(plane.SignedDistance(s.x.Row(far))) {
			far = i
		}
	}
	row := s.x.Row(far)
	foot := plane.Project(nil, row)
	n := plane.Normal()
	linalg.Scale(n, 1/plane.Norm())
	at := plane.Project(nil, []float64{1, 3})
	p := &plot.Plot{Title: "Distance from a plane", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 560, Height: 520}
	p.Boundary("f = 0", plot.Style{Width: 2.5}, func(x, y float64) float64 { return plane.Value([]float64{x, y}) })
	p.Arrow("β/‖β‖", plot.Style{Color: plot.Green, Width: 2.5}, at[0], at[1], at[0]+n[0], at[1]+n[1])
	p.Segments("distance", plot.Style{Color: plot.Purple, Dash: plot.Dashed, Width: 2}, row[:1], row[1:], foot[:1], foot[1:])
	p.Points("a row x", plot.Class(s.y[far]), plot.ClassShape(s.y[far]), row[:1], row[1:])
	p.Points("its foot", plot.Ink, plot.Plus, foot[:1], foot[1:])
	p.Text(plot.Ink, (row[0]+foot[0])/2, (row[1]+foot[1])/2+0.2, fmt.Sprintf("f(x)/‖β‖ = %.2f", plane.SignedDistance(row)))
	return p
}

// scaled shows that a multiple of (β, β₀) is the same plane with other functional margins.
func scaled(r *Result, plane *hyperplane.Plane, s *trainingSet) error {
	t := r.table("(β, β₀) multiplied", "factor", "least functional margin y·f", "least geometric margin y·f/‖β‖")
	p := &plot.Plot{Title: "f along the normal", X: plot.Axis{Label: "signed distance from the plane", Min: -1.5, Max: 1.5}, Y: plot.Axis{Label: "f", Min: -6, Max: 6}, Width: 560, Height: 420}
	for k, factor := range []float64{0.5, 1, 2} {
		q, err := plane.Scaled(factor)
		if err != nil {
			return err
		}
		g, err := q.Margins(s.x, s.y, nil)
		if err != nil {
			return err
		}
		least := math.Inf(1)
		for _, f := range g.Functional {
			least = math.Min(least, f)
		}
		t.Add(factor, least, g.Margin())
		p.Func(fmt.Sprintf("%g·f", factor), lineStyles[k], func(d float64) float64 { return d * q.Norm() })
	}
	p.HLine("f = ±1", plot.Style{Color: plot.Grey, Dash: plot.Dashed, Width: 1.5}, 1)
	p.HLine("", plot.Style{Color: plot.Grey, Dash: plot.Dashed, Width: 1.5}, -1)
	r.draw("margin-scale", p, "Multiples of (β, β₀) vanish at the same place: one plane. The factor with f = ±1 at the nearest rows is the canonical one, and the margin is then 1/‖β‖.")
	return nil
}

// dotProductForm returns the largest difference on the rows between f and its form by dot
// products with the support.
func dotProductForm(m *hyperplane.HardMargin, s *trainingSet) (float64, error) {
	c := m.Machines()[0]
	alpha := make([]float64, len(s.y))
	for k, i := range c.Support {
		alpha[i] = c.Multipliers[k]
	}
	plane, err := hyperplane.SupportPlane(s.x, s.y, alpha, math.Inf(1))
	if err != nil {
		return 0, err
	}
	worst := 0.0
	for i := range s.y {
		f := plane.Intercept()
		for k, j := range c.Support {
			f += c.Multipliers[k] * float64(2*s.y[j]-1) * linalg.Dot(s.x.Row(j), s.x.Row(i))
		}
		worst = math.Max(worst, math.Abs(f-c.Plane.Value(s.x.Row(i))))
	}
	return worst, nil
}

// posed solves min ½‖β‖² subject to yᵢ(β₀ + βᵀxᵢ) ≥ 1 as a quadratic program in (β₀, β), and
// returns the largest difference from a plane and its multipliers, relative to their size.
func posed(plane *hyperplane.Plane, alpha []float64, s *trainingSet) (apart float64, err error) {
	n := len(s.y)
	p := &general.Problem{P: linalg.Zeros(3, 3), Q: make([]float64, 3), G: linalg.Zeros(n, 3), H: make([]float64, n)}
	p.P.Set(1, 1, 1)
	p.P.Set(2, 2, 1)
	for i, k := range s.y {
		sign := float64(2*k - 1)
		copy(p.G.Row(i), []float64{sign, sign * s.x.At(i, 0), sign * s.x.At(i, 1)})
		p.H[i] = 1
	}
	q, err := general.Solve(p, nil)
	if err != nil {
		return 0, err
	}
	for _, c := range []struct{ got, want []float64 }{{q.X, append([]float64{plane.Intercept()}, plane.Normal()...)}, {q.Lambda, alpha}} {
		for i, v := range c.got {
			apart = math.Max(apart, math.Abs(v-c.want[i])/linalg.Norm(c.want))
		}
	}
	return apart, nil
}

// erring draws a separable set on which least squares misclassifies rows, if there is one.
func erring(r *Result, s *trainingSet) error {
	if s == nil {
		return nil
	}
	ls, err := regression.FitLeastSquares(s.x, s.y, nil)
	if err != nil {
		return err
	}
	hard, err := hyperplane.FitHardMargin(s.x, s.y, nil)
	if err != nil {
		return err
	}
	p := &plot.Plot{Title: "Least squares on separable classes", X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 560, Height: 520}
	p.Boundary("optimal plane", plot.Style{Width: 2.5}, function(hard))
	p.Boundary("least squares", plot.Style{Color: plot.Purple, Dash: plot.DashDot, Width: 2}, function(ls))
	p.Scatter(s.x, 0, 1, s.y, classNames(2))
	r.draw("margin-least-squares", p, "The first of those sets on which least squares has rows on the wrong side, although a plane separates the classes (ESL figure 4.14).")
	return nil
}

// leastSquaresErrs counts, of 20 separable sets with a few far rows of class 1, those on
// which least squares misclassifies a row, and returns the first of them.
func leastSquaresErrs(seed uint64) (wrong, sets int, first *trainingSet, err error) {
	for sets = range 20 {
		s := separable(20, 0.6, seed+uint64(sets)*104729)
		for i, k := range s.y {
			if k == 1 && i < 16 { // (6, −4) leads farther onto the side of class 1
				s.x.Set(i, 0, s.x.At(i, 0)+6)
				s.x.Set(i, 1, s.x.At(i, 1)-4)
			}
		}
		m, err := regression.FitLeastSquares(s.x, s.y, nil)
		if err != nil {
			return 0, 0, nil, err
		}
		e, err := errorOf(m, s.x, s.y)
		if err != nil {
			return 0, 0, nil, err
		}
		if e > 0 {
			if wrong++; first == nil {
				first = s
			}
		}
	}
	return wrong, sets + 1, first, nil
}
