package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"halfspace/discriminant"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/sim/method"
)

// rModel is as the snippet of doc.go writes a model of R. Matrices are column after column.
type rModel struct {
	R, Class  []string
	Names     []string // of the coefficients, or of the columns of means
	Terms     []string // of a formula
	Levels    []string // of the response
	XLevels   map[string][]string
	Contrasts map[string][]string
	Link      []string // family and link of a glm
	Coef      numbers
	Prior     numbers
	Means     numbers
	Scaling   numbers
	Penalty   numbers  // of glmnet: λ times the rows, and α if it was given
	Scaled    []string // of glmnet: its setting standardize, if it was given
	Call      []string // names of the settings of the fit, and "offset" where the formula has one
}

// numbers are a list of numbers of JSON, none of which is null.
type numbers []float64

// UnmarshalJSON reads a list, or null for none.
func (n *numbers) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	if err := whole(text); err != nil {
		return err
	}
	return json.Unmarshal(text, (*[]float64)(n))
}

// ReadR reads what the R snippet of the package's documentation wrote: glm of the binomial
// family with the logit link or of the gaussian one, glmnet of two classes, several or a
// response, at one λ, and MASS's lda and qda. A formula may have columns, truth values, and factors
// with contrasts of treatment, no products, no offset and no function but factor and as.factor.
// Classes without names are 0 and 1, those of truth values FALSE and TRUE.
//
// Errors have the line and column of what is no JSON of such a model, else the field or the term.
func ReadR(r io.Reader) (*method.Model, error) {
	var m rModel
	_, err := decode(r, &m)
	var made *method.Model
	if err == nil {
		made, err = m.read()
	}
	if err != nil {
		return nil, fmt.Errorf("exchange: model of R: %w", err)
	}
	return made, nil
}

func (m *rModel) read() (*method.Model, error) {
	if err := m.known(); err != nil {
		return nil, err
	}
	m.Levels = trimmed(m.Levels)
	names := m.Names
	withIntercept := len(names) > 0 && names[0] == "(Intercept)"
	if withIntercept {
		names = names[1:]
	}
	in, err := m.inputs(names)
	if err != nil {
		return nil, err
	}
	columns, place, err := in.arranged()
	if err != nil {
		return nil, err
	}
	classes, fit, err := m.model(place, withIntercept)
	if err != nil {
		return nil, err
	}
	schema, chain, err := in.finish(columns, place, classes)
	if err != nil {
		return nil, err
	}
	made, err := method.New(schema, chain, fit)
	if err != nil {
		return nil, err
	}
	return made.WithObjective(m.objective())
}

// otherwise are settings of glmnet with which it minimises something that no options have.
var otherwise = []string{"weights", "penalty.factor", "exclude", "lower.limits", "upper.limits", "intercept", "relax",
	"type.multinomial", "standardize.response"}

// objective returns the options with which the method minimises what glmnet did; nil for
// others, and for a response with a ridge, whose λ is relative to a spread that m does not keep.
func (m *rModel) objective() *method.Options {
	scaled := "TRUE"
	if len(m.Scaled) == 1 {
		scaled = m.Scaled[0]
	}
	if len(m.Penalty) == 0 || slices.ContainsFunc(m.Call, func(s string) bool { return slices.Contains(otherwise, s) }) ||
		!slices.Contains([]string{"TRUE", "T", "FALSE", "F"}, scaled) {
		return nil
	}
	o := &method.Options{Lambda: m.Penalty[0], L1Ratio: 1, Standardize: scaled[0] == 'T'}
	if len(m.Penalty) > 1 {
		o.L1Ratio = m.Penalty[1]
	}
	if slices.Contains(m.Class, "elnet") && o.L1Ratio < 1 || !(o.Lambda > 0) || !(o.L1Ratio >= 0 && o.L1Ratio <= 1) {
		return nil
	}
	return o
}

// inputs returns the columns that features of those names are made of.
func (m *rModel) inputs(names []string) (*inputs, error) {
	in := emptyInputs()
	at := map[string]int{}
	column := func(name string) int {
		k, ok := at[name]
		if !ok {
			k = len(in.names)
			at[name], in.names = k, append(in.names, name)
		}
		return k
	}
	for _, name := range names {
		variable, levels, level, err := m.variable(name)
		if err != nil {
			return nil, err
		}
		k := column(variable)
		if level != "" {
			in.levels[k] = trimmed(levels)
			in.base[k] = in.levels[k][0]
		}
		in.feeds = append(in.feeds, feed{column: k, level: strings.Trim(level, " \t"), sd: 1})
	}
	if len(in.feeds) == 0 {
		return nil, errors.New("no features")
	}
	return in, nil
}

// variable returns the column of a feature and, of a factor or of truth values, the levels and which.
func (m *rModel) variable(name string) (column string, levels []string, level string, err error) {
	meanings := 0
	for v, all := range m.XLevels {
		rest, ok := strings.CutPrefix(name, v)
		if !ok {
			rest, ok = strings.CutPrefix(name, "`"+v+"`")
		}
		if !ok || rest == "" || len(all) == 0 || !slices.Contains(all[1:], rest) {
			continue
		}
		if c := m.Contrasts[v]; c != nil && !slices.Equal(c, []string{"contr.treatment"}) {
			return "", nil, "", fmt.Errorf("factor %q has contrasts %q, not contr.treatment", v, c)
		}
		meanings++
		column, levels, level = v, all, rest
	}
	if v, ok := strings.CutSuffix(name, "TRUE"); ok && slices.Contains(m.Terms, v) && m.XLevels[strings.Trim(v, "`")] == nil {
		meanings++
		column, levels, level = v, []string{"FALSE", "TRUE"}, "TRUE"
	}
	if m.Terms == nil && meanings == 0 || slices.Contains(m.Terms, name) {
		meanings++
		column, levels, level = name, nil, ""
	}
	if meanings > 1 {
		return "", nil, "", fmt.Errorf("the coefficient %s is that of more than one term", quoted(name))
	}
	if inner, ok := strings.CutPrefix(strings.TrimPrefix(column, "as."), "factor("); ok && level != "" && strings.HasSuffix(inner, ")") {
		column = strings.TrimSuffix(inner, ")")
	}
	if column == "" || m.Terms != nil && !strings.HasPrefix(name, "`") && strings.ContainsAny(column, ":()^*,") {
		return "", nil, "", fmt.Errorf("the term %s is no column of the table", quoted(name))
	}
	return strings.Trim(column, "`"), levels, level, nil
}

// is reports whether R's model is of a class.
func (m *rModel) is(class string) bool { return slices.Contains(m.Class, class) }

// known refuses models of which the coefficients alone say nothing: with an offset, which R adds
// again where it predicts, and of other classes, families and links.
func (m *rModel) known() error {
	switch {
	case m.is("lda"), m.is("qda"):
	case !m.is("glm") && !m.is("lognet") && !m.is("multnet") && !m.is("elnet"):
		return fmt.Errorf("models of class %.60q cannot be imported", fmt.Sprint(m.Class))
	case m.is("glm") && !slices.Equal(m.Link, []string{"binomial", "logit"}) && !slices.Equal(m.Link, []string{"gaussian", "identity"}):
		return fmt.Errorf("a glm of family and link %q cannot be imported", m.Link)
	case slices.Contains(m.Call, "offset"):
		return errors.New("a model with an offset cannot be imported: R adds that of the new rows")
	}
	return nil
}

// model returns the names of the classes and the model of the layer below.
func (m *rModel) model(place []int, withIntercept bool) (classes []string, fit any, err error) {
	if m.is("lda") || m.is("qda") {
		return m.gaussian(place, m.is("qda"))
	}
	dim := len(m.Names)
	if len(m.Coef) == 0 || len(m.Coef)%dim != 0 {
		return nil, nil, &linalg.ShapeError{Want: dim, WantOf: "names", Got: len(m.Coef), GotOf: "coefficients"}
	}
	k := len(m.Coef) / dim
	coef, intercept := linalg.Zeros(k, len(place)), make([]float64, k)
	for c := range k {
		b := m.Coef[c*dim : (c+1)*dim]
		if withIntercept {
			intercept[c], b = b[0], b[1:]
		}
		for j, at := range place {
			coef.Set(c, j, b[at])
		}
	}
	if m.is("elnet") || m.is("glm") && m.Link[0] == "gaussian" {
		if k != 1 {
			return nil, nil, fmt.Errorf("%d functions of one response", k)
		}
		ro := &regression.Options{}
		if o := m.objective(); o != nil {
			ro.Lambda, ro.L1Ratio = o.Lambda, o.L1Ratio
		}
		fit, err = regression.New(coef.Row(0), intercept[0], ro)
		return nil, fit, err
	}
	if classes = m.Levels; classes == nil {
		classes = []string{"0", "1"}
	}
	fit, err = logistic.New(linalg.Sequence(len(classes)), coef, intercept)
	return classes, fit, err
}

// gaussian is lda or qda of MASS: the discriminant vectors, or for each class S with
// SᵀΣS = 1, upper triangular, so that the factor of Σ is L = S⁻ᵀ.
func (m *rModel) gaussian(place []int, quadratic bool) ([]string, any, error) {
	k, p := len(m.Levels), len(place)
	if k < 2 || len(m.Means) != k*p {
		return nil, nil, &linalg.ShapeError{Want: k * p, WantOf: "means", Got: len(m.Means), GotOf: "given"}
	}
	means := linalg.Zeros(k, p)
	for c := range k {
		for j, at := range place {
			means.Set(c, j, m.Means[at*k+c])
		}
	}
	if !quadratic {
		if len(m.Scaling) == 0 || len(m.Scaling)%p != 0 {
			return nil, nil, &linalg.ShapeError{Want: p, WantOf: "features", Got: len(m.Scaling), GotOf: "values of discriminant vectors"}
		}
		scaling := linalg.Zeros(p, len(m.Scaling)/p)
		for i := range scaling.Cols {
			for j, at := range place {
				scaling.Set(j, i, m.Scaling[i*p+at])
			}
		}
		fit, err := discriminant.NewReducedRank(linalg.Sequence(k), m.Prior, means, scaling)
		return m.Levels, fit, err
	}
	if len(m.Scaling) != k*p*p {
		return nil, nil, &linalg.ShapeError{Want: k * p * p, WantOf: "values of scaling", Got: len(m.Scaling), GotOf: "given"}
	}
	var densities []*discriminant.Gaussian
	for c := range k {
		lower := linalg.Zeros(p, p) // Sᵀ
		for i := range p {
			for j := range p {
				lower.Set(j, i, m.Scaling[c*p*p+j*p+i])
			}
		}
		g, err := densityOfInverse(means.Row(c), lower, place)
		if err != nil {
			return nil, nil, fmt.Errorf("class %d: %w", c, err)
		}
		densities = append(densities, g)
	}
	fit, err := discriminant.NewQDA(linalg.Sequence(k), m.Prior, densities)
	return m.Levels, fit, err
}

// densityOfInverse returns N(mean, (TᵀT)⁻¹) of a lower triangle T, whose diagonal may have any
// sign, for features in the order of place.
func densityOfInverse(mean []float64, lower *linalg.Dense, place []int) (*discriminant.Gaussian, error) {
	for i := range lower.Rows {
		if lower.At(i, i) < 0 {
			linalg.Scale(lower.Row(i), -1)
		}
		clear(lower.Row(i)[i+1:])
	}
	if err := lower.CheckFinite(); err != nil {
		return nil, err
	}
	chol, err := linalg.CholeskyOf(lower)
	if err != nil {
		return nil, err
	}
	half, err := permuted(chol.InverseL(1).Transposed(), place) // Σ = T⁻¹T⁻ᵀ
	if err != nil {
		return nil, err
	}
	return densityOfRoot(mean, half)
}
