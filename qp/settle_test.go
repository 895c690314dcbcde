package qp

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// One row among many on a grid, at prices that let no plane separate it: the variables inside their bounds have a D of
// 1e16 and more, whose rounding would leave the equality and Aᵀα open however small the gap becomes.
func TestStepsSettleWhatALargeDEnlarges(t *testing.T) {
	linalgtest.SkipSlow(t)
	lost := 0 // all of them, before steps were settled; rounding, which builds do differently, may still leave a few
	for seed := range uint64(8) {
		const n, p = 10_000, 7
		r := rand.New(rand.NewPCG(seed, 4))
		x, q := linalg.Zeros(n, p), &Problem{Linear: slices.Repeat([]float64{-1}, n), Sign: slices.Repeat([]float64{-1}, n), Upper: make([]float64, n)}
		for i := range n {
			row := x.Row(i)
			for j := range row {
				if row[j] = float64(i / int(math.Pow(10, float64(j))) % 10); j >= 4 {
					row[j] = math.Pow(float64(i+1)/n, float64(j-3))
				}
			}
			q.Upper[i] = 7000 * float64(1+r.IntN(1000))
		}
		q.Sign[n/3+r.IntN(n/3)] = 1
		q.Q = &Linear{X: x, Sign: q.Sign}
		st, err := prepare(q, &Options{Tol: 5e-8})
		if err != nil {
			t.Fatal(err)
		}
		w := newIPM(st)
		w.enter()
		if r := w.run(1e-5).res; w.lost || !(r.Gap <= 1e-5*math.Abs(r.Bound)) || r.Report.Iterations() > 50 {
			t.Logf("seed %d: %v, a gap of %g", seed, r.Report, r.Gap)
			lost++
		}
	}
	if lost > 2 {
		t.Errorf("%d of 8 runs were lost", lost)
	}
}

// A result whose certificate holds has no error where a later stage, asked for a smaller gap, fails.
func TestKeptResultHasTheErrorOfItsReport(t *testing.T) {
	certificate := optimize.Certificate{Kind: optimize.KindGap, Value: 1e-9, Tol: 1e-8}
	for value, failed := range map[float64]bool{1e-9: false, 1e-7: true} {
		certificate.Value = value
		c := &chain{best: outcome{res: &Result{Gap: value, Report: optimize.Report{}.Certify(1, certificate)}}}
		c.keep(outcome{res: &Result{Gap: 1}, err: optimize.ErrNotConverged})
		if c.best.res.Gap != value || errors.Is(c.best.err, optimize.ErrNotConverged) != failed || !failed && c.best.err != nil {
			t.Errorf("gap %g: kept %g with the error %v", value, c.best.res.Gap, c.best.err)
		}
	}
}
