package design_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
)

// exactScore returns the score of the one row of x about an origin, in twice the
// working precision.
func exactScore(t *testing.T, x, origin, beta []float64, level float64, offset []float64) float64 {
	t.Helper()
	d, err := design.New(&linalg.Dense{Rows: 1, Cols: len(x), Stride: len(x), Data: x}, 1, "rows", design.Settings{Offset: offset})
	if err != nil {
		t.Fatal(err)
	}
	d.MoveOrigin(origin)
	f := linalg.Zeros(1, 1)
	e := d.Exactly(&linalg.Dense{Rows: 1, Cols: len(beta), Stride: len(beta), Data: beta}, []float64{level})
	err = d.EachBlock(func(b *design.Block) { b.ExactScores(f, e) })
	if err != nil {
		t.Fatal(err)
	}
	return f.Data[0]
}

// Scores whose terms cancel keep all their digits, and those that overflow stay
// infinite.
func TestExactScore(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	for range 200 {
		x, beta, origin := make([]float64, 6), make([]float64, 6), make([]float64, 6)
		base := []float64{r.NormFloat64() * 1e8, r.NormFloat64()}
		want := new(big.Float).SetPrec(400)
		for _, b := range base {
			want.Add(want, big.NewFloat(b))
		}
		for j := range beta {
			x[j], beta[j], origin[j] = r.NormFloat64()*1e4, r.NormFloat64()*1e4, r.NormFloat64()*1e-3
			if j > 2 { // the terms before cancel
				x[j], beta[j], origin[j] = x[j-3]*(1+0x1p-50), -beta[j-3], 0
			}
			v := new(big.Float).SetPrec(400).Sub(big.NewFloat(x[j]), big.NewFloat(origin[j]))
			want.Add(want, v.Mul(v, big.NewFloat(beta[j])))
		}
		exact, _ := want.Float64()
		if got := exactScore(t, x, origin, beta, base[0], base[1:]); !(math.Abs(got-exact) <= 0x1p-52*math.Abs(exact)+1e-20*1e8) {
			t.Errorf("%v, want %v: off by %g", got, exact, got-exact)
		}
	}
	if got := exactScore(t, []float64{1e300, 1}, make([]float64, 2), []float64{-1e300, 5}, 1, nil); !math.IsInf(got, -1) {
		t.Errorf("a score of −10⁶⁰⁰ is %v", got)
	}
}

// Σ r(x − c) keeps the digits of what cancels, and rows whose r is 0 take no part.
func TestExactBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, w, origin := linalg.Zeros(9, 3), make([]float64, 9), []float64{1e3, -7, 0.1}
	for i := range w {
		w[i] = r.NormFloat64()
		for j := range origin {
			x.Set(i, j, 1e8*r.NormFloat64())
		}
	}
	w[4] = 0
	copy(x.Row(8), x.Row(0))
	w[8] = -w[0] * (1 - 0x1p-50) // rows that cancel
	d, err := design.New(x, 9, "rows", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	d.MoveOrigin(origin)
	got := make([]float64, 3)
	if err := d.ExactBack(got, w); err != nil {
		t.Fatal(err)
	}
	for j, c := range origin {
		want := new(big.Float).SetPrec(400)
		for i, a := range w {
			v := new(big.Float).SetPrec(400).Sub(big.NewFloat(x.At(i, j)), big.NewFloat(c))
			want.Add(want, v.Mul(v, big.NewFloat(a)))
		}
		if v, _ := want.Float64(); !(math.Abs(got[j]-v) <= 0x1p-51*math.Abs(v)) {
			t.Errorf("column %d: %v, want %v", j, got[j], v)
		}
	}
}
