package hyperplane

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// MarginCase is where a row lies once the margin is y·f = 1.
type MarginCase uint8

const (
	Outside  MarginCase = iota // α = 0, y·f ≥ 1: of no influence
	OnMargin                   // 0 < α < C, y·f = 1, ξ = 0
	Inside                     // α = C, y·f ≤ 1: inside the margin, or beyond the plane where ξ > 1
)

// String returns "outside", "on" or "inside".
func (c MarginCase) String() string {
	if names := []string{"outside", "on", "inside"}; int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("MarginCase(%d)", uint8(c))
}

// Conditions is the state of each row of a margin, and the residuals of the
// Karush-Kuhn-Tucker conditions, each without a unit: of a soft one (ESL 12.10 – 12.16), or of
// a hard one (ESL 4.50 – 4.53), whose slack has no price, C = +Inf. Of squared hinge loss α is 2Cξ:
// it has no bound, ξ ≥ 0 needs no multiplier, and no row is on the margin.
type Conditions struct {
	Rows   []int        // the rows of the machine's classes, ascending
	Margin []float64    // y·f
	Slack  []float64    // ξ = max(0, 1 − y·f)
	Alpha  []float64    // multiplier of y·f ≥ 1 − ξ
	Mu     []float64    // multiplier of ξ ≥ 0: C − α
	Case   []MarginCase // which of the three cases the row is

	Misclassified int // rows with ξ > 1

	// Stationarity is the larger of max|β − Σαyx| in units of max Σ|αx| and |Σαy|/Σ|α|, α with its
	// second words.
	Stationarity float64
	// PrimalFeasibility is the largest violation of y·f ≥ 1 − ξ and ξ ≥ 0, for a hard margin
	// of y·f ≥ 1.
	PrimalFeasibility float64
	// DualFeasibility is the largest violation of 0 ≤ α ≤ C, relative to C, for a hard margin
	// to Σα.
	DualFeasibility float64
	// ComplementarySlackness is the largest of α|y·f − 1 + ξ|/C and μξ/C, for a hard margin of
	// α|y·f − 1|/Σα, for squared hinge loss of |α − 2Cξ|/Σα.
	ComplementarySlackness float64

	// Primal and Dual are ½‖β‖² + ΣCξ ≥ Σα − ½‖Σαyx‖², of squared hinge loss ½‖β‖² + ΣCξ² ≥
	// Σα − ½‖Σαyx‖² − Σα²/4C, equal at the optimum.
	Primal, Dual float64
}

// Conditions recomputes, from the data that the model was fitted to, what is true
// of machine k: every number comes from the published plane, the multipliers and
// x, y, weights alone. O(np).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError],
// *[sample.OptionError] for k.
func (m *SVC) Conditions(k int, x linalg.Rows, y []int, weights []float64) (*Conditions, error) {
	rows, err := linalg.InMemory(x)
	if err != nil {
		return nil, wrap(err)
	}
	c, err := m.conditions(k, rows, y, weights)
	if err != nil {
		return nil, wrap(err)
	}
	return c, nil
}

func (m *SVC) conditions(k int, x linalg.Table, y []int, weights []float64) (*Conditions, error) {
	x, t, err := m.taskOf(k, x, y, weights)
	if err != nil {
		return nil, err
	}
	price, err := m.prices(y, weights)
	if err != nil {
		return nil, err
	}
	return m.list[k].conditions(x, t, price, m.loss, m.noIntercept), nil
}

// Conditions recomputes, from the data that the model was fitted to, what is true of machine
// k: every number comes from the published plane, the multipliers and x, y, weights alone. A
// plane without an origin that goes through 0 is taken for one that had to. O(np).
//
// Errors: as [SVC.Conditions].
func (m *HardMargin) Conditions(k int, x linalg.Rows, y []int, weights []float64) (*Conditions, error) {
	rows, err := linalg.InMemory(x)
	if err != nil {
		return nil, wrap(err)
	}
	n, _ := rows.Dims()
	price := make([]float64, n)
	for i := range price {
		price[i] = math.Inf(1)
		if weights != nil && i < len(weights) && weights[i] == 0 {
			price[i] = 0
		}
	}
	rows, t, err := m.taskOf(k, rows, y, weights)
	if err != nil {
		return nil, wrap(err)
	}
	p := m.list[k].Plane
	return m.list[k].conditions(rows, t, price, Hinge, p.origin == nil && p.offset == 0), nil
}

// taskOf checks the rows and returns the two-class problem of machine k.
func (m *machines) taskOf(k int, x linalg.Table, y []int, weights []float64) (linalg.Table, task, error) {
	if k < 0 || k >= len(m.list) {
		return nil, task{}, &sample.OptionError{Name: "k", Value: float64(k), Want: fmt.Sprintf("0 to %d", len(m.list)-1)}
	}
	x, l, err := prepareClasses(x, y, m.classes, weights)
	if err != nil {
		return nil, task{}, err
	}
	if _, p := x.Dims(); p != m.Features() {
		return nil, task{}, &linalg.ShapeError{Want: m.Features(), WantOf: "features", Got: p, GotOf: "columns"}
	}
	if s := m.list[k].Support; len(s) > 0 && s[len(s)-1] >= len(y) {
		return nil, task{}, &linalg.ShapeError{Want: s[len(s)-1] + 1, WantOf: "rows at least", Got: len(y), GotOf: "rows"}
	}
	d, err := divide(l, m.multi)
	if err != nil {
		return nil, task{}, err
	}
	return x, d.task(k), nil
}

func (c *Machine) conditions(x linalg.Table, t task, price []float64, loss Loss, noIntercept bool) *Conditions {
	n := len(t.sign)
	r := &Conditions{Rows: make([]int, n), Margin: make([]float64, n), Slack: make([]float64, n),
		Alpha: make([]float64, n), Mu: make([]float64, n), Case: make([]MarginCase, n)}
	sums := newMultiplied(c.Plane)
	total, losses := 0.0, 0.0
	next, all := 0, 0.0
	for _, v := range c.Multipliers {
		all += v
	}
	for a := range n {
		i, s := t.row(a), t.sign[a]
		r.Rows[a] = i
		if next < len(c.Support) && c.Support[next] == i {
			r.Alpha[a] = c.Multipliers[next]
			low := 0.0
			if c.Remainders != nil {
				low = c.Remainders[next]
			}
			sums.add(x, i, s*r.Alpha[a], s*low)
			total += low
			next++
		}
		r.Margin[a] = s * c.Plane.valueOf(x.Entries(i))
		r.Slack[a] = math.Max(0, 1-r.Margin[a])
		r.classify(a, price[i], all, loss)
		if price[i] < math.Inf(1) {
			losses += price[i] * loss.of(r.Slack[a])
			r.Dual -= loss.conjugate(r.Alpha[a], price[i])
		}
		total += r.Alpha[a]
	}
	r.Stationarity = sums.stationarity(noIntercept)
	r.Primal = linalg.Dot(c.Plane.beta(), c.Plane.beta())/2 + losses
	r.Dual += total - sums.halfSquare()
	return r
}

// multiplied is what the signed multipliers of rows make of a plane.
type multiplied struct {
	plane   *Plane
	sum     []exact.Sum // Σm(x−c), of which large prices cancel all but the last digits
	size    []float64   // Σ|m(x−c)|
	balance exact.Sum   // Σm
	total   float64     // Σ|m|
}

func newMultiplied(p *Plane) *multiplied {
	return &multiplied{plane: p, sum: make([]exact.Sum, p.Features()), size: make([]float64, p.Features())}
}

// add adds row i of x with the multiplier m + low.
func (w *multiplied) add(x linalg.Table, i int, m, low float64) {
	w.balance.Add(m, low)
	w.total += math.Abs(m)
	columns, values := x.Entries(i)
	eachAbout(w.plane.origin, columns, values, func(j int, v float64) {
		w.sum[j].AddProduct(m, low, v, 0)
		w.size[j] += math.Abs(m * v)
	})
}

// stationarity returns the larger of max|β − Σm(x−c)| in units of max Σ|m(x−c)|, and where the intercept
// is free |Σm|/Σ|m|.
func (w *multiplied) stationarity(noIntercept bool) float64 {
	worst := 0.0
	for j, b := range w.plane.beta() {
		worst = max(worst, math.Abs(b-w.sum[j].Value()))
	}
	worst = ratio(worst, linalg.NormInf(w.size))
	if noIntercept {
		return worst
	}
	return max(worst, ratio(math.Abs(w.balance.Value()), w.total))
}

// halfSquare returns ½‖Σm(x−c)‖².
func (w *multiplied) halfSquare() (half float64) {
	for _, v := range w.sum {
		half += v.Value() * v.Value() / 2
	}
	return half
}

// ratio is a/b, 0 where both are.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// classify sets row a's case, its μ, and its share in the residuals, in units of the price,
// or of the sum of all multipliers where that is infinite.
func (r *Conditions) classify(a int, price, all float64, loss Loss) {
	alpha, slack := r.Alpha[a], r.Slack[a]
	r.Mu[a] = price - alpha
	switch {
	case alpha <= 0:
		r.Case[a] = Outside
	case alpha < price:
		r.Case[a] = OnMargin
	default:
		r.Case[a] = Inside
	}
	if price == 0 {
		return // the row is deleted
	}
	if slack > 1 {
		r.Misclassified++
	}
	if loss == SquaredHinge {
		r.Mu[a] = 0
		if alpha > 0 {
			r.Case[a] = Inside
		}
		r.DualFeasibility = max(r.DualFeasibility, ratio(-alpha, all))
		r.ComplementarySlackness = max(r.ComplementarySlackness, ratio(math.Abs(alpha-2*price*slack), all))
		return
	}
	if math.IsInf(price, 1) {
		r.PrimalFeasibility = max(r.PrimalFeasibility, slack)
		r.DualFeasibility = max(r.DualFeasibility, ratio(-alpha, all))
		r.ComplementarySlackness = max(r.ComplementarySlackness, ratio(math.Abs(alpha*(r.Margin[a]-1)), all))
		return
	}
	r.PrimalFeasibility = max(r.PrimalFeasibility, 1-slack-r.Margin[a], -slack)
	r.DualFeasibility = max(r.DualFeasibility, -alpha/price, -r.Mu[a]/price)
	r.ComplementarySlackness = max(r.ComplementarySlackness,
		math.Abs(alpha*(r.Margin[a]-1+slack))/price, math.Abs(r.Mu[a]*slack)/price)
}

// String returns the size of the conditions over all rows.
func (r *Conditions) String() string {
	return fmt.Sprintf("conditions of %d rows: %d misclassified, stationarity %.3g, complementary slackness %.3g, primal %.6g, dual %.6g", len(r.Rows), r.Misclassified, r.Stationarity, r.ComplementarySlackness, r.Primal, r.Dual)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Conditions) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Conditions) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }

// TubeConditions is the state of each row of a support vector regression, and the residuals
// of the Karush-Kuhn-Tucker conditions, each without a unit. With a = α* − α and r = y − f:
// a = 0 inside the tube, |r| ≤ ε; |a| ≤ C on it, |r| = ε; |a| = C beyond, where the slack is
// ξ = |r| − ε; and a has the sign of r.
type TubeConditions struct {
	Residual []float64 // r
	Slack    []float64 // ξ = max(0, |r| − ε)
	Alpha    []float64 // a

	// Stationarity is the larger of max|β − Σax| in units of max Σ|ax| and |Σa|/Σ|a|.
	Stationarity float64
	// DualFeasibility is the largest violation of |a| ≤ C, relative to C.
	DualFeasibility float64
	// ComplementarySlackness is the largest of |a|·(ε + ξ − r·sign(a)) and (C − |a|)·ξ, relative
	// to C and to the largest |y|, with an intercept about its mean.
	ComplementarySlackness float64

	Primal, Dual float64 // ½‖β‖² + CΣξ ≥ Σay − εΣ|a| − ½‖Σax‖², equal at the optimum
}

// Conditions recomputes them from the published plane, the multipliers and the data that the
// model was fitted to. A plane without an origin that goes through 0 is taken for one that had
// to. O(np).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError].
func (m *SVR) Conditions(x linalg.Rows, y, weights []float64) (*TubeConditions, error) {
	rows, err := linalg.InMemory(x)
	p := 0
	if err == nil {
		_, p, err = sample.Dims(rows, len(y), "responses")
	}
	if err == nil && p != m.Features() {
		err = &linalg.ShapeError{Want: m.Features(), WantOf: "features", Got: p, GotOf: "columns"}
	}
	if s := m.support; err == nil && len(s) > 0 && s[len(s)-1] >= len(y) {
		err = &linalg.ShapeError{Want: s[len(s)-1] + 1, WantOf: "rows at least", Got: len(y), GotOf: "rows"}
	}
	if err == nil {
		_, err = sample.Weights(weights, len(y))
	}
	if err == nil {
		err = sample.Range(rows, y, weights)
	}
	if err != nil {
		return nil, wrap(err)
	}
	return m.conditions(rows, y, weights), nil
}

func (m *SVR) conditions(x linalg.Table, y, weights []float64) *TubeConditions {
	n := len(y)
	r := &TubeConditions{Residual: make([]float64, n), Slack: make([]float64, n), Alpha: make([]float64, n)}
	for k, i := range m.support {
		r.Alpha[i] = m.multipliers[k]
	}
	sums := newMultiplied(m.plane)
	losses, mean, level := 0.0, 0.0, 0.0
	price, through := m.prices(n, weights), m.plane.origin == nil && m.plane.offset == 0
	if !through {
		mean = meanOf(y, price)
	}
	for i, v := range y {
		if price[i] > 0 {
			level = math.Max(level, math.Abs(v-mean))
		}
	}
	for i, a := range r.Alpha {
		r.Residual[i] = y[i] - m.plane.valueOf(x.Entries(i))
		r.Slack[i] = math.Max(0, math.Abs(r.Residual[i])-m.epsilon)
		price := price[i]
		if price == 0 {
			continue // the row is deleted
		}
		losses += price * r.Slack[i]
		r.Dual += a*(y[i]-mean) - m.epsilon*math.Abs(a)
		r.DualFeasibility = max(r.DualFeasibility, (math.Abs(a)-price)/price)
		r.ComplementarySlackness = max(r.ComplementarySlackness, ratio((price-math.Abs(a))*r.Slack[i], price*level))
		if a != 0 {
			off := m.epsilon + r.Slack[i] - r.Residual[i]*math.Copysign(1, a)
			r.ComplementarySlackness = max(r.ComplementarySlackness, ratio(math.Abs(a*off), price*level))
		}
		sums.add(x, i, a, 0)
	}
	r.Stationarity = sums.stationarity(through)
	r.Primal = linalg.Dot(m.plane.beta(), m.plane.beta())/2 + losses
	r.Dual -= sums.halfSquare()
	return r
}

// String returns the size of the conditions over all rows.
func (r *TubeConditions) String() string {
	return fmt.Sprintf("conditions of %d rows: stationarity %.3g, complementary slackness %.3g, primal %.6g, dual %.6g", len(r.Residual), r.Stationarity, r.ComplementarySlackness, r.Primal, r.Dual)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r TubeConditions) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *TubeConditions) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
