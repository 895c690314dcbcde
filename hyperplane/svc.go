package hyperplane

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/path"
	"halfspace/qp"
)

// SVCOptions are the settings of [FitSVC]. The zero value and nil are the defaults.
type SVCOptions struct {
	// C is the price of a unit of slack, > 0; 0 is 1.
	C float64

	// Loss is what slack costs: itself, or its square.
	Loss Loss

	// Weights are frequency weights: a row of weight 2 is the row twice, of 0 the
	// row deleted. nil is 1 for all.
	Weights []float64

	// ClassWeights multiply C for the rows of each class, in the order of the
	// classes; nil is 1 for all.
	ClassWeights []float64

	// Classes fixes the list of classes, ascending, so that folds agree; nil is the distinct
	// labels of y.
	Classes []int

	// Multi is how K ≥ 3 classes are told apart.
	Multi Multi

	// NoIntercept puts the plane through 0.
	NoIntercept bool

	Tol     float64 // of the certificate; 0 is 1e-7
	MaxIter int     // cap on the steps of each solver; 0 is its own default
	Workers int     // goroutines; 0 is GOMAXPROCS

	// Trace is called once a step of each machine, which are then fitted one after the other, not side
	// by side; Objective is the dual's, to be minimised, for the squared hinge loss that of the plane.
	Trace func(optimize.Step) error
}

// SVC is a soft-margin support vector classifier: for two classes the plane that
// minimises
//
//	½‖β‖² + Σ Cᵢξᵢ,  ξᵢ = max(0, 1 − yᵢf(xᵢ)),  Cᵢ = C·wᵢ·(weight of yᵢ's class)
//
// (ESL 12.8), that is hinge loss with ridge penalty λ = 1/C, its intercept
// unpenalised, or with Cᵢξᵢ² in the place of Cᵢξᵢ for the squared hinge loss. It keeps the rows
// and multipliers of its support, not the data.
type SVC struct {
	machines
	c            float64
	classWeights []float64
	noIntercept  bool
	loss         Loss
}

// FitSVC fits a soft-margin classifier to the n×p matrix x and n labels (ESL §12.2, equation
// 12.8).
//
// It solves the dual, max Σα − ½‖Σαᵢyᵢxᵢ‖² subject to 0 ≤ αᵢ ≤ Cᵢ and Σαᵢyᵢ = 0
// (ESL 12.13), to a duality gap of at most Tol times the primal objective: the
// certificate. It holds in exact arithmetic for the published plane and α, where columns are so
// large that the rounding of α counts for α + [Machine].Remainders, with |Σαᵢyᵢ|·(1 + R√(2P)) added for
// the primal objective P and rows up to R away from the plane's origin. The objective reported is P; one below 1e-290 counts as that. An iteration costs at most
// O(np²) where p is much smaller than n, else O(np). Memory beyond x: O(n + p²) where p
// is at most 4000 and n is larger, O(n² + p) where n is at most 4000 and p is larger, and
// for one-vs-one a copy of two classes, for each of the machines that are fitted side by side. A
// [*linalg.CSR] of more than 200 columns is fitted from its stored values, in O(n + p) beside them and a
// copy of the rows that are near the margin; another storage is copied, and so are sparse rows
// of which a quarter is stored and whose columns lie far off.
//
// With [SquaredHinge] it minimises the primal objective by Newton's method (package
// [halfspace/qp/squared]). The dual is then max Σα − ½‖Σαᵢyᵢxᵢ‖² − Σα²/4Cᵢ subject to α ≥ 0 and
// Σαᵢyᵢ = 0, at whose solution α = 2Cξ. scikit-learn's LinearSVC and LIBLINEAR's L2-loss have
// the same C, but a penalty on the intercept.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError],
// *[linalg.WeightError], *[sample.OptionError]; with [optimize.ErrNotConverged]
// the model is not nil.
func FitSVC(x linalg.Rows, y []int, o *SVCOptions) (*SVC, error) {
	return door(x, y, o, fitSVC)
}

func fitSVC(x linalg.Table, y []int, o *SVCOptions) (*SVC, error) {
	f, err := newSVCFit(x, y, o)
	if err != nil {
		return nil, err
	}
	c, err := sample.Positive(`C`, o.C, 1)
	if err != nil {
		return nil, err
	}
	return f.fitAt(c, nil)
}

// SVCPath fits one model for each value of C in cs, each from the solution before
// it: the plane tells of many rows on which side of the margin they stay, and the multipliers
// scaled by the ratio of the two C keep Σαᵢyᵢ = 0, and mostly their bounds. Multipliers that reach none
// are the solution for every larger C. It keeps the copies of two
// classes of all one-vs-one machines, up to 256 MB. C in o is refused. The penalty of a point is λ = 1/C.
// Errors are those of [FitSVC]; the models up to the one that failed are returned with it.
func SVCPath(x linalg.Rows, y []int, cs []float64, o *SVCOptions) (*Path, error) {
	rows, err := linalg.InMemory(x)
	if err != nil {
		return nil, wrap(err)
	}
	if o == nil {
		o = &SVCOptions{}
	}
	return pathOf(svcPath(rows, y, cs, o, nil))
}

// svcPath is SVCPath of rows in memory. whole, if not nil, is the path of all rows at the same C, and o has weight 0 for the
// rows that are held out: a machine of two classes without such a row is copied from there.
func svcPath(x linalg.Table, y []int, cs []float64, o *SVCOptions, whole []*SVC) ([]*SVC, error) {
	if len(cs) == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "value of C needed", Got: 0, GotOf: "values"}
	}
	if err := sample.Unused(o, "as the values of it are given", `C`); err != nil {
		return nil, err
	}
	for k, c := range cs {
		if !(c > 0) || c-c != 0 {
			return nil, &sample.OptionError{Name: fmt.Sprintf("cs[%d]", k), Value: c, Want: "positive and finite"}
		}
	}
	f, err := newSVCFit(x, y, o)
	if err != nil {
		return nil, err
	}
	f.remember()
	if whole != nil {
		f.held = make([]bool, f.labels.K())
		for i, w := range o.Weights {
			f.held[f.labels.Code[i]] = f.held[f.labels.Code[i]] || w == 0
		}
	}
	var path []*SVC
	for k, c := range cs {
		if whole != nil {
			f.known = whole[k].list
		}
		m, err := f.fitAt(c, nil)
		if m == nil {
			return path, err
		}
		if path = append(path, m); err != nil {
			return path, err
		}
	}
	return path, nil
}

// Path is a sequence of support vector classifiers over λ = 1/C.
type Path = path.Path[*SVC]

// CV is a path of all rows with the share of rows that each of its models misclassifies
// of those that were left out.
type CV = path.Choice[*SVC]

// pathOf makes a path of fits, nil of none.
func pathOf(fits []*SVC, err error) (*Path, error) {
	if fits == nil {
		return nil, wrap(err)
	}
	p := &Path{Parameter: "lambda"}
	for _, m := range fits {
		p.Points = append(p.Points, path.Point[*SVC]{Penalty: 1 / m.c, DF: m.df(), DevRatio: math.NaN(),
			Objective: m.report.Objective(), Report: m.report, Model: m})
	}
	return p, wrap(err)
}

// df counts the features that some plane of m uses.
func (m *SVC) df() (count float64) {
	used := make([]bool, m.Features())
	for _, c := range m.list {
		for j, b := range c.Plane.beta() {
			if b != 0 && !used[j] {
				used[j] = true
				count++
			}
		}
	}
	return count
}

// CrossValidateSVC fits [SVCPath] to all rows and, for the same values of C, to the rows
// outside each fold; folds[i] names the fold of row i.
//
// Errors: those of SVCPath; *[linalg.ShapeError] for folds that do not fit the rows or
// are fewer than two; *[linalg.ClassError] where the rows outside a fold lack a class.
// With [optimize.ErrNotConverged] the result is not nil, and a C that some fold has no fit
// of has no loss.
func CrossValidateSVC(x linalg.Rows, y []int, cs []float64, folds []int, o *SVCOptions) (*CV, error) {
	if o == nil {
		o = &SVCOptions{}
	}
	f, err := path.NewFolds(len(y), folds, o.Weights)
	if err == nil {
		err = f.HoldClasses(y, o.Classes)
	}
	var rows linalg.Table // read once for all folds
	if err == nil {
		rows, err = linalg.InMemory(x)
	}
	if err != nil {
		return nil, wrap(err)
	}
	inner := *o
	inner.Trace = f.Trace(o.Trace)
	var all []*SVC // of all rows, whose machines between classes without rows of a fold serve it as they are
	return path.CrossValidate(f, func(w, grid []float64) (*Path, error) {
		if w != nil {
			inner.Weights = w
			return pathOf(svcPath(rows, y, cs[:len(grid)], &inner, all))
		}
		whole, err := SVCPath(rows, y, cs, &inner)
		if whole == nil {
			return whole, err
		}
		if inner.Classes = whole.Points[0].Model.classes; o.Trace == nil && o.Multi == OneVsOne && len(inner.Classes) > 2 {
			all = whole.Models()
		}
		return whole, err
	}, func(p *Path, w []float64) ([]float64, error) {
		held := slices.DeleteFunc(linalg.Sequence(len(y)), func(i int) bool { return w[i] == 0 })
		sum, part := make([]float64, len(p.Points)), rows.Select(held)
		var labels []int
		for k, m := range p.Models() {
			var err error
			if labels, err = m.PredictRows(labels[:0], part); err != nil {
				return nil, err
			}
			for at, i := range held {
				if labels[at] != y[i] {
					sum[k] += w[i]
				}
			}
		}
		return sum, nil
	})
}

// svcFit is what the fits of a path share.
type svcFit struct {
	o      *SVCOptions
	labels sample.Labels
	x      linalg.Table
	tasks  division
	whole  func() *qp.Linear // the kernel of all rows, made once
	solver solver
	atOnce int         // tasks that are solved side by side
	c      float64     // of the last fit
	last   []Machine   // its machines
	alpha  [][]float64 // its multipliers, by task; nil for a single fit
	kept   []posed     // its tasks; nil where they are posed anew
	known  []Machine   // those of all rows at the same C; nil of none
	held   []bool      // by class: rows are held out, so that its machines differ from those
}

func newSVCFit(x linalg.Table, y []int, o *SVCOptions) (*svcFit, error) {
	x, l, err := prepareClasses(x, y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	s, err := newSolver(o.NoIntercept, cmp.Or(o.Tol, defaultTol), o.MaxIter, o.Workers, o.Trace)
	if err != nil {
		return nil, err
	}
	if s.loss = o.Loss; s.loss > SquaredHinge {
		return nil, &sample.OptionError{Name: "Loss", Value: float64(s.loss), Want: "Hinge or SquaredHinge"}
	}
	d, err := divide(l, o.Multi)
	if err != nil {
		return nil, err
	}
	f := &svcFit{o: o, labels: l, x: x, tasks: d, solver: s, atOnce: 1}
	n, p := x.Dims()
	values := float64(n) * float64(p) / float64(max(1, len(d.rows)/2)) // of a task
	if s.trace == nil && !f.alikeTasks() && values >= fewValues {      // else one begins where another ended
		f.atOnce = linalg.Workers(s.workers, len(d.pairs))
		f.solver.workers = linalg.Workers(s.workers, math.MaxInt) / f.atOnce
		if s.workers == 0 { // the last machines would leave the goroutines of others idle
			f.solver.workers++
		}
	}
	f.whole = sync.OnceValue(func() *qp.Linear { return f.solver.kernel(f.x, nil, o.Weights) })
	return f, nil
}

const (
	// fewValues is the size of tasks below which two goroutines wait for the same memory: 500,000 pairs of two values
	// took 1.3 to 2.3 s of processor time side by side, 1.2 to 1.5 one after the other; of 40 half as long.
	fewValues = 32
	pieces    = 16 // in which the machines of a goroutine are fitted
)

// afterFit is told of each machine that was not stopped, which its solver fitted for the prices of the task's rows.
type afterFit func(s *solver, k int, t task, q *qp.Linear, price, alpha []float64, m *Machine) error

// fitAt fits the model for one C, and calls after, unless it is nil, for each machine. Machines that a trace leaves no
// time for have a plane of zeros.
func (f *svcFit) fitAt(c float64, after afterFit) (*SVC, error) {
	m := &SVC{c: c, classWeights: slices.Clone(f.o.ClassWeights), noIntercept: f.o.NoIntercept, loss: f.o.Loss}
	m.machines = machines{classes: f.labels.Classes, multi: f.o.Multi, list: make([]Machine, len(f.tasks.pairs))}
	price, err := prices(f.labels, c, f.o.Weights, f.o.ClassWeights)
	if err != nil {
		return nil, err
	}
	failed := make([]error, len(m.list))
	if f.atOnce > 1 {
		linalg.For(len(m.list), 1+len(m.list)/(pieces*f.atOnce), f.atOnce, func(lo, hi int) {
			own := f.solver
			for k := lo; k < hi; k++ {
				_, failed[k] = f.fitTask(&own, k, c, price, nil, &m.list[k], after)
			}
		})
	} else {
		var last []float64 // the multipliers of the machine before
		for k := range m.list {
			if k > 0 && (m.list[k-1].halted() || f.solver.cause != nil) {
				m.list[k] = unfitted(f.features())
				continue
			}
			last, failed[k] = f.fitTask(&f.solver, k, c, price, last, &m.list[k], after)
		}
	}
	for k := range m.list {
		if m.list[k].Plane == nil {
			return nil, failed[k]
		}
	}
	f.c, f.last = c, m.list
	m.labelSides()
	m.combineReports()
	return m, cmp.Or(m.report.Err(f.solver.cause), cmp.Or(failed...), f.solver.cause)
}

// fitTask fits machine m of task k and returns its multipliers. The plane is nil where it could not be posed; any other
// error is that of after, for the report tells of the plane.
func (f *svcFit) fitTask(s *solver, k int, c float64, price, last []float64, m *Machine, after afterFit) (alpha []float64, err error) {
	if pair := f.tasks.pairs[k]; f.known != nil && !f.held[pair[0]] && !f.held[pair[1]] {
		*m = f.known[k]
		return nil, nil
	}
	t, q := f.task(k)
	own := t.selectValues(s.price, price)
	if t.rows != nil { // else they are those of all tasks
		s.price = own
	}
	if s.near = nil; f.alpha != nil && f.last != nil {
		s.near = &f.last[k]
	}
	start := f.warmStart(s, k, c, own, last)
	if *m, alpha, err = s.softMargin(q, own, start); m.Plane == nil {
		return nil, err
	}
	if err = nil; after != nil && s.cause == nil {
		err = after(s, k, t, q, own, alpha, m)
	}
	s.list(m, t, alpha)
	if f.alpha != nil {
		f.alpha[k] = alpha
	}
	return alpha, err
}

// remember makes room for the solutions of fits, and for their tasks where these are not large.
func (f *svcFit) remember() {
	tasks := len(f.tasks.pairs)
	f.alpha = make([][]float64, tasks)
	if n, p := f.x.Dims(); float64(n)*float64(p)*float64(len(f.labels.Classes)-1) <= mostKept {
		f.kept = make([]posed, tasks)
	}
}

// mostKept is the number of values, 256 MB, up to which a path keeps its copies of two classes.
const mostKept = 1 << 25

// posed is a task with its kernel.
type posed struct {
	task task
	q    *qp.Linear
}

// task returns task k and its kernel. Tasks of all rows share one, whatever their signs.
func (f *svcFit) task(k int) (task, *qp.Linear) {
	if f.kept != nil && f.kept[k].q != nil {
		return f.kept[k].task, f.kept[k].q
	}
	t := f.tasks.task(k)
	p := posed{task: t}
	if t.rows != nil {
		p.q = f.solver.kernel(t.selectRows(f.x), t.sign, t.selectValues(nil, f.o.Weights))
	} else {
		p.q = f.whole().With(t.sign)
	}
	if f.kept != nil {
		f.kept[k] = p
	}
	return t, p.q
}

func (f *svcFit) features() int {
	_, p := f.x.Dims()
	return p
}

// warmStart returns multipliers from which s fits task k for a price of c, those of its rows being own: those of the
// fit before on a path, which are the solution where none reached a lower price, as s is told, and the last of another
// class where few rows have changed their side and no equality has to hold.
func (f *svcFit) warmStart(s *solver, k int, c float64, own, last []float64) []float64 {
	s.inside = false
	switch ratio := c / f.c; {
	case f.c > 0 && f.alpha != nil && !math.IsInf(ratio, 1):
		s.inside = ratio > 1 && s.loss == Hinge
		for i, a := range f.alpha[k] {
			s.inside = s.inside && (a == 0 || a*ratio < own[i]*insidePrice)
		}
		if !s.inside {
			linalg.Scale(f.alpha[k], ratio)
		}
		return f.alpha[k]
	case f.alikeTasks():
		return last
	}
	return nil
}

// insidePrice is a share of a price that a multiplier at it does not round to.
const insidePrice = 1 - 0x1p-40

// alikeTasks reports whether the solution of a task is nearly that of the one before.
func (f *svcFit) alikeTasks() bool {
	return f.o.NoIntercept && f.tasks.rows == nil && len(f.tasks.pairs) > len(f.labels.Code)/fewRows
}

// fewRows is the mean number of rows of a class up to which those of the classes before and after
// hardly change the plane of one against the rest.
const fewRows = 8

// Loss returns what slack costs.
func (m *SVC) Loss() Loss { return m.loss }

// C returns the price of slack that the model was fitted with.
func (m *SVC) C() float64 { return m.c }

// String returns how the fit ended and the coefficients.
func (m *SVC) String() string { return m.describe("support vector classifier") }
