package hyperplane

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
	"halfspace/qp/separation"
)

// InfeasibleError says that no plane separates two classes, and shows why: a convex
// combination of rows of one class that coincides with one of the other. Two
// sets of points are separable or have such a pair, never both. The weights are rounded;
// Evidence has them as integers, with which the combinations coincide exactly, and says whether
// a plane separates the classes but for rows that lie on it (quasi-complete). Those of many columns
// are made when they are asked for.
//
// For planes through 0 (ThroughZero) it is the weights of both classes together
// that sum to 1, and the combinations coincide as multiples of convex ones: there is such a
// plane or such a pair. One class may have no rows in it; then 0 is in the hull of
// the other.
type InfeasibleError struct {
	Machine                          Machine // the labels on either side
	Positive, Negative               []int   // rows
	PositiveWeights, NegativeWeights []float64
	Distance                         float64 // between the combinations with rounded weights, relative to the largest of the rows
	ThroughZero                      bool    // the plane was to pass through 0
	Evidence                         *separation.Evidence
}

func (e *InfeasibleError) Error() string {
	other := fmt.Sprint(e.Machine.Negative)
	if e.Machine.Rest {
		other = "the rest"
	}
	plane, sort := "plane", "convex"
	if e.ThroughZero {
		plane, sort = "plane through 0", "positive"
	}
	return fmt.Sprintf("no %s separates class %d from %s: %s combinations of %d and %d rows coincide",
		plane, e.Machine.Positive, other, sort, len(e.Positive), len(e.Negative))
}

// Verify multiplies the combinations out in integers, on the rows, labels and weights (nil:
// none is 0) that the fit had. Errors: *[linalg.ShapeError], those of [separation.Evidence.Verify].
func (e *InfeasibleError) Verify(x linalg.Rows, y []int, weights []float64) error {
	if weights != nil && len(weights) != len(y) {
		return wrap(&linalg.ShapeError{Want: len(y), WantOf: "labels", Got: len(weights), GotOf: "weights"})
	}
	p := &separation.Problem{X: x, Code: make([]int, len(y)), Classes: 2, ThroughZero: e.ThroughZero}
	for i, label := range y {
		switch {
		case weights != nil && weights[i] == 0:
			p.Code[i] = separation.Left
		case label == e.Machine.Positive:
			p.Code[i] = 1
		case label != e.Machine.Negative && !e.Machine.Rest:
			p.Code[i] = separation.Left
		}
	}
	return e.Evidence.Verify(p)
}

// apart is the question whether a plane separates the task's rows x, those of weight 0 left
// out.
func (t task) apart(x linalg.Table, w []float64, throughZero bool, workers int) *separation.Problem {
	p := &separation.Problem{X: x, Code: make([]int, len(t.sign)), Classes: 2, ThroughZero: throughZero, Workers: workers}
	for i, s := range t.sign {
		switch {
		case w != nil && w[i] == 0:
			p.Code[i] = separation.Left
		case s > 0:
			p.Code[i] = 1
		}
	}
	return p
}

// infeasible states the combinations of the task's rows x that coincide.
func (t task) infeasible(c Machine, x linalg.Table, evidence *separation.Evidence, throughZero bool) *InfeasibleError {
	e := &InfeasibleError{Machine: c, ThroughZero: throughZero, Evidence: evidence}
	_, p := x.Dims()
	difference, largest := make([]float64, p), 0.0
	weights := evidence.Weights(throughZero)
	for k, m := range evidence.Multipliers {
		_, values := x.Entries(m.Row)
		largest = max(largest, linalg.Norm(values))
		x.AddRow(difference, m.Row, float64(2*m.Class-1)*weights[k])
		evidence.Multipliers[k].Row = t.row(m.Row)
		if m.Class == 1 {
			e.Positive, e.PositiveWeights = append(e.Positive, t.row(m.Row)), append(e.PositiveWeights, weights[k])
		} else {
			e.Negative, e.NegativeWeights = append(e.Negative, t.row(m.Row)), append(e.NegativeWeights, weights[k])
		}
	}
	for k, i := range evidence.Ties {
		evidence.Ties[k] = t.row(i)
	}
	e.Distance = linalg.Norm(difference) / max(largest, math.SmallestNonzeroFloat64)
	return e
}

// settle returns the nearest points from which a plane can be made, near itself where the
// plane half-way between them separates the rows in exact arithmetic. Else exact arithmetic
// decides: the error is an *[InfeasibleError] that names c, or near is found anew; where
// neither can be done its report says that it is undecided, or has not converged. tol is that
// of the certificate.
func (t task) settle(c Machine, x linalg.Table, p *separation.Problem, near *qp.Nearest, origin []float64, tol float64) (*qp.Nearest, []float64, error) {
	if !near.Meet && near.Separation() > 0 {
		e := direction(between(near, origin, 1, 1, p.ThroughZero))
		if err := e.Check(p, nil); err != nil || e.Kind == separation.Complete {
			return near, origin, err
		}
	}
	e, err := separation.Settle(p)
	switch {
	case err != nil:
		return nil, nil, err
	case len(e.Multipliers) > 0:
		return nil, nil, t.infeasible(c, x, e, p.ThroughZero)
	case e.Kind == separation.Undecided:
		near.Report = unknown(near.Report)
		return near, origin, nil
	}
	certificate := optimize.Certificate{Kind: optimize.KindGap, Value: 1, Tol: tol}
	m, err := separation.WidestMargin(p, near.Points, near.Weights)
	if err != nil || m == nil {
		near.Report = near.Report.Certify(near.Report.Objective(), certificate)
		return near, origin, err
	}
	if !p.ThroughZero {
		origin = m.Origin
	}
	exactly := &qp.Nearest{Points: m.Rows, Weights: m.Weights, Difference: m.Difference, Reach: t.reach(p, m.Difference, origin, 0)}
	square := linalg.Dot(m.Difference, m.Difference)
	if s := exactly.Separation(); s > 0 {
		certificate.Value = max(0, (1-s/square)*(1+s/square))
	}
	exactly.Report = near.Report.Certify(math.Sqrt(square), certificate)
	return exactly, origin, nil
}

// unknown is the report of a fit of which it is not known whether it has a solution.
func unknown(r optimize.Report) optimize.Report {
	p, err := optimize.Begin(nil, []float64{0}, nil, optimize.Defaults{Kind: optimize.KindGap, MaxIter: 1})
	if err != nil {
		return r
	}
	p.End(optimize.Undecided)
	c := r.Certificate()
	c.Value = 1
	return p.Report().Certify(r.Objective(), c)
}

// direction returns a plane as evidence that is yet to be checked.
func direction(p *Plane) *separation.Evidence {
	return &separation.Evidence{Origin: p.origin, Coef: row(p.beta()), Intercept: []float64{p.offset}}
}

// judge counts the rows that the plane has wrong, by exact signs, and returns the proof that
// it separates the classes; else, if that is open, the answer whether any plane does, or nil.
// It sets scores to f of the rows.
func judge(p *separation.Problem, plane *Plane, open bool, scores []float64) (wrong int, evidence *separation.Evidence, err error) {
	e := direction(plane)
	if err := e.Check(p, scores); err != nil {
		return 0, nil, err
	}
	wrong = len(p.Code) - e.Strict
	switch {
	case wrong == 0:
		return 0, e, nil
	case !open:
		return wrong, nil, nil
	}
	evidence, err = separation.Settle(p)
	return wrong, evidence, err
}

// prospect says whether a plane separates the classes, as far as that is known.
func prospect(e *separation.Evidence) string {
	switch {
	case e == nil || e.Kind == separation.Undecided && len(e.Multipliers) == 0:
		return ""
	case e.Kind == separation.Complete:
		return ", though a plane separates the classes"
	}
	return ", and no plane separates the classes"
}

// reach returns the least values of the signed rows by w·(x−origin) + offset, of the second
// group or the only one and of the first, summed in twice the precision.
func (t task) reach(p *separation.Problem, w, origin []float64, offset float64) [2]float64 {
	least := [2]float64{math.Inf(1), math.Inf(1)}
	x := p.X.(linalg.Table)
	var at0 exact.Sum
	at0.AddProduct(offset, 0, 1, 0)
	for j, c := range origin {
		at0.AddProduct(w[j], 0, -c, 0)
	}
	for i, code := range p.Code {
		if code == separation.Left {
			continue
		}
		s := at0
		columns, values := x.Entries(i)
		s.AddProducts(columns, w, values, nil)
		group := 0
		if t.sign[i] > 0 && !p.ThroughZero {
			group = 1
		}
		least[group] = min(least[group], t.sign[i]*s.Value())
	}
	if p.ThroughZero {
		least[1] = 0
	}
	return least
}

// least returns the least s·f of the rows by a plane.
func (t task) least(p *separation.Problem, plane *Plane) float64 {
	least := t.reach(p, plane.beta(), plane.origin, plane.offset)
	if p.ThroughZero {
		return least[0]
	}
	return min(least[0], least[1])
}

// between returns the plane half-way between the supporting planes of two hulls, or
// the one through the origin, with f = (width/m)·w·(x−c) + const.
func between(near *qp.Nearest, origin []float64, width, m float64, throughOrigin bool) *Plane {
	p := planeAt(slices.Clone(near.Difference), origin, 0)
	linalg.Scale(p.beta(), width/m)
	if !throughOrigin {
		middle := near.Separation()/2 - near.Reach[0]
		p.offset = 0 - width*middle/m
	}
	return p
}

// prepareClasses checks x, y and weights and codes the labels. It returns the rows
// to fit, those of [trainingRows].
func prepareClasses(x linalg.Table, y, classes []int, w []float64) (rows linalg.Table, l sample.Labels, err error) {
	if _, _, err := sample.Dims(x, len(y), "labels"); err != nil {
		return rows, l, err
	}
	if _, err := sample.Weights(w, len(y)); err != nil {
		return rows, l, err
	}
	if rows, err = trainingRows(x, nil, w); err != nil {
		return rows, l, err
	}
	l, err = sample.Code(y, classes, w)
	return rows, l, err
}

// trainingRows checks the range of x, responses y (nil: none) and weights. It returns
// x itself, or where a row of weight 0 is out of range a copy in which such rows are 0.
//
// Errors: those of [sample.Range].
func trainingRows(x linalg.Table, y, w []float64) (linalg.Table, error) {
	if err := sample.Range(x, y, w); err != nil {
		return x, err
	}
	deleted := make(map[int]bool)
	for i, v := range w {
		if _, values := x.Entries(i); v == 0 && !sample.InRange(values) {
			deleted[i] = true
		}
	}
	if len(deleted) == 0 {
		return x, nil
	}
	switch x := x.(type) {
	case *linalg.Dense:
		rows := x.Clone()
		for i := range deleted {
			clear(rows.Row(i))
		}
		return rows, nil
	case *linalg.CSR:
		return x.Map(func(i int, _ int32, v float64) float64 {
			if deleted[i] {
				return 0
			}
			return v
		}), nil
	}
	return x, nil
}

// kernel returns the linear kernel of x with the given signs, about the column means where those are large beside the
// spread, or with the mirror for such rows where there is no intercept. Sparse rows stay about 0, but where a
// quarter of them is stored and columns lie far off: then they are copied.
func (s *solver) kernel(x linalg.Rows, sign, weight []float64) *qp.Linear {
	q, ratio, far := &qp.Linear{X: x, Sign: sign, Workers: s.workers}, farOff, []float64(nil)
	if n, p := x.Dims(); s.noIntercept && (p <= max(fewColumns, n/2) || s.loss == SquaredHinge) {
		ratio = farAway
	}
	switch x := x.(type) {
	case *linalg.Dense:
		far = origin(x, weight, ratio)
	case *linalg.CSR:
		if n, p := x.Dims(); 4*x.Stored()/n < p {
			break
		}
		if far = origin(x, weight, ratio); far != nil {
			dense, err := linalg.ToDense(x)
			if err != nil {
				return q
			}
			q.X = dense
		}
	}
	if s.noIntercept {
		q.Far = far
	} else {
		q.Origin = far
	}
	return q
}

// farOff is the ratio of mean to standard deviation above which products are taken
// about the mean; below it they lose at most three digits. Without an intercept rows are reflected above farAway, which
// takes as long as some products with all; below it no fit failed nor took longer, but by the products
// of rows, which are those of more than fewColumns columns and half as many as rows.
const farOff, farAway, fewColumns = 30.0, 1e4, 200

// origin returns, for the columns that lie far off, the means of the rows of x whose
// weight w is not 0 (nil: of all), and 0 for the others; nil where none does by the given ratio.
// O(np).
func origin(x linalg.Table, w []float64, ratio float64) []float64 {
	n, p := x.Dims()
	mean, square, spread := make([]float64, p), make([]float64, p), make([]float64, p)
	var first []float64
	count := 0.0
	for i := range n {
		if w != nil && w[i] == 0 {
			continue
		}
		columns, row := x.Entries(i)
		if columns != nil {
			clear(spread)
			x.AddRow(spread, i, 1)
			row = spread
		}
		if first == nil {
			first = slices.Clone(row)
		}
		count++
		for j, v := range row {
			d := v - first[j]
			mean[j] += d
			square[j] += d * d
		}
	}
	if first == nil { // all prices have underflowed to 0
		return nil
	}
	far := false
	for j := range mean {
		d := mean[j] / count
		mean[j] = first[j] + d
		sd := math.Sqrt(max(0, square[j]/count-d*d))
		far = far || math.Abs(mean[j]) > ratio*sd
		if math.Abs(mean[j]) <= farOff*sd {
			mean[j] = 0
		}
	}
	if !far {
		return nil
	}
	return mean
}

// betweenRows returns the plane and multipliers of the soft margin where one row a side has a
// price, or rows of one side alone, and nil for other problems: classes by the hundred have few
// rows, and pairs of them are many. The plane of one side is constant. The multiplier of two rows is
// 2/‖x₊−x₋‖² or the smaller price; a row that its price does not hold is on its margin, and
// two that are alike are as far on either side. Of squared slacks it is
// 2/(‖x₊−x₋‖² + 1/2C₊ + 1/2C₋), and a slack α/2C. It sets f to yᵢβ·(xᵢ−c).
func betweenRows(q *qp.Linear, price []float64, loss Loss, f []float64) (*Plane, []float64) {
	var row, count [2]int // −1 and +1
	for i, c := range price {
		if side := int(q.Sign[i]+1) / 2; c > 0 {
			row[side] = i
			count[side]++
		}
	}
	most := max(count[0], count[1])
	if most == 0 || most > 1 && min(count[0], count[1]) > 0 {
		return nil, nil
	}
	plane, alpha := planeAt(make([]float64, q.Rank()), q.Origin, 0), make([]float64, len(price))
	minus, plus := row[0], row[1]
	if count[0] == 0 || count[1] == 0 {
		plane.offset = float64(count[1]-count[0]) / float64(most)
		return plane, alpha
	}
	q.AddRow(plane.beta(), plus, 1)
	q.AddRow(plane.beta(), minus, 1)
	short, free := [2]float64{}, 2/linalg.Dot(plane.beta(), plane.beta()) // the slacks − and +, where they are known
	a := min(free, price[minus], price[plus])
	if loss == SquaredHinge {
		free = 2 / (2/free + 0.5/price[minus] + 0.5/price[plus])
		a, short = free, [2]float64{free / (2 * price[minus]), free / (2 * price[plus])}
	}
	alpha[minus], alpha[plus] = a, a
	linalg.Scale(plane.beta(), a)
	q.Apply(f, plane.beta())
	switch {
	case a == free || price[minus] == price[plus]:
		plane.offset = ((f[minus] + short[0]) - (f[plus] + short[1])) / 2
	case a < price[minus]:
		plane.offset = f[minus] - 1
	default:
		plane.offset = 1 - f[plus]
	}
	return plane, alpha
}

// throughZero is betweenRows for planes through the origin: of one row or two that have a price,
// on whatever sides. The multipliers lie inside the prices or on an edge of them; the result is nil
// where rounding leaves a gap at each.
func throughZero(q *qp.Linear, price []float64) (*Plane, []float64) {
	var rows []int
	for i, c := range price {
		if c > 0 {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 || len(rows) > 2 {
		return nil, nil
	}
	i, j := rows[0], rows[len(rows)-1]
	most := [2]float64{price[i], price[j]}
	if i == j {
		most[1] = 0
	}
	u, v := make([]float64, q.Rank()), make([]float64, q.Rank()) // yx of both
	q.AddRow(u, i, 1)
	q.AddRow(v, j, 1)
	uu, uv, vv := linalg.Dot(u, u), linalg.Dot(u, v), linalg.Dot(v, v)
	first := func(b float64) [2]float64 { return [2]float64{min(max(0, (1-b*uv)/uu), most[0]), b} }
	second := func(a float64) [2]float64 { return [2]float64{a, min(max(0, (1-a*uv)/vv), most[1])} }
	det := uu*vv - uv*uv
	for _, a := range [][2]float64{{(vv - uv) / det, (uu - uv) / det}, first(0), first(most[1]), second(0), second(most[0])} {
		beta := make([]float64, len(u))
		linalg.Axpy(beta, a[0], u)
		linalg.Axpy(beta, a[1], v)
		gap := 0.0
		for k, x := range [][]float64{u, v} {
			g := linalg.Dot(x, beta) - 1
			gap += max(0, g)*a[k] + max(0, -g)*(most[k]-a[k])
		}
		dual := a[0] + a[1] - linalg.Dot(beta, beta)/2
		if inside := a[0] >= 0 && a[0] <= most[0] && a[1] >= 0 && a[1] <= most[1]; inside && gap <= exactly*dual {
			alpha := make([]float64, len(price))
			alpha[j] = a[1]
			alpha[i] = a[0]
			return planeAt(beta, q.Origin, 0), alpha
		}
	}
	return nil, nil
}

// exactly is the gap, relative to the objective, up to which multipliers in closed form are right.
const exactly = 1e-10
