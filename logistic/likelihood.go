package logistic

import (
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/optimize/glm"
)

// Likelihood is the negative log-likelihood of some rows, without a penalty, as a
// function of parameters θ about the origin of a model: inference, the certificate of a
// fit by maximum likelihood and tests of nested models start from it. One read from JSON holds its numbers, which
// can be looked at, and no rows: its methods panic.
type Likelihood struct {
	*glm.Objective
	Theta []float64 // the parameters of the model
	Null  []float64 // those of intercepts alone: the null model where there are no offsets
}

// Likelihood returns the negative log-likelihood of the labels y on the rows of x, and
// where the model stands on it. Of the options it takes Weights, ClassWeights, Offset, Classes,
// Reference, NoIntercept and Workers. x, y and o need not be those of the fit: the
// gradient at Theta tells whether the model maximises their likelihood. For three
// classes and more the parameters are differences to the reference class.
//
// Errors: those of [Fit] for bad input; *[linalg.ShapeError] and *[linalg.ClassError]
// for other features or classes than the model's.
func (m *Model) Likelihood(x linalg.Rows, y []int, o *Options) (*Likelihood, error) {
	return m.likelihood(newProblem(x, y, o))
}

// LikelihoodCounts is Likelihood for the grouped data of [FitCounts], without the
// binomial coefficients. The weights of the objective are those of the rows times their
// trials.
func (m *Model) LikelihoodCounts(x linalg.Rows, successes, trials []float64, o *Options) (*Likelihood, error) {
	return m.likelihood(newCounts(x, successes, trials, o))
}

func (m *Model) likelihood(p *problem, err error) (*Likelihood, error) {
	if err == nil {
		err = m.checkProblem(p)
	}
	if err != nil {
		return nil, wrap(err)
	}
	if p.d.Intercept == 1 {
		p.d.MoveOrigin(m.Origin())
	}
	f, err := p.likelihood()
	if err != nil {
		return nil, wrap(err)
	}
	return &Likelihood{f, f.ThetaOf(m.functions(p)), f.ThetaOf(p.null())}, nil
}

// checkProblem refuses data with other features or classes than the model's.
func (m *Model) checkProblem(p *problem) error {
	if p.d.P != m.Features() {
		return &linalg.ShapeError{Want: m.Features(), WantOf: "features", Got: p.d.P, GotOf: "columns"}
	}
	return m.checkClasses(p.r)
}

// checkClasses refuses other classes than the model's.
func (m *Model) checkClasses(r *response) error {
	if r.k() != len(m.classes) {
		return &linalg.ShapeError{Want: len(m.classes), WantOf: "classes", Got: r.k(), GotOf: "found"}
	}
	for k, c := range r.classes {
		if c != m.classes[k] {
			return &linalg.ClassError{Class: c, Rows: int(r.count[k]), Reason: "is not one of the model's"}
		}
	}
	return nil
}

// parameters returns the parameters of function k of the model in the problem's
// coordinates, whose origin is the model's unless there is no intercept or a column is
// sparse.
func (m *Model) parameters(p *problem, k int) []float64 {
	theta, b := make([]float64, p.d.Dim()), m.coef.Matrix().Row(k)
	for j, u := range p.d.Unit {
		theta[j+p.d.Intercept] = b[j] * u
	}
	if p.d.Intercept == 1 {
		theta[0] = m.intercept[k]
		for j, c := range m.origin {
			theta[0] += b[j] * (p.d.Origin[j] - c)
		}
	}
	return theta
}

// functions returns the parameters of the model's functions in the coordinates of p.
func (m *Model) functions(p *problem) (theta []float64) {
	for k := range m.coef.Rows {
		theta = append(theta, m.parameters(p, k)...)
	}
	return theta
}

// String returns the number of parameters.
func (r *Likelihood) String() string {
	return fmt.Sprintf("likelihood of %d parameters", len(r.Theta))
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Likelihood) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Likelihood) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
