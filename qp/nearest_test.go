package qp_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// nearest are the solvers of hulls.
var nearest = map[string]func(*qp.Hulls, *qp.HullOptions) (*qp.Nearest, error){"Wolfe": qp.NearestPoints, "Kozinec": qp.Kozinec}

// hullsOf returns the hulls of the rows with sign +1 and −1, or with one of all sᵢxᵢ.
func hullsOf(x *linalg.Dense, sign []float64, one bool) *qp.Hulls {
	h := &qp.Hulls{Points: &qp.Linear{X: x, Sign: sign}, Sign: sign}
	if one {
		h.Sign = nil
	}
	return h
}

// checkNearest recomputes the evidence from the points and weights alone: they are
// convex combinations, w is their sum, the reaches are those of all points, and the
// distance that the reaches prove is at least the share of ‖w‖ that the certificate
// leaves.
func checkNearest(t *testing.T, what string, h *qp.Hulls, n *qp.Nearest, share func(gap float64) float64) {
	t.Helper()
	w, sum := make([]float64, h.Points.Rank()), map[float64]float64{}
	for k, i := range n.Points {
		if !(n.Weights[k] > 0) || k > 0 && i <= n.Points[k-1] || h.Weight != nil && h.Weight[i] == 0 {
			t.Errorf("%s: points %v, weights %v", what, n.Points, n.Weights)
		}
		h.Points.AddRow(w, i, n.Weights[k])
		if h.Sign == nil {
			sum[0] += n.Weights[k]
		} else {
			sum[h.Sign[i]] += n.Weights[k]
		}
	}
	for _, v := range sum {
		lt.Close(t, what+": sum of the weights", v, 1, 1e-12)
	}
	norm := linalg.Norm(n.Difference)
	lt.CloseSlice(t, what+": w", n.Difference, w, 1e-10*norm)
	f := make([]float64, h.Points.Len())
	h.Points.Apply(f, n.Difference)
	reach := [2]float64{math.Inf(1), math.Inf(1)}
	for i, v := range f {
		g := 0
		if h.Sign != nil && h.Sign[i] > 0 {
			g = 1
		}
		if h.Weight == nil || h.Weight[i] > 0 {
			reach[g] = min(reach[g], v)
		}
	}
	if h.Sign == nil {
		reach[1] = 0
	}
	if reach != n.Reach {
		t.Errorf("%s: reaches %v, recomputed %v", what, n.Reach, reach)
	}
	if proved := n.Separation() / norm; proved < norm*share(n.Report.Certificate().Value)*(1-1e-12) {
		t.Errorf("%s: distance %g proved of %g, certificate %g", what, proved, norm, n.Report.Certificate().Value)
	}
	lt.Close(t, what+": objective", n.Report.Objective(), norm, 1e-14*norm)
}

// shareOf is the proved share of the distance for the certificate of each solver.
var shareOf = map[string]func(gap float64) float64{
	"Wolfe":   func(gap float64) float64 { return math.Sqrt(max(0, 1-gap)) },
	"Kozinec": func(gap float64) float64 { return 1 - gap },
}

// On paper: (0, 0) against the segment from (2, −1) to (2, 3), whose nearest point
// is (2, 0), three quarters of the first end; and of the hull of (2, −1), (2, 3) alone
// the same point is nearest to 0.
func TestNearestPointsOnPaper(t *testing.T) {
	x, sign := lt.Rows(t, []float64{0, 0}, []float64{2, -1}, []float64{2, 3}), []float64{-1, 1, 1}
	n, err := qp.NearestPoints(hullsOf(x, sign, false), nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "w", n.Difference, []float64{2, 0}, 1e-15)
	lt.CloseSlice(t, "weights", n.Weights, []float64{1, .75, .25}, 1e-15)
	if fmt.Sprint(n.Points, n.Meet) != "[0 1 2] false" {
		t.Errorf("%+v", n)
	}
	n, err = qp.NearestPoints(hullsOf(x.RowRange(1, 3), sign[1:], true), nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "w", n.Difference, []float64{2, 0}, 1e-15)
	lt.CloseSlice(t, "reach", n.Reach[:], []float64{4, 0}, 1e-15)
}

// shortest returns min ‖Σγp‖ by trying every set of points: at the minimum over the
// affine hulls of the right one all weights are positive.
func shortest(t *testing.T, h *qp.Hulls) float64 {
	t.Helper()
	m, p, best := h.Points.Len(), h.Points.Rank(), math.Inf(1)
	for set := 1; set < 1<<m; set++ {
		var in []int
		for i := range m {
			if set>>i&1 == 1 {
				in = append(in, i)
			}
		}
		k := len(in)
		// Stationarity PᵀPγ − Gλ = 0 and Gᵀγ = 1, one column of G a group.
		a, b := linalg.Zeros(k+2, k+2), make([]float64, k+2)
		points := linalg.Zeros(k, p)
		for r, i := range in {
			h.Points.AddRow(points.Row(r), i, 1)
		}
		for r, i := range in {
			g := k
			if h.Sign != nil && h.Sign[i] > 0 {
				g++
			}
			a.Set(r, g, -1)
			a.Set(g, r, 1)
			b[g] = 1
			for c := range in {
				a.Set(r, c, linalg.Dot(points.Row(r), points.Row(c)))
			}
		}
		if h.Sign == nil {
			a.Set(k+1, k+1, 1)
		} else if b[k] == 0 || b[k+1] == 0 {
			continue
		}
		qr, err := linalg.NewQR(a)
		if err != nil || qr.Rank() < k+2 {
			continue
		}
		x, w := make([]float64, k+2), make([]float64, p)
		qr.Solve(x, b)
		negative := false
		for r := range in {
			negative = negative || x[r] < 0
			linalg.Axpy(w, x[r], points.Row(r))
		}
		if !negative {
			best = min(best, linalg.Norm(w))
		}
	}
	return best
}

func TestNearestPointsAgainstEverySet(t *testing.T) {
	apart := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		m, p := 2+r.IntN(6), 1+r.IntN(3)
		x, sign := lt.Normal(seed, m, p), make([]float64, m)
		for i := range sign {
			sign[i] = float64(2*(i%2) - 1)
			x.Row(i)[0] += 1.2 * sign[i]
		}
		for _, one := range []bool{false, true} {
			h := hullsOf(x, sign, one)
			n, err := qp.NearestPoints(h, nil)
			if err != nil {
				t.Fatal(seed, one, err)
			}
			what := fmt.Sprintf("seed %d, one hull %v", seed, one)
			if n.Meet {
				if n.Distance > 1e-10 || linalg.Norm(n.Difference) > 1e-9 {
					t.Errorf("%s: they meet at a distance of %g", what, n.Distance)
				}
				continue
			}
			apart++
			lt.Close(t, what, linalg.Norm(n.Difference), shortest(t, h), 1e-12)
			checkNearest(t, what, h, n, shareOf["Wolfe"])
		}
	}
	if apart < 100 || apart > 350 {
		t.Errorf("%d of 400 hulls are apart", apart)
	}
}

// Both solvers bracket the same distance, about an origin far off, with points left
// out that would make the hulls meet.
func TestNearestSolversAgree(t *testing.T) {
	for seed := range uint64(6) {
		x, sign, weight := lt.Normal(seed, 300, 4), make([]float64, 300), make([]float64, 300)
		for i := range sign {
			sign[i], weight[i] = float64(2*(i%2)-1), 1
			x.Row(i)[1] += 1e8 + 4*sign[i]
			if sign[i]*(x.Row(i)[1]-1e8) < 0.5 {
				weight[i] = 0
			}
		}
		x.Row(0)[1], weight[0] = 1e8+300, 0
		h := &qp.Hulls{Points: &qp.Linear{X: x, Sign: sign, Origin: []float64{0, 1e8, 0, 0}}, Sign: sign, Weight: weight}
		length := map[string]float64{}
		for name, solve := range nearest {
			n, err := solve(h, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			checkNearest(t, name, h, n, shareOf[name])
			length[name] = linalg.Norm(n.Difference)
		}
		if k, w := length["Kozinec"], length["Wolfe"]; k < w*(1-1e-12) || k > w/0.99 {
			t.Errorf("seed %d: %g by Kozinec's rule, %g by Wolfe's", seed, k, w)
		}
	}
}

// Hulls that meet: the combinations coincide, summed anew from what is published.
func TestNearestPointsThatMeet(t *testing.T) {
	for name, x := range map[string]*linalg.Dense{
		"crossed segments": lt.Rows(t, []float64{0, 0}, []float64{0, 1}, []float64{2, 2}, []float64{2, 1}),
		"one point":        lt.Rows(t, []float64{3, 1}, []float64{3, 1}),
		"all at 0":         linalg.Zeros(4, 2),
		"two clouds":       lt.Normal(1, 60, 2),
	} {
		sign := make([]float64, x.Rows)
		for i := range sign {
			sign[i] = float64(2*(i%2) - 1)
		}
		for solver, solve := range nearest {
			h := hullsOf(x, sign, false)
			n, err := solve(h, nil)
			if err != nil || !n.Meet || n.Report.Status() != optimize.Converged {
				t.Fatalf("%s, %s: %+v, %v", name, solver, n, err)
			}
			w, largest := make([]float64, x.Cols), 0.0
			for k, i := range n.Points {
				h.Points.AddRow(w, i, n.Weights[k])
			}
			for i := range x.Rows {
				largest = max(largest, linalg.Norm(x.Row(i)))
			}
			lt.CloseSlice(t, name, n.Difference, w, 0)
			if c := n.Report.Certificate(); linalg.Norm(w) > n.Distance*largest*(1+1e-12) || c.Value != n.Distance || c.Tol != 1e-10 {
				t.Errorf("%s, %s: the combinations are %g apart, %+v", name, solver, linalg.Norm(w), c)
			}
		}
	}
}

// A cap and a trace end the steps; the certificate is that of the points so far.
func TestNearestPointsEndEarly(t *testing.T) {
	x, sign := lt.Normal(9, 200, 6), make([]float64, 200)
	for i := range sign {
		sign[i] = float64(2*(i%2) - 1)
		x.Row(i)[0] += 5 * sign[i]
	}
	h, enough := hullsOf(x, sign, false), errors.New("enough")
	for name, solve := range nearest {
		n, err := solve(h, &qp.HullOptions{MaxIter: 2, Tol: 1e-12})
		if n == nil || !errors.Is(err, optimize.ErrNotConverged) || n.Report.Status() != optimize.MaxIterations || n.Report.Iterations() != 2 {
			t.Fatalf("%s: %+v, %v", name, n, err)
		}
		checkNearest(t, name, h, n, shareOf[name])
		calls := 0
		n, err = solve(h, &qp.HullOptions{Tol: 1e-12, Trace: func(s optimize.Step) error {
			if calls++; calls == 3 {
				return enough
			}
			return nil
		}})
		if n == nil || !errors.Is(err, enough) || n.Report.Status() != optimize.Stopped {
			t.Fatalf("%s: %+v, %v", name, n, err)
		}
	}
}

func TestNearestPointsRefuse(t *testing.T) {
	x := lt.Rows(t, []float64{0}, []float64{1})
	points := &qp.Linear{X: x, Sign: []float64{1, -1}}
	for what, c := range map[string]struct {
		h  *qp.Hulls
		o  qp.HullOptions
		as any
	}{
		"signs":       {&qp.Hulls{Points: points, Sign: []float64{1}}, qp.HullOptions{}, new(*linalg.ShapeError)},
		"a sign of 2": {&qp.Hulls{Points: points, Sign: []float64{2, 1}}, qp.HullOptions{}, new(*sample.OptionError)},
		"weights":     {&qp.Hulls{Points: points, Weight: []float64{1}}, qp.HullOptions{}, new(*linalg.ShapeError)},
		"one group":   {&qp.Hulls{Points: points, Sign: []float64{1, 1}}, qp.HullOptions{}, new(*linalg.ShapeError)},
		"left out":    {&qp.Hulls{Points: points, Weight: []float64{0, 0}}, qp.HullOptions{}, new(*linalg.ShapeError)},
		"Tol":         {&qp.Hulls{Points: points}, qp.HullOptions{Tol: -1}, new(*sample.OptionError)},
		"MaxIter":     {&qp.Hulls{Points: points}, qp.HullOptions{MaxIter: -1}, new(*sample.OptionError)},
	} {
		for name, solve := range nearest {
			if n, err := solve(c.h, &c.o); n != nil || !errors.As(err, c.as) {
				t.Errorf("%s, %s: %+v, %v", name, what, n, err)
			}
		}
	}
	for name, solve := range nearest {
		if n, err := solve(&qp.Hulls{}, nil); n != nil || err == nil {
			t.Errorf("%s: %+v without points", name, n)
		}
	}
}

// addingRows counts the rows that are added to a vector of p numbers.
type addingRows struct {
	*qp.Linear
	rows *int
}

func (a addingRows) AddRow(dst []float64, i int, f float64) {
	*a.rows++
	a.Linear.AddRow(dst, i, f)
}

// Kozinec's rule begins with the lengths of stored rows, without a vector of all columns for each: it adds one row a step.
func TestKozinecBeginsWithStoredValues(t *testing.T) {
	const n, p = 40, 30
	x, sign, added := lt.Normal(3, n, p), make([]float64, n), 0
	for i := range sign {
		sign[i] = float64(2*(i%2) - 1)
		x.Set(i, 0, 3*sign[i])
	}
	for name, rows := range map[string]linalg.Rows{"dense": x, "sparse": lt.Sparse(x)} {
		q := &qp.Linear{X: rows, Sign: sign}
		want, _ := qp.Kozinec(&qp.Hulls{Points: q, Sign: sign}, &qp.HullOptions{MaxIter: 5})
		added = 0
		got, _ := qp.Kozinec(&qp.Hulls{Points: addingRows{q, &added}, Sign: sign}, &qp.HullOptions{MaxIter: 5})
		if added > 5 || got == nil || got.Distance != want.Distance {
			t.Errorf("%s: %d rows in 5 steps, %v", name, added, got)
		}
	}
}
