package hyperplane

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// KozinecOptions are the choices of [FitKozinec]. The zero value and nil are the
// defaults.
type KozinecOptions struct {
	Tol     float64 // ε: stop when the margin is at least (1−ε) of the widest possible; 0 is 0.01
	MaxIter int     // cap on steps; 0 is 10,000
	Classes []int   // the two labels; nil is those of y
	Workers int     // goroutines; 0 is GOMAXPROCS

	// Trace is called with the start and after each step. X is (w₊, w₋) less the
	// mean of the rows, Objective ‖w₊−w₋‖/2, Certificate the relative gap.
	Trace func(optimize.Step) error
}

// Kozinec is a plane whose margin is within a known fraction of the widest.
type Kozinec struct {
	TwoClasses
	margin, bound float64
}

// Margin returns the distance of the closest row from the plane, negative if the
// plane does not separate the classes. The plane is scaled so that the closest
// rows have y·f = 1.
func (m *Kozinec) Margin() float64 { return m.margin }

// Bound returns ‖w₊−w₋‖/2, above which no plane's margin can be.
func (m *Kozinec) Bound() float64 { return m.bound }

// FitKozinec separates two classes by an ε-optimal plane, with the rule that
// Kozinec (1973) gave for one hull and Schlesinger extended to two (Franc and
// Hlaváč, Pattern Recognition 36, 2003). It keeps a point in the convex hull of
// either class, w₊ and w₋ (the means at first). The row that lies deepest in the
// slab between them pulls the point of its class along the straight line to the
// place closest to the other point. The plane is normal to w₊ − w₋, in the
// middle between the classes.
//
// ‖w₊−w₋‖/2 bounds the margin of every plane from above. The certificate is the
// gap, 1 − margin/bound; the fit ends when it is at most Tol. The number of steps
// grows like 1/Tol and with the square of diameter over margin: for the optimum
// itself there is the hard margin fit. O(np) a step, O(n + p) memory.
//
// Classes that cannot be separated get an *[InfeasibleError] if the two points
// meet, to 1e-10 of the size of the rows; else they end at the cap with
// [optimize.ErrNotConverged] and a margin ≤ 0. [FitHardMargin] always decides, and
// has a form for planes through 0, which this has not: two hulls make the intercept.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError],
// *[linalg.RangeError], *[sample.OptionError].
func FitKozinec(x *linalg.Dense, y []int, o *KozinecOptions) (*Kozinec, error) {
	if o == nil {
		o = &KozinecOptions{}
	}
	s, err := newKozinec(x, y, o)
	if err != nil {
		return nil, wrap(err)
	}
	status, cause := s.run()
	if s.norm <= 1e-10*s.radius && cause == nil {
		return nil, wrap(s.infeasible())
	}
	m := s.model(status)
	if err := m.plane.inRange(); err != nil {
		return nil, wrap(err)
	}
	if err := m.report.Err(cause); err != nil {
		return m, fmt.Errorf("hyperplane: kozinec: margin %.3g, at most %.3g: %w", m.margin, m.bound, err)
	}
	return m, nil
}

// kozinec is the state of a fit. All points are less the origin c.
type kozinec struct {
	o       *KozinecOptions
	x       *linalg.Dense
	sign    []float64
	pair    [2]int
	tol     float64
	maxIter int
	workers int

	origin      []float64
	plus, minus []float64 // w₊, w₋
	alpha       []float64 // the convex weights of the rows that make them
	radius      float64   // the largest ‖xᵢ−c‖
	beta        []float64 // w₊ − w₋
	f           []float64 // β·(xᵢ−c)
	iterations  int

	// What measure finds about β.
	norm          float64 // ‖β‖
	low, high     int     // rows of least β·x in the positive class, of the largest in the negative
	margin, bound float64
}

func newKozinec(x *linalg.Dense, y []int, o *KozinecOptions) (*kozinec, error) {
	pair, sign, err := sample.Signs(x, y, o.Classes, nil)
	if err != nil {
		return nil, err
	}
	s := &kozinec{o: o, x: x, sign: sign, pair: pair}
	if s.tol, err = sample.Positive("Tol", o.Tol, 0.01); err != nil {
		return nil, err
	}
	if s.maxIter, err = sample.Count("MaxIter", o.MaxIter, 10_000); err != nil {
		return nil, err
	}
	if s.workers, err = sample.Count("Workers", o.Workers, 0); err != nil {
		return nil, err
	}
	if err := x.CheckFinite(); err != nil {
		return nil, err
	}
	s.origin = make([]float64, x.Cols)
	for i := range sign {
		linalg.Axpy(s.origin, 1/float64(len(sign)), x.Row(i))
	}
	if err := s.checkRange(); err != nil {
		return nil, err
	}
	s.alpha = make([]float64, len(sign))
	s.plus, s.minus, s.beta = s.mean(1), s.mean(-1), make([]float64, x.Cols)
	s.f = make([]float64, len(sign))
	return s, nil
}

// infeasible returns the evidence that the hulls meet.
func (s *kozinec) infeasible() *InfeasibleError {
	e := &InfeasibleError{Machine: Machine{Negative: s.pair[0], Positive: s.pair[1]}}
	if s.radius > 0 {
		e.Distance = s.norm / s.radius
	}
	for i, a := range s.alpha {
		switch {
		case a == 0:
		case s.sign[i] > 0:
			e.Positive, e.PositiveWeights = append(e.Positive, i), append(e.PositiveWeights, a)
		default:
			e.Negative, e.NegativeWeights = append(e.Negative, i), append(e.NegativeWeights, a)
		}
	}
	return e
}

// row sets dst to xᵢ − c.
func (s *kozinec) row(dst []float64, i int) {
	for j, v := range s.x.Row(i) {
		dst[j] = v - s.origin[j]
	}
}

// checkRange finds the radius. Error: a *[linalg.RangeError] if squared distances
// overflow.
func (s *kozinec) checkRange() error {
	row := make([]float64, s.x.Cols)
	for i := range s.sign {
		s.row(row, i)
		for j, v := range row {
			if v*v*float64(4*len(row)) > math.MaxFloat64 || v != v {
				return &linalg.RangeError{Column: j}
			}
		}
		s.radius = math.Max(s.radius, linalg.Norm(row))
	}
	return nil
}

// mean returns the mean of a class, whose rows get equal weights.
func (s *kozinec) mean(class float64) []float64 {
	sum, row, n := make([]float64, s.x.Cols), make([]float64, s.x.Cols), 0.0
	for i, v := range s.sign {
		if v == class {
			s.row(row, i)
			linalg.Axpy(sum, 1, row)
			n++
		}
	}
	linalg.Scale(sum, 1/n)
	for i, v := range s.sign {
		if v == class {
			s.alpha[i] = 1 / n
		}
	}
	return sum
}

func (s *kozinec) run() (optimize.Status, error) {
	for {
		s.measure()
		if math.IsNaN(s.gap()) || math.IsInf(s.norm, 0) {
			return optimize.NotFinite, nil
		}
		if s.o.Trace != nil {
			if err := s.o.Trace(optimize.Step{Iteration: s.iterations, X: slices.Concat(s.plus, s.minus),
				Objective: s.bound, Certificate: s.gap()}); err != nil {
				return optimize.Stopped, err
			}
		}
		switch {
		case s.norm <= 1e-10*s.radius:
			return optimize.LineSearch, nil // the hulls meet
		case s.gap() <= s.tol:
			return optimize.Converged, nil
		case s.iterations == s.maxIter:
			return optimize.MaxIterations, nil
		}
		if !s.step() {
			return optimize.LineSearch, nil
		}
		s.iterations++
	}
}

// measure finds how the plane normal to w₊ − w₋ stands to all rows.
func (s *kozinec) measure() {
	for j := range s.beta {
		s.beta[j] = s.plus[j] - s.minus[j]
	}
	s.norm = linalg.Norm(s.beta)
	p := &Plane{beta: s.beta, origin: s.origin}
	linalg.For(s.x.Rows, max(64, (1<<16)/s.x.Cols), s.workers, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.f[i] = p.Value(s.x.Row(i))
		}
	})
	s.low, s.high = -1, -1
	for i, f := range s.f {
		if s.sign[i] > 0 {
			if s.low < 0 || f < s.f[s.low] {
				s.low = i
			}
		} else if s.high < 0 || f > s.f[s.high] {
			s.high = i
		}
	}
	s.bound = s.norm / 2
	s.margin = (s.f[s.low] - s.f[s.high]) / s.norm / 2
	if s.norm == 0 {
		s.margin = 0
	}
}

// gap returns 1 − margin/bound, 1 where both are 0, not below 0 for rounding.
func (s *kozinec) gap() float64 {
	if s.bound == 0 {
		return 1
	}
	return math.Max(0, 1-s.margin/s.bound)
}

// step moves the point whose class has the row deeper in the slab. It reports
// whether anything moved.
func (s *kozinec) step() bool {
	w, i, toward := s.plus, s.low, 1.0
	if s.f[s.high]-linalg.Dot(s.beta, s.minus) > linalg.Dot(s.beta, s.plus)-s.f[s.low] {
		w, i, toward = s.minus, s.high, -1
	}
	d := make([]float64, len(w))
	s.row(d, i)
	linalg.Axpy(d, -1, w) // from w to the row
	size := linalg.Norm(d)
	if size == 0 {
		return false
	}
	// The point w + k·d closest to the other hull's point; β shrinks by toward·d.
	k := math.Min(1, -toward*linalg.Dot(s.beta, d)/size/size)
	if !(k > 0) {
		return false
	}
	linalg.Axpy(w, k, d)
	for m, v := range s.sign {
		if v == toward {
			s.alpha[m] *= 1 - k
		}
	}
	s.alpha[i] += k
	return true
}

// model scales the plane so that the closest rows have y·f = 1 where it
// separates.
func (s *kozinec) model(status optimize.Status) *Kozinec {
	scale := 1.0
	if s.margin > 0 {
		scale = 2 / (s.f[s.low] - s.f[s.high])
	}
	beta := slices.Clone(s.beta)
	linalg.Scale(beta, scale)
	m := &Kozinec{margin: s.margin, bound: s.bound}
	m.TwoClasses = TwoClasses{s.pair, &Plane{beta, s.origin, -scale * (s.f[s.low] + s.f[s.high]) / 2}, optimize.NewReport(status, s.iterations, s.bound, optimize.Certificate{Kind: optimize.KindGap, Value: s.gap(), Tol: s.tol})}
	return m
}

// kozinecRecord is the body of a Kozinec's JSON.
type kozinecRecord struct {
	twoClassesRecord
	Margin float64 `json:"margin"`
	Bound  float64 `json:"bound"`
}

const kozinecKind = "halfspace/kozinec"

// MarshalJSON writes the model bit for bit, with a checksum.
func (m *Kozinec) MarshalJSON() ([]byte, error) {
	return record.Marshal(kozinecKind, 1, kozinecRecord{m.TwoClasses.record(), m.margin, m.bound})
}

// UnmarshalJSON reads what MarshalJSON wrote. Errors: those of package record.
func (m *Kozinec) UnmarshalJSON(data []byte) error {
	var r kozinecRecord
	if _, err := record.Unmarshal(data, kozinecKind, 1, &r); err != nil {
		return wrap(err)
	}
	two, err := r.twoClasses()
	if err != nil {
		return wrap(err)
	}
	if r.Bound < 0 {
		return wrap(&record.DamageError{Reason: "a bound below 0"})
	}
	*m = Kozinec{two, r.Margin, r.Bound}
	return nil
}
