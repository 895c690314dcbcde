package hyperplane

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// defaultTol is the tolerance of the gap of soft margins and tubes, relative to the
// objective.
const defaultTol = 1e-7

// solver fits one plane at a time.
type solver struct {
	noIntercept bool
	tol         float64
	maxIter     int
	workers     int
	trace       func(optimize.Step) error
	cause       error // with which trace ended a fit
}

func newSolver(noIntercept bool, tol float64, maxIter, workers int, trace func(optimize.Step) error) (solver, error) {
	tol, err := sample.Positive("Tol", tol, 1e-8)
	if err != nil {
		return solver{}, err
	}
	if _, err := sample.Count("MaxIter", maxIter, 0); err != nil {
		return solver{}, err
	}
	if _, err := sample.Count("Workers", workers, 0); err != nil {
		return solver{}, err
	}
	return solver{noIntercept: noIntercept, tol: tol, maxIter: maxIter, workers: workers, trace: trace}, nil
}

// stricter is how much smaller the gap of the multipliers is to be than that of the plane
// which is made of them.
const stricter = 0.5

// solve minimises p from start, which may be nil.
func (s *solver) solve(p *qp.Problem, start []float64) (*qp.Result, error) {
	return qp.Solve(p, &qp.Options{Start: start, Tol: stricter * s.tol, MaxIter: s.maxIter, Trace: s.keepCause()})
}

// keepCause returns the caller's trace, whose error is kept as the cause.
func (s *solver) keepCause() func(optimize.Step) error {
	if s.trace == nil {
		return nil
	}
	return func(step optimize.Step) error {
		s.cause = s.trace(step)
		return s.cause
	}
}

// unfitted is the machine of a fit that was stopped before its turn, with the report
// of nothing.
func unfitted(p int) Machine { return Machine{Plane: &Plane{beta: make([]float64, p)}} }

// halted reports whether the trace ended the fit at this machine or before it.
func (m *Machine) halted() bool {
	return m.Report.Status() == optimize.Stopped || m.Report.Status() == optimize.None
}

// kernel returns the linear kernel of x with the given signs, about the column
// means where those are large beside the spread. Sparse rows stay about 0.
func (s *solver) kernel(x linalg.Rows, sign, weight []float64) *qp.Linear {
	q := &qp.Linear{X: x, Sign: sign, Workers: s.workers}
	if dense, ok := x.(*linalg.Dense); ok && !s.noIntercept {
		q.Origin = origin(dense, weight)
	}
	return q
}

// planeOf returns the plane β = Aᵀα, b₀ = −b of a solution.
func planeOf(q *qp.Linear, r *qp.Result) *Plane {
	return &Plane{r.V, q.Origin, -r.Multiplier}
}

// farOff is the ratio of mean to standard deviation above which products are taken
// about the mean; below it they lose at most three digits.
const farOff = 30

// origin returns, for the columns that lie far off, the means of the rows of x whose
// weight w is not 0 (nil: of all), and 0 for the others; nil where 0 does for all.
// O(np).
func origin(x *linalg.Dense, w []float64) []float64 {
	n, p := x.Dims()
	mean, square := make([]float64, p), make([]float64, p)
	var first []float64
	count := 0.0
	for i := range n {
		if w != nil && w[i] == 0 {
			continue
		}
		if first == nil {
			first = x.Row(i)
		}
		count++
		for j, v := range x.Row(i) {
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
		if math.Abs(mean[j]) > farOff*sd {
			far = true
		} else {
			mean[j] = 0
		}
	}
	if !far {
		return nil
	}
	return mean
}
