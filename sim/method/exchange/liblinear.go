package exchange

import (
	"io"
	"slices"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/sim/method"
)

// solver says which loss and penalty a solver of LIBLINEAR minimises.
type solver struct {
	loss string // logistic, hinge, squared hinge, epsilon, squared epsilon, crammer-singer, one-class
	l1   bool
}

// solvers are LIBLINEAR's, by their names in files (its README, "train Usage").
var solvers = map[string]solver{
	"L2R_LR": {"logistic", false}, "L2R_LR_DUAL": {"logistic", false}, "L1R_LR": {"logistic", true},
	"L2R_L2LOSS_SVC_DUAL": {"squared hinge", false}, "L2R_L2LOSS_SVC": {"squared hinge", false},
	"L1R_L2LOSS_SVC": {"squared hinge", true}, "L2R_L1LOSS_SVC_DUAL": {"hinge", false}, "MCSVM_CS": {"crammer-singer", false},
	"L2R_L2LOSS_SVR": {"squared epsilon", false}, "L2R_L2LOSS_SVR_DUAL": {"squared epsilon", false},
	"L2R_L1LOSS_SVR_DUAL": {"epsilon", false}, "ONECLASS_SVM": {"one-class", false},
}

// ReadLIBLINEAR reads a model file of LIBLINEAR 1.x or 2.x, fitted by any of its solvers:
// method logistic of the logistic losses, svc of the hinges, with a function for each of
// K ≥ 3 classes, and svr. A one-class model becomes an svc of the classes −1 and 1. C and ε,
// which the file does not have, are 1 and 0.
//
// Errors have the line.
func ReadLIBLINEAR(r io.Reader) (*method.Model, error) {
	l := newLines(r, "LIBLINEAR")
	h, err := l.header("w", "solver_type", "nr_class", "label", "nr_feature", "bias", "rho")
	if err != nil {
		return nil, err
	}
	if len(h["solver_type"]) != 1 {
		return nil, l.wrong("%d values of \"solver_type\", want 1", len(h["solver_type"]))
	}
	s, ok := solvers[h["solver_type"][0]]
	if !ok {
		return nil, l.wrong("unknown solver %s", quoted(h["solver_type"][0]))
	}
	m := &liblinear{lines: l, solver: s}
	if err := m.sizes(h); err != nil {
		return nil, err
	}
	if err := m.weights(); err != nil {
		return nil, err
	}
	fit, err := m.model()
	if err != nil {
		return nil, l.wrong("%w", err)
	}
	return m.made(m.p, m.names, fit)
}

// liblinear is a model file that is being read.
type liblinear struct {
	*lines
	solver
	names     []string // nil of a regression
	p         int
	columns   int     // of weights
	bias, rho float64 // below 0: there is no bias
	coef      *linalg.Dense
	intercept []float64
}

// sizes reads the entries of the header.
func (m *liblinear) sizes(h map[string][]string) error {
	k, err := m.count(h, "nr_class", 1)
	if err != nil {
		return err
	}
	if m.p, err = m.count(h, "nr_feature", 1); err != nil {
		return err
	}
	bias, err := m.numbers(h, "bias", 1)
	if err != nil {
		return err
	}
	m.bias = bias[0]
	m.columns = k
	if k == 2 && m.loss != "crammer-singer" {
		m.columns = 1
	}
	switch m.loss {
	case "one-class":
		rho, err := m.numbers(h, "rho", 1)
		if err != nil {
			return err
		}
		m.rho, m.columns, m.names = rho[0], 1, []string{"-1", "1"}
		return nil
	case "epsilon", "squared epsilon":
		m.columns = 1
		return nil
	}
	if k < 2 {
		return m.wrong("the model has one class: it tells nothing apart")
	}
	m.names, err = m.labels(h, k)
	if k == 2 {
		slices.Reverse(m.names) // the first where f is 0
	}
	return err
}

// weights reads a line of weights for each feature, and one for the bias.
func (m *liblinear) weights() error {
	var rows [][]float64
	width := m.p
	if m.bias >= 0 {
		width++
	}
	for {
		words, err := m.next()
		if err != nil {
			return err
		}
		switch {
		case words == nil && len(rows) < width:
			return m.wrong("the file ends after the weights of %d features, want %d", len(rows), width)
		case words == nil:
			m.take(rows)
			return nil
		case len(rows) == width:
			return m.wrong("more weights than %d features have", width)
		case len(words) != m.columns:
			return m.wrong("%d weights, want %d", len(words), m.columns)
		}
		row := make([]float64, len(words))
		for i, word := range words {
			if row[i], err = m.number(word); err != nil {
				return err
			}
		}
		rows = append(rows, row)
	}
}

// take makes functions of the weights: of two classes that of the first weight alone, by
// which LIBLINEAR decides for all its solvers.
func (m *liblinear) take(rows [][]float64) {
	count := m.columns
	if len(m.names) == 2 {
		count = 1
	}
	m.coef, m.intercept = linalg.Zeros(count, m.p), make([]float64, count)
	for j, row := range rows {
		for k := range count {
			if j < m.p {
				m.coef.Set(k, j, row[k])
			} else {
				m.intercept[k] = row[k] * m.bias
			}
		}
	}
	if m.loss == "one-class" {
		m.intercept[0] -= m.rho
	}
}

// model returns the model of the layer below.
func (m *liblinear) model() (any, error) {
	switch m.loss {
	case "logistic":
		return logistic.NewOneVsRest(linalg.Sequence(len(m.names)), m.coef, m.intercept)
	case "epsilon", "squared epsilon":
		return hyperplane.NewSVR(m.coef.Row(0), m.intercept[0], nil)
	}
	loss := hyperplane.Hinge
	if m.loss == "squared hinge" {
		loss = hyperplane.SquaredHinge
	}
	return hyperplane.NewSVC(linalg.Sequence(len(m.names)), m.coef, m.intercept, &hyperplane.SVCOptions{Loss: loss, Multi: hyperplane.OneVsRest, NoIntercept: m.bias < 0})
}
