package glm

import (
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
)

// Certificate returns max |gₖⱼ|/Σ wᵢ|xᵢⱼ−cⱼ| over the derivatives by the parameters of
// the K scores at theta (a column of zeros, whose derivative is 0, counts nothing). It does
// not depend on the units of the features; its own unit is that of ∂L/∂f, none for a
// likelihood and that of y for squared error.
func (o *Objective) Certificate(theta []float64) float64 {
	size, err := o.Sizes()
	if err != nil {
		return math.NaN()
	}
	o.evaluate(theta)
	g, dim := o.byFunction(o.memo.g), o.Dim()
	worst := 0.0
	for i, v := range g {
		if s := size[i%dim]; s > 0 {
			if r := math.Abs(v) / s; r > worst || r != r {
				worst = r
			}
		}
	}
	return worst
}

// evaluate makes sure that the gradient at theta is in the memo.
func (o *Objective) evaluate(theta []float64) {
	o.Grad(make([]float64, len(theta)), theta)
}

// byFunction returns the derivatives by the parameters of the K scores from those by
// theta: they sum to 0 over the scores where adding a function to all changes nothing.
func (o *Objective) byFunction(g []float64) []float64 {
	if o.q == nil {
		return g
	}
	dim := o.Dim()
	all := make([]float64, o.k*dim)
	o.expand(all, g)
	if r := o.Reference(); r >= 0 {
		zero := all[r*dim : (r+1)*dim]
		for c := range o.k {
			if c != r {
				linalg.Axpy(zero, -1, all[c*dim:(c+1)*dim])
			}
		}
	}
	return all
}

// Certify returns the objective and the certificate at theta, as [optimize.Run] asks for
// them.
func (o *Objective) Certify(theta []float64, tol float64) (float64, optimize.Certificate, error) {
	value := o.Certificate(theta)
	return o.memo.value, optimize.Certificate{Kind: optimize.KindGradient, Value: value, Tol: tol}, o.failed
}

// Scale returns the sizes in which a solver measures derivatives by theta, so that the
// certificate is at most the solver's measure: the K derivatives are no larger than the
// length of those by orthonormal contrasts, or than their sum where one score is the
// reference. A column of zeros has any size.
func (o *Objective) Scale() ([]float64, error) {
	size, err := o.Sizes()
	if err != nil {
		return nil, err
	}
	m := o.Functions()
	share := 1.0
	if o.q != nil {
		if share = 1 / float64(m); o.Reference() < 0 {
			share = math.Sqrt(share)
		}
	}
	scale := make([]float64, 0, m*len(size))
	for range m {
		for _, s := range size {
			if s == 0 {
				s = 1
			}
			scale = append(scale, s*share)
		}
	}
	return scale, nil
}

// Public returns a trace that shows the caller's the K scores' parameters as plain
// intercepts and coefficients on the data's scale.
func (o *Objective) Public(trace func(optimize.Step) error) func(optimize.Step) error {
	if trace == nil {
		return nil
	}
	return func(s optimize.Step) error {
		functions := make([]float64, o.k*o.Dim())
		o.expand(functions, s.X)
		public := make([]float64, len(functions))
		o.ToPublic(public, functions)
		s.X = public
		return trace(s)
	}
}

// Part returns the objective of every step-th row, with its share of the ridge.
func (o *Objective) Part(step int) (*Objective, error) {
	d, err := o.Thin(step)
	if err != nil {
		return nil, o.keep(err)
	}
	ridge := append([]float64(nil), o.Ridge...)
	linalg.Scale(ridge, 1/float64(step))
	return newObjective(d, design.Every(o.Y, 1, step), o.loss, o.q, ridge), nil
}
