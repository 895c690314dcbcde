package method_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	"halfspace/optimize"
	"halfspace/qp/separation"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/codegen"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
)

// What small arbitrary tables are made of: cells, weights, and options.
var (
	cells = []float64{0, 1, -1, 2, -3, 5, 0.1, 1 + 1e-15, 1e-7, 1e8, 1e8 + 1, 1e300, -1e300, 1e-300, 5e-324, 1e150, -1e150,
		1e-150, 1e30, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	loads   = []float64{1, 1, 1, 0, 2, 3, 0.5, 1e-3, 1e6, 1e30, 1e-30, -1, math.NaN(), math.Inf(1)}
	numbers = []float64{0, 0, 0, 1, 0.5, 1e-3, 100, 1e12, 1e-300, 1e300, 5e-324, -1, math.NaN(), math.Inf(1)}
	counts  = []int{0, 0, 0, 1, 2, 3, 50, -1}
)

// bytesOf hands out the bytes of a fuzzer's input, then zeros.
type bytesOf []byte

func (b *bytesOf) next(n int) int {
	if len(*b) == 0 {
		return 0
	}
	v := int((*b)[0])
	*b = (*b)[1:]
	return v % n
}

func (b *bytesOf) of(list []float64) float64 { return list[b.next(len(list))] }

// arbitrary reads a method, data and options from bytes. Flags in one byte say
// which of the rarer parts follow, so that many inputs are mostly sound.
func arbitrary(input []byte) (*method.Method, *dataset.Data, *method.Options) {
	b := bytesOf(input)
	m := method.All()[b.next(len(method.All()))]
	n, p, k := b.next(9), b.next(9), b.next(4)+1
	flags, wild := b.next(256), b.next(2) == 1
	d := &dataset.Data{X: &linalg.Dense{Rows: n, Cols: p, Stride: p, Data: make([]float64, n*p)}}
	tame := 11
	for i := range d.X.Data {
		switch v := b.next(256); {
		case v >= 240 && i > 0: // a near-duplicate of an earlier cell
			d.X.Data[i] = d.X.Data[v%i] * (1 + float64(v-247)*0x1p-52)
		case wild:
			d.X.Data[i] = cells[v%len(cells)]
		default:
			d.X.Data[i] = cells[v%tame]
		}
	}
	s := &dataset.Schema{Label: "y"}
	for j := range p {
		s.Columns = append(s.Columns, dataset.Column{Name: fmt.Sprint("x", j)})
	}
	d.Schema = s
	if m.Regression {
		d.Y = make([]float64, n)
		for i := range d.Y {
			if d.Y[i] = cells[b.next(tame)]; wild {
				d.Y[i] = b.of(cells)
			}
		}
	} else {
		d.Labels = make([]int, n)
		for i := range d.Labels {
			d.Labels[i] = b.next(k)
		}
		for i := range k {
			s.Names = append(s.Names, string(rune('a'+i)))
		}
		d.Names = s.Names
	}
	if flags&1 != 0 {
		d.Weights = make([]float64, n)
		for i := range d.Weights {
			d.Weights[i] = b.of(loads)
		}
	}
	if flags&2 != 0 && m.Name != "logistic" || flags&2 != 0 && k == 2 {
		d.Offset = make([]float64, n)
		for i := range d.Offset {
			d.Offset[i] = b.of(cells)
		}
	}
	o := &method.Options{Alpha: 0.5}
	if m.Takes("lambda") && flags&4 == 0 {
		o.Lambda = 1
	}
	if flags&8 != 0 {
		o.Standardize, o.NoIntercept, o.Pocket, o.Uniform = b.next(2) == 1 && m.Takes("standardize"), b.next(2) == 1, b.next(2) == 1, b.next(2) == 1
		o.Divisor, o.Multi = []string{"", "n"}[b.next(2)], []string{"", "ovr"}[b.next(2)]
		o.ClassWeight = []string{"", "balanced"}[b.next(2)]
	}
	if flags&16 != 0 {
		o.Lambda, o.L1Ratio, o.C, o.Epsilon = b.of(numbers), b.of(numbers), b.of(numbers), b.of(numbers)
	}
	if flags&32 != 0 {
		o.Alpha, o.Shrinkage, o.Rate = b.of(numbers), b.of(numbers), b.of(numbers)
		o.Rank, o.MaxEpochs, o.Seed = counts[b.next(len(counts))], counts[b.next(len(counts))], uint64(b.next(3))
	}
	if flags&64 != 0 {
		o.Tol, o.MaxIter, o.Workers = b.of(numbers), counts[b.next(len(counts))], counts[b.next(len(counts))]
	}
	if flags&128 != 0 {
		for range b.next(4) {
			o.Priors = append(o.Priors, b.of(numbers))
		}
	}
	return m, d, methodtest.Taken(m, o)
}

// snapshot is everything a fit is given, as text in which every bit shows.
func snapshot(d *dataset.Data, o *method.Options) string {
	var b strings.Builder
	for _, v := range [][]float64{d.X.Data, d.Y, d.Weights, d.Offset, o.Priors, {o.Alpha, o.Shrinkage, o.Lambda, o.L1Ratio, o.C, o.Epsilon, o.Rate, o.Tol}} {
		for _, f := range v {
			fmt.Fprintf(&b, "%x ", math.Float64bits(f))
		}
		b.WriteByte(';')
	}
	fmt.Fprint(&b, d.X.Rows, d.X.Cols, d.X.Stride, d.Labels, d.Names, o.Rank, o.MaxEpochs, o.MaxIter, o.Workers, o.Seed)
	return b.String()
}

// documented reports whether err is of a kind that the packages promise.
func documented(err error) bool {
	as := func(target any) bool { return errors.As(err, target) }
	return as(new(*linalg.ShapeError)) || as(new(*linalg.SizeError)) || as(new(*linalg.NonFiniteError)) || as(new(*linalg.ClassError)) ||
		as(new(*linalg.RankError)) || as(new(*inference.InformationError)) || as(new(*linalg.WeightError)) || as(new(*linalg.RangeError)) ||
		as(new(*sample.OptionError)) || as(new(*logistic.SeparationError)) || as(new(*hyperplane.InfeasibleError)) ||
		errors.Is(err, discriminant.ErrCentroids) || strings.Contains(err.Error(), "this method takes no")
}

// FuzzFit fits any method to a small arbitrary table with arbitrary options. There
// is a documented error, with its evidence, or a model whose certificate holds when
// recomputed, or one that says it did not converge and is finite. Inputs stay as
// they were, and nothing takes 10 s.
func FuzzFit(f *testing.F) {
	for i := range method.All() {
		seed := []byte{byte(i), 6, 2, 1, 0, 0}
		f.Add(append(seed, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 3, 1, 0, 1, 0, 1, 1, 0))
		f.Add(append([]byte{byte(i), 7, 3, 2, 9, 1}, 0, 12, 3, 4, 8, 250, 1, 2, 5, 3, 9, 11, 0, 1, 17, 2, 4, 6, 8, 1, 3, 0, 1, 2, 0, 1, 2, 1))
	}
	f.Add([]byte("9Y!7A00012100000A00001110100A0080100000000000000020000271"))  // rare classes, and rows far out
	f.Add([]byte("9Y!7A100000000000000000000000000000000000000000000000B0271")) // a value that is no number, and few rows
	f.Fuzz(func(t *testing.T, input []byte) {
		m, d, o := arbitrary(input)
		before := snapshot(d, o)
		start := time.Now()
		model, err := m.Fit(d, o)
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("%s took %v on %s", m.Name, took, describe(d, o))
		}
		if after := snapshot(d, o); after != before {
			t.Fatalf("%s wrote to its input:\n%s\n%s", m.Name, before, after)
		}
		judge(t, m, model, err, d, o)
	})
}

func describe(d *dataset.Data, o *method.Options) string {
	return fmt.Sprintf("%d × %d %v, labels %v, y %v, weights %v, offset %v, %+v", d.X.Rows, d.X.Cols, d.X.Data, d.Labels, d.Y, d.Weights, d.Offset, *o)
}

func judge(t *testing.T, m *method.Method, model *method.Model, err error, d *dataset.Data, o *method.Options) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s: %s\non %s", m.Name, fmt.Sprintf(format, args...), describe(d, o))
	}
	switch {
	case errors.Is(err, optimize.ErrNotConverged):
		if model == nil {
			fail("no model with %v", err)
		}
	case err != nil:
		if model != nil {
			fail("a model with %v", err)
		}
		if !documented(err) {
			fail("%T: %v", errors.Unwrap(err), err)
		}
		if why := evidence(t, err, d, o); why != "" {
			fail("%v: %s", err, why)
		}
		return
	}
	if coef, intercept, ok := model.Coef(); ok {
		for _, v := range append(slices.Clone(coef.Data), intercept...) {
			if v-v != 0 {
				fail("%v, with coefficients %v, intercepts %v", err, coef.Data, intercept)
			}
		}
	}
	var b bytes.Buffer
	if e := model.Save(&b); e != nil {
		fail("not saved: %v", e)
	}
	if _, e := method.Load(&b); e != nil {
		fail("saved, but not loaded: %v", e)
	}
	if err != nil {
		return
	}
	if c := report.Summarize(model, d.X.Rows, 0).Certificate; !(c.Value <= c.Tol) {
		fail("no error, but %s %v is above %v", c.Kind, c.Value, c.Tol)
	}
	for _, f := range recompute(t, model.Method, model.Fitted(), d, o) {
		if !f.holds() {
			fail("%v", f)
		}
	}
}

// evidence recomputes what an error claims and returns what is wrong with it.
func evidence(t *testing.T, err error, d *dataset.Data, o *method.Options) string {
	t.Helper()
	var separable *logistic.SeparationError
	if errors.As(err, &separable) {
		return separationHolds(separable, d, o)
	}
	var infeasible *hyperplane.InfeasibleError
	if errors.As(err, &infeasible) {
		x := d.X
		if o.Standardize {
			x = scaledRows(t, d, o.NoIntercept)
		}
		return combinations(infeasible, x, d.Labels)
	}
	return ""
}

// separationHolds multiplies the evidence out in integers.
func separationHolds(e *logistic.SeparationError, d *dataset.Data, o *method.Options) string {
	p := &separation.Problem{X: d.X, Code: slices.Clone(d.Labels), Classes: len(d.Names), ThroughZero: o.NoIntercept}
	for i, w := range d.Weights {
		if w == 0 {
			p.Code[i] = separation.Left
		}
	}
	if err := e.Verify(p); err != nil {
		return err.Error()
	}
	return ""
}

// FuzzLoad reads arbitrary bytes as a model, as they are and with their checksums
// put right: an error, or a model that predicts and survives being saved.
func FuzzLoad(f *testing.F) {
	for _, m := range method.All() {
		model, _ := methodtest.FitIris(f, m, methodtest.Options(m))
		var b bytes.Buffer
		if err := model.Save(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	for _, file := range modelFiles(f) {
		f.Add(file)
	}
	f.Add([]byte(`{"kind":"halfspace","version":1,"crc64":"","body":{}}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, b := range [][]byte{input, resealed(input)} {
			m, err := method.Load(bytes.NewReader(b))
			if err != nil {
				if m != nil {
					t.Fatalf("a model with %v", err)
				}
				continue
			}
			use(t, m)
		}
	})
}

// resealed puts the checksums of a model file right, inner records first, so that
// what a change does to the numbers is reached; nil if it is no JSON.
func resealed(b []byte) []byte {
	var file struct {
		Kind    string          `json:"kind"`
		Version int             `json:"version"`
		Body    json.RawMessage `json:"body"`
	}
	if json.Unmarshal(b, &file) != nil {
		return nil
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(file.Body, &body) == nil {
		for _, part := range []string{"model", "scale", "steps"} {
			if inner := resealed(body[part]); inner != nil {
				body[part] = inner
			}
		}
		if whole, err := json.Marshal(body); err == nil {
			file.Body = whole
		}
	}
	var list []json.RawMessage // the steps of a chain
	if json.Unmarshal(file.Body, &list) == nil {
		for i, part := range list {
			if inner := resealed(part); inner != nil {
				list[i] = inner
			}
		}
		if whole, err := json.Marshal(list); err == nil {
			file.Body = whole
		}
	}
	out, err := record.Marshal(file.Kind, file.Version, file.Body)
	if err != nil {
		return nil
	}
	return out
}

// use does with a model whatever can be done with it.
func use(t *testing.T, m *method.Model) {
	t.Helper()
	p := len(m.Schema.Features())
	if p > 1000 {
		return
	}
	row := make([]float64, p)
	x := linalg.Zeros(2, p)
	if r := m.Regressor(); r != nil {
		r.Predict(row)
		r.PredictRows(nil, x)
		r.Report()
	} else {
		c := m.Classifier()
		if s := c.Scores(nil, row); len(s) != len(c.Classes()) {
			t.Fatalf("%d scores for %d classes", len(s), len(c.Classes()))
		}
		if k := c.Predict(row); !slices.Contains(c.Classes(), k) {
			t.Fatalf("predicts %d of %v", k, c.Classes())
		}
		if pr, ok := c.(interface {
			Proba(dst, row []float64) []float64
		}); ok && m.HasProba() {
			if pr := pr.Proba(nil, row); len(pr) != len(c.Classes()) {
				t.Fatalf("%d probabilities", len(pr))
			}
		}
		c.PredictRows(nil, x)
	}
	m.Coef()
	report.Summarize(m, 1, 0).Write(new(bytes.Buffer), true)
	if _, err := codegen.Generate(m, "p"); err != nil {
		t.Logf("generate: %v", err)
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatalf("loaded, but not saved: %v", err)
	}
	if _, err := method.Load(&b); err != nil {
		t.Fatalf("loaded and saved, but not loaded again: %v", err)
	}
}
