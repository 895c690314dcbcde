package logistic

import (
	"errors"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// largeHessian is the number of parameters from which several classes are fitted
// without the full Hessian, whose K(K−1)/2 blocks cost as much as that many Gram
// matrices. Measured at n = 100,000, p = 100, K = 10 (900 parameters), a Newton
// step costs some 25 gradients.
const largeHessian = 200

const (
	sampledHessian = 2000 // parameters up to which a Hessian of part of the rows is factored
	sampleRows     = 10   // rows in that part for each parameter
	modelRows      = 125  // rows for each column that the last model of the Hessian is made from
	patience       = 12   // iterations after which a model has to show that it comes to the end
	newtonWorth    = 150  // iterations that cost as much as Newton's method
)

// preconditioned is a likelihood of several classes with an approximation of its
// Hessian. It implements [optimize.Preconditioned].
type preconditioned struct {
	*multinomial
	h     interface{ Solve(b []float64) } // approximates the Hessian of share times as many rows
	share float64

	at    []float64 // where the last gradient is from
	value float64
}

// Grad is that of the likelihood; a walk that begins where the last one ended costs
// no pass.
func (p *preconditioned) Grad(g, gamma []float64) float64 {
	if slices.Equal(p.at, gamma) {
		copy(g, p.last.g)
		return p.value
	}
	p.value = p.multinomial.Grad(g, gamma)
	p.at = append(p.at[:0], gamma...)
	return p.value
}

// Precondition overwrites d with M⁻¹d.
func (p *preconditioned) Precondition(d []float64) {
	p.h.Solve(d)
	linalg.Scale(d, p.share)
}

// decrement returns gᵀM⁻¹g for the last gradient g: twice the decrease of the
// objective that M foretells.
func (p *preconditioned) decrement() float64 {
	d := slices.Clone(p.last.g)
	p.Precondition(d)
	return linalg.Dot(p.last.g, d)
}

// walk moves gamma by L-BFGS until visit has an error. When that is called, the
// last gradient is the one at the current point.
func (p *preconditioned) walk(gamma []float64, maxIter int, visit func(optimize.Step) error) (optimize.Report, error) {
	at, report, err := optimize.LBFGS(p, gamma, 20, &optimize.Control{Tol: math.SmallestNonzeroFloat64, MaxIter: maxIter, Trace: visit})
	if at != nil {
		copy(gamma, at)
	}
	return report, err
}

func all(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// sampled returns the Hessian of m as the rows one in every step foretell it.
func sampled(m *multinomial, gamma []float64, step int) (*linalg.Cholesky, error) {
	part := m.part(step)
	h := linalg.Zeros(len(gamma), len(gamma))
	part.Hess(h, make([]float64, len(gamma)), gamma)
	linalg.Scale(h.Data, float64(step))
	return linalg.NewCholesky(h)
}

// part returns the likelihood of every step-th row, with its share of the ridge.
func (m *multinomial) part(step int) *multinomial {
	part := newMultinomial(m.thinned(step), thin(m.code, 1, step), m.contrast, slices.Clone(m.ridge))
	for j := range part.ridge {
		part.ridge[j] /= float64(step)
	}
	return part
}

var (
	errCertified = errors.New("certified")   // the certificate holds
	errNear      = errors.New("near enough") // for a part of the rows
	errSlow      = errors.New("slow")        // the Hessian of part of the rows is worth its price
)

// fitLarge minimises m from gamma by L-BFGS with a model of the Hessian, after fits
// to part of the rows where there are many.
func (m *multinomial) fitLarge(gamma, size []float64, o *Options, c *optimize.Control) ([]float64, optimize.Report, error) {
	if err := linalg.CheckFinite("start", gamma); err != nil {
		return nil, optimize.Report{}, err
	}
	r := &largeRun{preconditioned: &preconditioned{multinomial: m, share: 1}, size: size, c: c, most: c.MaxIter}
	if r.most == 0 {
		r.most = 1000
	}
	slow, cold, g, atCold := false, slices.Clone(gamma), make([]float64, len(gamma)), math.NaN()
	for _, step := range partSteps {
		if o.Start != nil || m.n/step < 5*len(gamma) {
			continue
		}
		part := &preconditioned{multinomial: m.part(step), h: r.h, share: float64(step)}
		if atCold != atCold && part.total > 0 {
			atCold = part.Grad(g, gamma) * (m.total / part.total)
		}
		slow = part.approach(gamma)
		r.h = part.h
	}
	if atCold == atCold && !(r.Grad(g, gamma) <= 2*atCold) {
		// Part of the rows misled about the whole.
		if len(gamma) <= sampledHessian {
			return optimize.Newton(m, cold, c)
		}
		copy(gamma, cold)
		r.h = nil
	}
	return r.minimise(gamma, slow)
}

// remodel makes a model at gamma from so many rows for each column.
func (p *preconditioned) remodel(gamma []float64, rows int) error {
	h, err := newScoreModel(p.multinomial, gamma, offBeat(p.n/max(4000, rows*p.dim())), p.share)
	if err == nil {
		p.h = h
	}
	return err
}

// approach moves gamma to as near the solution for a part of the rows as that is
// to the one for all, and reports whether that was slow. Where it fails, there is
// no model afterwards. One is made after the first step, which is led by the last
// part's: it is worth most near the solution.
func (p *preconditioned) approach(gamma []float64) (slow bool) {
	near := slices.Clone(gamma)
	if p.total == 0 || p.h == nil && p.remodel(near, modelRows/2) != nil {
		return false
	}
	p.walk(near, 1, nil)
	err := p.remodel(near, modelRows/2)
	if err == nil {
		_, err = p.walk(near, 2*patience, func(s optimize.Step) error {
			slow = s.Iteration > patience
			if p.decrement() <= 0.2*float64(len(gamma)) {
				return errNear
			}
			return nil
		})
	}
	if errors.Is(err, errNear) {
		copy(gamma, near)
	} else {
		p.h = nil
	}
	return slow
}

// largeRun is the state of a fit to all rows.
type largeRun struct {
	*preconditioned
	size        []float64
	c           *optimize.Control
	cause       error   // the trace's
	certificate float64 // at the current point
	done, most  int     // iterations
}

// minimise makes a first step with the model of a part of the rows, and goes on
// with one of its own; or with the Hessian of part of the rows, if parts have
// been slow or this is; or at last with those of all rows.
func (r *largeRun) minimise(gamma []float64, slow bool) ([]float64, optimize.Report, error) {
	rows, enough := sampleRows*len(gamma), r.most
	exact := len(gamma) <= sampledHessian
	sampling := exact && r.n > 2*rows
	if exact {
		enough = 2 * patience
	}
	if r.h == nil {
		if err := r.remodel(gamma, modelRows); err != nil {
			return nil, optimize.Report{}, err
		}
	}
	report, err := r.walk(gamma, 1, r.most)
	if r.goesOn(report) {
		err = errSlow
		if !slow || !sampling {
			_ = r.remodel(gamma, modelRows) // where none can be made, the last one serves
			report, err = r.walk(gamma, r.most, enough)
		}
	}
	if errors.Is(err, errSlow) && sampling && r.done < r.most {
		if h, e := sampled(r.multinomial, gamma, offBeat(r.n/rows)); e == nil {
			r.h = h
		}
		report, err = r.walk(gamma, r.most, newtonWorth)
	}
	if exact && (errors.Is(err, errSlow) || report.Status() == optimize.LineSearch) && r.done < r.most {
		done := r.done
		at, report, err := optimize.Newton(r.multinomial, gamma, after(r.c, done))
		return at, plus(report, done), err
	}
	status := report.Status()
	if errors.Is(err, errCertified) {
		status = optimize.Converged
	}
	report = optimize.NewReport(status, r.done, report.Objective(), optimize.Certificate{Kind: optimize.KindGradient, Value: r.certificate, Tol: r.c.Tol})
	return gamma, report, report.Err(r.cause)
}

// goesOn reports whether a walk that has ended may get further with another model.
func (r *largeRun) goesOn(report optimize.Report) bool {
	return (report.Status() == optimize.MaxIterations || report.Status() == optimize.LineSearch) && r.done < r.most
}

// walk makes so many iterations, or fewer where the certificate holds, the caller
// stops it, or it has become clear that as many more as should be enough (fewer
// than the cap) are not.
func (r *largeRun) walk(gamma []float64, iterations, enough int) (optimize.Report, error) {
	before, first := r.done, math.NaN()
	return r.preconditioned.walk(gamma, min(iterations, r.most-before), func(s optimize.Step) error {
		r.certificate = r.multinomial.certificate(r.size)
		walked := s.Iteration
		if walked == 0 {
			first = r.certificate
		}
		s.Iteration += before
		if r.done = s.Iteration; r.c.Trace != nil && (walked > 0 || before == 0) {
			s.Certificate = r.certificate
			if r.cause = r.c.Trace(s); r.cause != nil {
				return r.cause
			}
		}
		if r.certificate <= r.c.Tol {
			return errCertified
		}
		if enough < r.most && walked >= patience && r.done < r.most && float64(walked)*math.Log(r.certificate/r.c.Tol) > float64(enough)*math.Log(first/r.certificate) {
			return errSlow
		}
		return nil
	})
}
