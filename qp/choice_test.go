package qp

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// Which methods have their turn follows from the shape, the storage, the bounds and the prices, as the
// thresholds say, on either side of each.
func TestTurnsFollowFromTheProblem(t *testing.T) {
	of := func(n, p int, sparse bool, change func(*Problem)) *chain {
		x := linalg.Zeros(n, p)
		for i := range n {
			x.Set(i, i%p, 1)
		}
		s := make([]float64, n)
		for i := range s {
			s[i] = float64(2*(i%2) - 1)
		}
		l := &Linear{X: x, Sign: s}
		if sparse {
			l.X = lt.Sparse(x)
		}
		q := &Problem{Q: l, Linear: slices.Repeat([]float64{-1}, n), Sign: s, Upper: slices.Repeat([]float64{1}, n)}
		if change != nil {
			change(q)
		}
		c, err := newChain(q, nil, measured)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, c := range []struct {
		n, p          int
		sparse        bool
		thin, squares bool
	}{
		{20, 200, false, true, false}, {20, 201, false, false, true}, {402, 201, false, true, false}, {401, 201, false, false, true},
		{20, 200, true, true, false}, {20, 201, true, false, false}, {402, 201, true, false, false},
	} {
		w := of(c.n, c.p, c.sparse, nil)
		if w.thin() != c.thin || w.squares() != c.squares || w.augments() != (c.sparse && !c.thin) || w.interior() != c.thin {
			t.Errorf("%d × %d, sparse %v: thin %v, squares %v, Lagrangian %v, interior point %v", c.n, c.p, c.sparse, w.thin(), w.squares(), w.augments(), w.interior())
		}
		if w.crept() {
			t.Errorf("%d × %d: products in the place of the Lagrangian", c.n, c.p)
		}
		if w.best.res = new(Result); c.sparse && !w.thin() {
			t.Errorf("%d × %d: not thin where the Lagrangian has failed", c.n, c.p)
		}
		if w.crept() != (c.sparse && c.n <= c.p) {
			t.Errorf("%d × %d, sparse %v: products where the Lagrangian has failed: %v", c.n, c.p, c.sparse, w.crept())
		}
	}
	if w := of(20, 4001, true, nil); w.thin() {
		t.Error("4001 columns are thin")
	} else if w.best.res = new(Result); w.thin() {
		t.Error("4001 columns are thin where the Lagrangian has failed")
	}
	open := of(20, 201, true, func(p *Problem) { p.Upper = nil })
	if open.augments() {
		t.Error("the Lagrangian of infinite bounds")
	}
	if of(20, 201, true, func(p *Problem) { clear(p.Linear) }).augments() {
		t.Error("the Lagrangian of a linear term of 0, by which it measures its zone")
	}

	few := func(plus int) func(*Problem) {
		return func(p *Problem) {
			for i := range p.Upper {
				if p.Sign[i] > 0 && i/2 >= plus {
					p.Upper[i] = 0
				}
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*Problem)
		want   bool
	}{
		"as many of either sign": {nil, false}, "8 of a sign": {few(8), true}, "9 of a sign": {few(9), false},
		"a sum":         {func(p *Problem) { few(8)(p); p.Sum = 0.5 }, false},
		"away from 0":   {func(p *Problem) { few(8)(p); p.Lower = slices.Repeat([]float64{0}, 40); p.Lower[0] = 0.5 }, false},
		"below 0":       {func(p *Problem) { few(8)(p); p.Lower = slices.Repeat([]float64{-1}, 40); p.Upper[1] = -0.5 }, false},
		"without signs": {func(p *Problem) { p.Sign = nil }, false},
		"either way":    {func(p *Problem) { few(8)(p); p.Lower = slices.Repeat([]float64{-1}, 40) }, false},
		"8 down": {func(p *Problem) {
			few(8)(p)
			p.Lower = slices.Clone(p.Upper)
			linalg.Scale(p.Lower, -1)
			p.Upper = slices.Repeat([]float64{0}, 40)
		}, true},
	} {
		if got := of(40, 3, false, c.change).lopsided(); got != c.want {
			t.Errorf("%s: lopsided %v", name, got)
		}
	}
	for n, want := range map[int]bool{8: true, 9: false} {
		if got := of(n, 3, false, func(p *Problem) { p.Sign = nil }).lopsided(); got != want {
			t.Errorf("%d variables without signs: lopsided %v", n, got)
		}
	}

	price := func(c float64) func(*Problem) {
		return func(p *Problem) { p.Upper = slices.Repeat([]float64{c}, len(p.Upper)) }
	}
	for name, c := range map[string]struct {
		w    *chain
		want bool
	}{
		"20 for each": {of(80, 3, false, nil), true}, "one less": {of(79, 3, false, nil), false}, "infinite bounds": {of(128, 3, false, func(p *Problem) { p.Upper = nil }), false},
		"prices of 2⁻⁷·1e12": {of(128, 3, false, price(1e12/128)), false}, "a bit less": {of(128, 3, false, price(1e12/128*(1-1e-12))), true},
		"the same about −1": {of(128, 3, false, func(p *Problem) { price(1e12/128 - 1)(p); p.Lower = slices.Repeat([]float64{-1}, 128) }), false},
		"larger q":          {of(128, 3, false, func(p *Problem) { price(1e12 / 128)(p); p.Linear[5] = -1.5 }), true},
	} {
		if got := c.w.smooths(); got != c.want {
			t.Errorf("%s: smooths %v", name, got)
		}
	}
}

// An outcome ends the stages if it is exact, if the caller has ended it, or if its gap is small
// relative to the objective itself; the better of two is kept, with the steps of both.
func TestOutcomesThatEnd(t *testing.T) {
	p := svm(3, 40, 2, 1, 1)
	w, err := newChain(p, &Options{Tol: 1e-6}, measured)
	if err != nil {
		t.Fatal(err)
	}
	at := func(gap, bound float64) *Result { return &Result{Gap: gap, Bound: bound} }
	for name, c := range map[string]struct {
		r    outcome
		want bool
	}{
		"none": {outcome{}, false}, "exact": {outcome{res: at(1, 1), exact: true}, true}, "small": {outcome{res: at(1e-6, -1)}, true},
		"not small": {outcome{res: at(1.01e-6, -1)}, false}, "small beside 1 alone": {outcome{res: at(1e-6, -0.9)}, false},
		"small, but failed": {outcome{res: at(1e-9, -1), err: optimize.ErrNotConverged}, false},
	} {
		if got := w.ends(c.r); got != c.want {
			t.Errorf("%s: ends %v", name, got)
		}
	}
	w.bounded = false
	if !w.ends(outcome{res: at(9, 1)}) || w.ends(outcome{res: at(9, 1), err: optimize.ErrNotConverged}) {
		t.Error("without bounds no error is the end")
	}
	lt.Close(t, "what is 0", w.least, negligible*40, 1e-12*negligible*40)
	if !w.small(0.99e-6*w.least, 0, 1e-6) || w.small(1.01e-6*w.least, 0, 1e-6) {
		t.Error("gaps beside an objective of 0")
	}
}

// At the points of a corral the levels, the tolerance, what the sum misses and the way to the nearest
// points of the affine hulls are what they are said to be.
func TestPartsOfWolfesAlgorithm(t *testing.T) {
	for seed := range uint64(60) {
		n, p := 12, 4
		x, sign := lt.Normal(seed, n, p), make([]float64, n)
		for i := range sign {
			sign[i] = float64(1 - 2*(i%2))
		}
		h := &Hulls{Points: &Linear{X: x, Sign: sign}, Sign: sign}
		if seed%3 == 0 {
			h.Sign = nil
		}
		progress, err := (*HullOptions)(nil).begin(n, 1e-8, 100)
		if err != nil {
			t.Fatal(err)
		}
		s := &wolfe{Hulls: h, progress: progress}
		s.start()
		extent, radius := make([]float64, p), 0.0
		for _, i := range []int{2, 3, 7} {
			if len(s.corral) < 4 {
				s.join(i, 0.25)
			}
		}
		s.normalize()
		s.w = s.combination()
		sums := [2]float64{}
		w, level := make([]float64, p), [2]float64{}
		for k, i := range s.corral {
			sums[h.group(i)] += s.gamma[k]
			linalg.Axpy(w, s.gamma[k]*sign[i], x.Row(i))
			radius = max(radius, linalg.Norm(x.Row(i)))
			for j, v := range x.Row(i) {
				extent[j] = max(extent[j], math.Abs(v))
			}
		}
		size := 0.0
		for j, v := range w {
			size += math.Abs(v) * extent[j]
		}
		for k, i := range s.corral {
			level[h.group(i)] += s.gamma[k] * sign[i] * linalg.Dot(w, x.Row(i))
		}
		lt.CloseSlice(t, "w", s.w, w, 1e-14)
		lt.Close(t, "one group", sums[0], 1, 1e-15)
		if h.Sign != nil {
			lt.Close(t, "the other", sums[1], 1, 1e-15)
		}
		got := s.levels()
		lt.CloseSlice(t, "levels", got[:], level[:], 1e-13)
		lt.CloseSlice(t, "radius, tolerance", []float64{s.radius, s.tolerance()}, []float64{radius, 2e-15 * size}, 1e-14*radius)
		if s.coincide() || linalg.Norm(w) < 1e-9 {
			t.Errorf("seed %d: the points coincide", seed)
		}
		s.w[1] += 0.5 // what the sum misses is 0.5·(2|w| + 0.5)
		miss := 0.5 * (2*math.Abs(s.w[1]) + 0.5)
		lt.Close(t, "mismatch", s.mismatch(), miss, 1e-12)
		s.w = s.combination()

		d, residual := s.direction()
		to, sum := append([]float64(nil), s.w...), [2]float64{}
		for k, i := range s.corral {
			linalg.Axpy(to, d[k]*sign[i], x.Row(i))
			sum[h.group(i)] += d[k]
		}
		lt.CloseSlice(t, "the way keeps the sums", sum[:], []float64{0, 0}, 1e-12)
		lt.CloseSlice(t, "residual", residual, to, 1e-11)
		for _, i := range s.corral {
			for _, j := range s.corral {
				if h.group(i) == h.group(j) {
					lt.Close(t, "the residual is orthogonal", sign[i]*linalg.Dot(to, x.Row(i)), sign[j]*linalg.Dot(to, x.Row(j)), 1e-11)
				}
			}
		}
	}
}

// wide are columns that are stored.
type wide struct{ *linalg.Dense }

func (c wide) Len() int                    { return c.Cols }
func (c wide) Column(dst []float64, j int) { copy(dst, c.Row(j)) }
func (c wide) Steepest(r []float64) (int, float64) {
	f := make([]float64, c.Rows)
	c.MulVec(f, r)
	return linalg.ArgMax(f), f[linalg.ArgMax(f)]
}

// Each column that enters shortens the residual, which stays that of least squares on columns
// with factors above 0, whichever have to leave; the factorisation is that of the columns that are in.
func TestEachColumnShortensTheResidual(t *testing.T) {
	left := 0
	for seed := range uint64(60) {
		z := wide{lt.Normal(seed, 60, 8)}
		for i := range z.Rows { // in a cone, so that columns hinder one another
			z.Row(i)[0] = 0.3
		}
		target := lt.Normal(seed+1, 1, 8).Data
		target[0] = 0.2
		s, err := newActiveSet(z, target, &NonNegativeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		length := linalg.Norm(target)
		for range 40 {
			j, cosine := s.steepest()
			if j < 0 || cosine < 1e-9 {
				break
			}
			before := len(s.in)
			if !s.enter(j) {
				t.Fatalf("seed %d: column %d of cosine %g does not enter", seed, j, cosine)
			}
			left += before + 1 - len(s.in)
			rest := append([]float64(nil), target...)
			for k, j := range s.in {
				if !(s.a[k] > 0) {
					t.Errorf("seed %d: factor %g", seed, s.a[k])
				}
				linalg.Axpy(rest, -s.a[k], z.Row(j))
				column := make([]float64, 8) // QR
				for i, r := range s.qr.r[k] {
					linalg.Axpy(column, r, s.qr.q[i])
				}
				lt.CloseSlice(t, "column", column, z.Row(j), 1e-12)
				for i := range s.qr.q[:k] {
					lt.Close(t, "orthogonal", linalg.Dot(s.qr.q[i], s.qr.q[k]), 0, 1e-13)
				}
			}
			lt.CloseSlice(t, "residual", s.residual, rest, 1e-12)
			for _, j := range s.in {
				lt.Close(t, "orthogonal to the columns", linalg.Dot(rest, z.Row(j)), 0, 1e-12)
			}
			next := linalg.Norm(rest)
			if !(next < length) {
				t.Errorf("seed %d: the residual goes from %g to %g", seed, length, next)
			}
			length = next
		}
	}
	if left < 50 {
		t.Errorf("%d columns left", left)
	}
}

// A cap that no method comes to changes nothing: those that stages have of their own, on trial, are not taken for it.
func TestLargeCapsChangeNothing(t *testing.T) {
	few := svm(61, 1000, 150, 0.5, 1e5)
	for i, s := range few.Sign {
		if s > 0 && i >= 16 {
			few.Upper[i] = 0
		}
	}
	wide := svm(62, 60, 300, 0.2, 1)
	x := wide.Q.(*Linear).X.(*linalg.Dense)
	for i := range x.Rows {
		for j, row := 0, x.Row(i); j < len(row); j++ {
			row[j] *= math.Pow(10, float64(j%9-4))
		}
	}
	open := svm(63, 90, 4, 3, 1)
	open.Upper = nil
	for what, c := range map[string]struct {
		p  *Problem
		by string
	}{
		"few rows of a sign":     {few, "nearest points of the hulls"},
		"scales of few rows":     {wide, "SMO to a rough gap"},
		"clouds of few rows":     {svm(64, 90, 300, 0.2, 1e-3), "SMO for some steps"},
		"a line":                 {svm(65, 6, 2, 1, 1), "polisher from 0"},
		"many rows":              {svm(66, 400, 4, 0.5, 1), "Newton on the smoothed dual"},
		"no bounds":              {open, "interior point to a rough gap"},
		"sparse rows":            {sparseSVM(67, 200, 300, 0.05, 1), "augmented Lagrangian"},
		"a matrix, no rows":      {&Problem{Q: square(wide.Q), Linear: wide.Linear, Sign: wide.Sign, Upper: wide.Upper}, "SMO to a rough gap"},
		"a tube":                 {wideTube(68, 40, 300, 1e-2), "interior point to a rough gap"},
		"a tube of a high price": {wideTube(69, 50, 250, 1e4), "interior point to a rough gap"},
	} {
		want, by, err := solve(c.p, nil, measured)
		if err != nil || by != c.by {
			t.Errorf("%s: by %q, %v", what, by, err)
		}
		got, by, err := solve(c.p, &Options{MaxIter: 1 << 30}, measured)
		if err != nil || by != c.by || got.Report != want.Report || !slices.Equal(got.Alpha, want.Alpha) || !slices.Equal(got.V, want.V) {
			t.Errorf("%s under a large cap: by %q, %v, not %v: %v", what, by, got.Report, want.Report, err)
		}
	}
}

// Classes that are apart have the multipliers of the hard margin where none reaches its price, with and without an
// intercept, whatever rows have no weight. Where they overlap, prices are low or all rows carry the plane, other methods
// have their turn, after few steps, with the same solution.
func TestNearestPointsSolveSoftMargins(t *testing.T) {
	lt.SkipSlow(t)
	const hulls = "nearest points of the hulls"
	apart := svm(71, 1500, 20, 5, 100)
	with := func(change func(*Problem)) *Problem {
		p := *apart
		change(&p)
		return &p
	}
	differ := slices.Repeat([]float64{-1}, 1500)
	differ[7] = -2
	for what, c := range map[string]struct {
		p     *Problem
		by    bool
		steps int // of Wolfe's algorithm at most
	}{
		"apart":              {apart, true, 30},
		"a plane through 0":  {with(func(p *Problem) { p.Sign = nil }), true, 30},
		"another term":       {with(func(p *Problem) { p.Linear = slices.Repeat([]float64{-0.25}, 1500) }), true, 30},
		"low prices":         {with(func(p *Problem) { p.Upper = slices.Repeat([]float64{1e-4}, 1500) }), false, 0},
		"other terms":        {with(func(p *Problem) { p.Linear = differ }), false, 0},
		"classes overlap":    {svm(72, 8000, 100, 0.2, 1e9), false, 100},
		"few long rows":      {svm(73, 60, 300, 0.5, 1e5), false, 10},
		"many carry a plane": {svm(73, 900, 300, 6, 1e5), false, 40},
		"rows without weight": {with(func(p *Problem) {
			p.Upper = linalg.Clone(p.Upper)
			for i := 0; i < len(p.Upper); i += 3 {
				p.Upper[i] = 0
			}
		}), true, 30},
	} {
		r, by, err := solve(c.p, nil, measured)
		check(t, c.p, r, err, 1e-8)
		if (by == hulls) != c.by {
			t.Errorf("%s: by %q", what, by)
		}
		other, err := interiorPoint(c.p, nil)
		check(t, c.p, other, err, 1e-8)
		lt.Close(t, what, r.Objective, other.Objective, 2e-8*max(1, math.Abs(other.Objective)))
		lt.CloseSlice(t, what, r.V, other.V, 1e-3*linalg.NormInf(other.V))
		alone, err := newChain(c.p, nil, measured)
		if err != nil {
			t.Fatal(err)
		}
		if alone.hulls() {
			alone.nearestPoints()
		}
		if steps := alone.progress.Report().Iterations(); steps > c.steps {
			t.Errorf("%s: %d steps", what, steps)
		}
	}
	for most := 1; most < 4; most++ {
		r, by, err := solve(apart, &Options{MaxIter: most}, measured)
		if by != hulls || !errors.Is(err, optimize.ErrNotConverged) || r.Report.Status() != optimize.MaxIterations || r.Report.Iterations() != most {
			t.Errorf("%d steps: by %q, %v", most, by, err)
		}
		stop := errors.New("enough")
		r, by, err = solve(apart, &Options{Trace: func(s optimize.Step) error {
			for i, a := range s.X {
				if !(a >= 0 && a <= apart.Upper[i]) {
					t.Fatalf("step %d: α = %g", s.Iteration, a)
				}
			}
			if s.Iteration == most {
				return stop
			}
			return nil
		}}, measured)
		if by != hulls || !errors.Is(err, stop) || r.Report.Iterations() != most {
			t.Errorf("stopped at %d: by %q, %v", most, by, err)
		}
	}
}

// On two points at a distance of 2 along an axis the multipliers are 2/2² each, or their price, with v = Aᵀα.
func TestMultipliersOfACorral(t *testing.T) {
	x := &linalg.Dense{Rows: 2, Cols: 1, Stride: 1, Data: []float64{3, 1}}
	sign := []float64{1, -1}
	for price, reach := range map[float64]int{1: 0, 0.3: 2} {
		c, err := newChain(&Problem{Q: &Linear{X: x, Sign: sign}, Linear: slices.Repeat([]float64{-1}, 2), Sign: sign, Upper: slices.Repeat([]float64{price}, 2)}, nil, measured)
		if err != nil {
			t.Fatal(err)
		}
		w := &wolfe{Hulls: &Hulls{Points: c.f, Sign: sign}, w: []float64{2}, corral: []int{0, 1}, gamma: []float64{1, 1}}
		want := min(price, 0.5)
		if n := w.multipliers(c.state); n != reach || !slices.Equal(c.alpha, slices.Repeat([]float64{want}, 2)) || c.v[0] != 2*want {
			t.Errorf("price %v: %d reach it, α = %v, v = %v", price, n, c.alpha, c.v)
		}
	}
}

// A start is the solution where its gap is small beside its objective, not beside bounds of other variables that no
// solution comes near.
func TestStartNearTheSolutionIsNotIt(t *testing.T) {
	p := &Problem{Q: &Linear{X: lt.Rows(t, []float64{1e3}, []float64{0}), Sign: []float64{1, 1}, Workers: 1},
		Linear: []float64{-0.1, 3}, Upper: []float64{1e9, 1e9}}
	for _, off := range []float64{1e-3, -1e-3, 0.5, -1} {
		r, err := Solve(p, &Options{Start: []float64{1e-7 * (1 + off), 0}, Tol: 1e-7})
		if err != nil || !(r.Gap <= 1e-7*r.Bound) && !(r.Gap <= -1e-7*r.Bound) || !(math.Abs(r.Alpha[0]-1e-7) <= 1e-11) {
			t.Errorf("from %g of the solution: α %v, gap %g of %g, %v", off, r.Alpha, r.Gap, r.Bound, err)
		}
	}
}
