package exchange

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/sim/feature"
	"halfspace/sim/method"
)

// Formats are the kinds of file that [Write] writes.
var Formats = []string{"halfspace", "liblinear", "csv"}

// Write writes a model as a file of the given kind: "halfspace" is [method.Model.Save],
// "liblinear" [WriteLIBLINEAR], "csv" [WriteCoefficients].
func Write(w io.Writer, m *method.Model, kind string) error {
	switch kind {
	case "halfspace":
		return m.Save(w)
	case "liblinear":
		return WriteLIBLINEAR(w, m)
	case "csv":
		return WriteCoefficients(w, m)
	}
	return fmt.Errorf("exchange: no format %q; there are %s", kind, strings.Join(Formats, " "))
}

// WriteLIBLINEAR writes a linear model as a model file of LIBLINEAR with a bias of 1, by which
// liblinear-predict predicts as the model does: L2R_LR for a logistic regression of two classes
// or with a function for each class against the rest, L2R_L2LOSS_SVC_DUAL for a support vector
// classifier by squared hinge loss, L2R_L1LOSS_SVC_DUAL for other models of two classes, MCSVM_CS
// for K ≥ 3 scores of which the largest counts, and L2R_L2LOSS_SVR for regressions. Labels that are not all whole numbers are numbered from 0. A scale is folded
// into the coefficients.
//
// Errors: a model that is not linear in its columns, an offset, one-vs-one planes of K ≥ 3 classes, costs that it decides by, a label beyond 32 bits.
func WriteLIBLINEAR(w io.Writer, m *method.Model) error {
	coef, intercept, err := linear(m)
	if err != nil {
		return err
	}
	if m.Schema.Offset != "" {
		return fmt.Errorf("exchange: LIBLINEAR has no offset, the model has %q", m.Schema.Offset)
	}
	k, solver := len(m.Schema.Names), "L2R_L1LOSS_SVC_DUAL"
	link := m.Formula().Link
	switch {
	case m.Method.Regression:
		k, solver = 2, "L2R_L2LOSS_SVR"
	case m.Formula().Rule == method.Votes:
		return errors.New("exchange: LIBLINEAR has no classifier of pairs of classes")
	case m.Method.Name == "logistic" && (link == method.Sigmoid || link == method.Sigmoids):
		solver = "L2R_LR"
	case squaredHinge(m):
		solver = "L2R_L2LOSS_SVC_DUAL"
	case k > 2:
		solver = "MCSVM_CS"
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "solver_type %s\nnr_class %d\n", solver, k)
	if !m.Method.Regression {
		fmt.Fprint(b, "label")
		for _, l := range wholeLabels(m.Schema.Names) {
			if int64(int32(l)) != l {
				return fmt.Errorf("exchange: LIBLINEAR has no label %d: its labels have 32 bits", l)
			}
			fmt.Fprintf(b, " %d", l)
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "nr_feature %d\nbias 1\nw\n", coef.Cols)
	for j := range coef.Cols + 1 {
		for c := range coef.Rows {
			v := intercept[c]
			if j < coef.Cols {
				v = coef.At(c, j)
			}
			fmt.Fprintf(b, "%.17g ", v)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// squaredHinge reports whether the model is a support vector classifier by squared hinge loss.
func squaredHinge(m *method.Model) bool {
	f, ok := m.Fitted().(interface{ Loss() hyperplane.Loss })
	return ok && f.Loss() == hyperplane.SquaredHinge
}

// wholeLabels returns the labels as LIBLINEAR orders them: of two classes the one where f is
// positive first.
func wholeLabels(names []string) []int64 {
	labels := make([]int64, len(names))
	for k, name := range names {
		l, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			for k := range labels {
				labels[k] = int64(k)
			}
			break
		}
		labels[k] = l
	}
	if len(labels) == 2 {
		slices.Reverse(labels)
	}
	return labels
}

// Numbering says which number stands for which label where [WriteLIBLINEAR] numbers them; "" where
// they are numbers by themselves.
func Numbering(m *method.Model) string {
	var said []string
	text := false
	for k, name := range m.Schema.Names {
		_, err := strconv.ParseInt(name, 10, 64)
		text = text || err != nil
		said = append(said, fmt.Sprintf("%d is %q", k, name))
	}
	if !text {
		return ""
	}
	return "labels are numbered: " + strings.Join(said, ", ")
}

// WriteCoefficients writes a linear model as CSV: a column "feature", and one for each function
// with its name ([method.Model.Functions]), of the intercept, "(Intercept)", and of each
// feature. Numbers read back bit for bit.
//
// Error: a model that is not linear in its columns, or decides by costs.
func WriteCoefficients(w io.Writer, m *method.Model) error {
	coef, intercept, err := linear(m)
	if err != nil {
		return err
	}
	c := csv.NewWriter(w)
	line := func(name string, value func(k int) float64) error {
		cells := []string{name}
		for k := range intercept {
			cells = append(cells, strconv.FormatFloat(value(k), 'g', -1, 64))
		}
		return c.Write(cells)
	}
	err = errors.Join(c.Write(append([]string{"feature"}, m.Functions()...)), line("(Intercept)", func(k int) float64 { return intercept[k] }))
	for j, name := range m.FeatureNames() {
		err = errors.Join(err, line(name, func(k int) float64 { return coef.At(k, j) }))
	}
	c.Flush()
	return errors.Join(err, c.Error())
}

// linear returns the coefficients on the columns of a table.
func linear(m *method.Model) (coef *linalg.Dense, intercept []float64, err error) {
	coef, intercept, ok := m.Coef()
	if !ok {
		return nil, nil, fmt.Errorf("exchange: %s is not linear", m.Method.Name)
	}
	if m.Formula().Costs != nil {
		return nil, nil, errors.New("exchange: the model decides by costs, which its coefficients do not have")
	}
	steps := m.Steps()
	if k := len(steps) - 1; k >= 0 && is[*feature.Standardizer](steps[k]) {
		steps = steps[:k] // it is folded into the coefficients
	}
	linear := !slices.ContainsFunc(steps, func(t feature.Transform) bool { return !is[*feature.Imputer](t) })
	if !linear || !slices.Equal(m.FeatureNames(), m.Schema.Features()) {
		return nil, nil, errors.New("exchange: the model is linear in what its steps make of the columns")
	}
	return coef, intercept, nil
}

// is reports whether a transform is of type T.
func is[T feature.Transform](t feature.Transform) bool {
	_, ok := t.(T)
	return ok
}
