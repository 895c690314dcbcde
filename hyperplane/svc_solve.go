package hyperplane

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// solver fits one plane at a time.
type solver struct {
	noIntercept bool
	tol         float64
	maxIter     int
	workers     int
	trace       func(optimize.Step) error
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
	return solver{noIntercept, tol, maxIter, workers, trace}, nil
}

// solve minimises p from start, which may be nil.
func (s *solver) solve(p *qp.Problem, start []float64) (*qp.Result, error) {
	return qp.Solve(p, &qp.Options{Start: start, Tol: s.tol, MaxIter: s.maxIter, Trace: s.trace})
}

// softMargin fits the plane between the rows of sign −1 and +1, the slack of row i
// costing price[i], and returns all multipliers beside it. The plane is nil
// where the problem could not be posed.
func (s *solver) softMargin(x *linalg.Dense, sign, price, start []float64) (Machine, []float64, error) {
	q := s.kernel(x, sign)
	p := &qp.Problem{Q: q, Linear: make([]float64, len(sign)), Sign: sign, Upper: price}
	for i := range p.Linear {
		p.Linear[i] = -1
	}
	if s.noIntercept {
		p.Sign = nil
	}
	r, err := s.solve(p, start)
	if r == nil {
		return Machine{}, nil, err
	}
	m := Machine{Plane: planeOf(q, r), Report: r.Report}
	for i, a := range r.Alpha {
		if a > 0 {
			m.Support, m.Multipliers = append(m.Support, i), append(m.Multipliers, a)
		}
	}
	m.Report.Objective = -r.Bound
	return m, r.Alpha, err
}

// blank is the machine of a fit that was stopped before its turn.
func blank(p int, tol float64) Machine {
	return Machine{Plane: &Plane{beta: make([]float64, p)}, Report: optimize.Report{Status: optimize.Stopped,
		Certificate: optimize.Certificate{Kind: "gap", Value: 1, Tol: tol}}}
}

// kernel returns the linear kernel of x with the given signs, about the column
// means where those are large beside the spread.
func (s *solver) kernel(x *linalg.Dense, sign []float64) *qp.Linear {
	q := &qp.Linear{X: x, Sign: sign, Workers: s.workers}
	if !s.noIntercept {
		q.Origin = origin(x)
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

// origin returns the column means of x, or nil where 0 does as well. O(np).
func origin(x *linalg.Dense) []float64 {
	n, p := x.Dims()
	mean, square := make([]float64, p), make([]float64, p)
	first := x.Row(0)
	for i := range n {
		for j, v := range x.Row(i) {
			d := v - first[j]
			mean[j] += d
			square[j] += d * d
		}
	}
	far := false
	for j := range mean {
		d := mean[j] / float64(n)
		mean[j] = first[j] + d
		sd := math.Sqrt(max(0, square[j]/float64(n)-d*d))
		far = far || math.Abs(mean[j]) > farOff*sd
	}
	if !far {
		return nil
	}
	return mean
}
