package glm

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/loss"
)

// The Hessian of many classes is a difference that cancels where rows are all but certain: the
// bound allows for the rounding of its terms, or proves nothing.
func TestBoundAllowsForCancelledHessians(t *testing.T) {
	const k, each = 20, 5
	x, y := linalg.Zeros(k*each, 1), make([]float64, k*each)
	for i := range y {
		y[i], x.Data[i] = float64(i%k), 1+float64(i/k)/7
	}
	d, err := design.New(x, len(y), "labels", design.Settings{NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	o := NewMulti(d, y, loss.Softmax{K: k}, Against(k, k-1), nil)
	for _, level := range []float64{1, 10, 20, 30} {
		theta := make([]float64, o.Parameters())
		theta[0] = level // rows are all but certain of the first class
		h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
		o.Hess(h, g, theta)
		want := 0.0
		for i, p := 0, o.probabilities(theta); i < p.Rows; i++ {
			u := x.Data[i] / d.Unit[0]
			want += p.At(i, 0) * linalg.Sum(p.Row(i)[1:]) * u * u
		}
		off := math.Abs(h.At(0, 0)/want - 1)
		b := o.newBeneath(&o.last)
		if b != nil && !(off <= b.weak+b.shrunk) {
			t.Errorf("at %g the Hessian is off by %.2g, and %.2g is allowed for", level, off, b.weak+b.shrunk)
		}
	}
}

// Elements of the Hessian by some parameters keep their digits beside a row of a huge weight that is
// all but certain of its class, by both sides alike and by strips.
func TestPartsOfTheHessianBesideHugeWeights(t *testing.T) {
	const k, n = 3, 9
	y, w := make([]float64, n), make([]float64, n)
	x := linalg.Zeros(n, 1)
	for i := range y {
		y[i], w[i], x.Data[i] = float64(i%k), 1, float64(i)
	}
	y[4], w[4] = 1, 0x1p54
	d, err := design.New(x, n, "labels", design.Settings{Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	o := NewMulti(d, y, loss.Softmax{K: k}, nil, nil)
	theta := []float64{0, .1, 36, .2, 0, -.1}
	for _, f := range []float64{0, 1} {
		set := []int{int(f), 2 + int(f), 4 + int(f)}
		square, strip := linalg.Zeros(k, k), linalg.Zeros(k, k)
		o.SubHess(square, theta, set, nil)
		o.SubHess(strip, theta, set, set)
		v, row := make([]float64, n), make([]float64, 2)
		for a := range k {
			for b := range k {
				o.loss.Curvature(v, a, b, o.curvatureAt(theta), w)
				want := 0.0
				if err := d.EachBlock(func(block *design.Block) {
					for i := range n {
						block.Row(row, i)
						want += v[i] * row[int(f)] * row[int(f)]
					}
				}); err != nil {
					t.Fatal(err)
				}
				for _, h := range []*linalg.Dense{square, strip} {
					if got := h.At(a, b); !(math.Abs(got/want-1) < 1e-12) {
						t.Errorf("parameter %g of functions %d and %d: %g, want %g", f, a, b, got, want)
					}
				}
			}
		}
	}
}

// Elements of the Hessian of several pieces of rows, each of more than wait for one sum of outer products, are those
// of the whole by both sides alike and by strips, with weights, and have the same bits for any workers.
func TestPartsOfTheHessianOfManyRows(t *testing.T) {
	const k, n, p = 3, 18*outerRows + 2*linalg.BlockRows + 7, 4
	x, y, w := linalgtest.Normal(3, n, p), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], w[i] = float64(i%k), 0.5+float64(i%5)
	}
	set := []int{12, 3, 0, 7, 14, 6, 9, 1}
	var before []float64
	for _, workers := range []int{1, 2, 5} {
		d, err := design.New(x, n, "labels", design.Settings{Weights: w, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		o := NewMulti(d, y, loss.Softmax{K: k}, nil, nil)
		theta := make([]float64, k*(p+1))
		for j := range theta {
			theta[j] = math.Sin(float64(j))
		}
		h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
		o.Hess(h, g, theta)
		square, strip := linalg.Zeros(len(set), len(set)), linalg.Zeros(len(set[:3]), len(set))
		o.SubHess(square, theta, set, nil)
		o.SubHess(strip, theta, set[:3], set)
		for i, a := range set {
			for j, b := range set {
				want := h.At(a, b)
				linalgtest.Close(t, "square", square.At(i, j)/want, 1, 1e-11)
				if i < strip.Rows {
					linalgtest.Close(t, "strip", strip.At(i, j)/want, 1, 1e-11)
				}
			}
		}
		if got := slices.Concat(square.Data, strip.Data); before == nil {
			before = got
		} else if !slices.Equal(got, before) {
			t.Errorf("%d workers come to other bits", workers)
		}
	}
}

// The Hessian by contrasts of all classes keeps the digits of a class that no row has a chance of, and of
// contrasts with it: the chances of the others cancel there.
func TestHessianByContrastsOfARareClass(t *testing.T) {
	for _, k := range []int{3, 5, 17} {
		for _, rare := range []float64{-5, -25, -34, -45} {
			const n, p = 60, 16
			x, y := linalg.Zeros(n, p), make([]float64, n)
			for i := range y {
				y[i] = float64(i % k)
				for j := range p {
					x.Set(i, j, math.Sin(float64(1+i*p+j)))
				}
			}
			d, err := design.New(x, n, "labels", design.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			q := Contrasts(k)
			o := NewMulti(d, y, loss.Softmax{K: k}, q, make([]float64, d.Dim()))
			functions := make([]float64, k*d.Dim())
			for c := range functions {
				functions[c] = 0.3 * math.Cos(float64(c))
			}
			functions[(k-1)*d.Dim()] = rare
			theta := o.ThetaOf(functions)
			h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
			o.Hess(h, g, theta)
			at := (k - 2) * d.Dim() // of the contrast with the last class
			want := 0.0
			for i, prob := 0, o.probabilities(theta); i < n; i++ {
				for a, u := range prob.Row(i) {
					for b, v := range prob.Row(i)[:a] {
						e := q.At(a, k-2) - q.At(b, k-2)
						want += u * v * e * e
					}
				}
			}
			if got := h.At(at, at); !(math.Abs(got/want-1) < 1e-12) {
				t.Errorf("%d classes, the last at %g: %g, want %g", k, rare, got, want)
			}
		}
	}
}

// Sums of parts know how far the Hessian of many classes has cancelled, that of all rows no less than that of any
// part, and an objective that knows them allows for it: also where rows are certain, and nothing is left of a sum.
func TestSumsKnowHowFarTheirHessianCancelled(t *testing.T) {
	const k, each = 64, 2
	x, y := linalg.Zeros(k*each, 1), make([]float64, k*each)
	for i := range y {
		y[i], x.Data[i] = float64(i%k), 1+float64(i/k)/7
	}
	theta := make([]float64, k-1)
	sums := func(x *linalg.Dense, y []float64) (*Objective, *Sums) {
		d, err := design.New(x, len(y), "labels", design.Settings{NoIntercept: true})
		if err != nil {
			t.Fatal(err)
		}
		o := NewMulti(d, y, loss.Softmax{K: k}, Against(k, k-1), nil)
		s, err := o.Sums(theta)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		back := new(Sums)
		if err := json.Unmarshal(text, back); err != nil {
			t.Fatal(err)
		}
		if !(s.Cancelled > 0) || s.Cancelled != o.cancelled || back.Cancelled != s.Cancelled {
			t.Errorf("level %g: cancelled %g, %g from JSON, of the objective %g", theta[0], s.Cancelled, back.Cancelled, o.cancelled)
		}
		return o, back
	}
	for _, level := range []float64{1, 10, 800} {
		theta[0] = level
		o, first := sums(x.RowRange(0, k), y[:k])
		_, second := sums(x.RowRange(k, 2*k), y[k:])
		most := max(first.Cancelled, second.Cancelled)
		if err := first.Merge(second); err != nil || first.Cancelled != most {
			t.Errorf("level %g: of parts %g, merged %g, %v", level, most, first.Cancelled, err)
		}
		if o.Know(theta, first); o.cancelled != most {
			t.Errorf("level %g: the sums that cancelled by %g are known to by %g", level, most, o.cancelled)
		}
	}
}

// The reach of a part and the bound are by one B, in which the part's own cancellation has no say: where the
// Hessian of all rows has cancelled there is none.
func TestReachIsByTheFactorsOfTheBound(t *testing.T) {
	of := classified(t, 60, 2, 3, 0)
	theta := make([]float64, of.Parameters())
	s, err := of.Sums(theta)
	if err != nil {
		t.Fatal(err)
	}
	for _, cancelled := range []float64{0, 1e16} {
		all := of.Own()
		s.Cancelled = cancelled
		all.Know(theta, s)
		r, err := classified(t, 60, 2, 3, 0).Reach(all)
		if err != nil {
			t.Fatal(err)
		}
		none := cancelled > 0
		if b := all.KnownBound(r); (r.Leverage == math.MaxFloat64) != none || (all.under.b == nil) != none || b.Exists == none {
			t.Errorf("cancelled by %g: %+v, %+v", cancelled, r, b)
		}
	}
}

// The free columns' part of an information whose factor is definite may be none beside rounding: of near-copies
// another model near it preconditions.
func TestPreconditionOfNearCopies(t *testing.T) {
	o := classified(t, 30, 2, 2, 1)
	s := RestrictJeffreys(New(o.Design, o.Y, loss.Logistic{}, nil), make([]float64, 3), []int{1, 2})
	const apart = 0x1p-20
	var err error
	if s.f.basis, err = linalg.NewCholesky(linalgtest.Rows(t, []float64{1, 0, 0}, []float64{0, 1, 1}, []float64{0, 1, 1 + apart*apart})); err != nil {
		t.Fatal(err)
	}
	if s.f.factor, err = linalg.NewCholesky(linalgtest.Rows(t, []float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, apart * apart})); err != nil {
		t.Fatal(err)
	}
	d := []float64{1, 2}
	if s.Precondition(d); d[0]-d[0] != 0 || d[1]-d[1] != 0 {
		t.Errorf("a direction of %v", d)
	}
}
