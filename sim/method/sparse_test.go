package method_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
)

// A tableKind is how a table of the tests below is made.
type tableKind int

const (
	mixed    tableKind = iota
	apart              // a plane separates the classes
	narrow             // for methods that fit no more columns than rows, and columns without zeros alone
	weighted           // rows have weights, 0 among them, and an offset where the method takes one
)

// sparseTable draws rows of quarters, of which about a share is not 0: rows and columns of
// zeros, a column with one value, two equal rows. Products of such numbers are exact, so that
// methods which go row by row take the same steps in either storage.
func sparseTable(seed uint64, n, p, k int, share float64, kind tableKind) *dataset.Data {
	d := &dataset.Data{X: linalgtest.Thinned(seed, n, p, share), Schema: &dataset.Schema{Label: "y", Names: []string{"a", "b", "c"}[:k]}}
	for i := range n {
		row := d.X.Row(i)
		for j, v := range row {
			row[j] = math.Round(4*v) / 4
		}
		class := (i + i/7) % k
		switch {
		case kind == apart && i%11 == 4:
			class = 0 // rows of zeros
		case kind == apart:
			clear(row[:2])
			row[class] = 4
		case i%3 == 0:
			row[class] += 1
		}
		d.Labels = append(d.Labels, class)
		d.Y = append(d.Y, row[0]-2*row[2]+float64(i%5)/8)
	}
	if kind != apart {
		copy(d.X.Row(10), d.X.Row(9))
	}
	for j := range p {
		d.Schema.Columns = append(d.Schema.Columns, dataset.Column{Name: "x" + strconv.Itoa(j)})
	}
	d.Names = d.Schema.Names
	return d
}

// sparseFits are the methods that take tables of any shape, each with options, and how the
// table is for it.
var sparseFits = []struct {
	method  string
	options method.Options
	k       int
	table   tableKind
}{
	{"logistic", method.Options{Lambda: 1}, 2, mixed},
	{"logistic", method.Options{Lambda: 1}, 3, mixed},
	{"logistic", method.Options{Lambda: 0.5, L1Ratio: 1}, 2, mixed},
	{"logistic", method.Options{Lambda: 0.5, L1Ratio: 0.5}, 3, mixed},
	{"logistic", method.Options{Lambda: 0.5, L1Ratio: 0.5, Standardize: true}, 2, mixed},
	{"logistic", method.Options{}, 2, narrow},
	{"svc", method.Options{}, 2, mixed},
	{"svc", method.Options{C: 0.1}, 3, mixed},
	{"svc", method.Options{C: 0.1, Multi: "ovr"}, 3, mixed},
	{"svc", method.Options{C: 0.1, Loss: "squared-hinge"}, 3, mixed},
	{"svc", method.Options{C: 10, Loss: "squared-hinge", Multi: "ovr", Probability: true}, 3, mixed},
	{"svc", method.Options{C: 1, NoIntercept: true}, 2, mixed},
	{"svc", method.Options{C: 1, Probability: true}, 2, mixed},
	{"svr", method.Options{Epsilon: 0.1}, 2, mixed},
	{"hardmargin", method.Options{}, 2, apart},
	{"hardmargin", method.Options{Multi: "ovr"}, 2, apart},
	{"perceptron", method.Options{}, 2, apart},
	{"perceptron", method.Options{MaxEpochs: 9, Pocket: true}, 2, mixed},
	{"ridge", method.Options{Lambda: 1}, 2, mixed},
	{"ridge", method.Options{Lambda: 1, Standardize: true}, 2, mixed},
	{"lasso", method.Options{Lambda: 1}, 2, mixed},
	{"lasso", method.Options{Lambda: 1, L1Ratio: 0.5}, 2, mixed},
	{"ols", method.Options{}, 2, narrow},
	{"lda", method.Options{}, 3, narrow},
	{"indicator", method.Options{}, 3, narrow},
	{"logistic", method.Options{Lambda: 1, ClassWeight: "balanced"}, 2, weighted},
	{"logistic", method.Options{Lambda: 1, ClassWeight: "balanced"}, 3, weighted},
	{"logistic", method.Options{Lambda: 0.5, L1Ratio: 0.5, ClassWeight: "balanced"}, 2, weighted},
	{"logistic", method.Options{Lambda: 0.5, L1Ratio: 0.5, ClassWeight: "balanced", Standardize: true}, 3, weighted},
	{"svc", method.Options{C: 0.5, ClassWeight: "balanced"}, 3, weighted},
	{"svc", method.Options{C: 0.5, ClassWeight: "balanced", Loss: "squared-hinge"}, 2, weighted},
	{"svr", method.Options{Epsilon: 0.1}, 2, weighted},
	{"perceptron", method.Options{MaxEpochs: 9, ClassWeight: "balanced"}, 2, mixed},
	{"ridge", method.Options{Lambda: 1}, 2, weighted},
	{"lasso", method.Options{Lambda: 1, L1Ratio: 0.5}, 2, weighted},
	{"lasso", method.Options{Lambda: 1, L1Ratio: 0.5, Standardize: true}, 2, weighted},
	{"svc", method.Options{Standardize: true}, 3, mixed},
	{"svc", method.Options{C: 0.5, Standardize: true, NoIntercept: true, ClassWeight: "balanced"}, 2, weighted},
	{"svr", method.Options{Epsilon: 0.1, Standardize: true}, 2, weighted},
	{"hardmargin", method.Options{Standardize: true}, 2, apart},
	{"rrlda", method.Options{}, 3, narrow},
	{"qda", method.Options{}, 3, narrow},
	{"rda", method.Options{Alpha: 0.5}, 3, narrow},
}

// The same table stored dense and sparse has the same fit, to within both bounds, and the same
// predictions of rows in either storage.
func TestFitsOfSparseRows(t *testing.T) {
	linalgtest.SkipSlow(t)
	shapes := []struct {
		n, p  int
		share float64
	}{{80, 6, 0.5}, {90, 330, 0.05}, {300, 280, 0.1}, {70, 2300, 0.01}}
	for _, f := range sparseFits {
		m, _ := method.Named(f.method)
		for at, s := range shapes {
			for seed := range linalgtest.Rounds(1, 20) {
				dense := sparseTable(uint64(seed), s.n, s.p, f.k, s.share, f.table)
				switch {
				case f.table == weighted:
					weighRows(dense, m.Name != "svc" && m.Name != "svr" && f.k == 2)
				case f.table == narrow && at > 1:
					continue // one shape shows the refusals
				case f.table == narrow && at > 0:
					sameRefusal(t, m, dense, f.options)
					continue
				case f.table == narrow: // columns without values determine nothing
					fillColumns(dense.X)
				}
				sameFit(t, m, dense, f.options)
			}
		}
	}
}

// Sparse rows are divided by deviations and not moved to their means, which the intercept takes up.
// Models, their audits and paths are those of dense rows.
func TestStandardizedPlanesOfSparseRows(t *testing.T) {
	for _, name := range []string{"svc", "svr", "hardmargin"} {
		for _, through0 := range []bool{false, true} {
			m, _ := method.Named(name)
			table, o := tableKind(weighted), &method.Options{Standardize: true, NoIntercept: through0, Tol: 1e-12}
			if name == "hardmargin" {
				table = apart
			}
			dense := sparseTable(3, 80, 6, 2, 0.5, table)
			if table == weighted {
				weighRows(dense, false)
			}
			for i := range dense.X.Rows { // a column that is constant
				dense.X.Set(i, 5, 2)
			}
			sparse := bothStorages(m, dense)
			a, err := m.Fit(dense, o)
			if err != nil {
				t.Fatal(err)
			}
			b, err := m.Fit(sparse, o)
			if err != nil {
				t.Fatal(err)
			}
			want, level, _ := a.Coef()
			coef, intercept, _ := b.Coef()
			linalgtest.CloseSlice(t, name+" coef", coef.Data, want.Data, 1e-8)
			linalgtest.CloseSlice(t, name+" intercept", intercept, level, 1e-8)
			linalgtest.Close(t, name+" objective", b.Report().Objective(), a.Report().Objective(), 1e-11)
			audit, err := b.Audit(sparse, nil)
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.Close(t, name+" audit", audit.Report.Objective(), a.Report().Objective(), 1e-11)
		}
	}
}

// Centered rows have no zeros left: where the origin counts, sparse rows are refused.
func TestSparseRowsThatStepsWouldFill(t *testing.T) {
	for _, name := range []string{"perceptron", "svc"} {
		m, _ := method.Named(name)
		o := method.Options{Standardize: name == "perceptron"}
		if name == "svc" {
			o.Steps = []feature.Step{feature.Standardize{}}
		}
		sparse := bothStorages(m, sparseTable(3, 80, 6, 2, 0.5, mixed))
		if fit, err := m.Fit(sparse, &o); fit != nil || err == nil || !strings.Contains(err.Error(), name+": steps take no sparse rows") {
			t.Errorf("%s: %v, %v", name, fit, err)
		}
	}
}

// A solver of sparse rows leaves coefficients where no row of the support has a value. They are not
// published, and the gap is that of the plane without them.
func TestPlanesWithoutColumnsOfNoSupport(t *testing.T) {
	m, _ := method.Named("svc")
	sameFit(t, m, sparseTable(18, 70, 2300, 2, 0.01, mixed), method.Options{})
}

// Columns of sparse rows may be so nearly dependent that a descent by coordinates creeps; the
// Hessian of those that are not 0 ends it, about means that the rows are not moved to, too.
func TestLassoOfDependentSparseColumns(t *testing.T) {
	m, _ := method.Named("lasso")
	table := sparseTable(1, 70, 2300, 2, 0.01, weighted)
	weighRows(table, true)
	sameFit(t, m, table, method.Options{Lambda: 1, L1Ratio: 0.5, Standardize: true})
}

// So many rows and columns that a ridge is fitted by passes have the fit of a dense table.
func TestRidgeBySparsePasses(t *testing.T) {
	m, _ := method.Named("ridge")
	for seed, standardize := range []bool{false, true} {
		table := sparseTable(uint64(seed), 520, 2300, 2, 0.01, weighted)
		weighRows(table, true)
		sameFit(t, m, table, method.Options{Lambda: 1, Standardize: standardize})
	}
}

// weighRows gives the rows weights, and an offset.
func weighRows(d *dataset.Data, offset bool) {
	for i := range d.Len() {
		d.Weights = append(d.Weights, float64(i%4))
		if offset {
			d.Offset = append(d.Offset, float64(i%5)/4-0.5)
		}
	}
}

func fillColumns(x *linalg.Dense) {
	for j := range x.Cols {
		for i := j; i < x.Rows; i += 5 {
			x.Set(i, j, x.At(i, j)+float64(i%7)/4)
		}
	}
}

// bothStorages leaves the response that m explains in a dense table, and returns the sparse one.
func bothStorages(m *method.Method, dense *dataset.Data) *dataset.Data {
	if m.Regression {
		dense.Labels = nil
	} else {
		dense.Y = nil
	}
	sparse := *dense
	sparse.X, sparse.Sparse = nil, linalgtest.Sparse(dense.X)
	return &sparse
}

// sameRefusal checks that a fit of too many columns is refused by the same words in either
// storage.
func sameRefusal(t *testing.T, m *method.Method, dense *dataset.Data, o method.Options) {
	t.Helper()
	n, p := dense.X.Dims()
	sparse := bothStorages(m, dense)
	own := o
	a, errDense := m.Fit(dense, &own)
	b, errSparse := m.Fit(sparse, &o)
	if a != nil || b != nil || errDense == nil || errSparse == nil || errDense.Error() != errSparse.Error() {
		t.Errorf("%s, %d × %d: %v dense, %v sparse", m.Name, n, p, errDense, errSparse)
	}
}

func sameFit(t *testing.T, m *method.Method, dense *dataset.Data, o method.Options) {
	t.Helper()
	n, p := dense.X.Dims()
	sparse := bothStorages(m, dense)
	own := o
	a, errDense := m.Fit(dense, &own)
	b, errSparse := m.Fit(sparse, &o)
	if a == nil || b == nil || (errDense == nil) != (errSparse == nil) {
		t.Errorf("%s λ %g C %g, %d × %d: %v dense, %v sparse", m.Name, o.Lambda, o.C, n, p, errDense, errSparse)
		return
	}
	one, two := a.Report(), b.Report()
	room := 1e-11 * (1 + math.Abs(one.Objective()))
	for _, r := range []optimize.Report{one, two} {
		if c := r.Certificate(); c.Kind == optimize.KindGap {
			room += c.Value * math.Abs(one.Objective())
		}
	}
	if d := math.Abs(one.Objective() - two.Objective()); !(d <= room) || one.Status() != two.Status() && (one.Err(nil) == nil) != (two.Err(nil) == nil) {
		t.Errorf("%s λ %g C %g, %d × %d: %v dense, %v sparse: %g apart, the bounds allow %g", m.Name, o.Lambda, o.C, n, p, one, two, d, room)
	}
	for _, fit := range []*method.Model{a, b} {
		x, y := predicted(t, fit, dense), predicted(t, fit, sparse)
		for i := range x {
			if !(math.Abs(x[i]-y[i]) <= 1e-9*(1+math.Abs(x[i]))) && !tied(x, n, i, int(y[i])) {
				t.Errorf("%s λ %g C %g, %d × %d: row %d: %g dense, %g sparse", m.Name, o.Lambda, o.C, n, p, i, x[i], y[i])
				break
			}
		}
	}
}

// tied reports whether rounding decides between the class of row i of n, as [predicted] has it, and another:
// a row on the margins of two classes has the score of both.
func tied(out []float64, n, i, other int) bool {
	k := len(out)/n - 1
	if i >= n || k < 2 {
		return false
	}
	scores := out[n+i*k : n+(i+1)*k]
	return math.Abs(scores[int(out[i])]-scores[other]) <= 1e-9
}

// predicted returns the predictions for rows of the table, and the scores where sparse rows
// have some.
func predicted(t *testing.T, fit *method.Model, d *dataset.Data) (out []float64) {
	t.Helper()
	c, r, x := fit.For(d)
	if r != nil {
		out, err := r.PredictRows(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	labels, err := c.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range labels {
		out = append(out, float64(l))
	}
	rows, err := linalg.InMemory(x)
	if err != nil {
		t.Fatal(err)
	}
	scorer, ok := c.(sim.SparseScorer)
	if !ok {
		return out
	}
	for i := range labels {
		if columns, values := rows.Entries(i); columns != nil {
			out = scorer.ScoresSparse(out, columns, values)
		} else {
			out = c.Scores(out, values)
		}
	}
	return out
}

// A model behind a division scores what is stored of sparse rows, divided, and does not fill them.
func TestScaledModelsScoreSparseRows(t *testing.T) {
	for _, o := range []method.Options{{}, {Probability: true}, {Multi: "ovr", Probability: true}} {
		for k := 2; k <= 3; k++ {
			o.Standardize = true
			m, _ := method.Named("svc")
			dense := sparseTable(3, 80, 6, k, 0.5, mixed)
			sparse := bothStorages(m, dense)
			fit, err := m.Fit(sparse, &o)
			if err != nil {
				t.Fatal(err)
			}
			c, sd := fit.Classifier(), fit.Steps()[0].(*feature.Standardizer).SD()
			scorer, ok := c.(sim.SparseScorer)
			if !ok {
				t.Fatalf("%+v: a %T has no scores of sparse rows", o, c)
			}
			var divided []float64
			for i := range dense.Len() {
				index, value := sparse.Sparse.Row(i)
				divided = divided[:0]
				for at, j := range index {
					divided = append(divided, value[at]/sd[j])
				}
				got, want := scorer.ScoresSparse(nil, index, value), fit.Fitted().(sim.SparseScorer).ScoresSparse(nil, index, divided)
				near := c.Scores(nil, dense.X.Row(i))
				if p, ok := c.(sim.SparseProber); ok {
					got, want = p.ProbaSparse(got, index, value), fit.Fitted().(sim.SparseProber).ProbaSparse(want, index, divided)
					near = c.(sim.Prober).Proba(near, dense.X.Row(i))
				}
				if !slices.Equal(got, want) || len(got) != k && !o.Probability {
					t.Errorf("%+v, row %d: %v, want %v", o, i, got, want)
				}
				linalgtest.CloseSlice(t, "dense row", got, near, 1e-12)
			}
			index, value := sparse.Sparse.Row(9)
			room := make([]float64, 0, k)
			if n := testing.AllocsPerRun(100, func() { room = scorer.ScoresSparse(room[:0], index, value) }); n != 0 && !linalgtest.Race {
				t.Errorf("%+v: %v allocations a row", o, n)
			}
		}
	}
}

// Models whose labels are no codes, or whose steps leave no zeros, have numbers of sparse rows too.
func TestOtherSteppedModelsScoreSparseRows(t *testing.T) {
	m, _ := method.Named("lda")
	dense := sparseTable(5, 80, 6, 3, 0.5, narrow)
	fillColumns(dense.X)
	sparse := bothStorages(m, dense).Sparse
	centred, err := m.Fit(dense, &method.Options{Steps: []feature.Step{feature.Standardize{}}})
	if err != nil {
		t.Fatal(err)
	}
	labels := []int{-1, 4, 7}
	y := make([]int, dense.Len())
	for i, code := range dense.Labels {
		y[i] = labels[code]
	}
	fit, err := logistic.Fit(dense.X, y, &logistic.Options{Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	named, err := method.New(nil, nil, fit)
	if err != nil {
		t.Fatal(err)
	}
	all := func(of any, index []int32, value []float64) []float64 {
		v := of.(sim.SparseScorer).ScoresSparse(nil, index, value)
		return of.(sim.SparseLogProber).LogProbaSparse(of.(sim.SparseProber).ProbaSparse(v, index, value), index, value)
	}
	for i := range dense.Len() {
		index, value := sparse.Row(i)
		if got, want := all(named.Classifier(), index, value), all(fit, index, value); !slices.Equal(got, want) {
			t.Errorf("other labels, row %d: %v, want %v", i, got, want)
		}
		c, row := centred.Classifier().(sim.LogProber), dense.X.Row(i)
		want := c.LogProba(c.(sim.Prober).Proba(c.Scores(nil, row), row), row)
		if got := all(c, index, value); !slices.Equal(got, want) {
			t.Errorf("centred, row %d: %v, want %v", i, got, want)
		}
	}
}
