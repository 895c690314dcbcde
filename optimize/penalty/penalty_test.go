package penalty

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

const p = 6

var factors = []float64{0, 1, 2, 1, 0.5, 3}

var all = map[string]Penalty{
	"ridge":         Ridge(0.7),
	"lasso":         Lasso(0.7),
	"elastic net":   ElasticNet{0.7, 0.4, nil},
	"factors":       ElasticNet{0.7, 0.4, factors},
	"none":          ElasticNet{},
	"group":         &GroupLasso{0.7, [][]int{{0, 3}, {1, 2, 5}}, nil},
	"group weights": &GroupLasso{0.7, [][]int{{0, 3}, {1, 2, 5}, {4}}, []float64{1, 0, 2}},
}

// points returns coefficients with none, some and all of them zero.
func points() [][]float64 {
	x := linalgtest.Normal(7, 4, p)
	copy(x.Row(1)[2:], []float64{0, 0, 0, 0})
	x.Set(2, 0, 0)
	x.Set(2, 3, 0)
	clear(x.Row(3))
	var rows [][]float64
	for i := range x.Rows {
		rows = append(rows, x.Row(i))
	}
	return rows
}

// TestResidual checks that the residual r is the shortest vector of g + ∂P(b):
// then −r is the direction of steepest descent, and the one-sided derivative of
// g·b + P(b) along it is −‖r‖².
func TestResidual(t *testing.T) {
	const h = 1e-7
	g := linalgtest.Normal(8, 1, p).Row(0)
	for name, pen := range all {
		for _, b := range points() {
			r, moved := make([]float64, p), make([]float64, p)
			pen.Residual(r, g, b)
			for j := range b {
				moved[j] = b[j] - h*r[j]
			}
			fall := (linalg.Dot(g, moved) + pen.Value(moved) - linalg.Dot(g, b) - pen.Value(b)) / h
			linalgtest.Close(t, name+" steepest descent", fall, -linalg.Dot(r, r), 1e-5)
		}
	}
}

// TestLambdaMax checks that zero is optimal just above λmax and not just below.
func TestLambdaMax(t *testing.T) {
	g := linalgtest.Normal(9, 1, p).Row(0)
	groups := [][]int{{0, 3}, {1, 2, 5}}
	for name, at := range map[string]func(lambda float64) Penalty{
		"lasso":       func(l float64) Penalty { return Lasso(l) },
		"elastic net": func(l float64) Penalty { return ElasticNet{l, 0.4, nil} },
		"factors":     func(l float64) Penalty { return ElasticNet{l, 0.4, factors} },
		"group":       func(l float64) Penalty { return &GroupLasso{l, groups, nil} },
	} {
		zero, r := make([]float64, p), make([]float64, p)
		free := append([]float64(nil), g...)
		if name == "factors" { // the unpenalised coefficient is at its optimum
			free[0] = 0
		}
		if name == "group" {
			free[4] = 0
		}
		lmax := at(1).LambdaMax(g)
		at(lmax*(1+1e-12)).Residual(r, free, zero)
		if m := linalg.NormInf(r); m != 0 {
			t.Errorf("%s: residual %v above λmax = %v", name, m, lmax)
		}
		at(lmax*0.999).Residual(r, free, zero)
		if linalg.NormInf(r) == 0 {
			t.Errorf("%s: no residual below λmax = %v", name, lmax)
		}
	}
	if got := (&GroupLasso{1, groups, []float64{0, 2}}).LambdaMax([]float64{9, 3, 0, 9, 0, 4}); got != 2.5 {
		t.Errorf("a group of weight 0: λmax %v, want 2.5", got)
	}
	if got, want := Ridge(1).LambdaMax([]float64{-2, 1}), 2000.0; got != want {
		t.Errorf("ridge: λmax %v, want %v", got, want)
	}
}

// TestValue holds the values against numbers worked out by hand.
func TestValue(t *testing.T) {
	b := []float64{3, -4}
	linalgtest.Close(t, "ridge", Ridge(2).Value(b), 25, 0)
	linalgtest.Close(t, "lasso", Lasso(2).Value(b), 14, 0)
	linalgtest.Close(t, "elastic net", ElasticNet{2, 0.5, nil}.Value(b), 7+12.5, 0)
	linalgtest.Close(t, "factors", ElasticNet{2, 1, []float64{0, 0.5}}.Value(b), 4, 0)
	linalgtest.Close(t, "group", (&GroupLasso{2, [][]int{{0, 1}}, []float64{3}}).Value(b), 30, 1e-15)
	linalgtest.Close(t, "group √2", (&GroupLasso{2, [][]int{{0, 1}}, nil}).Value(b), 10*math.Sqrt2, 1e-15)
}

func TestCheck(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		err  error
		ok   bool
	}{
		{"good", ElasticNet{1, 0.5, []float64{0, 1}}.Check(2), true},
		{"no penalty", Ridge(0).Check(2), true},
		{"ratio 1", Lasso(1).Check(2), true},
		{"negative lambda", Ridge(-1).Check(2), false},
		{"NaN lambda", Ridge(nan).Check(2), false},
		{"infinite lambda", Ridge(math.Inf(1)).Check(2), false},
		{"ratio above 1", ElasticNet{1, 1.5, nil}.Check(2), false},
		{"negative ratio", ElasticNet{1, -0.5, nil}.Check(2), false},
		{"NaN ratio", ElasticNet{1, nan, nil}.Check(2), false},
		{"infinite factor", ElasticNet{1, 1, []float64{1, math.Inf(1)}}.Check(2), false},
		{"two factors of three", ElasticNet{1, 1, []float64{1, 1}}.Check(3), false},
		{"no factors", ElasticNet{1, 1, []float64{}}.Check(2), false},
		{"factors of two functions", ElasticNet{1, 1, []float64{0, 1}}.Check(4), true},
		{"negative factor", ElasticNet{1, 1, []float64{1, -1}}.Check(2), false},
		{"good groups", (&GroupLasso{1, [][]int{{0}, {1}}, nil}).Check(2), true},
		{"no group penalty", (&GroupLasso{0, [][]int{{0, 1}}, []float64{0}}).Check(2), true},
		{"group below range", (&GroupLasso{1, [][]int{{-1}}, nil}).Check(2), false},
		{"infinite group lambda", (&GroupLasso{math.Inf(1), nil, nil}).Check(2), false},
		{"group out of range", (&GroupLasso{1, [][]int{{2}}, nil}).Check(2), false},
		{"overlapping groups", (&GroupLasso{1, [][]int{{0, 1}, {1}}, nil}).Check(2), false},
		{"empty group", (&GroupLasso{1, [][]int{{}}, nil}).Check(2), false},
		{"too few weights", (&GroupLasso{1, [][]int{{0}, {1}}, []float64{1}}).Check(2), false},
		{"NaN weight", (&GroupLasso{1, [][]int{{0}}, []float64{nan}}).Check(2), false},
		{"group lambda", (&GroupLasso{-1, nil, nil}).Check(2), false},
	} {
		if (c.err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
}

// Factors of fewer coefficients are those of one function after the other.
func TestFactorsRepeat(t *testing.T) {
	few := ElasticNet{2, 0.5, []float64{0, 1, 3}}
	all := few
	all.Factors = []float64{0, 1, 3, 0, 1, 3}
	b, g := []float64{1, -2, 3, -4, 0, 6}, []float64{9, 8, 7, 6, 5, 4}
	got, want := make([]float64, 6), make([]float64, 6)
	few.Residual(got, g, b)
	all.Residual(want, g, b)
	if !slices.Equal(got, want) || few.Value(b) != all.Value(b) || few.LambdaMax(g) != all.LambdaMax(g) {
		t.Errorf("residuals %v, want %v; values %g %g; λmax %g %g", got, want, few.Value(b), all.Value(b), few.LambdaMax(g), all.LambdaMax(g))
	}
}

// At λmax itself the residuals are 0 to the last bit, although λmax is a rounded
// quotient and the weights are rounded products; next below it they are not.
func TestLambdaMaxIsExact(t *testing.T) {
	x := linalgtest.Normal(11, 500, 2*p)
	for i := range x.Rows {
		g, f, zero, r := x.Row(i)[:p], x.Row(i)[p:], make([]float64, p), make([]float64, p)
		for j, v := range f {
			f[j] = math.Abs(v)
		}
		for _, pen := range []Penalty{
			ElasticNet{1, f[0] / (1 + f[0]), f},
			&GroupLasso{1, [][]int{{0, 1, 2}, {3, 4, 5}}, f[:2]},
		} {
			lambda := pen.LambdaMax(g)
			residual := func(lambda float64) float64 {
				switch e := pen.(type) {
				case ElasticNet:
					e.Lambda = lambda
					e.Residual(r, g, zero)
				case *GroupLasso:
					e.Lambda = lambda
					e.Residual(r, g, zero)
				}
				return linalg.NormInf(r)
			}
			if at, below := residual(lambda), residual(lambda*(1-0x1p-40)); at != 0 || below == 0 {
				t.Errorf("%T, gradient %v: residual %v, next below %v", pen, g, at, below)
			}
		}
	}
	for _, f := range []float64{1e-310, 1e300} {
		if l := (ElasticNet{1, 0.3, []float64{f}}).LambdaMax([]float64{1e-300}); l != l {
			t.Errorf("factor %v: %v", f, l)
		}
	}
}

// The length of a group is right where its squares are not.
func TestNormOfAnySize(t *testing.T) {
	for _, size := range []float64{0x1p-1060, 0x1p-540, 1, 0x1p460, 0x1p520} {
		if n := Norm([]float64{3 * size, 7, 4 * size}, []int{0, 2}); n != 5*size {
			t.Errorf("the length of (3, 4)·%v is %v", size, n)
		}
	}
	if n := Norm([]float64{math.NaN(), 1}, []int{0, 1}); n == n {
		t.Errorf("that of a NaN is %v", n)
	}
}
