package method_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// finding is one certificate recomputed.
type finding struct {
	what         string
	value, bound float64
}

func (f finding) holds() bool { return f.value <= f.bound }

func (f finding) String() string {
	return fmt.Sprintf("%s is %.3g, above %.3g", f.what, f.value, f.bound)
}

// direct bounds what rounding leaves of the equations of a closed form.
const direct = 1e-8

// rounded is how far an excess relative to the objective may be above a certificate: as far as
// the objective itself is rounded. Coefficients of several classes are rounded once more when they
// are published, which on columns of 1e8 changed an excess of 6e-20 by 2e-22.
const rounded = 0x1p-52

// recompute returns the certificates of what a method fitted, from the data it was
// fitted to and what it publishes.
func recompute(t testing.TB, m *method.Method, fitted any, d *dataset.Data, o *method.Options) []finding {
	t.Helper()
	x := d.X
	fit := linalgtest.Fit{X: x, W: weightsOf(m, d, o), Offset: d.Offset, Lambda: o.Lambda, Standardize: o.Standardize, NoIntercept: o.NoIntercept}
	switch f := fitted.(type) {
	case *discriminant.Indicator:
		return recomputeIndicator(fit, f, d)
	case *discriminant.LDA:
		g := linalgtest.Classes(x, d.Labels, fit.W, len(d.Names), o.Divisor == "n")
		origin, coef, at := f.CoefAbout()
		return []finding{{"LDA's equations", g.Discriminant(linalgtest.Affine{Coef: coef, At: at, Origin: origin}, f.Priors()), direct}}
	case *discriminant.ReducedRank:
		g := linalgtest.Classes(x, d.Labels, fit.W, len(d.Names), o.Divisor == "n")
		return []finding{{"Bv = λWv", g.Directions(f.Scaling(), f.Values(), f.Priors()), direct}}
	case *discriminant.QDA:
		return recomputeQDA(fit, f, d, o)
	case *logistic.Model:
		fit.L1Ratio = o.L1Ratio
		coef, _ := f.Coef()
		origin := f.Origin()
		at := f.Scores(nil, origin)
		if coef.Rows == 1 {
			at = []float64{at[1] - at[0]}
		}
		reference, small := -1, tolerance(o, 1e-14)
		if o.Lambda == 0 && coef.Rows > 1 {
			reference = coef.Rows - 1
		} else if o.Lambda > 0 && o.L1Ratio > 0 {
			small = tolerance(o, 1e-8)
		} else if o.Lambda > 0 {
			small = tolerance(o, 1e-12) // of so many parameters that no Hessian is made
		}
		if c := f.Report().Certificate(); c.Kind == optimize.KindGap {
			small = min(small, c.Value) // the certificate itself is a bound
		}
		small = small*(1+1e-6) + rounded
		return []finding{{"excess over the minimum", linalgtest.LogisticExcess(fit, d.Labels, linalgtest.Affine{Coef: coef, At: at, Origin: origin}, reference, small), small}}
	case *regression.Model:
		if f.L1Ratio() > 0 && f.Lambda() > 0 {
			fit.Lambda, fit.L1Ratio = f.Lambda(), f.L1Ratio()
			within := tolerance(o, 1e-8) * (1 + 1e-6)
			return []finding{{"gap", linalgtest.ElasticNetExcess(fit, d.Y, affine(f.Plane()), within), within}}
		}
		if m.Name == "ols" {
			fit.Lambda, fit.Standardize = 0, false
		}
		return []finding{{"normal equations", linalgtest.NormalEquations(fit, d.Y, affine(f.Plane())), direct}}
	}
	if o.Standardize {
		x = scaledRows(t, d, o.NoIntercept)
	}
	switch f := fitted.(type) {
	case *hyperplane.Perceptron:
		wrong := 0
		for i, k := range d.Labels {
			if v := f.Plane().Value(x.Row(i)); k == 1 && !(v > 0) || k == 0 && !(v < 0) {
				wrong++
			}
		}
		return []finding{{"misclassified rows, other than stated", math.Abs(float64(wrong - f.Misclassified())), 0}}
	case *hyperplane.HardMargin:
		var out []finding
		for _, c := range f.Machines() {
			sign, _ := machineRows(c, d, fit.W)
			gap := linalgtest.HardMargin(x, sign, o.NoIntercept, affine(c.Plane), linalgtest.Dual{Support: c.Support, Multipliers: c.Multipliers})
			bound := tolerance(o, 1e-8)*(1+1e-3) + 1e-13
			if gap > bound { // rounded multipliers may prove less than the plane's rows do
				gap = linalgtest.HardMarginOn(x, sign, o.NoIntercept, affine(c.Plane), c.Support)
			}
			out = append(out, finding{"gap", gap, bound})
		}
		return out
	case *hyperplane.SVC:
		var out []finding
		for _, c := range f.Machines() {
			sign, weight := machineRows(c, d, fit.W)
			price, err := f.Prices(d.Labels, d.Weights)
			if err != nil {
				t.Fatal(err)
			}
			off := 0.0
			for i, v := range price { // balanced classes are weighed by sums, which have an order
				if want := f.C() * weight[i]; v != want {
					off = max(off, math.Abs(v/want-1))
				}
			}
			dual := linalgtest.Dual{Support: c.Support, Multipliers: c.Multipliers, Remainders: c.Remainders}
			proven := softMarginOf(f.Loss())(x, sign, price, o.NoIntercept, affine(c.Plane), dual)
			certified := c.Report.Certificate().Value*(1+1e-6) + rounded
			out = append(out, finding{"gap", proven, min(certified, tolerance(o, 1e-7))}, finding{"price, beside that of the weights,", off, 1e-14})
		}
		return out
	case *hyperplane.SVR:
		_, price := machineRows(hyperplane.Machine{Rest: true}, d, fit.W)
		linalg.Scale(price, f.C())
		r := linalgtest.Tube(x, d.Y, price, f.Epsilon(), o.NoIntercept, affine(f.Plane()), linalgtest.Dual{Support: f.Support(), Multipliers: f.Multipliers()})
		return gapFindings(r, o)
	}
	t.Fatalf("no certificate for %T", fitted)
	return nil
}

// softMarginOf returns the judge of a soft margin.
func softMarginOf(loss hyperplane.Loss) func(*linalg.Dense, []float64, []float64, bool, linalgtest.Affine, linalgtest.Dual) float64 {
	if loss == hyperplane.SquaredHinge {
		return linalgtest.SquaredMargin
	}
	return linalgtest.SoftMargin
}

// tolerance is what the options ask for, or the default that the documentation of
// the fit states: what a model says of its tolerance is not believed.
func tolerance(o *method.Options, def float64) float64 {
	if o.Tol == 0 {
		return def
	}
	return o.Tol
}

func gapFindings(r linalgtest.Machine, o *method.Options) []finding {
	return []finding{
		{"gap", r.Gap, tolerance(o, 1e-7)*(1+1e-3) + 1e-13},
		{"what breaking Σαy = 0 is worth", r.Balance, max(1e-6, o.Tol)},
		{"excess over the box", r.Box, 1e-12},
	}
}

func affine(p *hyperplane.Plane) linalgtest.Affine {
	coef, _ := linalg.NewDense(1, p.Features(), p.Normal())
	origin := p.Origin()
	return linalgtest.Affine{Coef: coef, At: []float64{p.Value(origin)}, Origin: origin}
}

// machineRows returns the sign of each row for a machine, 0 for rows that take no
// part, and the weights of the rows.
func machineRows(c hyperplane.Machine, d *dataset.Data, w []float64) (sign, price []float64) {
	sign, price = make([]float64, d.X.Rows), make([]float64, d.X.Rows)
	for i := range sign {
		price[i] = 1
		if w != nil {
			price[i] = w[i]
		}
		switch {
		case price[i] == 0 || d.Labels == nil:
		case d.Labels[i] == c.Positive:
			sign[i] = 1
		case c.Rest || d.Labels[i] == c.Negative:
			sign[i] = -1
		}
	}
	return sign, price
}

func recomputeIndicator(fit linalgtest.Fit, f *discriminant.Indicator, d *dataset.Data) []finding {
	origin, coef, at := f.CoefAbout()
	fit.Lambda, fit.Standardize, fit.NoIntercept = 0, false, false
	var out []finding
	for k := range coef.Rows {
		y := make([]float64, d.X.Rows)
		for i, l := range d.Labels {
			if l == k {
				y[i] = 1
			}
		}
		one, _ := linalg.NewDense(1, coef.Cols, coef.Row(k))
		out = append(out, finding{"normal equations", linalgtest.NormalEquations(fit, y, linalgtest.Affine{Coef: one, At: at[k : k+1], Origin: origin}), direct})
	}
	return out
}

func recomputeQDA(fit linalgtest.Fit, f *discriminant.QDA, d *dataset.Data, o *method.Options) []finding {
	g := linalgtest.Classes(fit.X, d.Labels, fit.W, len(d.Names), o.Divisor == "n")
	var out []finding
	for k := range f.Classes() {
		c := f.Density(k)
		origin, deviation := c.MeanAbout()
		out = append(out, finding{"density", g.Density(k, f.Alpha(), f.Shrinkage(), c.Factor(), origin, deviation), direct})
	}
	return out
}

// weightsOf are the weights of the rows as the options make them.
func weightsOf(m *method.Method, d *dataset.Data, o *method.Options) []float64 {
	if o.ClassWeight == "" || !m.Takes("class-weight") {
		return d.Weights
	}
	count, total := make([]float64, len(d.Names)), 0.0
	w := make([]float64, d.X.Rows)
	for i, k := range d.Labels {
		w[i] = 1
		if d.Weights != nil {
			w[i] = d.Weights[i]
		}
		total += w[i]
		if w[i] > 0 {
			count[k] += w[i]
		}
	}
	for i, k := range d.Labels {
		if w[i] > 0 {
			w[i] *= total / (float64(len(count)) * count[k])
		}
	}
	return w
}

// scaledRows are the rows of d as a method without a scaling of its own sees them.
func scaledRows(t testing.TB, d *dataset.Data, keepOrigin bool) *linalg.Dense {
	t.Helper()
	_, x, err := feature.FitSteps(&feature.Sample{X: d.X, Weights: d.Weights}, feature.Standardize{KeepOrigin: keepOrigin})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// tables returns the tables that certificates are recomputed on.
func tables() map[string]func(t *testing.T, m *method.Method) *dataset.Data {
	all := map[string]func(t *testing.T, m *method.Method) *dataset.Data{
		"iris": func(t *testing.T, m *method.Method) *dataset.Data { return methodtest.Iris(t, m) },
	}
	for name, label := range map[string]string{"SAheart.csv": "chd", "Pima-tr.csv": "type", "fgl.csv": "type"} {
		all[name] = func(t *testing.T, m *method.Method) *dataset.Data { return tableFor(t, m, name, label) }
	}
	return all
}

// tableFor reads a table for a classifier, or with its first feature as response.
// Two-class methods without slack get nothing.
func tableFor(t *testing.T, m *method.Method, name, label string) *dataset.Data {
	t.Helper()
	x, labels, columns := linalgtest.Table(t, name, label)
	y, names := linalgtest.Codes(labels)
	if m.Name == "hardmargin" || m.Name == "perceptron" && len(names) > 2 {
		return nil
	}
	s := &dataset.Schema{Label: label, Names: names}
	for _, c := range columns {
		s.Columns = append(s.Columns, dataset.Column{Name: c})
	}
	if !m.Regression {
		return &dataset.Data{X: x, Labels: y, Names: names, Schema: s}
	}
	rest := linalg.Zeros(x.Rows, x.Cols-1)
	for i := range x.Rows {
		copy(rest.Row(i), x.Row(i)[1:])
	}
	return &dataset.Data{X: rest, Y: x.Col(nil, 0),
		Schema: &dataset.Schema{Columns: s.Columns[1:], Label: columns[0]}}
}

// settings are options that lead each method down its different ways.
func settings(m *method.Method) map[string]*method.Options {
	base := func(change func(o *method.Options)) *method.Options {
		o := methodtest.Options(m)
		o.Epsilon = 0.1
		if change != nil {
			change(o)
		}
		return o
	}
	all := map[string]*method.Options{"plain": base(nil)}
	add := func(name string, takes string, change func(o *method.Options)) {
		if m.Takes(takes) {
			all[name] = base(change)
		}
	}
	add("standardize", "standardize", func(o *method.Options) { o.Standardize = true })
	add("no intercept", "no-intercept", func(o *method.Options) { o.NoIntercept = true })
	add("small λ", "lambda", func(o *method.Options) { o.Lambda = 1e-3 })
	add("large λ", "lambda", func(o *method.Options) { o.Lambda = 1e3 })
	add("lasso", "l1-ratio", func(o *method.Options) { o.L1Ratio = 1 })
	add("elastic net", "l1-ratio", func(o *method.Options) { o.L1Ratio, o.Standardize = .5, true })
	add("balanced", "class-weight", func(o *method.Options) { o.ClassWeight = "balanced" })
	add("small C", `C`, func(o *method.Options) { o.C = 1e-3 })
	add("large C", `C`, func(o *method.Options) { o.C, o.Standardize = 1e3, true })
	add("one against the rest", "multi", func(o *method.Options) { o.Multi = "ovr" })
	add("squared hinge", "loss", func(o *method.Options) { o.Loss = "squared-hinge" })
	add("squared hinge, large C", "loss", func(o *method.Options) { o.Loss, o.C, o.Standardize = "squared-hinge", 1e3, true })
	add("absolute errors", "epsilon", func(o *method.Options) { o.Epsilon = 0 })
	add("maximum likelihood", "divisor", func(o *method.Options) { o.Divisor = "n" })
	add("uniform", "priors", func(o *method.Options) { o.Uniform = true })
	add("shrunk", "gamma", func(o *method.Options) { o.Shrinkage = .3 })
	return all
}

// noModel are settings under which the table has no model: they are separable
// one class against the rest, say, or collinear.
func noModel(err error) bool {
	var (
		separable  *logistic.SeparationError
		infeasible *hyperplane.InfeasibleError
		rank       *linalg.RankError
	)
	return errors.As(err, &separable) || errors.As(err, &infeasible) || errors.As(err, &rank)
}

func TestCertificatesRecomputed(t *testing.T) {
	tried, seen := 0, 0
	for table, data := range tables() {
		t.Run(table, func(t *testing.T) {
			if table != "SAheart.csv" {
				linalgtest.SkipSlow(t)
			}
			for _, m := range method.All() {
				for setting, o := range settings(m) {
					d := data(t, m)
					if d == nil || testing.Short() && setting != "plain" {
						continue
					}
					tried++
					what := fmt.Sprintf("%s on %s, %s", m.Name, table, setting)
					model, err := m.Fit(d, o)
					if noModel(err) || m.Name == "perceptron" && errors.Is(err, optimize.ErrNotConverged) {
						continue
					}
					if err != nil {
						t.Errorf("%s: %v", what, err)
						continue
					}
					seen++
					stated := float64(report.Summarize(model, d.X.Rows, 0).Certificate.Value)
					for _, f := range recompute(t, model.Method, model.Fitted(), d, o) {
						if !f.holds() {
							t.Errorf("%s: %v", what, f)
						}
						if f.value > 1e-13 && f.what != "what breaking Σαy = 0 is worth" && f.what != "excess over the box" && stated < f.value/10 {
							t.Errorf("%s: %s is %.3g, %.3g in the report", what, f.what, f.value, stated)
						}
					}
				}
			}
		})
	}
	if seen*5 < tried*4 { // the others have no model
		t.Errorf("%d models of %d fits", seen, tried)
	}
	t.Logf("%d models of %d fits", seen, tried)
}

// A fit that stops too early is caught by the same functions, and by its own
// certificate.
func TestCertificatesCatchLooseFits(t *testing.T) {
	linalgtest.SkipSlow(t)
	stopped := 0
	for _, m := range method.All() {
		if !m.Takes("tol") {
			continue
		}
		d, o := methodtest.Iris(t, m), methodtest.Options(m)
		o.Epsilon = 0.1
		o.MaxIter = 1
		model, err := m.Fit(d, o)
		if model == nil || !errors.Is(err, optimize.ErrNotConverged) {
			t.Logf("%s is done after one iteration: %v", m.Name, err)
			continue
		}
		stopped++
		caught := false
		for _, f := range recompute(t, model.Method, model.Fitted(), d, o) {
			caught = caught || !f.holds()
		}
		if !caught {
			t.Errorf("%s: stopped after one iteration, the recomputed certificate holds", m.Name)
		}
		if strings.Contains(err.Error(), "converged after") {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	if stopped < 4 {
		t.Errorf("%d methods have not converged after one iteration", stopped)
	}
}

// A certificate that holds for other data would be worth nothing.
func TestCertificatesAreOfTheseData(t *testing.T) {
	for _, m := range method.All() {
		if m.Name == "perceptron" {
			continue // it certifies a count, which other rows may share
		}
		o := methodtest.Options(m)
		model, d := methodtest.FitIris(t, m, o)
		x := d.X.Clone()
		for i := range x.Rows {
			x.Row(i)[2] *= 1.001
		}
		other := *d
		other.X = x
		caught := false
		for _, f := range recompute(t, model.Method, model.Fitted(), &other, o) {
			caught = caught || !f.holds()
		}
		if !caught {
			t.Errorf("%s: the certificate holds for rows that the model was not fitted to", m.Name)
		}
	}
}

// A table on which one Newton step bounds the excess of the ridge 150 times too high: the judge
// finds the minimum itself, lets the fit pass, and not one with an excess of 1e-13.
func TestExcessIsMeasuredWhereAStepIsNoBound(t *testing.T) {
	m, _ := method.Named("logistic")
	x := linalgtest.Rows(t, []float64{-3, -3}, []float64{-3, .1}, []float64{-3, 5}, []float64{5, .1}, []float64{1.00000001e8, -3}, []float64{-3, 1.00000001e8})
	s := &dataset.Schema{Label: "y", Names: []string{"a", "b"}, Columns: []dataset.Column{{Name: "u"}, {Name: "v"}}}
	d := &dataset.Data{X: x, Labels: []int{1, 1, 0, 1, 0, 0}, Names: s.Names, Schema: s}
	o := methodtest.Taken(m, &method.Options{Lambda: 1})
	model, err := m.Fit(d, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range recompute(t, m, model.Fitted(), d, o) {
		if !f.holds() {
			t.Error(f)
		}
	}
	fit, coef, intercept := linalgtest.Fit{X: x, Lambda: 1}, linalg.Zeros(1, 2), 0.0
	if c, b, ok := model.Coef(); ok {
		copy(coef.Data, c.Data)
		intercept = b[0]
	}
	excess := func(shift float64) float64 {
		return linalgtest.LogisticExcess(fit, d.Labels, linalgtest.Affine{Coef: coef, At: []float64{intercept + shift}}, -1, 1e-14)
	}
	if at, near := excess(0), excess(1e-6); !(at < 1e-14) || !(near > 1e-13 && near < 1e-12) {
		t.Errorf("the fit is %g above the minimum, with another intercept %g", at, near)
	}
}

// The judge keeps the digits of a ridge of 1e-300 beside columns that are alike, and of losses of
// 1e-200 in either class: the excess is that of the same problem in one column, or mirrored.
func TestExcessIsMeasuredAtTinyPenalties(t *testing.T) {
	excess := func(lambda float64, x *linalg.Dense, y []int, coef ...float64) float64 {
		fit := linalgtest.Fit{X: x, Lambda: lambda, NoIntercept: true}
		return linalgtest.LogisticExcess(fit, y, linalgtest.Affine{Coef: linalgtest.Rows(t, coef), At: []float64{0}}, -1, 0)
	}
	y := []int{0, 1, 1, 0, 1}
	one := linalgtest.Rows(t, []float64{5}, []float64{-3}, []float64{1e8}, []float64{2e7}, []float64{0.1})
	two := linalgtest.Rows(t, []float64{5, 5}, []float64{-3, -3}, []float64{1e8, 1e8}, []float64{2e7, 2e7}, []float64{0.1, 0.1})
	want, got := excess(0.5e-300, one, y, 1e-8), excess(1e-300, two, y, 0.5e-8, 0.5e-8)
	if !(want > 1e-3 && want < 1) || math.Abs(got-want) > 1e-14 {
		t.Errorf("the excess is %.17g in two columns and %.17g in one", got, want)
	}
	row, mirrored := linalgtest.Rows(t, []float64{1}), linalgtest.Rows(t, []float64{-1})
	want, got = excess(1e-200, mirrored, []int{0}, 455), excess(1e-200, row, []int{1}, 455)
	if !(want > 1e-4 && want < 1) || got != want {
		t.Errorf("the excess is %.17g of one class and %.17g of the other", got, want)
	}
}

// The judge of a lasso finds the minimum where columns are alike, from coefficients of any signs: it
// is that of the same problem in one column. The gap sees what opposite signs cost, 2λ here.
func TestExcessIsMeasuredInDependentColumns(t *testing.T) {
	y, one := []int{1, 0, 1, 0}, linalgtest.Rows(t, []float64{-1}, []float64{2}, []float64{2.5}, []float64{0.1})
	three := linalgtest.Rows(t, []float64{-1, -1, 3}, []float64{2, 2, 3}, []float64{2.5, 2.5, 3}, []float64{0.1, 0.1, 3})
	m, err := logistic.Fit(one, y, &logistic.Options{Lambda: 1e-3, L1Ratio: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, intercept := m.Coef()
	judged := func(x *linalg.Dense, coef ...float64) (least, excess float64) {
		fit, f := linalgtest.Fit{X: x, Lambda: 1e-3, L1Ratio: 1}, linalgtest.Affine{Coef: linalgtest.Rows(t, coef), At: intercept}
		at, minimum, err := linalgtest.LogisticLeast(fit, y, f, -1, nil)
		if err != nil {
			t.Fatalf("from %v: %v", coef, err)
		}
		value, _ := at.Float64()
		least, _ = minimum.Float64()
		excess = linalgtest.LogisticExcess(fit, y, f, -1, 0)
		if want := (value - least) / value; !(math.Abs(excess-want) < 1e-12) {
			t.Errorf("from %v the excess is %g, %g by the minimum", coef, excess, want)
		}
		if gap := linalgtest.LogisticGap(fit, y, f, -1, nil); !(gap > excess-1e-15) {
			t.Errorf("from %v the gap is %g, below the excess %g", coef, gap, excess)
		}
		return least, excess * value
	}
	b := c.Data[0] // between −1 and 0
	want, near := judged(one, b)
	for _, v := range []struct {
		coef  []float64
		above float64
	}{{[]float64{b / 2, b / 2, 0}, near}, {[]float64{b, 0, 0}, near}, {[]float64{b + 1, -1, 0}, near + 2e-3*(1+b)}, {[]float64{b - 1, 1, 0}, near + 2e-3}} {
		if least, above := judged(three, v.coef...); math.Abs(least-want) > 1e-15 || !(math.Abs(above-v.above) < 1e-12) {
			t.Errorf("from %v the minimum is %.17g, in one column %.17g; the excess is %g, want %g", v.coef, least, want, above, v.above)
		}
	}
}

// Multipliers of rows that are 1e30 long cannot prove in float64 how wide a margin is. Solved for
// on the published support they prove what is certified, and not a plane whose margins are 1e-6 off.
func TestHardMarginIsJudgedWhereMultipliersCancel(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-1, -1, -1}, []float64{1e8, -1, -1}, []float64{1e30, -1, 2})
	sign := []float64{1, -1, 1}
	m, err := hyperplane.FitHardMargin(x, []int{1, 0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, plane := m.Machines()[0], affine(m.Machines()[0].Plane)
	published := linalgtest.HardMargin(x, sign, false, plane, linalgtest.Dual{Support: c.Support, Multipliers: c.Multipliers})
	solved := linalgtest.HardMarginOn(x, sign, false, plane, c.Support)
	if certified := m.Report().Certificate().Value; !(published > .5 && solved > 0 && solved <= certified) {
		t.Errorf("gap %g by published multipliers, %g by exact ones, %g is certified", published, solved, certified)
	}
	plane.At[0] += 1e-6
	if gap := linalgtest.HardMarginOn(x, sign, false, plane, c.Support); !(gap > 1e-6 && gap < 1e-5) {
		t.Errorf("a plane with margins of 1 ± 1e-6 has a gap of %g", gap)
	}
}

// The words that a soft margin's JSON holds prove its certificate in exact arithmetic, also where the
// first words alone do not, and no plane that is 1e-3 off.
func TestSoftMarginIsProvenByItsWords(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-3, 1.000000002e9}, []float64{1, 0}, []float64{-3, 1}, []float64{1, 4}, []float64{4, 1.000000001e9}, []float64{-1, 2})
	y, sign, price := []int{0, 0, 1, 0, 1, 0}, make([]float64, 6), make([]float64, 6)
	for i, k := range y {
		sign[i], price[i] = float64(2*k-1), 1000
	}
	for _, loss := range []hyperplane.Loss{hyperplane.Hinge, hyperplane.SquaredHinge} {
		m, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: 1000, Loss: loss})
		if err != nil {
			t.Fatal(err)
		}
		var read hyperplane.SVC
		if text, err := json.Marshal(m); err != nil || json.Unmarshal(text, &read) != nil {
			t.Fatal(err)
		}
		c, plane := read.Machines()[0], affine(read.Machines()[0].Plane)
		gap := func(remainders []float64) float64 {
			dual := linalgtest.Dual{Support: c.Support, Multipliers: c.Multipliers, Remainders: remainders}
			return softMarginOf(loss)(x, sign, price, false, plane, dual)
		}
		if first, both := gap(nil), gap(c.Remainders); (loss == hyperplane.Hinge && !(first > 1e-7)) || !(both <= 1e-7) {
			t.Errorf("%v: gap %g by the first words, %g by both", loss, first, both)
		}
		plane.At[0] += 1e-3
		if off := gap(c.Remainders); !(off > 1e-7) {
			t.Errorf("%v: a plane that is 1e-3 off has a gap of %g", loss, off)
		}
	}
}
