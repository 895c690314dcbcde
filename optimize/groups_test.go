package optimize

import (
	"errors"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/penalty"
)

// TestGroupNewton agrees with coordinate descent on a lasso, of groups of one, and meets the group lasso's conditions,
// with groups in and out.
func TestGroupNewton(t *testing.T) {
	f := leastSquares(6, 100, 20, 0.3)
	q := f.gram()
	zero, alone := make([]float64, 20), make([][]int, 20)
	for j := range alone {
		alone[j] = []int{j}
	}
	lasso := penalty.Lasso(0.1 * penalty.Lasso(1).LambdaMax(q.B))
	want, _, err := CoordinateDescent(q, zero, lasso, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := GroupNewton(f, zero, &penalty.GroupLasso{Lambda: lasso.Lambda, Groups: alone}, &Control{Tol: 1e-7})
	if err != nil {
		t.Error(err)
	}
	linalgtest.CloseSlice(t, "against coordinate descent", x, want, 1e-8)
	groups := [][]int{{0, 1, 2}, {3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12, 13, 14}, {15, 16, 17, 18}, {19}}
	weights := []float64{1.5, 1, 2, 2.5, 2, 0} // the last has no penalty
	gmax := (&penalty.GroupLasso{Groups: groups, Lambda: 1, Weights: weights}).LambdaMax(q.B)
	out := 0
	for _, share := range []float64{0.9, 0.3, 0.1, 0.01} {
		pen := &penalty.GroupLasso{Lambda: share * gmax, Groups: groups, Weights: weights}
		if err := pen.Check(20); err != nil {
			t.Fatal(err)
		}
		x, rep, err := GroupNewton(f, zero, pen, &Control{Tol: 1e-7})
		if err != nil {
			t.Errorf("group lasso at %v: %v", share, err)
		}
		if r := kkt(q, pen, x); r > 1.1e-7 {
			t.Errorf("group lasso at %v: residual %v, reported %v", share, r, rep.Certificate().Value)
		}
		for _, g := range groups {
			for _, j := range g {
				if (x[j] == 0) != (x[g[0]] == 0) {
					t.Errorf("group lasso at %v: group %v is split: %v", share, g, x)
				}
			}
			if x[g[0]] == 0 {
				out++
			}
		}
	}
	if out == 0 {
		t.Error("no group was ever zero")
	}
}

// one is a penalty of one group.
func one(p int) *penalty.GroupLasso {
	group := make([]int, p)
	for j := range group {
		group[j] = j
	}
	return &penalty.GroupLasso{Lambda: 1e-3, Groups: [][]int{group}}
}

func TestGroupNewtonEnds(t *testing.T) {
	f, zero, stop := leastSquares(6, 50, 10, 0), make([]float64, 10), errors.New("enough")
	for _, c := range []struct {
		c    *Control
		want Status
	}{
		{&Control{MaxIter: 1}, MaxIterations},
		{&Control{Trace: func(Step) error { return stop }}, Stopped},
		{&Control{Tol: 1e-300}, LineSearch},
	} {
		x, rep, err := GroupNewton(f, zero, one(10), c.c)
		if rep.Status() != c.want || len(x) != 10 || !errors.Is(err, ErrNotConverged) {
			t.Errorf("%v: %v, %+v, %v", c.want, x, rep, err)
		}
	}
	f.Y[0] = math.NaN()
	if x, rep, err := GroupNewton(f, zero, one(10), nil); rep.Status() != NotFinite || !finite(linalg.NormInf(x)) || err == nil {
		t.Errorf("NaN: %v, %+v, %v", x, rep, err)
	}
	slope := &problem{hess: func(_ *linalg.Dense, g, x []float64) float64 {
		g[0] = math.NaN()
		return 0
	}}
	if _, rep, err := GroupNewton(&pass{problem: slope, last: math.MaxInt}, []float64{0}, one(1), nil); rep.Status() != NotFinite || err == nil {
		t.Errorf("NaN in the gradient alone: %+v, %v", rep, err)
	}
	for _, pen := range []*penalty.GroupLasso{{Lambda: -1}, {Lambda: 1, Groups: [][]int{{0, 10}}}} {
		if x, _, err := GroupNewton(f, zero, pen, nil); x != nil || err == nil || errors.Is(err, ErrNotConverged) {
			t.Errorf("%+v: %v, %v", pen, x, err)
		}
	}
}

// A step is not shortened for a function that has failed, nor once all work is spent.
func TestGroupNewtonTriesNoFurther(t *testing.T) {
	bowl := &problem{start: []float64{0}, hess: func(_ *linalg.Dense, g, x []float64) float64 {
		g[0] = x[0] - 1
		return g[0] * g[0] / 2
	}}
	f := &pass{problem: bowl, last: 2}
	if _, _, err := GroupNewton(f, bowl.start, one(1), nil); f.calls != 2 || !errors.Is(err, errCutOff) {
		t.Errorf("%d calls of a function whose second fails: %v", f.calls, err)
	}
	calls, w := 0, &Work{Most: 3}
	cliff := &problem{hess: func(_ *linalg.Dense, g, x []float64) float64 {
		calls++
		w.Spend(1, 1, 1)
		g[0] = 1
		if x[0] != 0 {
			return 1
		}
		return 0
	}}
	if _, r, err := GroupNewton(&pass{problem: cliff, last: math.MaxInt}, bowl.start, one(1), &Control{Work: w}); calls != 2 || !errors.Is(err, errSpent) {
		t.Errorf("%d calls, each a third of all work, as are the sweeps between: %v, %v", calls, r, err)
	}
}

// products is a least squares whose Hessian is multiplied with, and how often it is made all the same.
type products struct {
	*LeastSquares
	most, hessians int
	widest         int
}

func (f *products) Products(x []float64, set []int) (func(dst, d []float64), []float64, int) {
	if f.most == 0 {
		return nil, nil, 0
	}
	h, diagonal := linalg.Zeros(len(set), len(set)), make([]float64, len(set))
	f.LeastSquares.SubHess(h, x, set, nil)
	for i := range set {
		diagonal[i] = h.At(i, i)
	}
	return func(dst, d []float64) { linalg.MulVec(dst, h, d, 1) }, diagonal, f.most
}

func (f *products) SubHess(h *linalg.Dense, x []float64, rows, cols []int) {
	f.hessians++
	f.widest = max(f.widest, len(rows))
	f.LeastSquares.SubHess(h, x, rows, cols)
}

// By products GroupNewton comes to the minimum that it finds by Hessians, which it makes where products become dear.
func TestGroupNewtonByProducts(t *testing.T) {
	f := leastSquares(6, 100, 60, 0.6)
	var groups [][]int
	for j := 0; j < 60; j += 3 {
		groups = append(groups, []int{j, j + 1, j + 2})
	}
	weights := make([]float64, len(groups))
	for k := range weights[1:] {
		weights[k] = 1
	}
	largest := (&penalty.GroupLasso{Groups: groups, Lambda: 1, Weights: weights}).LambdaMax(f.gram().B)
	for _, share := range []float64{0.5, 0.05, 1e-3} {
		pen := &penalty.GroupLasso{Lambda: share * largest, Groups: groups, Weights: weights}
		want, _, err := GroupNewton(f, make([]float64, 60), pen, &Control{Tol: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{1000, 3, 0} {
			p := &products{LeastSquares: f, most: most}
			x, _, err := GroupNewton(p, make([]float64, 60), pen, &Control{Tol: 1e-8})
			if err != nil || most == 1000 != (p.hessians == 0) {
				t.Errorf("λ %v, a Hessian costs %d products: %d Hessians, %v", share, most, p.hessians, err)
			}
			linalgtest.CloseSlice(t, "by products", x, want, 1e-8)
		}
	}
}

// Of groups that are alike, all of which have nearly the largest subgradient until one has moved, few join at a time.
func TestFewAlikeGroupsJoinAtATime(t *testing.T) {
	const p = 300
	f := &products{LeastSquares: leastSquares(6, 100, p, 0.999)}
	pen := &penalty.GroupLasso{}
	for j := 0; j < p; j += 3 {
		pen.Groups = append(pen.Groups, []int{j, j + 1, j + 2})
	}
	pen.Lambda = 1
	pen.Lambda = pen.LambdaMax(f.gram().B) / 10
	x, r, err := GroupNewton(f, make([]float64, p), pen, &Control{Tol: 1e-7})
	if err != nil || r.Status() != Converged {
		t.Fatal(r, err)
	}
	used := 0
	for _, v := range x {
		if v != 0 {
			used++
		}
	}
	if most := 3*20 + 2*used; used == 0 || f.widest > most {
		t.Errorf("a Hessian by %d coordinates, where %d of %d are used", f.widest, used, p)
	}
}
