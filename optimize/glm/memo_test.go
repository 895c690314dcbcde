package glm_test

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// counted returns an objective of a setting on rows that count how often they are read.
func counted(t *testing.T, s setting) (o *glm.Objective, read func() float64) {
	t.Helper()
	x, y := linalgtest.Normal(21, fewRows, fewColumns), make([]float64, fewRows)
	for i := range y {
		y[i] = s.response(i)
	}
	var rows atomic.Int64
	storage := linalgtest.Watched{Rows: x, Watch: func(b *linalg.Block) error {
		rows.Add(int64(b.Len()))
		return nil
	}}
	d, err := design.New(storage, len(y), "responses", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return s.loss(d, y, []float64{0, 1, 2, 3}), func() float64 { return float64(rows.Swap(0)) / fewRows }
}

// Every call makes one pass over the rows at a new point, and none at the last one.
func TestMemo(t *testing.T) {
	for _, s := range settings {
		for _, c := range []struct {
			first, then string
			passes      float64
		}{
			{"Value", "Value", 0}, {"Value", "Grad", 1}, {"Value", "Hess", 1},
			{"Grad", "Value", 0}, {"Grad", "Grad", 0}, {"Grad", "Hess", 1}, {"Grad", "Certificate", 0},
			{"Hess", "Value", 0}, {"Hess", "Grad", 0}, {"Hess", "Hess", 0}, {"Hess", "Certificate", 0},
			{"Certificate", "Grad", 0}, {"GradSampled", "Grad", 0}, {"GradSampled", "Value", 0}, {"GradSampled", "Hess", 1},
		} {
			if c.first == "GradSampled" && s.scores > 1 {
				continue
			}
			o, read := counted(t, s)
			theta, other := point(o), point(o)
			other[0]++
			n := len(theta)
			g, h := make([]float64, n), linalg.Zeros(n, n)
			calls := map[string]func(at []float64){
				"Value": func(at []float64) { o.Value(at) },
				"Grad":  func(at []float64) { o.Grad(g, at) },
				"Hess":  func(at []float64) { o.Hess(h, g, at) },
				"Certificate": func(at []float64) {
					if c := o.Certificate(at); !(c > 0) {
						t.Errorf("%s: certificate %v", s.name, c)
					}
				},
				"GradSampled": func(at []float64) { o.GradSampled(h, g, at, 2) },
			}
			calls["Grad"](other) // the first pass makes the sizes of columns as well
			if c.first == "Hess" {
				calls["Hess"](other)
			}
			read()
			calls[c.first](theta)
			if made := read(); made != 1 {
				t.Errorf("%s: %s at a new point makes %v passes", s.name, c.first, made)
			}
			calls[c.then](theta)
			if made := read(); made != c.passes {
				t.Errorf("%s: %s after %s makes %v passes, want %v", s.name, c.then, c.first, made, c.passes)
			}
			if _, err := o.Sizes(); err != nil || read() != 0 {
				t.Errorf("%s: sizes cost a pass, %v", s.name, err)
			}
		}
	}
}

// A product with the Hessian costs one pass at the last point, and another one at a new
// point.
func TestMemoOfProducts(t *testing.T) {
	o, read := counted(t, setting{loss: single(poisson{}), response: func(i int) float64 { return float64(i % 3) }})
	theta := point(o)
	u, dst := slices.Clone(theta), make([]float64, len(theta))
	read()
	for _, want := range []float64{2, 1, 1} {
		if o.HessVec(dst, theta, u); read() != want {
			t.Errorf("want %v passes", want)
		}
		u[1]++
	}
}

// Where gradients keep the curvature of the rows, a product with the Hessian at their point costs one pass,
// and elements of it none for the curvature. Derivatives of the rows, asked for afterwards, are those.
func TestKeptCurvature(t *testing.T) {
	for _, s := range settings {
		if s.scores == 1 {
			continue
		}
		o, read := counted(t, s)
		if !ofScores(s, o) || !hasProducts(s, o) {
			continue
		}
		o.KeepCurvature()
		theta := point(o)
		g, dst, want := make([]float64, len(theta)), make([]float64, len(theta)), make([]float64, len(theta))
		o.Own().HessVec(want, theta, theta)
		o.Grad(g, theta)
		read()
		if o.HessVec(dst, theta, theta); read() != 1 || !slices.Equal(dst, want) {
			t.Errorf("%s: %v after a gradient, %v", s.name, dst, want)
		}
		if o.SubHess(linalg.Zeros(1, 1), theta, []int{1}, nil); read() != 1 {
			t.Errorf("%s: more than a pass", s.name)
		}
		fresh, _ := counted(t, s)
		r, v := o.RowsAt(theta)
		if own, curved := fresh.RowsAt(theta); !slices.Equal(r, own) || !slices.Equal(v, curved) {
			t.Errorf("%s: other derivatives of the rows", s.name)
		}
		theta[0]++
		o.Grad(g, theta)
		r, _ = o.RowsAt(theta)
		if own, _ := fresh.RowsAt(theta); !slices.Equal(r, own) {
			t.Errorf("%s: derivatives of the rows at another point", s.name)
		}
	}
}

// A value does not depend on the calls before it: not to the last bit.
func TestOrderOfCalls(t *testing.T) {
	for _, s := range settings {
		o, _ := counted(t, s)
		theta, other := point(o), point(o)
		other[1] -= 0.5
		n := len(theta)
		fresh := func() *glm.Objective { f, _ := counted(t, s); return f }
		calls := map[string]func(o *glm.Objective, at []float64) []float64{
			"Value": func(o *glm.Objective, at []float64) []float64 { return []float64{o.Value(at)} },
			"Grad": func(o *glm.Objective, at []float64) []float64 {
				g := make([]float64, n)
				return append(g, o.Grad(g, at))
			},
			"Hess": func(o *glm.Objective, at []float64) []float64 {
				g, h := make([]float64, n), linalg.Zeros(n, n)
				return append(append(h.Data, o.Hess(h, g, at)), g...)
			},
			"Certificate": func(o *glm.Objective, at []float64) []float64 { return []float64{o.Certificate(at)} },
		}
		if s.scores == 1 {
			calls["GradSampled"] = func(o *glm.Objective, at []float64) []float64 {
				g, h := make([]float64, n), linalg.Zeros(n, n)
				return append(append(h.Data, o.GradSampled(h, g, at, 2)), g...)
			}
			calls["HessVec"] = func(o *glm.Objective, at []float64) []float64 {
				dst := make([]float64, n)
				o.HessVec(dst, at, other)
				return dst
			}
		}
		if o.Functions() == s.scores {
			calls["SubHess"] = func(o *glm.Objective, at []float64) []float64 {
				h := linalg.Zeros(2, 2)
				o.SubHess(h, at, []int{0, n - 1}, nil)
				return h.Data
			}
		}
		for name, call := range calls {
			want := call(fresh(), theta)
			for before, first := range calls {
				for _, at := range [][]float64{theta, other} {
					o := fresh()
					first(o, at)
					if got := call(o, theta); !slices.Equal(got, want) {
						t.Errorf("%s: %s after %s at %v is %v, want %v", s.name, name, before, at, got, want)
					}
				}
			}
		}
	}
}

// The bits of an objective and its derivatives do not depend on the workers, nor do they
// change with a memory of its own.
func TestObjectiveWorkers(t *testing.T) {
	x, labels := linalgtest.LabeledRows(5000, 7, 3)
	y := make([]float64, len(labels))
	for i, c := range labels {
		y[i] = float64(c)
	}
	for _, contrast := range []*linalg.Dense{nil, glm.Contrasts(3)} {
		var want []float64
		for _, workers := range []int{1, 2, 3, 16} {
			d, err := design.New(x, len(y), "labels", design.Settings{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			o := glm.NewMulti(d, y, loss.Softmax{K: 3}, contrast, nil)
			theta := point(o)
			n := len(theta)
			g, h := make([]float64, n), linalg.Zeros(n, n)
			got := append(append(h.Data, o.Own().Hess(h, g, theta)), g...)
			if got = append(got, o.Certificate(theta)); want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d workers come to other bits", workers)
			}
		}
	}
}

// Rows stand for as many others: where blocks are of equal rows the sum is nearly that
// of all.
func TestSampled(t *testing.T) {
	x, _ := linalgtest.LabeledRows(5*linalg.BlockRows, 5, 2)
	y := make([]float64, x.Rows)
	for i := range y {
		y[i] = -1
		copy(x.Row(i), x.Row(i/linalg.BlockRows*linalg.BlockRows))
	}
	d, err := design.New(x, len(y), "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := glm.New(d, y, loss.Logistic{}, nil)
	at := []float64{0.1, 0.2, -0.3, 0.4, 0.5, -0.6}
	all, part, g, gs := linalg.Zeros(6, 6), linalg.Zeros(6, 6), make([]float64, 6), make([]float64, 6)
	value := o.Hess(all, g, at)
	if v := o.Own().GradSampled(part, gs, at, 3); v != value || !slices.Equal(g, gs) {
		t.Errorf("%v and %v, want %v and %v of all rows", v, gs, value, g)
	}
	for i, v := range all.Data {
		linalgtest.Close(t, "Hessian", part.Data[i]/all.At(0, 0), v/all.At(0, 0), 0.01)
	}
}

// Scores far above that of a row's class, beyond the range of exp.
func TestFarScores(t *testing.T) {
	x, labels := linalgtest.LabeledRows(300, 2, 3)
	y := make([]float64, len(labels))
	for i, c := range labels {
		y[i] = float64(c)
	}
	d, err := design.New(x, len(y), "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := glm.NewMulti(d, y, loss.Softmax{K: 3}, glm.Contrasts(3), nil)
	theta := make([]float64, o.Parameters())
	for j := range theta {
		theta[j] = 1e3 * math.Sin(float64(j+1))
	}
	g := make([]float64, len(theta))
	got, want, dim := o.Grad(g, theta), 0.0, d.Dim()
	functions, full := o.FunctionsOf(theta), make([]float64, 3*dim)
	for i, c := range labels {
		row, f := make([]float64, dim), make([]float64, 3)
		if err := d.Row(row, i); err != nil {
			t.Fatal(err)
		}
		for k := range f {
			f[k] = linalg.Dot(functions[k], row)
		}
		want += linalg.LogSumExp(f) - f[c]
		linalg.Softmax(f)
		f[c]--
		for k, v := range f {
			linalg.Axpy(full[k*dim:(k+1)*dim], v, row)
		}
	}
	linalgtest.Close(t, "objective", got, want, 1e-12)
	linalgtest.CloseSlice(t, "gradient", g, o.ThetaOf(full), 1e-9)
	if !(want > 1e5) {
		t.Errorf("objective %g: the scores are not far", want)
	}
}

// Parameters tell functions apart, wherever all of them stand: back from the parameters come the
// same differences.
func TestParametersOfFunctions(t *testing.T) {
	x := linalgtest.Normal(3, 9, 2)
	d, err := design.New(x, 9, "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	given := linalgtest.Normal(4, 3, d.Dim())
	for name, contrast := range map[string]*linalg.Dense{"functions": nil, "first": glm.Against(3, 0), "last": glm.Against(3, 2)} {
		o := glm.NewMulti(d, make([]float64, 9), loss.Softmax{K: 3}, contrast, nil)
		got := o.FunctionsOf(o.ThetaOf(given.Data))
		for c := range got {
			for j := range got[c] {
				linalgtest.Close(t, name, got[c][j]-got[0][j], given.At(c, j)-given.At(0, j), 1e-12)
			}
		}
	}
}

// A bound that makes no Hessian is remembered at its point.
func TestABoundByFewRowsReadsThemOnce(t *testing.T) {
	const n, p = 1500, 40
	x, y, read := linalgtest.Normal(3, n, p), make([]float64, n), 0
	for i := range y {
		y[i] = float64(i % 2)
	}
	storage := linalgtest.Watched{Rows: x, Watch: func(b *linalg.Block) error {
		read += b.Len()
		return nil
	}}
	d, err := design.New(storage, n, "labels", design.Settings{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	ridge := slices.Repeat([]float64{1}, p+1)
	ridge[0] = 0
	o, theta := glm.New(d, y, loss.Logistic{}, ridge), make([]float64, p+1)
	first, err := o.Bound(theta, 1e-9)
	if err != nil || read == 0 {
		t.Fatal(err, read)
	}
	read = 0
	if again, err := o.Bound(theta, 1e-9); err != nil || read > 0 || again != first {
		t.Errorf("%v, %v in %d rows, want %v in none", again, err, read, first)
	}
}

// L-BFGS goes on to where the ridge alone is a proof where that is near: bounds by products, and L-BFGS anew
// after one of them that proves nothing, would cost as many passes again.
func TestWeakRidgesTakeFewPassesForTheProof(t *testing.T) {
	const n, p, lambda = 300, 250, 1e-4
	for seed := range uint64(2) {
		x, y := linalgtest.Normal(22+seed, n, p), make([]float64, n)
		for i := range y {
			y[i] = math.Copysign(1, x.At(i, 0)+x.At(i, 1)+x.At(i, 2)/2)
		}
		read := 0
		storage := linalgtest.Watched{Rows: x, Watch: func(b *linalg.Block) error {
			read += b.Len()
			return nil
		}}
		d, err := design.New(storage, n, "responses", design.Settings{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		o := glm.New(d, y, loss.Logistic{}, append([]float64{0}, slices.Repeat([]float64{lambda}, p)...))
		read = 0
		if _, r, err := o.Minimize(glm.Problem{}); err != nil || read/n > r.Iterations()+20 {
			t.Errorf("%d passes for %d iterations, %v", read/n, r.Iterations(), err)
		}
	}
}
