package method_test

import (
	"math"
	"strconv"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// sparseTable draws rows of quarters, of which about a share is not 0: rows and columns of
// zeros, a column with one value, two equal rows. Products of such numbers are exact, so that
// methods which go row by row take the same steps in either storage.
func sparseTable(seed uint64, n, p, k int, share float64, apart bool) *dataset.Data {
	d := &dataset.Data{X: linalgtest.Thinned(seed, n, p, share), Schema: &dataset.Schema{Label: "y", Names: []string{"a", "b", "c"}[:k]}}
	for i := range n {
		row := d.X.Row(i)
		for j, v := range row {
			row[j] = math.Round(4*v) / 4
		}
		class := (i + i/7) % k
		switch {
		case apart && i%11 == 4:
			class = 0 // rows of zeros
		case apart:
			clear(row[:2])
			row[class] = 4
		case i%3 == 0:
			row[class] += 1
		}
		d.Labels = append(d.Labels, class)
		d.Y = append(d.Y, row[0]-2*row[2]+float64(i%5)/8)
	}
	if !apart {
		copy(d.X.Row(10), d.X.Row(9))
	}
	for j := range p {
		d.Schema.Columns = append(d.Schema.Columns, dataset.Column{Name: "x" + strconv.Itoa(j)})
	}
	d.Features, d.Names = d.Schema.Features(), d.Schema.Names
	return d
}

// sparseFits are the methods that take tables of any shape, each with options, and whether
// the classes are to be apart for it.
var sparseFits = []struct {
	method  string
	options method.Options
	k       int
	apart   bool
	narrow  bool // has no fit of more columns than rows
}{
	{"logistic", method.Options{Lambda: 1}, 2, false, false},
	{"logistic", method.Options{Lambda: 1}, 3, false, false},
	{"logistic", method.Options{Lambda: 0.5, L1Ratio: 1}, 2, false, false},
	{"logistic", method.Options{Lambda: 0.5, L1Ratio: 0.5}, 3, false, false},
	{"logistic", method.Options{Lambda: 0.5, L1Ratio: 0.5, Standardize: true}, 2, false, false},
	{"logistic", method.Options{}, 2, false, true},
	{"svc", method.Options{}, 2, false, false},
	{"svc", method.Options{C: 0.1}, 3, false, false},
	{"svc", method.Options{C: 0.1, Multi: "ovr"}, 3, false, false},
	{"svc", method.Options{C: 0.1, Loss: "squared-hinge"}, 3, false, false},
	{"svc", method.Options{C: 10, Loss: "squared-hinge", Multi: "ovr", Probability: true}, 3, false, false},
	{"svc", method.Options{C: 1, NoIntercept: true}, 2, false, false},
	{"svc", method.Options{C: 1, Probability: true}, 2, false, false},
	{"svr", method.Options{Epsilon: 0.1}, 2, false, false},
	{"hardmargin", method.Options{}, 2, true, false},
	{"hardmargin", method.Options{Multi: "ovr"}, 2, true, false},
	{"perceptron", method.Options{}, 2, true, false},
	{"perceptron", method.Options{MaxEpochs: 9, Pocket: true}, 2, false, false},
	{"ridge", method.Options{Lambda: 1}, 2, false, false},
	{"ridge", method.Options{Lambda: 1, Standardize: true}, 2, false, false},
	{"lasso", method.Options{Lambda: 1}, 2, false, false},
	{"lasso", method.Options{Lambda: 1, L1Ratio: 0.5}, 2, false, false},
	{"ols", method.Options{}, 2, false, true},
	{"lda", method.Options{}, 3, false, true},
	{"indicator", method.Options{}, 3, false, true},
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
			if f.narrow && at > 0 {
				continue
			}
			for seed := range linalgtest.Rounds(1, 20) {
				dense := sparseTable(uint64(seed), s.n, s.p, f.k, s.share, f.apart)
				if f.narrow { // columns without values determine nothing
					fillColumns(dense.X)
				}
				sameFit(t, m, dense, f.options)
			}
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

func sameFit(t *testing.T, m *method.Method, dense *dataset.Data, o method.Options) {
	t.Helper()
	n, p := dense.X.Dims()
	if m.Regression {
		dense.Labels = nil
	} else {
		dense.Y = nil
	}
	sparse := *dense
	sparse.X, sparse.Sparse = nil, linalgtest.Sparse(dense.X)
	own := o
	a, errDense := m.Fit(dense, &own)
	b, errSparse := m.Fit(&sparse, &o)
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
		x, y := predicted(t, fit, dense), predicted(t, fit, &sparse)
		for i := range x {
			if math.Abs(x[i]-y[i]) > 1e-9*(1+math.Abs(x[i])) {
				t.Errorf("%s λ %g C %g, %d × %d: row %d: %g dense, %g sparse", m.Name, o.Lambda, o.C, n, p, i, x[i], y[i])
				break
			}
		}
	}
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
