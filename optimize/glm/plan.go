package glm

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/optimize/loss"
)

// shape is all that the choice of a method depends on.
type shape struct {
	rows, dim, scores, parameters int
	ridge                         bool // on every feature but few
	penalized                     bool // a ridge is on some of them
	softmax                       bool // several classes, whose curvature the probabilities tell
	sparse                        bool // rows
}

func (o *Objective) shape() *shape {
	_, softmax := o.loss.(loss.Softmax)
	return &shape{o.N, o.Dim(), o.k, o.Parameters(), o.Ridge != nil && len(o.Free())*o.Functions() <= fewFree, o.Ridge != nil, softmax, o.Sparse()}
}

const (
	// manyFeatures is the number of features from which L-BFGS is tried first for a ridge,
	// unless the rows are so many, manyRows for each feature, that parts of them foretell the
	// Hessian. Measured on two cores with AVX-512, on 500 and 5,000 rows: Newton's method
	// takes 1.5 times as long with 32 features, seven times with 512. Where L-BFGS is left the
	// time lost is [patience] passes.
	manyFeatures, manyRows = 32, 100
	// fewFree is the number of parameters by features without a ridge up to which the others tell the method: a
	// bound makes a product for each.
	fewFree = 16
	// likelyFeatures is that number without a ridge, where one Hessian at least has to be made, which proves that there is a
	// minimum. Measured likewise: Newton's method takes as long with 100 features, half as long again with 130 and five times
	// with 1000, on 5 to 90 rows for each; where columns depend on each other, as long.
	likelyFeatures = 128
	// modeledParameters is the number of parameters of several classes from which models of
	// the Hessian are tried first for a ridge: its K(K−1)/2 blocks cost as much as that many
	// Gram matrices. Measured on 50,000 rows: Newton's method takes twice as long with 18
	// parameters, six times with 205.
	modeledParameters = 20
	// fewParameters is the number of parameters of several classes up to which a fit without
	// a ridge ends by Newton's method, which tells whether a maximum exists.
	fewParameters = 200
)

// Wide reports whether several functions have so many parameters that a Hessian costs
// many passes, and Newton's method is no way to finish.
//
//go:noinline // a program would have several copies
func (o *Objective) Wide() bool { return o.k > 1 && o.Parameters() > fewParameters }

// rule is a row of the table: problems of some shape, and the stages that solve them.
type rule struct {
	name string
	fits func(*shape) bool
	// build returns the stages from theta, which it moves to a better start unless the caller has given it.
	build func(o *Objective, theta []float64, given bool, tol float64) ([]optimize.Stage, error)
}

// table says which stages solve which problem. The first row that fits is taken. Each
// stage goes on where the one before has ended, while the certificate does not hold;
// the last one is sure.
var table = []rule{
	{"sparse rows, a ridge on many features: Newton with conjugate gradients, then the sure method",
		func(s *shape) bool {
			products := s.sparse && (s.scores == 1 || s.softmax)
			return products && (s.ridge && s.dim > fewSparse || s.penalized && linalg.CheckSquare(s.parameters) != nil) // else a Hessian is a proof
		},
		(*Objective).widePlan},
	{"one score, a ridge on many features: L-BFGS, then Newton",
		func(s *shape) bool {
			return s.scores == 1 && s.ridge && s.dim > manyFeatures && s.rows < manyRows*s.dim
		},
		(*Objective).widePlan},
	{"one score, a ridge: L-BFGS with a Hessian of part of the rows, then Newton",
		func(s *shape) bool { return s.scores == 1 && s.ridge },
		(*Objective).ridgePlan},
	{"several classes, a ridge on more features than rows: L-BFGS, then Newton",
		func(s *shape) bool { return s.softmax && s.ridge && s.rows < s.dim },
		(*Objective).widePlan},
	{"one score, many features for the rows: L-BFGS, then Newton",
		func(s *shape) bool {
			return s.scores == 1 && !s.sparse && s.dim > likelyFeatures && s.rows < manyRows*s.dim
		},
		(*Objective).widePlan},
	{"one score: Newton from the fit of part of the rows",
		func(s *shape) bool { return s.scores == 1 },
		(*Objective).newtonPlan},
	{"several classes, many parameters: L-BFGS with models of the Hessian, then Newton",
		func(s *shape) bool {
			return s.softmax && (s.parameters > fewParameters || s.ridge && s.parameters > modeledParameters)
		},
		(*Objective).severalPlan},
	{"several scores: Newton",
		func(s *shape) bool { return true },
		(*Objective).plainPlan},
}

// plan returns the first row of the table that fits; the last one fits all.
func (o *Objective) plan() *rule {
	s, at := o.shape(), 0
	for !table[at].fits(s) {
		at++
	}
	return &table[at]
}

// Plan names the row of the table that the objective is minimised by.
func (o *Objective) Plan() string { return o.plan().name }

func (o *Objective) plainPlan([]float64, bool, float64) ([]optimize.Stage, error) {
	return []optimize.Stage{{Name: "Newton", Solve: (&foretold{o: o}).newton}}, linalg.CheckSquare(o.Parameters())
}

// usualSteps are more than Newton's method takes but where classes are separated, or nearly so: then they may be the
// first of a hundred, and whether a minimum exists is asked before the others. (Measured, for 11 classes on 100,000 × 6
// with outliers that are separated: 7.7 of 8.4 processor seconds were Newton's steps, 6.3 of them after these.)
// Very many parameters, of which the question is as dear as the steps, have none.
const usualSteps = 20

// begin moves theta to near the fit of part of the rows, and returns the objective with
// the Hessian that this foretells.
func (o *Objective) begin(theta []float64, given bool) (*foretold, error) {
	f := &foretold{o: o}
	var err error
	if !given {
		f.h, err = o.approach(theta)
		f.start = linalg.Clone(theta)
	}
	return f, err
}

func (o *Objective) newtonPlan(theta []float64, given bool, _ float64) ([]optimize.Stage, error) {
	if err := linalg.CheckSquare(o.Parameters()); err != nil {
		return nil, err
	}
	f, err := o.begin(theta, given)
	return []optimize.Stage{{Name: "Newton", Solve: f.newton}}, err
}

// foretold is an objective whose Hessian at the start is that which part of the rows
// foretells: near enough for a first step. It implements [optimize.Hessian].
type foretold struct {
	o     *Objective
	start []float64
	h     *linalg.Dense // nil without
}

func (f *foretold) Err() error                      { return f.o.Err() }
func (f *foretold) Value(theta []float64) float64   { return f.o.Value(theta) }
func (f *foretold) Grad(g, theta []float64) float64 { return f.o.Grad(g, theta) }

// Hess sets h and g to the derivatives and returns the objective.
func (f *foretold) Hess(h *linalg.Dense, g, theta []float64) float64 {
	if f.h == nil || !slices.Equal(theta, f.start) {
		return f.o.Hess(h, g, theta)
	}
	copy(h.Data, f.h.Data)
	return f.Grad(g, theta)
}

func (f *foretold) newton(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
	return optimize.Newton(f, x, c)
}

// Of L-BFGS led by a Hessian of part of the rows the pace counts from the first step on,
// after ledPatience more. Newton's method gets there with some two Hessians of all rows,
// which cost what 2 + p/16 iterations do.
const ledPatience = 4

func (o *Objective) ridgePlan(theta []float64, given bool, tol float64) ([]optimize.Stage, error) {
	f, err := o.begin(theta, given)
	newton := optimize.Stage{Name: "Newton", Solve: f.newton}
	if err != nil || f.h == nil || o.sparsity() < 2 {
		return []optimize.Stage{newton}, err
	}
	factor, pivot := linalg.NewCholesky(f.h)
	if pivot != nil {
		return []optimize.Stage{newton}, nil
	}
	m := newSampledHessian(o, factor)
	led := optimize.Stage{Name: "L-BFGS with a Hessian of part of the rows", Until: optimize.Pace(tol, 1, ledPatience, float64(2+o.P/16)),
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			return optimize.LBFGS(m, x, pairsKept, c)
		}}
	return []optimize.Stage{led, newton}, nil
}

const (
	// newtonSteps is how many steps Newton's method usually takes.
	newtonSteps = 6
	// mostRows is the number of rows up to which systems of as many equations are factored.
	mostRows = 3000
	// mostPasses are those of Newton's method with conjugate gradients, as a rule of thumb.
	mostPasses = newtonSteps * 100
	// mostKernels is the number of elements of the matrices of the rows by class.
	mostKernels = 1 << 27
	// usualPasses is how many L-BFGS takes for a ridge on many features, as a rule of thumb.
	usualPasses = 50
	// affordable is the share of what the sure method costs that may be lost on a slow start.
	affordable = 1. / 32
	// factorable is the number of parameters up to which a Hessian is factored, and provable that up to which it is, 128 MB, for
	// the one proof that there is: of a maximum of the likelihood.
	factorable, provable = 2000, 4000
)

// kernelPays reports whether a kernel matrix and its factor cost fewer passes over the rows
// than L-BFGS saves in their coordinates.
func (o *Objective) kernelPays() bool {
	n, p, k := float64(o.N), float64(o.P), float64(o.Functions())
	cost := n/(16*k) + n*n/(48*k*p)
	return o.Free() == nil && o.N <= mostRows && !o.Sparse() && linalg.CheckCopy(o.Rows(), o.N, o.P) == nil &&
		cost+usualPasses*n/p < usualPasses
}

// spares reports whether the plan is one that makes no Hessian: the bound then makes none
// either.
func (o *Objective) spares() bool {
	s := o.shape()
	if s.scores > 1 {
		return s.ridge && s.parameters > modeledParameters
	}
	return s.ridge && s.dim > manyFeatures && s.rows < manyRows*s.dim
}

// sure returns the stage with which every plan ends, and about how many passes over the
// rows it costs: Newton's method by systems of n equations, by the Hessian, or, where that has
// more than factorable parameters and systems of the rows are too many or cost more, by conjugate gradients and
// the model m. A multiplication of
// a Gram matrix takes an eighth of the time of one of a pass, and one of a factorisation,
// on one goroutine, four times as long. The systems of several scores are inverted, summed and
// factored once more. (Measured with five on 500 rows and 2,000 features: .11 s a step, a pass .0016 s.)
func (o *Objective) sure(m *model) (stage optimize.Stage, dear *model, passes float64) {
	n, p, k := float64(o.N), float64(o.Dim()), float64(o.Functions())
	stage, passes = optimize.Stage{Name: "Newton with conjugate gradients", Solve: m.solve}, mostPasses
	if byColumns := newtonSteps * (p*(k+1)/64 + k*k*p*p/(32*n)); o.Parameters() <= factorable {
		stage, dear, passes = optimize.Stage{Name: "Newton", Solve: (&foretold{o: o}).newton}, (&hessian{o: o}).model(), byColumns
	}
	step := n * n / (16 * p)
	if k > 1 {
		step *= 8
	}
	byRow := n/(16*k) + newtonSteps*step
	if o.Free() == nil && o.N <= mostRows && k*n*n <= mostKernels && linalg.CheckCopy(o.Rows(), o.N, o.P) == nil && byRow < passes {
		dear, passes = (&byRows{o: o}).model(), byRow
		stage = optimize.Stage{Name: "Newton by systems of the rows", Solve: dear.solve}
	}
	return stage, dear, passes
}

// widePlan is a method without a Hessian until it is clear that at its pace it takes longer than the sure
// method: Newton's by conjugate gradients for sparse rows, else L-BFGS; in the coordinates of the rows where
// their kernel matrix costs less than it saves. Steps of conjugate gradients are few or, where rows repeat and the
// ridge is weak, hundreds: they are left once as many are still to be made as have been.
func (o *Objective) widePlan(theta []float64, _ bool, tol float64) ([]optimize.Stage, error) {
	d, conjugate := &diagonal{o: o}, o.Sparse() && o.Dim() > fewSparse
	model, stage, start := d.model(), optimize.Stage{Name: "L-BFGS", Solve: d.lbfgs}, patience
	if conjugate {
		j := &jacobi{o: o, early: o.spares()}
		model, stage = j.model(), optimize.Stage{Name: "Newton with conjugate gradients", Solve: j.newton}
	}
	sure, _, passes := o.sure(model)
	if conjugate {
		passes = patience
	} else if o.kernelPays() {
		m, err := o.newInRows()
		if err != nil {
			return nil, err
		}
		if o.rows = m; m != nil {
			passes *= float64(o.P) / float64(o.N)
			stage, start = optimize.Stage{Name: "L-BFGS in the coordinates of the rows", Solve: m.lbfgs}, max(patience, int(passes*affordable))
		}
	}
	if o.rows == nil { // one pass finds the sizes of the columns and all that the first step needs
		o.KeepCurvature()
		o.evaluate(theta)
	}
	stage.Until = optimize.Pace(tol, 0, start, passes)
	return []optimize.Stage{stage, sure}, nil
}

const (
	// sampleRows are the rows for each parameter in the part whose Hessian leads L-BFGS.
	sampleRows = 10
	// modeledConjugates is how many iterations of L-BFGS cost what Newton's method by conjugate gradients
	// does with a model of some rows. (Measured on 3 to 6 thousand rows with 100 to 300 classes and 8 to 40
	// features: 42 to 290, the fewer the worse the rows are scaled. With 6 to 12 classes and 230 to 400
	// features, all but separated, L-BFGS takes 300 to 1,000, and two to three times as long.)
	modeledConjugates = 64
)

// severalPlan is the plan for a loss of K scores with many parameters: L-BFGS with a
// model of the Hessian, after fits to part of the rows. A first step is led by the model
// of the last part, the others by one of all rows; where parts have been slow or this
// is, by the Hessian of part of the rows; at last Newton's method takes over, by conjugate
// gradients where a model by class leads these or there is no other way. With a ridge on all features, where a Hessian can
// be factored, that is their model once they have cost twice what it does. theta is moved to the start.
func (o *Objective) severalPlan(theta []float64, given bool, tol float64) ([]optimize.Stage, error) {
	if linalg.CheckSquare(o.Dim()) != nil { // a model has a matrix of the features
		return o.widePlan(theta, given, tol)
	}
	m := &modeled{o: o, share: 1}
	slow, misled, err := false, false, error(nil)
	if !given {
		if slow, misled, err = m.fitParts(theta); err != nil {
			return nil, err
		}
	}
	if m.h == nil && o.partTooLarge(m.every(modelRows)) != nil { // the diagonal needs no copy of rows
		sure, _, _ := o.sure((&diagonal{o: o}).model())
		return []optimize.Stage{sure}, nil
	}
	newton := m.model()
	conjugate := optimize.Stage{Name: "Newton with conjugate gradients", Solve: newton.solve}
	sure, dear, passes := o.sure(newton)
	if misled {
		return []optimize.Stage{sure}, nil
	}
	if m.h == nil {
		if err = m.begin(theta, modelRows); err != nil {
			return nil, err
		}
	}
	byClass := m.o.byClass(m.every(modelRows))
	if passes == mostPasses || byClass && o.Free() != nil {
		sure, passes = conjugate, modeledConjugates
	} else if o.Free() == nil && (byClass || passes > modeledConjugates) { // a product costs half a pass, and what exponential/8 columns more do
		newton.dear, newton.most = dear, 2*passes/newtonSteps/(1+exponential/(8*float64(o.Dim())))
		newton.made = -newton.most
		sure, passes = conjugate, modeledConjugates
	}
	return append(m.stages(len(theta), slow, tol, passes), sure), nil
}

// stages are L-BFGS, one step with the model of the last part and then with one of all rows, or of
// parameters few enough for it with a Hessian of part of the rows: at once where parts have been slow.
func (m *modeled) stages(parameters int, slow bool, tol, passes float64) []optimize.Stage {
	o, rows := m.o, sampleRows*parameters
	once := optimize.Stage{Name: "one step with the model of a part", Solve: m.solve, Until: o.oneStep(tol)}
	modeled := optimize.Stage{Name: "L-BFGS with a model", Solve: m.remodeled(modelRows), Until: optimize.Pace(tol, 0, patience, passes)}
	if parameters > factorable || o.N <= 2*rows {
		return []optimize.Stage{once, modeled}
	}
	sampled := optimize.Stage{Name: "L-BFGS with a Hessian of part of the rows", Until: optimize.Pace(tol, 0, patience, passes),
		Solve: func(x []float64, c *optimize.Control) ([]float64, optimize.Report, error) {
			if h, err := o.partHessian(x, design.CoprimeTo30(o.N/rows)); err == nil {
				m.h = h
			}
			return m.solve(x, c)
		}}
	if slow {
		return []optimize.Stage{once, sampled}
	}
	return []optimize.Stage{once, modeled, sampled}
}

// leveled is an objective without an intercept and with a ridge on every feature, in coordinates
// in which the means of the features, far from 0, are no obstacle.
type leveled struct {
	o     *Objective
	level *design.Level // nil where they are not far
}

// inLevel returns the objective in such coordinates.
func (o *Objective) inLevel() *leveled {
	if o.leveled != nil {
		return o.leveled
	}
	l := new(leveled)
	if o.leveled = l; o.Intercept == 1 || o.known != nil || o.Free() != nil {
		return l
	}
	scale, ridge := make([]float64, o.P), make([]float64, o.P)
	for j, r := range o.Ridge {
		scale[j], ridge[j] = 1/math.Sqrt(r), 1
	}
	if l.level = o.Leveled(scale); l.level != nil {
		ridge[0] /= l.level.Length * l.level.Length
		l.o = newObjective(l.level.Rows, o.Y, o.loss, o.q, ridge)
	}
	return l
}

// from returns parameters of the objective in these coordinates.
func (l *leveled) from(theta []float64) []float64 {
	theta = linalg.Clone(theta)
	l.level.From(theta)
	return theta
}
