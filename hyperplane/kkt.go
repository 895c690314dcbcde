package hyperplane

import (
	"fmt"
	"halfspace/linalg/record"
	"math"

	"halfspace/linalg"
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

// Conditions is the state of each row of a soft margin, and the residuals of the
// Karush-Kuhn-Tucker conditions (ESL 12.10 – 12.16), each without a unit.
type Conditions struct {
	Rows   []int        // the rows of the machine's classes, ascending
	Margin []float64    // y·f
	Slack  []float64    // ξ = max(0, 1 − y·f)
	Alpha  []float64    // multiplier of y·f ≥ 1 − ξ
	Mu     []float64    // multiplier of ξ ≥ 0: C − α
	Case   []MarginCase // which of the three cases the row is

	Misclassified int // rows with ξ > 1

	// Stationarity is the largest of |β − Σαyx|ⱼ/Σα|x|ⱼ and |Σαy|/Σα.
	Stationarity float64
	// PrimalFeasibility is the largest violation of y·f ≥ 1 − ξ and ξ ≥ 0.
	PrimalFeasibility float64
	// DualFeasibility is the largest violation of 0 ≤ α ≤ C, relative to C.
	DualFeasibility float64
	// ComplementarySlackness is the largest of α|y·f − 1 + ξ|/C and μξ/C.
	ComplementarySlackness float64

	Primal, Dual float64 // ½‖β‖² + ΣCξ ≥ Σα − ½‖Σαyx‖², equal at the optimum
}

// Conditions recomputes, from the data that the model was fitted to, what is true
// of machine k: every number comes from the published plane, the multipliers and
// x, y, weights alone. O(np).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError],
// *[sample.OptionError] for k.
func (m *SVC) Conditions(k int, x linalg.Rows, y []int, weights []float64) (*Conditions, error) {
	dense, err := linalg.ToDense(x)
	if err != nil {
		return nil, wrap(err)
	}
	c, err := m.conditions(k, dense, y, weights)
	if err != nil {
		return nil, wrap(err)
	}
	return c, nil
}

func (m *SVC) conditions(k int, x *linalg.Dense, y []int, weights []float64) (*Conditions, error) {
	if k < 0 || k >= len(m.list) {
		return nil, &sample.OptionError{Name: "k", Value: float64(k), Want: fmt.Sprintf("0 to %d", len(m.list)-1)}
	}
	x, l, err := prepareClasses(x, y, m.classes, weights)
	if err != nil {
		return nil, err
	}
	if x.Cols != m.Features() {
		return nil, &linalg.ShapeError{Want: m.Features(), WantOf: "features", Got: x.Cols, GotOf: "columns"}
	}
	if s := m.list[k].Support; len(s) > 0 && s[len(s)-1] >= len(y) {
		return nil, &linalg.ShapeError{Want: s[len(s)-1] + 1, WantOf: "rows at least", Got: len(y), GotOf: "rows"}
	}
	price, err := l.Weigh(weights, m.classWeights)
	if err != nil {
		return nil, err
	}
	linalg.Scale(price, m.c)
	d, err := divide(l, m.multi)
	if err != nil {
		return nil, err
	}
	return m.list[k].conditions(x, d.task(k), price, m.noIntercept), nil
}

func (c *Machine) conditions(x *linalg.Dense, t task, price []float64, noIntercept bool) *Conditions {
	n, p := len(t.sign), x.Cols
	r := &Conditions{Rows: make([]int, n), Margin: make([]float64, n), Slack: make([]float64, n),
		Alpha: make([]float64, n), Mu: make([]float64, n), Case: make([]MarginCase, n)}
	sum, size := make([]float64, p), make([]float64, p) // Σαy(x−c) and Σα|x−c|
	balance, total, worth := 0.0, 0.0, 0.0
	next := 0
	for a := range n {
		i, s := t.row(a), t.sign[a]
		r.Rows[a] = i
		if next < len(c.Support) && c.Support[next] == i {
			r.Alpha[a] = c.Multipliers[next]
			next++
		}
		r.Margin[a] = s * c.Plane.Value(x.Row(i))
		r.Slack[a] = math.Max(0, 1-r.Margin[a])
		r.classify(a, price[i])
		worth += price[i] * r.Slack[a]
		total += r.Alpha[a]
		balance += s * r.Alpha[a]
		if r.Alpha[a] == 0 {
			continue
		}
		for j, v := range x.Row(i) {
			if c.Plane.origin != nil {
				v -= c.Plane.origin[j]
			}
			sum[j] += s * r.Alpha[a] * v
			size[j] += r.Alpha[a] * math.Abs(v)
		}
	}
	for j, b := range c.Plane.beta {
		r.Stationarity = math.Max(r.Stationarity, ratio(math.Abs(b-sum[j]), size[j]))
	}
	if !noIntercept {
		r.Stationarity = math.Max(r.Stationarity, ratio(math.Abs(balance), total))
	}
	r.Primal = linalg.Dot(c.Plane.beta, c.Plane.beta)/2 + worth
	r.Dual = total - linalg.Dot(sum, sum)/2
	return r
}

// ratio is a/b, 0 where both are.
func ratio(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// classify sets row a's case, its μ, and its share in the residuals.
func (r *Conditions) classify(a int, price float64) {
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
	r.PrimalFeasibility = max(r.PrimalFeasibility, 1-slack-r.Margin[a], -slack)
	r.DualFeasibility = max(r.DualFeasibility, -alpha/price, -r.Mu[a]/price)
	r.ComplementarySlackness = max(r.ComplementarySlackness,
		math.Abs(alpha*(r.Margin[a]-1+slack))/price, math.Abs(r.Mu[a]*slack)/price)
}

// String returns a summary.
func (r *Conditions) String() string {
	return fmt.Sprintf("conditions of %d rows: %d misclassified, stationarity %.3g, complementary slackness %.3g, primal %.6g, dual %.6g", len(r.Rows), r.Misclassified, r.Stationarity, r.ComplementarySlackness, r.Primal, r.Dual)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Conditions) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Conditions) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
