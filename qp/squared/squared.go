package squared

import (
	"cmp"
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/qp/descent"
)

// Options are the settings of [Minimize]. The zero value is the default.
type Options struct {
	Start   []float64 // multipliers, from which coordinate descent starts; their support is taken for the active rows at first; nil: none
	Tol     float64   // of the bound on the excess of F, relative to F; 0 is 1e-10
	MaxIter int       // steps of Newton's method, and passes of a turn of coordinate descent; 0 is 500, and 300 or 3000
	Trace   func(optimize.Step) error
}

// Result is a point and its multipliers.
type Result struct {
	Beta   []float64
	Level  float64   // b
	Alpha  []float64 // ≥ 0, 0 for rows without a price
	Report optimize.Report
}

const (
	defaultTol   = 1e-10
	defaultSteps = 500
	mostIdle     = 8 // steps that lower neither the objective nor the bound, after which rounding is all that moves
)

// Minimize minimises F. A step costs O(np) for the search and O(|A|·p·min(|A|, p)) for equations
// that are factored, less where few rows join or leave, else O(|A|p) for each conjugate gradient. Memory: O(n + p + min(n, p)²)
// and a copy of the active rows, with n + p values of each where nearest points have their turn. A pass of coordinate descent costs the stored values twice.
//
// The report is that of Newton's method by its own bound, ½‖∇F‖² with what Σαs ≠ 0 may add.
// Errors: those of the problem and of the settings; the result is not nil otherwise, whether or not it has converged.
func Minimize(p *Problem, o *Options) (*Result, error) {
	if o == nil {
		o = &Options{}
	}
	if err := p.check(o.Start); err != nil {
		return nil, fmt.Errorf("squared: %w", err)
	}
	run, err := optimize.Begin(nil, p.Price, &optimize.Control{Tol: o.Tol, MaxIter: o.MaxIter, Trace: o.Trace},
		optimize.Defaults{Kind: optimize.KindGap, Tol: defaultTol, MaxIter: defaultSteps})
	if err != nil {
		return nil, fmt.Errorf("squared: %w", err)
	}
	q := p.Rows
	p = &Problem{Rows: q.Reflected(), Price: p.Price, NoLevel: p.NoLevel}
	m := newMinimizer(p, cmp.Or(o.Tol, defaultTol))
	for i, v := range m.squares {
		if p.Price[i] > 0 && v-v != 0 {
			return nil, fmt.Errorf("squared: %w", &linalg.NonFiniteError{What: "squared length", Row: i, Col: -1, Value: v})
		}
	}
	m.maxIter = o.MaxIter
	m.begin(o.Start)
	s := m.run(run)
	if c := m.byColumn; c != nil && s != optimize.None && c.excess < m.excess/16 {
		m.point, m.alpha, m.excess, s = c.point, c.alpha, c.excess, c.status
	}
	if s != optimize.None {
		run.End(s)
	}
	report := run.Report()
	certificate := report.Certificate()
	certificate.Value = m.relative()
	q.Reflect(m.beta)
	return &Result{Beta: m.beta, Level: m.level, Alpha: m.alpha, Report: report.Certify(m.value, certificate)}, nil
}

// begin goes to the better of 0 and the minimum for the rows that carry multipliers.
func (m *minimizer) begin(start []float64) {
	m.measure()
	if x, sparse := m.Rows.X.(*linalg.CSR); sparse && descent.Serves(x) {
		m.pose(x, start)
	}
	if start == nil {
		return
	}
	m.active = nil
	for i, a := range start {
		if a > 0 && m.Price[i] > 0 {
			m.active = append(m.active, i)
		}
	}
	if m.factored() {
		if to, alpha := m.solve(); to != nil && to.value < m.value {
			m.accept(to, alpha)
			return
		}
	}
	m.place(nil)
}

// run makes steps until the bound is at most the tolerance, or rounding is all that moves.
func (m *minimizer) run(run *optimize.Progress) optimize.Status {
	best, lowest, idle, arrived := math.Inf(1), math.Inf(1), 0, false
	for steps := 0; ; steps++ {
		m.bound()
		if run.Show(m.beta, m.value, m.relative(), 0) {
			return optimize.None
		}
		if idle++; m.excess < best || m.value < lowest*(1-0x1p-45) {
			best, lowest, idle = min(best, m.excess), min(lowest, m.value), 0
		}
		if idle > mostIdle && m.turnToRows(optimize.LineSearch) {
			idle = 0
		}
		if (m.searched >= mostSearched || steps >= creeps) && m.turnToPrices(run) {
			if steps, idle = 0, 0; !m.rise(run) {
				return optimize.None
			}
			continue
		}
		if (steps >= creeps || idle > mostIdle || arrived) && m.turnToPoints(run) {
			if idle = 0; !m.nearest(run) {
				return optimize.None
			}
			continue
		}
		switch {
		case m.relative() <= m.tol && (m.settled() || !m.factored()):
			return optimize.Converged
		case idle > mostIdle:
			return optimize.LineSearch
		case run.Spent():
			return optimize.None
		}
		if m.descends() {
			if !m.descend(run) {
				return optimize.None
			}
			continue
		}
		run.Count()
		if m.step() {
			m.bound()
			if m.relative() > m.tol && m.turnToRows(optimize.Converged) {
				continue
			}
			if m.relative() > m.tol && !arrived { // the bound denies that this is the minimum
				arrived = true
				continue
			}
			if run.Show(m.beta, m.value, m.relative(), 0) {
				return optimize.None
			}
			return optimize.Converged
		}
	}
}
