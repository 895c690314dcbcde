package qp

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// Problems that differ in their signs share the products of the rows.
func TestProductsAreShared(t *testing.T) {
	p := svm(31, 20, 300, 0.5, 1)
	l := p.Q.(*Linear)
	flipped := make([]float64, 20)
	for i, s := range l.Sign {
		flipped[i] = -s
	}
	if other := l.With(flipped); other.Products() != l.Products() {
		t.Error("products computed twice")
	}
}

// The error of a storage ends a Solve, whichever product met it.
func TestSolveReportsTheStorage(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, p := range []*Problem{svm(6, 300, 4, 0.5, 1), svm(7, 40, 300, 0.5, 1)} {
		l := p.Q.(*Linear)
		x := l.X
		linalgtest.EachFailure(t, x, 300, func(rows linalg.Rows) error {
			own := *p
			own.Q = &Linear{X: rows, Sign: l.Sign, Workers: 1}
			_, err := Solve(&own, nil)
			return err
		})
	}
}

// The error of a storage ends the methods that are called by themselves.
func TestMethodsReportTheStorage(t *testing.T) {
	linalgtest.SkipSlow(t)
	p := svm(6, 40, 4, 0.5, 1)
	sign := p.Q.(*Linear).Sign
	for what, fit := range map[string]func(q *Linear) error{
		"SMO": func(q *Linear) error {
			own := *p
			own.Q = q
			_, err := SMO(&own, &Options{MaxIter: 1000})
			return err
		},
		"nearest points": func(q *Linear) error {
			_, err := NearestPoints(&Hulls{Points: q, Sign: sign}, nil)
			return err
		},
		"Kozinec": func(q *Linear) error {
			_, err := Kozinec(&Hulls{Points: q, Sign: sign}, nil)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			linalgtest.EachFailure(t, p.Q.(*Linear).X, 50, func(rows linalg.Rows) error {
				return fit(&Linear{X: rows, Sign: sign, Workers: 1})
			})
		})
	}
}

// wideTube is the dual of a regression within ε = 0.1 of n rows of p columns at a price c.
func wideTube(seed uint64, n, p int, c float64) *Problem {
	q := &Problem{Linear: make([]float64, 2*n), Sign: make([]float64, 2*n), Upper: slices.Repeat([]float64{c}, 2*n)}
	for i, y := range linalgtest.Normal(seed+1, n, 1).Data {
		q.Sign[i], q.Sign[n+i] = 1, -1
		q.Linear[i], q.Linear[n+i] = 0.1-y, 0.1+y
	}
	q.Q = &Linear{X: linalgtest.Normal(seed, n, p), Sign: q.Sign, Workers: 1}
	return q
}

// The interior point comes by the products of few rows to the minimum that it comes to by
// their columns, where rows are doubled, have no room, or are on far scales too.
func TestInteriorPointByProducts(t *testing.T) {
	doubled := svm(41, 60, 90, 0.2, 1)
	x := doubled.Q.(*Linear).X.(*linalg.Dense)
	for i := range 20 {
		copy(x.Row(i+20), x.Row(i))
	}
	fixed, scaled, plain := svm(42, 60, 90, 0.2, 10), svm(43, 60, 200, 0.2, 1), svm(44, 60, 90, 0.2, 1)
	for i := 0; i < 60; i += 3 {
		fixed.Upper[i] = 0
	}
	for i := range 60 {
		for j, row := 0, scaled.Q.(*Linear).X.(*linalg.Dense).Row(i); j < len(row); j++ {
			row[j] *= math.Pow(10, float64(j%9-4))
		}
	}
	plain.Sign = nil
	for what, p := range map[string]*Problem{"doubled rows": doubled, "rows without room": fixed, "scales": scaled,
		"no intercept": plain, "tube": wideTube(45, 50, 80, 1), "tube of a high price": wideTube(46, 50, 50, 1e3)} {
		r, by, err := solve(p, nil, thresholdsWith(func(t *thresholds) { t.briefWork = 0 }))
		check(t, p, r, err, 1e-8)
		if by != "interior point to a rough gap" {
			t.Errorf("%s: by %q", what, by)
		}
		thin, _, err := solve(p, nil, thresholdsWith(func(t *thresholds) { t.alwaysThin = 1000 }))
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, what, r.Objective, thin.Objective, 1e-8*max(1, math.Abs(thin.Objective)))
	}
}

// Where the polisher has too many free variables, the steps alone come to the tolerance.
func TestInteriorPointByProductsAlone(t *testing.T) {
	for _, p := range []*Problem{wideTube(47, 200, 200, 1), svm(48, 100, 150, 0.1, 1e4)} {
		c, err := newChain(p, &Options{Tol: 1e-9}, measured)
		if err != nil {
			t.Fatal(err)
		}
		st := *c.state
		l := p.Q.(*Linear)
		st.q, st.f, st.v = &rowProducts{l, l.Products()}, nil, nil
		w := newIPM(&st)
		w.enter()
		r := w.run(1e-9)
		if r.err != nil || !(r.res.Gap <= 1e-9*math.Abs(r.res.Bound)) {
			t.Errorf("gap %g of %g, %v", r.res.Gap, r.res.Bound, r.err)
		}
	}
}
