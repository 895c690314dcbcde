package logistic

import "halfspace/linalg/sample"

// response is the labels of the rows, coded, or the shares of a label in groups of trials.
type response struct {
	classes []int
	code    []int     // index of each row's class; −1 for a row of both of two classes
	target  []float64 // of groups: the share of the larger label
	count   []float64 // Σw by class
}

func newResponse(y []int, o *Options) (*response, error) {
	l, err := sample.Code(y, o.Classes, o.Weights)
	if err != nil {
		return nil, err
	}
	return &response{classes: l.Classes, code: l.Code, count: l.Count}, nil
}

func (r *response) k() int { return len(r.classes) }

// functions returns the number of functions, and so of the offsets of a row: 1 for two
// classes, else K.
func (r *response) functions() int { return sample.Functions(r.k()) }

// signs returns the labels of two classes as ±1, as the logistic loss takes them; of a
// group it is their mean.
func (r *response) signs() []float64 {
	s := make([]float64, len(r.code))
	for i, c := range r.code {
		if s[i] = float64(2*c - 1); r.target != nil {
			s[i] = 2*r.target[i] - 1
		}
	}
	return s
}

// codes returns the indices of the rows' classes as numbers, which a loss of several
// scores takes.
func (r *response) codes() []float64 {
	y := make([]float64, len(r.code))
	for i, c := range r.code {
		y[i] = float64(c)
	}
	return y
}
