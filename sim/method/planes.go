package method

import (
	"cmp"
	"errors"
	"math"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/sim/dataset"
)

type perceptron struct{}

func (perceptron) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	po, err := o.perceptron(d)
	if err != nil {
		return nil, err
	}
	return some(hyperplane.FitPerceptron(x, d.Labels, po))
}

func (perceptron) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	po, err := o.perceptron(d)
	if err != nil {
		return nil, err
	}
	return m.(*hyperplane.Perceptron).Audit(x, d.Labels, po)
}

func (o *Options) perceptron(d *dataset.Data) (*hyperplane.PerceptronOptions, error) {
	w, err := o.classWeights(d)
	po := &hyperplane.PerceptronOptions{Rate: o.Rate, MaxEpochs: o.MaxEpochs, Pocket: o.Pocket,
		Classes: codes(d.Names), ClassWeights: w, Seed: o.Seed, Workers: o.Workers, Trace: o.Trace}
	if o.Seed != 0 {
		po.Order = hyperplane.Shuffled
	}
	return po, err
}

func (perceptron) empty() fitted { return new(hyperplane.Perceptron) }

func (perceptron) formula(m fitted, about []float64) *Formula {
	p := m.(*hyperplane.Perceptron)
	if about == nil {
		about = p.Plane().Origin()
	}
	return linearFormula(p, about, None)
}

func (perceptron) notes(m fitted, _ [][]float64) Notes {
	return Notes{Figures: []Figure{{"misclassified", "misclassified", m.(*hyperplane.Perceptron).Misclassified()}}}
}

type hardMargin struct{ machines }

func (hardMargin) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	return some(hyperplane.FitHardMargin(x, d.Labels, o.hardMargin(d)))
}

func (hardMargin) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	return m.(*hyperplane.HardMargin).Audit(x, d.Labels, o.hardMargin(d))
}

func (o *Options) hardMargin(d *dataset.Data) *hyperplane.HardMarginOptions {
	return &hyperplane.HardMarginOptions{Weights: d.Weights, Multi: o.multi(), NoIntercept: o.NoIntercept,
		Classes: codes(d.Names), Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers, Trace: o.Trace}
}

func (hardMargin) empty() fitted { return new(hyperplane.HardMargin) }

func (hardMargin) cites(err error) (classes, columns []int) {
	if plane := (*hyperplane.InfeasibleError)(nil); errors.As(err, &plane) {
		classes = []int{plane.Machine.Positive}
		if !plane.Machine.Rest {
			classes = append(classes, plane.Machine.Negative)
		}
	}
	return classes, nil
}

type svc struct{ machines }

func (svc) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	so, err := o.svc(d)
	if err != nil {
		return nil, err
	}
	if o.Probability {
		return some(hyperplane.FitSVCProba(x, d.Labels, &hyperplane.SVCProbaOptions{SVCOptions: *so}))
	}
	return some(hyperplane.FitSVC(x, d.Labels, so))
}

func (svc) empty() fitted { return new(hyperplane.SVC) }

func (svc) withProba() fitted { return new(hyperplane.SVCProba) }

func (svc) without(f fitted) fitted { return &f.(*hyperplane.SVCProba).SVC }

// auditedSVC is a classifier with or without probabilities.
type auditedSVC interface {
	C() float64
	Loss() hyperplane.Loss
	Machines() []hyperplane.Machine
	Audit(x linalg.Rows, y []int, o *hyperplane.SVCOptions) (*optimize.Audit, error)
}

func (svc) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	so, err := o.svc(d)
	if err != nil {
		return nil, err
	}
	return m.(auditedSVC).Audit(x, d.Labels, so)
}

func (e svc) keep(m fitted, o *Options) {
	c := m.(auditedSVC)
	o.C, o.Loss = cmp.Or(o.C, c.C()), cmp.Or(o.Loss, c.Loss().String())
	e.machines.keep(m, o)
}

func (svc) parameter() string { return "lambda" }

func (svc) sweeps() string { return `C` }

// path goes from C = 10⁻³ to C = 10³ in equal factors. Its penalty is λ = 1/C.
func (svc) path(x linalg.Rows, d *dataset.Data, o *Options, grid []float64, count int) ([]pathFit, error) {
	so, err := o.svc(d)
	if err != nil {
		return nil, err
	}
	if o.Probability {
		return nil, errors.New("svc: a path has no probabilities")
	}
	cs := make([]float64, count)
	for i := range cs {
		cs[i] = math.Pow(10, -3+6*float64(i)/float64(max(1, count-1)))
	}
	if grid != nil {
		cs = cs[:0]
		for _, lambda := range grid {
			cs = append(cs, 1/lambda)
		}
	}
	return pathFits(hyperplane.SVCPath(x, d.Labels, cs, so))
}

// machines is the common part of the margin classifiers, which have a plane for
// each pair of classes or for each class against the rest.
type machines struct{}

type machinesModel interface {
	linearClassifier
	Machines() []hyperplane.Machine
	Pairs() [][2]int
	Support() []int
}

// keep sets the way to tell K classes apart.
func (machines) keep(m fitted, o *Options) {
	if m.(machinesModel).Machines()[0].Rest {
		o.Multi = "ovr"
	}
}

func (machines) formula(m fitted, about []float64) *Formula {
	c := m.(machinesModel)
	list := c.Machines()
	if about == nil {
		about = list[0].Plane.Origin()
	}
	f := linearFormula(c, about, None)
	p, ok := m.(*hyperplane.SVCProba)
	if ok {
		var coupling hyperplane.Coupling
		f.Platt, coupling = p.Sigmoids()
		f.Coarse, f.Link = coupling != hyperplane.Exact, Sigmoids
		if len(list) == 1 {
			f.Link = Sigmoid
		}
		if len(list) == 1 && coupling == hyperplane.Scikit {
			f.Link, f.Pairs = Coupled, [][2]int{{0, 1}}
		}
	}
	if len(list) == 1 {
		return f
	}
	f.At = f.At[:0]
	for _, machine := range list {
		f.At = append(f.At, machine.Plane.Value(about))
	}
	if f.Pairs = c.Pairs(); f.Pairs != nil {
		f.Rule = Votes
		if ok {
			f.Link = Coupled
		}
	}
	return f
}

// notes has 1/‖β‖ of the one plane of two classes, on the scale of the data: the margin of a
// hard margin, half the width of the slab of a soft one.
func (machines) notes(m fitted, coef [][]float64) (n Notes) {
	if len(coef) == 1 {
		name := "half-width"
		if _, hard := m.(*hyperplane.HardMargin); hard {
			name = "margin"
		}
		n.Figures = append(n.Figures, Figure{"margin", name, 1 / linalg.Norm(coef[0])})
	}
	n.Figures = append(n.Figures, supportVectors(m.(machinesModel).Support()))
	return n
}

func supportVectors(rows []int) Figure { return Figure{"support", "support vectors", len(rows)} }

type svr struct{}

func (svr) fit(x linalg.Rows, d *dataset.Data, o *Options) (fitted, error) {
	return some(hyperplane.FitSVR(x, d.Y, o.svr(d)))
}

func (svr) audit(m fitted, x linalg.Rows, d *dataset.Data, o *Options) (*optimize.Audit, error) {
	return m.(*hyperplane.SVR).Audit(x, d.Y, o.svr(d))
}

func (svr) keep(m fitted, o *Options) {
	r := m.(*hyperplane.SVR)
	o.C, o.Epsilon = cmp.Or(o.C, r.C()), cmp.Or(o.Epsilon, r.Epsilon())
}

func (o *Options) svr(d *dataset.Data) *hyperplane.SVROptions {
	return &hyperplane.SVROptions{C: o.C, Epsilon: o.Epsilon, Weights: d.Weights,
		NoIntercept: o.NoIntercept, Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers, Trace: o.Trace}
}

func (svr) empty() fitted { return new(hyperplane.SVR) }

func (svr) formula(m fitted, about []float64) *Formula {
	r := m.(*hyperplane.SVR)
	if about == nil {
		about = r.Plane().Origin()
	}
	return valueFormula(r, about)
}

func (svr) notes(m fitted, _ [][]float64) Notes {
	return Notes{Figures: []Figure{supportVectors(m.(*hyperplane.SVR).Support())}}
}

func (o *Options) svc(d *dataset.Data) (*hyperplane.SVCOptions, error) {
	w, err := o.classWeights(d)
	return &hyperplane.SVCOptions{C: o.C, Loss: o.loss(), Weights: d.Weights, ClassWeights: w, Multi: o.multi(), NoIntercept: o.NoIntercept, Classes: codes(d.Names),
		Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers, Trace: o.Trace}, err
}

func (o *Options) loss() hyperplane.Loss {
	if o.Loss == hyperplane.SquaredHinge.String() {
		return hyperplane.SquaredHinge
	}
	return hyperplane.Hinge
}
