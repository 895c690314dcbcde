package hyperplane

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// SVROptions are the settings of [FitSVR]. The zero value and nil are the defaults.
type SVROptions struct {
	C           float64   // the price of a unit beyond the tube, > 0; 0 is 1
	Epsilon     float64   // half the height of the tube, ≥ 0; 0 is what it says: absolute errors
	Weights     []float64 // frequency weights; nil is 1 for all
	NoIntercept bool      // a plane through 0
	Tol         float64   // of the certificate; 0 is 1e-7
	MaxIter     int       // cap on the steps of each solver; 0 is its own default
	Workers     int       // goroutines; 0 is GOMAXPROCS

	// Trace is called once a step; Objective is the dual's, to be minimised.
	Trace func(optimize.Step) error
}

// SVR is linear support vector regression: the f that minimises
//
//	½‖β‖² + C·Σ wᵢ·max(0, |yᵢ − f(xᵢ)| − ε)
//
// (ESL 12.36), its intercept unpenalised. Rows strictly inside the tube |y − f| < ε
// have no influence. It keeps the rows and multipliers of its support, not the
// data.
type SVR struct {
	plane       *Plane
	support     []int
	multipliers []float64 // α* − α of the support
	c, epsilon  float64
	report      optimize.Report
}

// FitSVR fits a support vector regression to the n×p matrix x and n responses.
//
// It solves the dual,
//
//	min ½(α*−α)ᵀK(α*−α) + εΣ(α*+α) − Σy(α*−α),  Σ(α*−α) = 0,  0 ≤ α, α* ≤ C
//
// (Smola and Schölkopf 2004, equation 10; ESL 12.36 to 12.39 for the primal), for ε = 0 in the n variables α*−α alone, to a duality gap
// of at most Tol times the primal objective: the certificate. The objective
// reported is the primal one. Cost and memory are those of [FitSVC].
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[sample.OptionError], *[linalg.RangeError]; with [optimize.ErrNotConverged] the model is not nil.
func FitSVR(x linalg.Rows, y []float64, o *SVROptions) (*SVR, error) {
	return door(x, y, o, fitSVR)
}

func fitSVR(x linalg.Table, y []float64, o *SVROptions) (*SVR, error) {
	m, s, x, price, err := newSVR(x, y, o)
	if err != nil {
		return nil, err
	}
	if err = m.fit(&s, x, y, price); m.plane == nil {
		return nil, err
	}
	return m, err
}

// newSVR checks data and options. It returns a model without a plane, the solver, the rows
// and the prices.
func newSVR(x linalg.Table, y []float64, o *SVROptions) (m *SVR, s solver, rows linalg.Table, price []float64, err error) {
	n, _, err := sample.Dims(x, len(y), "responses")
	if err != nil {
		return nil, s, nil, nil, err
	}
	if _, err := sample.Weights(o.Weights, n); err != nil {
		return nil, s, nil, nil, err
	}
	if rows, err = trainingRows(x, y, o.Weights); err != nil {
		return nil, s, nil, nil, err
	}
	if err := sample.NonNegative("Epsilon", o.Epsilon); err != nil {
		return nil, s, nil, nil, err
	}
	m = &SVR{epsilon: o.Epsilon}
	if m.c, err = sample.Positive(`C`, o.C, 1); err != nil {
		return nil, s, nil, nil, err
	}
	if s, err = newSolver(o.NoIntercept, cmp.Or(o.Tol, defaultTol), o.MaxIter, o.Workers, o.Trace); err != nil {
		return nil, s, nil, nil, err
	}
	price = m.prices(n, o.Weights)
	return m, s, rows, price, checkPrices(price)
}

// prices returns C times the weights of n rows.
func (m *SVR) prices(n int, w []float64) []float64 {
	price := slices.Repeat([]float64{m.c}, n)
	for i, v := range w {
		price[i] *= v
	}
	return price
}

// fit solves the dual of y less its mean, which the intercept takes up.
func (m *SVR) fit(s *solver, x linalg.Rows, y, price []float64) error {
	level := 0.0
	if !s.noIntercept {
		level = meanOf(y, price)
	}
	p, q := m.dual(s, x, y, price, level)
	r, err := s.solve(p, nil)
	if r == nil {
		return err
	}
	t := tube{q: q.With(slices.Repeat([]float64{1}, len(y))), y: y, price: price, level: level, epsilon: m.epsilon, tol: min(defaultTol, s.tol), through: s.noIntercept}
	t.count(s, r.Report)
	e := t.evidence(planeOf(q, r), r.Alpha)
	if err := e.plane.InRange(); err != nil {
		return err
	}
	if s.maxIter == 0 || r.Report.Status() != optimize.MaxIterations { // else the caller wants no more
		if r, e = t.narrowed(s, p, r, e); e.gap() > s.tol && s.cause == nil {
			if n := t.refined(s, p, e.plane, r); n.gap() < e.gap() {
				e = n
			}
		}
	}
	m.plane = e.plane
	for i, v := range e.alpha {
		if v != 0 {
			m.support, m.multipliers = append(m.support, i), append(m.multipliers, v)
		}
	}
	m.report = together(t.runs...).Certify(e.primal, s.gap(e.primal, e.dual))
	return s.end(m.report)
}

// count takes in the report of a run of the solver.
func (t *tube) count(s *solver, r optimize.Report) {
	s.shown += r.Iterations()
	t.runs = append(t.runs, r)
}

// together returns the report of runs that solve the same problem: it is stopped if one of them is, and of one beside
// others that met numbers which are not finite it has the steps alone.
func together(runs ...optimize.Report) optimize.Report {
	for k, r := range runs {
		if r.Status() == optimize.Stopped {
			runs[0], runs[k] = r, runs[0]
		}
		if r.Status() == optimize.NotFinite && len(runs) > 1 {
			steps, _ := optimize.Begin(nil, []float64{0}, nil, optimize.Defaults{}) // of such a point there is no error
			for range r.Iterations() {
				steps.Count()
			}
			steps.End(optimize.Converged)
			runs[k] = steps.Report()
		}
	}
	return optimize.Combine(runs...)
}

// tubeEvidence is a plane with multipliers and the objectives between which the minimum lies.
type tubeEvidence struct {
	plane        *Plane
	alpha        []float64 // α* − α
	primal, dual float64
	short        float64 // the farthest beyond the tube that a row is whose multiplier is not at its bound
}

func (e *tubeEvidence) gap() float64 { return relativeGap(e.primal, e.dual) }

// evidence returns the evidence that the variables of the dual are for a plane of y less level.
func (t *tube) evidence(plane *Plane, alpha []float64) tubeEvidence {
	plane.offset += t.level
	return t.judge(plane, alpha)
}

// narrowed returns the result and the evidence of a fit to a narrower tube, where they are better. Steps are counted
// through.
//
// Where C is huge and the tube nearly holds all rows, the last digit of an intercept of
// 1000, 1e-13, costs more beyond the tube than all else, and that of a row on the tube may cost as much. A fit to a tube
// that is narrower by a few of those holds these rows, and its own objective is more by as little. Where the solver sees
// no change in so little, the tube is narrower by what costs a quarter of the tolerance: a unit costs Σ|a|.
func (t *tube) narrowed(s *solver, p *qp.Problem, r *qp.Result, e tubeEvidence) (*qp.Result, tubeEvidence) {
	size, by := 0.0, 0.0
	for _, a := range e.alpha {
		size += math.Abs(a)
	}
	for _, narrow := range []float64{4 * max(e.short, roundoff*t.epsilon), s.tol * e.primal / (4 * size)} {
		if e.gap() <= s.tol || s.cause != nil || !(narrow > max(by, e.short) && narrow < t.epsilon/2) {
			continue
		}
		for i := range p.Linear {
			p.Linear[i] -= narrow - by
		}
		by = narrow
		again, _ := s.solve(p, r.Alpha)
		if again == nil {
			continue
		}
		t.count(s, again.Report)
		if n := t.evidence(planeOf(t.q, again), again.Alpha); n.gap() < e.gap() {
			r, e = again, n
		}
	}
	return r, e
}

// farChange is how far a variable may change at once, in units of residual/Qᵢᵢ: with bounds of 1e20 the
// rounding of residuals would be a gap. (Measured: 500 × 2,000 at C = 1e6 to 1e9 takes 0.4 in place of 1.3 s, to the same gap.)
const farChange = 1e3

// refined returns the evidence for a plane and variables that are nearer to the solution: the change of the
// variables has the same problem about them, with their gradient, of residuals in twice the working precision, for its
// linear term. (Iterative refinement of quadratic programs: Gleixner, Steffy & Wolter, INFORMS J. Comput. 28,
// 2016.) Where a plane meets all rows and C is huge, the rounding of a sum of many terms costs more than all
// else, and that of its coefficients does not.
func (t *tube) refined(s *solver, p *qp.Problem, plane *Plane, from *qp.Result) tubeEvidence {
	n, alpha := len(t.y), from.Alpha
	f := make([]float64, n)
	t.q.ExactResiduals(f, plane.beta(), plane.offset, t.y)
	unit, reach := linalg.NormInf(f), radius(make([]float64, n), t.q, t.price)
	room := farChange / (reach * reach)
	lower := p.Lower
	if lower == nil {
		lower = make([]float64, len(alpha))
	}
	change := &qp.Problem{Q: p.Q, Sign: p.Sign, Linear: make([]float64, len(alpha)), Lower: make([]float64, len(alpha)), Upper: make([]float64, len(alpha))}
	for i, a := range alpha {
		if p.Upper[i] == 0 {
			continue
		}
		change.Linear[i] = (t.epsilon + float64(1-i/n*2)*f[i%n]) / unit
		change.Lower[i], change.Upper[i] = max((lower[i]-a)/unit, -room), min((p.Upper[i]-a)/unit, room)
	}
	own := s.ofChange(from, unit)
	r, _ := own.solve(change, make([]float64, len(alpha)))
	if r == nil {
		return tubeEvidence{dual: math.Inf(1)}
	}
	t.count(s, r.Report)
	nearer := planeAt(linalg.Clone(plane.beta()), plane.origin, plane.offset-unit*r.Multiplier)
	linalg.Axpy(nearer.beta(), unit, r.V)
	for i, d := range r.Alpha {
		r.Alpha[i] = min(max(alpha[i]+unit*d, lower[i]), p.Upper[i])
	}
	return t.judge(nearer, r.Alpha)
}

// ofChange returns a solver of the change from a result, in the given unit, whose trace sees the variables and the
// objective of the problem that the result is of.
func (s *solver) ofChange(from *qp.Result, unit float64) solver {
	own := *s
	if s.trace != nil {
		own.trace = func(step optimize.Step) error {
			step.X = slices.Clone(step.X)
			linalg.Scale(step.X, unit)
			linalg.Axpy(step.X, 1, from.Alpha)
			step.Objective = from.Objective + unit*unit*step.Objective
			s.cause = s.trace(step)
			return s.cause
		}
	}
	return own
}

// judge is evidence for a plane of y.
func (t *tube) judge(plane *Plane, alpha []float64) tubeEvidence {
	a := make([]float64, len(t.y))
	for i := range a {
		a[i] = alpha[i]
		if t.epsilon > 0 {
			// In a narrow tube α* and α can both be large, and their difference is then rounding.
			if a[i] -= alpha[i+len(a)]; math.Abs(a[i]) <= 0x1p-50*alpha[i+len(a)] {
				a[i] = 0
			}
		}
	}
	signs := t.q.Sign
	if t.through {
		signs = nil
	} else {
		balance(a, nil)
	}
	e := tubeEvidence{plane: plane, alpha: a}
	e.primal, e.dual, e.short = t.objectives(plane, a, mend(a, signs, t.price))
	return e
}

// meanOf returns the mean of the values whose weight is not 0.
func meanOf(v, weight []float64) float64 {
	mean, count := 0.0, 0.0
	for i, x := range v {
		if weight[i] > 0 {
			count++
			mean += (x - mean) / count
		}
	}
	return mean
}

// tube is the data of a regression, of which the gap of any plane and multipliers can be
// computed.
type tube struct {
	q              *qp.Linear // rows without signs
	y, price       []float64
	level, epsilon float64 // the dual is that of y less level
	tol            float64 // of the gap, at most defaultTol
	through        bool    // without an intercept
	runs           []optimize.Report
}

// objectives returns the primal objective of a plane, and a bound from below on the least
// one: the dual objective Σa(y−level) − ε|a| − ½‖Σa(x−c)‖² of the multipliers a = α*−α, less
// |Σa|·|b*|, where open bounds |Σa|, and less the rounding of either; 0 at least. The best b*, beside β*, is within the largest |y−level| +
// R‖β*‖ for ‖xᵢ−c‖ ≤ R, and ½‖β*‖² ≤ P. short is the farthest beyond the tube that a row is whose
// multiplier is not at its bound. O(np).
func (t *tube) objectives(p *Plane, a []float64, open float64) (primal, dual, short float64) {
	f := make([]float64, len(t.y)) // less y
	reach := radius(f, t.q, t.price)
	t.q.Apply(f, p.beta())
	for i, v := range t.y {
		f[i] += p.offset - v
	}
	total, largest := 0.0, 0.0
	var sum exact.Sum
	for i, v := range t.y {
		if t.price[i] > 0 {
			largest = max(largest, math.Abs(v-t.level))
		}
		total += math.Abs(a[i])
		sum.Add(a[i]*(v-t.level)-t.epsilon*math.Abs(a[i]), 0)
	}
	dual = sum.Value()
	noise := roundoff * (math.Abs(p.offset) + math.Abs(t.level) + largest + reach*linalg.Norm(p.beta()))
	var unsure float64
	if primal, unsure = t.primal(p, f, noise); unsure > noticeable*t.tol*primal {
		t.q.ExactResiduals(f, p.beta(), p.offset, t.y)
		primal, unsure = t.primal(p, f, roundoff*t.epsilon)
	}
	half, missed := halfSquare(make([]float64, t.q.Rank()), t.q, a, total, reach, t.tol)
	dual -= half + missed + unsure + roundoff*(primal+(largest+t.epsilon)*total)
	if open > 0 {
		dual -= open * (largest + reach*math.Sqrt(2*primal))
	}
	for i, v := range f {
		if math.Abs(a[i]) < t.price[i] {
			short = max(short, math.Abs(v)-t.epsilon)
		}
	}
	return primal, max(0, dual), short
}

// primal returns ½‖β‖² + ΣC·max(0, |y−f|−ε), and by how much it is wrong where residuals are by noise.
func (t *tube) primal(p *Plane, residual []float64, noise float64) (value, unsure float64) {
	var sum exact.Sum
	sum.Add(linalg.Dot(p.beta(), p.beta())/2, 0)
	for i, v := range residual {
		out := math.Abs(v) - t.epsilon
		if t.price[i] > 0 && out > 0 {
			sum.Add(t.price[i]*out, 0)
		}
		if out > -noise {
			unsure += t.price[i] * noise
		}
	}
	return sum.Value(), unsure
}

// dual poses the problem in (α*, α), or for ε = 0 in α*−α.
func (m *SVR) dual(s *solver, x linalg.Rows, y, price []float64, level float64) (*qp.Problem, *qp.Linear) {
	n := len(y)
	halves := 2
	if m.epsilon == 0 {
		halves = 1
	}
	sign := make([]float64, halves*n)
	p := &qp.Problem{Linear: make([]float64, len(sign)), Sign: sign, Upper: make([]float64, len(sign))}
	for i := range sign {
		k := i % n
		sign[i] = 1
		if i >= n {
			sign[i] = -1
		}
		if p.Upper[i] = price[k]; price[k] > 0 {
			p.Linear[i] = m.epsilon - sign[i]*(y[k]-level)
		}
	}
	if halves == 1 {
		p.Lower = make([]float64, n)
		for i, v := range price {
			p.Lower[i] = -v
		}
	}
	q := s.kernel(x, sign, price)
	p.Q = q
	if s.noIntercept {
		p.Sign = nil
	}
	return p, q
}

// Features returns p, the length of a row.
func (m *SVR) Features() int { return m.plane.Features() }

// Plane returns f; its zeros are a hyperplane, its graph is the fit.
func (m *SVR) Plane() *Plane { return m.plane }

// Coef returns the 1×p coefficients and the intercept of f.
func (m *SVR) Coef() (coef *linalg.Dense, intercept []float64) { return m.plane.Coef() }

// C returns the price of a unit beyond the tube.
func (m *SVR) C() float64 { return m.c }

// Epsilon returns half the height of the tube.
func (m *SVR) Epsilon() float64 { return m.epsilon }

// Support returns the rows with α* ≠ α, ascending: those on the tube or beyond.
func (m *SVR) Support() []int { return slices.Clone(m.support) }

// Multipliers returns α* − α of the support, positive above the tube, so that
// β = Σ (α*−α)x.
func (m *SVR) Multipliers() []float64 { return slices.Clone(m.multipliers) }

// Report says how the fit ended.
func (m *SVR) Report() optimize.Report { return m.report }

// Predict returns f(row).
func (m *SVR) Predict(row []float64) float64 { return m.plane.Value(row) }

// PredictSparse returns f of a sparse row, see [Plane.ValueSparse].
func (m *SVR) PredictSparse(index []int32, value []float64) float64 {
	return m.plane.ValueSparse(index, value)
}

// PredictRows appends f of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], those of the storage.
func (m *SVR) PredictRows(dst []float64, x linalg.Rows) ([]float64, error) {
	dst, err := sample.PredictRows(dst, x, m.Features(), m)
	return dst, wrap(err)
}

const (
	svrKind    = "halfspace/svr"
	svrVersion = 1
)

type svrRecord struct {
	Plane       *Plane          `json:"plane"`
	Support     []int           `json:"support"`
	Multipliers []float64       `json:"multipliers"`
	C           float64         `json:"c"`
	Epsilon     float64         `json:"epsilon"`
	Report      optimize.Report `json:"report"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit for bit.
func (m *SVR) MarshalJSON() ([]byte, error) {
	b, err := record.MarshalFitted(svrKind, svrVersion, m.plane != nil, func() any { return svrRecord{m.plane, m.support, m.multipliers, m.c, m.epsilon, m.report} })
	return b, wrap(err)
}

// UnmarshalJSON replaces m by the model in data; see [record.Unmarshal] for its
// errors.
func (m *SVR) UnmarshalJSON(data []byte) error {
	var r svrRecord
	if _, err := record.Unmarshal(data, svrKind, svrVersion, &r); err != nil {
		return wrap(err)
	}
	err := checkSupport(r.Support, r.Multipliers, math.Inf(-1))
	if r.Plane == nil {
		err = noPlane
	}
	if err == nil && !(r.C > 0 && r.Epsilon >= 0) {
		err = &record.DamageError{Reason: fmt.Sprintf("C %g, ε %g", r.C, r.Epsilon)}
	}
	if err != nil {
		return wrap(err)
	}
	*m = SVR{r.Plane, r.Support, r.Multipliers, r.C, r.Epsilon, r.Report}
	return nil
}

// String returns how the fit ended and the coefficients.
func (m *SVR) String() string {
	if m.plane == nil {
		return "support vector regression, not fitted"
	}
	coef, intercept := m.Coef()
	return sample.Describe("support vector regression", nil, m.Features(), m.Report(), coef, intercept)
}
