package logistic_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/optimize"
)

// auditCase is a table of overlapping classes and options.
func auditCases(t *testing.T) map[string]func() (x *linalg.Dense, y []int, o *logistic.Options) {
	t.Helper()
	draw := func(k int, seed uint64) (*linalg.Dense, []int) {
		r := rand.New(rand.NewPCG(seed, 1))
		x, y := linalg.Zeros(90, 4), make([]int, 90)
		for i := range y {
			y[i] = r.IntN(k)
			for j := range 4 {
				x.Set(i, j, r.NormFloat64()+0.7*float64(y[i]*(j%2))+float64(3*j))
			}
		}
		return x, y
	}
	cases := map[string]func() (*linalg.Dense, []int, *logistic.Options){}
	for k := 2; k <= 3; k++ {
		for name, o := range map[string]logistic.Options{
			"likelihood": {}, "ridge": {Lambda: 2}, "ridge standardized": {Lambda: 1, Standardize: true}, "lasso": {Lambda: 3, L1Ratio: 1},
			"elastic net": {Lambda: 3, L1Ratio: 0.4, Standardize: true}, "no intercept": {Lambda: 1, NoIntercept: true},
		} {
			cases[fmt.Sprint(name, ", classes: ", k)] = func() (*linalg.Dense, []int, *logistic.Options) {
				x, y := draw(k, uint64(k))
				w := make([]float64, len(y))
				for i := range w {
					w[i] = float64(i%3 + 1)
				}
				own := o
				own.Weights = w
				return x, y, &own
			}
		}
	}
	return cases
}

// elsewhere returns a model with the numbers of m, changed by so much.
func elsewhere(t *testing.T, m *logistic.Model, change float64, noIntercept bool) *logistic.Model {
	t.Helper()
	coef, intercept := m.Coef()
	r := rand.New(rand.NewPCG(5, 5))
	for k := range intercept {
		for j := range coef.Cols {
			coef.Set(k, j, coef.At(k, j)+change*r.NormFloat64())
		}
		if !noIntercept {
			intercept[k] += change * r.NormFloat64()
		}
	}
	out, err := logistic.New(m.Classes(), coef, intercept)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAuditOfAFitIsItsCertificate(t *testing.T) {
	for name, draw := range auditCases(t) {
		x, y, o := draw()
		m, err := logistic.Fit(x, y, o)
		if err != nil {
			t.Fatal(name, err)
		}
		a, err := m.Audit(x, y, o)
		if err != nil {
			t.Fatal(name, err)
		}
		own, r := m.Report(), a.Report
		if r.Status() != optimize.Audited || r.Err(nil) != nil || r.Certificate().Tol != own.Certificate().Tol || r.Certificate().Kind != optimize.KindGap {
			t.Errorf("%s: %v, the fit %v", name, r, own)
		}
		if math.Abs(r.Objective()-own.Objective()) > 1e-13*own.Objective() || math.Abs(r.Certificate().Value-own.Certificate().Value) > 0.1*own.Certificate().Value+1e-15 {
			t.Errorf("%s: %v, the fit %v", name, r, own)
		}
	}
}

func TestAuditOfOtherCoefficientsBoundsTheExcess(t *testing.T) {
	for name, draw := range auditCases(t) {
		x, y, o := draw()
		fit, err := logistic.Fit(x, y, o)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, change := range []float64{1e-9, 1e-6, 1e-3, 0.1, 3} {
			a, err := elsewhere(t, fit, change, o.NoIntercept).Audit(x, y, o)
			if err != nil {
				t.Fatal(name, change, err)
			}
			if o.L1Ratio == 0 && !o.Standardize {
				if want := objectiveOf(elsewhere(t, fit, change, o.NoIntercept), x, y, o); !(math.Abs(a.Report.Objective()-want) <= 1e-10*want) {
					t.Errorf("%s, changed by %g: objective %v, want %v", name, change, a.Report.Objective(), want)
				}
			}
			c := a.Report.Certificate()
			excess := a.Report.Objective() - fit.Report().Objective()
			if a.Excess() < excess*(1-1e-9)-1e-13*a.Report.Objective() {
				t.Errorf("%s, changed by %g: %v, but the excess is %g", name, change, a, excess)
			}
			if excess > 1e-10*a.Report.Objective() && a.Excess() > 1.01*excess+2*c.Tol*a.Report.Objective() {
				t.Errorf("%s, changed by %g: a bound of %g for an excess of %g", name, change, a.Excess(), excess)
			}
			if c.Holds() != (a.Report.Err(nil) == nil) || change > 1e-2 && c.Holds() {
				t.Errorf("%s, changed by %g: %v", name, change, a.Report)
			}
			if sum := parts(a); change > 0.01 && !(sum > 0 && sum <= a.Excess()*(1+1e-9)) {
				t.Errorf("%s, changed by %g: rows of %g in an excess of %g", name, change, sum, a.Excess())
			}
		}
	}
}

// objectiveOf sums the likelihood and a ridge, row by row.
func objectiveOf(m *logistic.Model, x *linalg.Dense, y []int, o *logistic.Options) (f float64) {
	for i := range y {
		f -= o.Weights[i] * m.LogProba(nil, x.Row(i))[y[i]]
	}
	coef, _ := m.Coef()
	return f + o.Lambda/2*linalg.Dot(coef.Data, coef.Data)
}

func parts(a *optimize.Audit) (sum float64) {
	for _, p := range a.Rows {
		sum += p.Part
	}
	return sum
}

func TestAuditOfSeparatedClassesHasTheEvidence(t *testing.T) {
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	y := make([]int, len(species))
	for i, s := range species {
		if s == "setosa" {
			y[i] = 1
		}
	}
	coef, _ := linalg.NewDense(1, 4, []float64{0, 1, -2, 0})
	m, err := logistic.New([]int{0, 1}, coef, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Audit(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := (*logistic.SeparationError)(nil); !errors.As(a.NoMinimum, &s) || !s.Complete || a.Report.Certificate().Holds() {
		t.Error(a)
	}
}

// Functions that were fitted each against the rest are judged so.
func TestAuditOfOneVsRestJudgesEachFunction(t *testing.T) {
	x, species, _ := linalgtest.Table(t, "iris.csv", "species")
	y := make([]int, len(species))
	coef, intercept, total := linalg.Zeros(3, 4), make([]float64, 3), 0.0
	for k := range 3 {
		binary := make([]int, len(y))
		for i, s := range species {
			if y[i] = map[string]int{"setosa": 0, "versicolor": 1, "virginica": 2}[s]; y[i] == k {
				binary[i] = 1
			}
		}
		m, err := logistic.Fit(x, binary, &logistic.Options{Lambda: 1})
		if err != nil {
			t.Fatal(err)
		}
		c, b := m.Coef()
		copy(coef.Row(k), c.Row(0))
		intercept[k] = b[0]
		total += m.Report().Objective()
	}
	m, err := logistic.NewOneVsRest([]int{0, 1, 2}, coef, intercept)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Audit(x, y, &logistic.Options{Lambda: 1})
	if err != nil || a.Report.Err(nil) != nil || math.Abs(a.Report.Objective()-total) > 1e-12*total {
		t.Error(a, err)
	}
	if a, err = m.Audit(x, y, &logistic.Options{Lambda: 2}); err != nil || a.Report.Err(nil) == nil {
		t.Error(a, err)
	}
	none, shape := make([]float64, 3*len(y)), (*linalg.ShapeError)(nil)
	if b, err := m.Audit(x, y, &logistic.Options{Lambda: 2, Offset: none}); err != nil || b.Report.Objective() != a.Report.Objective() {
		t.Error(b, err)
	}
	if _, err := m.Audit(x, y, &logistic.Options{Lambda: 2, Offset: none[:len(y)]}); !errors.As(err, &shape) {
		t.Error(err)
	}
	stop := errors.New("enough")
	if _, err := m.Audit(x, y, &logistic.Options{Lambda: 2, Trace: func(optimize.Step) error { return stop }}); !errors.Is(err, stop) {
		t.Error(err)
	}
	ofClass, ofRows := []float64{2, 0.5, 3}, make([]float64, len(y))
	for i, k := range y {
		ofRows[i] = ofClass[k]
	}
	want, err := m.Audit(x, y, &logistic.Options{Lambda: 1, Weights: ofRows})
	if err != nil {
		t.Fatal(err)
	}
	if a, err = m.Audit(x, y, &logistic.Options{Lambda: 1, ClassWeights: ofClass}); err != nil || a.Report.Objective() != want.Report.Objective() {
		t.Errorf("by weights of classes %v, %v; by those of their rows %v", a, err, want)
	}
	var class *linalg.ClassError
	y[3] = 9
	if _, err := m.Audit(x, y, &logistic.Options{Lambda: 1}); !errors.As(err, &class) || class.Class != 9 {
		t.Errorf("a label that the model has not: %v", err)
	}
	w := slices.Repeat([]float64{1}, len(y))
	w[3] = 0
	if _, err := m.Audit(x, y, &logistic.Options{Lambda: 1, Weights: w}); err != nil {
		t.Errorf("a label of weight 0 that the model has not: %v", err)
	}
	y[3] = 4
	if _, err := m.Audit(x, y, &logistic.Options{Lambda: 1, Weights: w, Classes: []int{0, 1, 4}}); !errors.As(err, &class) {
		t.Errorf("classes that are not the model's: %v", err)
	}
	for i := range y {
		y[i] = min(y[i], 1)
	}
	if _, err := m.Audit(x, y, &logistic.Options{Lambda: 1}); !errors.As(err, &class) || class.Class != 2 {
		t.Errorf("a class without rows: %v", err)
	}
	two, err := logistic.NewOneVsRest([]int{0, 1}, coef.RowRange(0, 1), intercept[:1])
	if err != nil || two.OneVsRest() || !m.OneVsRest() {
		t.Errorf("one function of two classes tells each from the other: %v", err)
	}
}

func TestAuditRefusesWhatIsNotItsOwn(t *testing.T) {
	x, y, _ := auditCases(t)["ridge, classes: 2"]()
	m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]*logistic.Options{"no intercept": {NoIntercept: true}, "start": {Start: make([]float64, 5)}, "λ": {Lambda: -1}} {
		if _, err := m.Audit(x, y, o); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	both := &logistic.Options{Lambda: 1, L1Ratio: 1, Grouped: true, Start: make([]float64, 5)}
	for range 20 {
		option := (*sample.OptionError)(nil)
		if _, err := m.Audit(x, y, both); !errors.As(err, &option) || option.Name != "Grouped" {
			t.Fatalf("of two options the error names another than in the call before: %v", err)
		}
	}
	if _, err := m.Audit(linalg.Zeros(len(y), 3), y, nil); err == nil {
		t.Error("three features were taken")
	}
}

// Options that the objective does not use are refused as those of a fit are, whether or not the coefficients hold.
func TestAuditRefusesOptionsThatAreNotUsed(t *testing.T) {
	x, y, _ := auditCases(t)["likelihood, classes: 2"]()
	good, err := logistic.Fit(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for model, m := range map[string]*logistic.Model{"a good": good, "a bad": elsewhere(t, good, 1, false)} {
		for name, o := range map[string]*logistic.Options{"L1Ratio": {L1Ratio: 1}, "Reference": {Reference: &y[0]}} {
			var refused *sample.OptionError
			if _, err := m.Audit(x, y, o); !errors.As(err, &refused) || refused.Name != name {
				t.Errorf("%s of %s model: %v", name, model, err)
			}
		}
	}
}

// Firth's likelihood has no bound: a stationary point is one by its equations, and near it the
// Newton decrement is the excess.
func TestAuditOfFirthsFitIsThatOfAStationaryPoint(t *testing.T) {
	x, y, _ := auditCases(t)["ridge, classes: 2"]()
	o := &logistic.Options{Firth: true}
	m, err := logistic.Fit(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	best := m.Report().Objective()
	a, err := m.Audit(x, y, o)
	if err != nil || a.Report.Err(nil) != nil || a.Own.Kind != optimize.KindStationary || math.Abs(a.Report.Objective()-best) > 1e-13*best {
		t.Fatalf("%v %v, the fit %v", a, err, m.Report())
	}
	a, err = elsewhere(t, m, 1e-3, false).Audit(x, y, o)
	if err != nil || a.Report.Err(nil) == nil || a.Minimum == a.Minimum || len(a.Equations) != 2 || len(a.Rows) == 0 {
		t.Fatal(a, err)
	}
	excess, decrement := a.Report.Objective()-best, a.Equations[1].Residual*a.Report.Objective()
	if !(math.Abs(decrement-excess) <= 0.2*excess) {
		t.Errorf("a decrement of %g, the objective is %g above its minimum", decrement, excess)
	}
	if a, err := m.Audit(x, y, &logistic.Options{Lambda: 1}); err != nil || a.Report.Err(nil) == nil {
		t.Error("the fit of another objective holds", a, err)
	}
	coef, intercept := m.Coef()
	linalg.Scale(coef.Data, 1e6)
	steep, err := logistic.New(m.Classes(), coef, intercept)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := steep.Audit(x, y, o); err != nil || a.Report.Err(nil) == nil || !math.IsInf(a.Report.Objective(), 1) {
		t.Error("where all rows are certain, no information is left: ", a, err)
	}
}

// The parts of an audit are wᵢ·KL(p̂ᵢ‖pᵢ), with the offsets of the rows, for two classes and for
// several, the largest ten.
func TestAuditPartsHaveTheOffsets(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := linalgtest.LabeledRows(60, 3, k)
		functions := k
		if k == 2 {
			functions = 1
		}
		o := &logistic.Options{Lambda: 1, Offset: linalgtest.Normal(uint64(k), 60, functions).Data, Weights: make([]float64, 60)}
		for i := range o.Weights {
			o.Weights[i] = float64(1 + i%3)
		}
		fit, err := logistic.Fit(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		other := elsewhere(t, fit, 0.5, false)
		a, err := other.Audit(x, y, o)
		if err != nil || len(a.Rows) != 10 {
			t.Fatal(a, err)
		}
		chances := func(m *logistic.Model, i int) []float64 {
			s := m.Scores(nil, x.Row(i))
			if k == 2 {
				s[1] += o.Offset[i]
			} else {
				linalg.Axpy(s, 1, o.Offset[i*k:(i+1)*k])
			}
			total := 0.0
			for c, v := range s {
				s[c] = math.Exp(v)
				total += s[c]
			}
			linalg.Scale(s, 1/total)
			return s
		}
		for at, p := range a.Rows {
			want, best, mine := 0.0, chances(fit, p.Row), chances(other, p.Row)
			for c, q := range best {
				want += o.Weights[p.Row] * q * math.Log(q/mine[c])
			}
			linalgtest.Close(t, fmt.Sprintf("%d classes, row %d", k, p.Row), p.Part, want, 1e-6*(1+want)) // the fit inside is a closer one
			if at > 0 && p.Part > a.Rows[at-1].Part {
				t.Errorf("%d classes: parts %v", k, a.Rows)
			}
		}
	}
}

// A tie goes to the smaller label, of dense rows and of sparse ones, of one and of many.
func TestTiesGoToTheSmallerLabel(t *testing.T) {
	for _, c := range []struct {
		classes []int
		coef    []float64
		want    int
	}{{[]int{3, 7}, []float64{0}, 3}, {[]int{3, 5, 7}, []float64{0, 0, 0}, 3}, {[]int{3, 5, 7}, []float64{0, 1, 1}, 5}, {[]int{3, 5, 7}, []float64{1, 0, 1}, 3}} {
		k := len(c.coef)
		m, err := logistic.New(c.classes, &linalg.Dense{Rows: k, Cols: 1, Stride: 1, Data: c.coef}, make([]float64, k))
		if err != nil {
			t.Fatal(err)
		}
		x := &linalg.Dense{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1, 1}}
		if got := m.Predict(x.Row(0)); got != c.want {
			t.Errorf("%v: %d", c, got)
		}
		for _, rows := range []linalg.Rows{x, linalgtest.Sparse(x), linalgtest.OddBlocks{X: x}} {
			got, err := m.PredictRows(nil, rows)
			if err != nil || got[0] != c.want || got[1] != c.want {
				t.Errorf("%v, %T: %v, %v", c, rows, got, err)
			}
		}
	}
}

// Of coefficients so far off that all probabilities round to 0 and 1 the curvatures are rounding errors: a fit
// that starts there has a model all the same, and one that audits them starts elsewhere.
func TestAuditOfScoresThatAreFarOff(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 7))
		x, y, coef := linalg.Zeros(11, 6), make([]int, 11), linalg.Zeros(4, 6)
		for i := range x.Data {
			x.Data[i] = 1000 + r.NormFloat64()
		}
		for i := range y {
			y[i] = i % 4
		}
		for i := range coef.Data {
			coef.Data[i] = r.NormFloat64() / 10
		}
		m, err := logistic.New([]int{0, 1, 2, 3}, coef, make([]float64, 4))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Audit(x, y, &logistic.Options{Lambda: 0.1}); err != nil {
			t.Errorf("draw %d: %v", seed, err)
		}
		var start []float64
		for k := range 4 {
			start = append(append(start, 0), coef.Row(k)...)
		}
		if m, err := logistic.Fit(x, y, &logistic.Options{Lambda: 0.1, Start: start, MaxIter: 1}); m == nil {
			t.Errorf("draw %d, from there: %v", seed, err)
		}
	}
}

// A column without a penalty that separates the classes leaves no minimum to audit by: that is the evidence, as
// without a penalty at all, and not an error.
func TestAuditBesideASeparatingColumnHasTheEvidence(t *testing.T) {
	x, y := linalgtest.Normal(5, 40, 2), make([]int, 40)
	for i := range y {
		y[i] = i % 2
		x.Row(i)[0] += float64(20 * y[i])
	}
	coef, err := linalg.NewDense(1, 2, []float64{1, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	m, err := logistic.New([]int{0, 1}, coef, []float64{-10})
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Audit(x, y, &logistic.Options{Lambda: 1, L1Ratio: 1, PenaltyFactor: []float64{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if s := (*logistic.SeparationError)(nil); !errors.As(a.NoMinimum, &s) || a.Report.Certificate().Holds() {
		t.Error(a)
	}
}
