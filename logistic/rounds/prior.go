package rounds

import (
	"errors"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize/glm"
)

// Prior is a Gaussian that stands for the rows of an earlier fit, and for its ridge: by
// Laplace's approximation their objective is ½(θ−θ₀)ᵀH(θ−θ₀) and a constant, θ₀ its minimum and
// H its Hessian there. [Approximate] makes it.
type Prior struct {
	Rows        int            `json:"rows"` // that it stands for
	Classes     int            `json:"classes"`
	NoIntercept bool           `json:"no_intercept,omitempty"`
	Extent      *design.Extent `json:"extent"`  // of the first rows, in whose coordinates the parameters are
	Theta       record.Packed  `json:"theta"`   // those of several classes' functions sum to 0
	Hessian     record.Packed  `json:"hessian"` // its lower triangle, row by row
}

// Check returns an error for a prior whose numbers do not fit together.
func (p *Prior) Check() error {
	if p == nil || p.Extent == nil || p.Rows <= 0 || p.Classes < 2 || len(p.Extent.Sum) == 0 || CheckSize(p.Classes, len(p.Extent.Sum)) != nil {
		return wrap(errors.New("a prior of no rows, classes or columns, or of too many"))
	}
	columns := len(p.Extent.Sum)
	dim := columns + 1
	if p.NoIntercept {
		dim--
	}
	for _, v := range [][]float64{p.Extent.First, p.Extent.Lo, p.Extent.Hi} {
		if len(v) != columns {
			return wrap(&linalg.ShapeError{Want: columns, WantOf: "columns", Got: len(v), GotOf: "numbers of them"})
		}
	}
	if q := (p.Classes - 1) * dim; len(p.Theta) != q {
		return wrap(&linalg.ShapeError{Want: q, WantOf: "parameters of the columns", Got: len(p.Theta), GotOf: "in the prior"})
	}
	h, err := linalg.UnpackLower(p.Hessian, len(p.Theta))
	if err == nil {
		_, err = linalg.NewCholesky(h)
	}
	return wrap(err)
}

// fits returns an error for rows of other columns or classes.
func (p *Prior) fits(all *Counts) error {
	if err := p.Check(); err != nil {
		return err
	}
	if len(all.Mean) != len(p.Extent.Sum) {
		return wrap(&linalg.ShapeError{Want: len(p.Extent.Sum), WantOf: "columns in the prior", Got: len(all.Mean), GotOf: "here"})
	}
	if len(all.Classes) != p.Classes {
		return wrap(&linalg.ShapeError{Want: p.Classes, WantOf: "classes in the prior", Got: len(all.Classes), GotOf: "here"})
	}
	return nil
}

// begin is [Begin] with the prior: at its point, in its coordinates. A class may be without
// later rows.
func (p *Prior) begin(all *Counts, o Options) (*State, error) {
	if o.Lambda != 0 {
		return nil, wrap(&sample.OptionError{Name: "Lambda", Value: o.Lambda, Want: "0 beside a prior, which has the ridge of the earlier fit"})
	}
	if o != (Options{Tol: o.Tol, MaxIter: o.MaxIter}) {
		return nil, wrap(errors.New("a fit with a prior has the options of the earlier fit, but for Tol and MaxIter"))
	}
	if err := p.fits(all); err != nil {
		return nil, err
	}
	o.NoIntercept = p.NoIntercept
	return &State{Options: o, All: all, Prior: p, Theta: p.Theta, Round: 1}, nil
}

// at returns what the prior adds at a point: value, gradient and Hessian.
func (p *Prior) at(theta []float64) (value float64, g []float64, h *linalg.Dense) {
	q := len(p.Theta)
	h, _ = linalg.UnpackLower(p.Hessian, q) // Check has seen it
	linalg.Symmetrize(h)
	apart := make([]float64, q)
	for j, v := range theta {
		apart[j] = v - p.Theta[j]
	}
	g = make([]float64, q)
	for j := range g {
		g[j] = linalg.Dot(h.Row(j), apart)
	}
	return linalg.Dot(g, apart) / 2, g, h
}

// beside returns the sums of all rows at a point with the prior's. The rounding errors of its
// gradient count as those of as many terms more.
func (p *Prior) beside(rows *glm.Sums, theta []float64) *glm.Sums {
	value, g, h := p.at(theta)
	sums := *rows
	sums.Value += value
	linalg.Axpy(g, 1, rows.Gradient)
	linalg.Axpy(h.Data, 1, rows.Hessian.Data)
	sums.Gradient, sums.Hessian = g, h
	sums.Sizes = p.sizes(theta)
	linalg.Axpy(sums.Sizes, 1, rows.Sizes)
	return &sums
}

// beneath returns the reach of all rows along a step from a point with the prior's sizes.
func (p *Prior) beneath(rows *glm.Reach, from []float64) *glm.Reach {
	reach, own := *rows, p.sizes(from)
	reach.Sizes = append([]float64(nil), rows.Sizes...)
	for at := range reach.Sizes {
		reach.Sizes[at] += own[at%len(own)]
	}
	return &reach
}

// sizes returns (q+2)·Σₖ|Hⱼₖ(θ−θ₀)ₖ| by parameter of one function: a multiple of the unit
// roundoff is the error of the prior's gradient.
func (p *Prior) sizes(theta []float64) []float64 {
	_, _, h := p.at(theta)
	q := len(p.Theta)
	sizes := make([]float64, q/(p.Classes-1))
	for j := range q {
		sum := 0.0
		for k, v := range h.Row(j) {
			sum += math.Abs(v * (theta[k] - p.Theta[k]))
		}
		sizes[j%len(sizes)] += float64(q+2) * sum
	}
	return sizes
}
