package discriminant_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
)

// must returns a value or fails the test.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// gaussians draws n rows of p features in k classes with means about sep apart
// and a common covariance of correlation ½.
func gaussians(seed uint64, n, p, k int, sep float64) (*linalg.Dense, []int) {
	r := rand.New(rand.NewPCG(seed, 3))
	means := linalg.Zeros(k, p)
	for i := range means.Data {
		means.Data[i] = sep * r.NormFloat64()
	}
	x, y := linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		y[i] = i % k
		common := r.NormFloat64()
		for j := range p {
			x.Set(i, j, means.At(y[i], j)+math.Sqrt(0.5)*(common+r.NormFloat64()))
		}
	}
	return x, y
}

func TestRDAEndsAreLDAAndQDA(t *testing.T) {
	x, y := iris(t)
	o := &discriminant.Options{Priors: []float64{.2, .3, .5}}
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, o))
	q := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, o))
	zero := must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, o))
	o.Alpha = 1
	one := must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, o))
	for i := range x.Rows {
		linalgtest.CloseSlice(t, "α = 0", zero.LogProba(nil, x.Row(i)), l.LogProba(nil, x.Row(i)), 1e-12)
		linalgtest.CloseSlice(t, "α = 1", one.LogProba(nil, x.Row(i)), q.LogProba(nil, x.Row(i)), 1e-12)
	}
	o.Alpha, o.Shrinkage = 0.4, 0.3
	m := must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, o))
	if m.Alpha() != 0.4 || m.Shrinkage() != 0.3 {
		t.Errorf("α %v, shrinkage %v", m.Alpha(), m.Shrinkage())
	}
	// Σₖ(α, γ) by its definition.
	pooled := l.Cov()
	trace := 0.0
	for j := range 4 {
		trace += pooled.At(j, j)
	}
	for k := range 3 {
		own := q.Density(k).Cov()
		got := m.Density(k).Cov()
		for i := range 4 {
			for j := range 4 {
				want := 0.7 * pooled.At(i, j)
				if i == j {
					want += 0.3 * trace / 4
				}
				linalgtest.Close(t, "Σₖ(α, γ)", got.At(i, j), 0.4*own.At(i, j)+0.6*want, 1e-14)
			}
		}
	}
}

func TestCrossValidateRDA(t *testing.T) {
	x, y := gaussians(1, 300, 4, 3, 0.7)
	w, folds := make([]float64, x.Rows), make([]int, x.Rows)
	for i := range folds {
		folds[i] = 10 + i/3%5
		w[i] = float64(1 + i%2)
	}
	o := &discriminant.Options{Weights: w}
	alpha := []float64{0, 0.5, 1}
	c := must[*discriminant.RDAChoice](t)(discriminant.CrossValidateRDA(x, y, folds, alpha, o))
	for i, a := range alpha {
		wrong, total := 0.0, 0.0
		var rates []float64 // fold by fold
		for f := 10; f < 15; f++ {
			wrongBefore, totalBefore := wrong, total
			train, ty := linalgtest.Select(x, y, func(i int) bool { return folds[i] != f })
			var tw []float64
			for i, v := range w {
				if folds[i] != f {
					tw = append(tw, v)
				}
			}
			m := must[*discriminant.QDA](t)(discriminant.FitRDA(train, ty, &discriminant.Options{Alpha: a, Weights: tw}))
			for i := range x.Rows {
				if folds[i] == f {
					total += w[i]
					if m.Predict(x.Row(i)) != y[i] {
						wrong += w[i]
					}
				}
			}
			rates = append(rates, (wrong-wrongBefore)/(total-totalBefore))
		}
		linalgtest.Close(t, "error", c.Error[i], wrong/total, 1e-15)
		mean, squares := 0.0, 0.0
		for _, v := range rates {
			mean += v / 5
		}
		for _, v := range rates {
			squares += (v - mean) * (v - mean)
		}
		linalgtest.Close(t, "standard error", c.SE[i], math.Sqrt(squares/4/5), 1e-13)
		if c.Error[i] < c.Error[c.Best] {
			t.Errorf("best is α = %v with %v, but α = %v has %v", alpha[c.Best], c.Error[c.Best], a, c.Error[i])
		}
	}
	// Classes far apart: no errors at any α, and the smallest is chosen.
	for i := range x.Rows {
		x.Set(i, 0, x.At(i, 0)+100*float64(y[i]))
	}
	c = must[*discriminant.RDAChoice](t)(discriminant.CrossValidateRDA(x, y, folds, []float64{0.7, 0.2, 1, 0.4}, nil))
	if c.Best != 1 || c.Error[1] != 0 || c.SE[1] != 0 {
		t.Errorf("of equals %+v", c)
	}
}

func TestCrossValidateRDAErrors(t *testing.T) {
	x, y := gaussians(2, 60, 3, 3, 0.7)
	folds := make([]int, 60)
	for i := range folds {
		folds[i] = i / 3 % 4
	}
	alone := slices.Clone(folds)
	alone[1], y[1] = 9, 7 // class 7 only in fold 9
	bad := x.Clone()
	bad.Set(41, 2, math.NaN())
	var (
		shape  *linalg.ShapeError
		class  *linalg.ClassError
		finite *linalg.NonFiniteError
		rank   *discriminant.ClassRankError
		option *sample.OptionError
		weight *linalg.WeightError
	)
	alpha, y0 := []float64{0, 1}, slices.Clone(y)
	y0[1] = 1
	constant := x.Clone()
	for i := range constant.Rows {
		constant.Set(i, 0, 4)
	}
	for name, c := range map[string]struct {
		x      *linalg.Dense
		y      []int
		folds  []int
		alpha  []float64
		o      *discriminant.Options
		target any
	}{
		"folds missing":    {x, y0, folds[1:], alpha, nil, &shape},
		"one fold":         {x, y0, make([]int, 60), alpha, nil, &shape},
		"no alpha":         {x, y0, folds, nil, nil, &shape},
		"alpha of 2":       {x, y0, folds, []float64{2}, nil, &option},
		"labels missing":   {x, y0[1:], folds, alpha, nil, &shape},
		"a class is alone": {x, y, alone, alpha, nil, &class},
		"NaN":              {bad, y0, folds, alpha, nil, &finite},
		"negative weight":  {x, y0, folds, alpha, &discriminant.Options{Weights: append(make([]float64, 59), -1)}, &weight},
		"always singular":  {constant, y0, folds, alpha, nil, &rank},
	} {
		choice, err := discriminant.CrossValidateRDA(c.x, c.y, c.folds, c.alpha, c.o)
		if !errors.As(err, c.target) || choice != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if errors.As(func() error { _, err := discriminant.CrossValidateRDA(bad, y0, folds, alpha, nil); return err }(), &finite); finite.Row != 41 {
		t.Errorf("NaN reported in row %d", finite.Row)
	}
	// One singular α is passed over.
	few, fy := gaussians(3, 24, 4, 3, 0.7)
	c := must[*discriminant.RDAChoice](t)(discriminant.CrossValidateRDA(few, fy, folds[:24], []float64{1, 0.5}, &discriminant.Options{}))
	if c.Best < 0 {
		t.Errorf("%+v", c)
	}
	tiny := must[*discriminant.RDAChoice](t)(discriminant.CrossValidateRDA(few.RowRange(0, 15), fy[:15], folds[:15], []float64{1, 0.5}, nil))
	if !math.IsNaN(tiny.Error[0]) || tiny.Best != 1 {
		t.Errorf("%+v", tiny)
	}
}

func TestAccessors(t *testing.T) {
	x, y := iris(t)
	o := &discriminant.Options{Priors: []float64{.2, .3, .5}, Rank: 1}
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, o))
	q := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, o))
	r := must[*discriminant.ReducedRank](t)(discriminant.FitReducedRank(x, y, o))
	f := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, o))
	linalgtest.CloseSlice(t, "means", q.Means().Data, l.Means().Data, 1e-14)
	for _, p := range [][]float64{l.Priors(), q.Priors(), r.Priors()} {
		linalgtest.CloseSlice(t, "priors", p, o.Priors, 1e-15)
	}
	if r.Rank() != 1 || len(r.Values()) != 2 {
		t.Errorf("rank %d of %d", r.Rank(), len(r.Values()))
	}
	normal, offset, err := r.Boundary(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		row := x.Row(i)
		for name, m := range map[string]interface {
			scorer
			Coef() (*linalg.Dense, []float64)
		}{"lda": l, "rrlda": r, "indicator": f} {
			coef, intercept := m.Coef()
			for k, s := range m.Scores(nil, row) {
				linalgtest.Close(t, name, linalg.Dot(coef.Row(k), row)+intercept[k], s, 1e-11)
			}
		}
		s := r.Scores(nil, row)
		linalgtest.Close(t, "boundary", linalg.Dot(normal, row)+offset, s[2]-s[1], 1e-11)
		linalgtest.Close(t, "log-posterior", r.LogProba(nil, row)[1], math.Log(r.Proba(nil, row)[1]), 1e-11)
	}
	var class *linalg.ClassError
	for name, f := range map[string]func() error{
		"boundary of LDA":          func() error { _, _, err := l.Boundary(1, 9); return err },
		"boundary of QDA":          func() error { _, err := q.Boundary(9, 1); return err },
		"boundary of reduced rank": func() error { _, _, err := r.Boundary(-1, 1); return err },
		"log-odds of LDA":          func() error { _, err := l.LogOdds(x.Row(0), 9, 0); return err },
		"log-odds of QDA":          func() error { _, err := q.LogOdds(x.Row(0), 0, 9); return err },
		"a cut of three classes":   func() error { _, err := l.WithCut(1); return err },
	} {
		if err := f(); !errors.As(err, &class) || strings.Count(err.Error(), "discriminant: ") != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestIndicatorIdentities(t *testing.T) {
	x, y := iris(t)
	w := make([]float64, x.Rows)
	for i := range w {
		w[i] = float64(i%3 + 1)
	}
	for _, weights := range [][]float64{nil, w} {
		f := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, &discriminant.Options{Weights: weights}))
		m, _ := moments.New(4, true)
		if err := m.AddRows(x, y, weights, 0); err != nil {
			t.Fatal(err)
		}
		total, _, _, err := discriminant.Decompose(m)
		if err != nil {
			t.Fatal(err)
		}
		chol, err := linalg.NewCholesky(total)
		if err != nil {
			t.Fatal(err)
		}
		n, mean := 0.0, make([]float64, 4)
		for k, nk := range m.Weights() {
			n += nk
			linalg.Axpy(mean, nk, m.Mean(k))
		}
		linalg.Scale(mean, 1/n)
		for i := range x.Rows {
			got := f.Scores(nil, x.Row(i))
			linalgtest.Close(t, "sum of fitted values", got[0]+got[1]+got[2], 1, 1e-13)
			for k, nk := range m.Weights() {
				d := m.Mean(k)
				linalg.Axpy(d, -1, mean)
				chol.Solve(d)
				want := 1.0
				for j := range d {
					want += (x.At(i, j) - mean[j]) * d[j]
				}
				linalgtest.Close(t, "fitted value", got[k], want*nk/n, 1e-12)
			}
		}
		if r := f.Report(); !(r.Certificate().Value <= 1e-13) {
			t.Errorf("report %+v", r)
		}
	}
	// The objective is half the residual sum of squares.
	f := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))
	rss := 0.0
	for i := range x.Rows {
		for k, v := range f.Scores(nil, x.Row(i)) {
			if k == y[i] {
				v--
			}
			rss += v * v
		}
	}
	linalgtest.Close(t, "objective", f.Report().Objective(), rss/2, 1e-12)
}

// With a ridge the fitted values are those of the identity with T + ridge·I, still
// sum to 1, and need no independent columns.
func TestIndicatorRidge(t *testing.T) {
	x, y := iris(t)
	for i := range x.Rows {
		x.Set(i, 3, x.At(i, 0)-x.At(i, 1)) // collinear
	}
	const ridge = 0.3
	f := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, &discriminant.Options{Ridge: ridge}))
	if !f.Report().Certificate().Holds() {
		t.Errorf("report %+v", f.Report())
	}
	// Least squares on 4 further rows √(N·ridge)·eⱼ with targets 0, all columns about
	// their means, is the ridge regression.
	n, about := x.Rows, x.Clone()
	mean := make([]float64, 4)
	linalg.MulTVec(mean, x, slices.Repeat([]float64{1 / float64(n)}, n), 0)
	more := linalg.Zeros(n+4, 4)
	for i := range n {
		linalg.Axpy(about.Row(i), -1, mean)
		copy(more.Row(i), about.Row(i))
	}
	for j := range 4 {
		more.Set(n+j, j, math.Sqrt(float64(n)*ridge))
	}
	qr, err := linalg.NewQR(more)
	if err != nil {
		t.Fatal(err)
	}
	objective := 0.0
	for k := range 3 {
		target, beta := make([]float64, n+4), make([]float64, 4)
		for i, label := range y {
			target[i] = -1. / 3
			if label == k {
				target[i]++
			}
		}
		qr.Solve(beta, slices.Clone(target))
		for i := range n {
			got := f.Scores(nil, x.Row(i))
			fitted := linalg.Dot(beta, about.Row(i))
			linalgtest.Close(t, "fitted value", got[k], 1./3+fitted, 1e-12)
			linalgtest.Close(t, "sum", got[0]+got[1]+got[2], 1, 1e-13)
			objective += (target[i] - fitted) * (target[i] - fitted) / 2
		}
		objective += float64(n) * ridge / 2 * linalg.Dot(beta, beta)
	}
	linalgtest.Close(t, "objective", f.Report().Objective(), objective, 1e-12)
}

func TestIndicatorProbabilities(t *testing.T) {
	x, y := iris(t)
	clipped := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))
	soft := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, &discriminant.Options{Softmax: true}))
	for i := range x.Rows {
		s := soft.Scores(nil, x.Row(i))
		want := slices.Clone(s)
		linalg.Softmax(want)
		linalgtest.CloseSlice(t, "softmax", soft.Proba(nil, x.Row(i)), want, 0)
		total := 0.0
		for _, v := range clipped.Proba(nil, x.Row(i)) {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("probability %v", v)
			}
			total += v
		}
		linalgtest.Close(t, "sum", total, 1, 1e-15)
	}
}

// Three classes with centres in a line: the fitted values of the middle one are
// nearly constant, so the regression never predicts it (ESL figure 4.2). LDA does.
func TestMasking(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	const n = 600
	x, y := linalg.Zeros(n, 1), make([]int, n)
	for i := range n {
		y[i] = i % 3
		x.Set(i, 0, 3*float64(y[i])+0.5*r.NormFloat64())
	}
	f := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	if masked, err := discriminant.Masked(f, x); err != nil || !slices.Equal(masked, []int{1}) {
		t.Errorf("indicator regression masks %v, %v; want class 1", masked, err)
	}
	if masked, err := discriminant.Masked(l, x); err != nil || len(masked) != 0 {
		t.Errorf("LDA masks %v, %v", masked, err)
	}
	// A third of the rows is lost, and next to none for LDA: at 3 sd from the cuts.
	if wrong := errorsOf(t, f, x, y); wrong < n/3 {
		t.Errorf("indicator regression errs on %d", wrong)
	}
	if wrong := errorsOf(t, l, x, y); wrong > n/100 {
		t.Errorf("LDA errs on %d", wrong)
	}
}

func TestTotalIsWithinPlusBetween(t *testing.T) {
	x, y := iris(t)
	for i := range y {
		y[i] = i % 3 * (i % 2) // unequal classes
	}
	m, _ := moments.New(4, false)
	if err := m.AddRows(x, y, nil, 0); err != nil {
		t.Fatal(err)
	}
	total, within, between, err := discriminant.Decompose(m)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := moments.New(4, false)
	if err := all.AddRows(x, make([]int, x.Rows), nil, 0); err != nil {
		t.Fatal(err)
	}
	direct := all.Within()
	linalg.Scale(direct.Data, 1/float64(x.Rows))
	linalgtest.CloseSlice(t, "T", total.Data, direct.Data, 1e-14)
	for i, v := range direct.Data {
		linalgtest.Close(t, "W + B", within.Data[i]+between.Data[i], v, 1e-14)
	}
}

// Least squares on two distinct codes has the direction of LDA, whatever the
// codes; with −N/N₁ and N/N₂ the cut-points agree only if N₁ = N₂ (ESL exercise
// 4.2).
func TestTwoClassLeastSquares(t *testing.T) {
	for _, n1 := range []int{60, 90} {
		x, y := gaussians(5, 120, 3, 2, 1)
		for i := range y {
			if i%2 == 1 && n1 == 90 && i < 60 {
				y[i] = 0
			}
		}
		l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
		f := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))
		normal, offset, err := l.Boundary(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		count := [2]float64{float64(n1), float64(120 - n1)}
		for _, codes := range [][2]float64{{-120 / count[0], 120 / count[1]}, {0, 1}, {7, -3}} {
			// Least squares on coded targets is Σₖ codeₖ·f̂ₖ; here by QR.
			beta := leastSquares(t, x, y, codes)
			ratio := beta[1] / normal[0]
			for j, v := range normal {
				linalgtest.Close(t, "direction", beta[j+1], ratio*v, 1e-12)
			}
			for i := range x.Rows {
				s := f.Scores(nil, x.Row(i))
				linalgtest.Close(t, "Σ codeₖ·f̂ₖ", codes[0]*s[0]+codes[1]*s[1], beta[0]+linalg.Dot(beta[1:], x.Row(i)), 1e-12)
			}
		}
		beta := leastSquares(t, x, y, [2]float64{-120 / count[0], 120 / count[1]})
		same := linalgtest.Diff(beta[0]/beta[1]*normal[0], offset) < 1e-10
		if same != (n1 == 60) {
			t.Errorf("%d and %d rows: cut-points agree: %v", n1, 120-n1, same)
		}
	}
}

func leastSquares(t *testing.T, x *linalg.Dense, y []int, codes [2]float64) []float64 {
	t.Helper()
	d, target := linalg.Zeros(x.Rows, x.Cols+1), make([]float64, x.Rows)
	for i := range x.Rows {
		d.Set(i, 0, 1)
		copy(d.Row(i)[1:], x.Row(i))
		target[i] = codes[y[i]]
	}
	qr, err := linalg.NewQR(d)
	if err != nil {
		t.Fatal(err)
	}
	beta := make([]float64, d.Cols)
	qr.Solve(beta, target)
	return beta
}

func TestBestCut(t *testing.T) {
	x, y := gaussians(6, 200, 3, 2, 0.5)
	for i := range y {
		if i%2 == 1 && i < 120 {
			y[i] = 0
		}
	}
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	f, w := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range f {
		f[i] = math.Round(10*must[float64](t)(l.LogOdds(x.Row(i), 1, 0))) / 10 // ties
		w[i] = float64(i % 4)
	}
	for _, weights := range [][]float64{nil, w} {
		cut := must[discriminant.Cut](t)(discriminant.BestCut(f, y, weights))
		errorAt := func(c float64) float64 {
			wrong, total := 0.0, 0.0
			for i, v := range f {
				wi := 1.0
				if weights != nil {
					wi = weights[i]
				}
				total += wi
				if (v > c) != (y[i] == 1) {
					wrong += wi
				}
			}
			return wrong / total
		}
		linalgtest.Close(t, "error at the cut", cut.Error, errorAt(cut.At), 1e-15)
		for c := -10.0; c < 10; c += 0.03 {
			if errorAt(c) < cut.Error {
				t.Fatalf("error %v at %v, %v at %v", cut.Error, cut.At, errorAt(c), c)
			}
		}
	}
	cut := must[discriminant.Cut](t)(discriminant.BestCut(f, y, nil))
	moved := must[*discriminant.LDA](t)(l.WithCut(cut.At))
	for i := range x.Rows {
		linalgtest.Close(t, "log-odds", must[float64](t)(moved.LogOdds(x.Row(i), 1, 0)), must[float64](t)(l.LogOdds(x.Row(i), 1, 0))-cut.At, 1e-12)
	}
	if m, err := l.WithCut(math.NaN()); err == nil || m != nil {
		t.Error("a cut at NaN was taken")
	}
	one := must[discriminant.Cut](t)(discriminant.BestCut([]float64{1, 2, 5, 6}, []int{3, 3, 9, 9}, nil))
	if one != (discriminant.Cut{At: 3.5}) {
		t.Errorf("cut %+v, want 3.5 without error", one)
	}
	widest := must[discriminant.Cut](t)(discriminant.BestCut([]float64{0, 1, 5, 9}, []int{3, 9, 3, 9}, nil))
	if widest != (discriminant.Cut{At: 7, Error: .25}) {
		t.Errorf("cut %+v, want 7 in the widest gap", widest)
	}
	// Fractional weights leave no rounding where no row is wrong.
	apart := must[discriminant.Cut](t)(discriminant.BestCut([]float64{1, 2, 3, 4, 5}, []int{3, 3, 3, 9, 9}, []float64{.1, .2, .3, .1, .7}))
	if apart != (discriminant.Cut{At: 3.5}) {
		t.Errorf("cut %+v, want 3.5 without error", apart)
	}
	// Neighbouring and extreme scores are still told apart, and one class may take all.
	for _, c := range []struct {
		f     []float64
		y     []int
		wrong float64
	}{
		{[]float64{1, math.Nextafter(1, 2)}, []int{0, 1}, 0},
		{[]float64{math.Nextafter(1, 2), math.Nextafter(1, 3) + 0x1p-52}, []int{0, 1}, 0},
		{[]float64{-math.MaxFloat64, math.MaxFloat64}, []int{0, 1}, 0},
		{[]float64{1e300, 1e300, 1e300}, []int{0, 1, 1}, 1. / 3},
		{[]float64{5, 4, 3, 2}, []int{1, 0, 0, 0}, 0},
		{[]float64{1, 2, 3, 4}, []int{1, 0, 0, 0}, 1. / 4},
	} {
		cut := must[discriminant.Cut](t)(discriminant.BestCut(c.f, c.y, nil))
		wrong := 0.0
		for i, v := range c.f {
			if (v > cut.At) != (c.y[i] == 1) {
				wrong++
			}
		}
		if linalgtest.Close(t, "error", cut.Error, c.wrong, 1e-15); wrong/float64(len(c.f)) != cut.Error {
			t.Errorf("%v: cut at %v errs on %v, not %v", c.f, cut.At, wrong, cut.Error)
		}
	}
	for name, f := range map[string]func() (discriminant.Cut, error){
		"three classes": func() (discriminant.Cut, error) { return discriminant.BestCut([]float64{1, 2, 3}, []int{0, 1, 2}, nil) },
		"one class":     func() (discriminant.Cut, error) { return discriminant.BestCut([]float64{1, 2}, []int{3, 3}, nil) },
		"NaN": func() (discriminant.Cut, error) {
			return discriminant.BestCut([]float64{1, math.NaN()}, []int{0, 1}, nil)
		},
		"labels": func() (discriminant.Cut, error) { return discriminant.BestCut([]float64{1, 2}, []int{0}, nil) },
		"weights": func() (discriminant.Cut, error) {
			return discriminant.BestCut([]float64{1, 2}, []int{0, 1}, []float64{1, -1})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSphering(t *testing.T) {
	x, y := iris(t)
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, &discriminant.Options{Uniform: true}))
	s := must[*discriminant.Sphering](t)(l.Sphering())
	z := linalg.Zeros(x.Rows, 4)
	for i := range x.Rows {
		s.Transform(z.Row(i)[:0], x.Row(i))
	}
	sphered := must[*discriminant.LDA](t)(discriminant.FitLDA(z, y, &discriminant.Options{Uniform: true}))
	cov, means := sphered.Cov(), sphered.Means()
	for i := range 4 {
		for j := range 4 {
			want := 0.0
			if i == j {
				want = 1
			}
			linalgtest.Close(t, "sphered covariance", cov.At(i, j), want, 1e-12)
		}
	}
	// With equal priors the nearest centroid decides.
	for i := range x.Rows {
		best, least := 0, math.Inf(1)
		for k := range 3 {
			d := slices.Clone(z.Row(i))
			linalg.Axpy(d, -1, means.Row(k))
			if n := linalg.Norm(d); n < least {
				best, least = k, n
			}
		}
		if l.Predict(x.Row(i)) != best {
			t.Errorf("row %d: class %d, nearest centroid %d", i, l.Predict(x.Row(i)), best)
		}
	}
}

// The sphered covariance is the identity whatever the units are, and the map is
// D^−½Uᵀ with the eigenvectors of Σ.
func TestSpheringOnScales(t *testing.T) {
	x, y := iris(t)
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	e, err := linalg.SymEigen(l.Cov())
	if err != nil {
		t.Fatal(err)
	}
	m := must[*discriminant.Sphering](t)(l.Sphering()).Matrix()
	for i := range 4 {
		want := e.Vectors.Row(3 - i)
		linalg.Scale(want, 1/math.Sqrt(e.Values[3-i]))
		closeUpToSign(t, "D^−½Uᵀ", m.Row(i), want, 1, 1e-12)
	}
	for i := range x.Rows {
		for j, s := range []float64{1e-12, 1, 1e12, 1e3} {
			x.Set(i, j, s*x.At(i, j))
		}
	}
	s := must[*discriminant.Sphering](t)(must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil)).Sphering())
	z := linalg.Zeros(x.Rows, 4)
	for i := range x.Rows {
		s.Transform(z.Row(i)[:0], x.Row(i))
	}
	cov := must[*discriminant.LDA](t)(discriminant.FitLDA(z, y, nil)).Cov()
	linalgtest.CloseSlice(t, "sphered covariance", cov.Data, linalg.Identity(4).Data, 1e-12)
}

func TestBoundaries(t *testing.T) {
	x, y := iris(t)
	for i := range x.Rows {
		for j := range 4 {
			x.Set(i, j, x.At(i, j)+1e3)
		}
	}
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	q := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))
	normal, offset, err := l.Boundary(2, 0)
	if err != nil {
		t.Fatal(err)
	}
	quadric := must[*discriminant.Quadric](t)(q.Boundary(2, 0))
	for i := range x.Rows {
		row := x.Row(i)
		s := l.Scores(nil, row)
		linalgtest.Close(t, "plane", linalg.Dot(normal, row)+offset, s[2]-s[0], 1e-10)
		linalgtest.Close(t, "log-odds", must[float64](t)(l.LogOdds(row, 2, 0)), s[2]-s[0], 1e-14)
		s = q.Scores(nil, row)
		linalgtest.Close(t, "quadric", quadric.Value(row), s[2]-s[0], 1e-12)
		linalgtest.Close(t, "log-odds", must[float64](t)(q.LogOdds(row, 2, 0)), s[2]-s[0], 1e-14)
		coef, intercept := l.Coef()
		origin, about, at := l.CoefAbout()
		s = l.Scores(nil, row)
		for k := range 3 {
			d := slices.Clone(row)
			linalg.Axpy(d, -1, origin)
			linalgtest.Close(t, "plain coefficients", linalg.Dot(coef.Row(k), row)+intercept[k], s[k], 1e-10)
			linalgtest.Close(t, "coefficients about the origin", linalg.Dot(about.Row(k), d)+at[k], s[k], 1e-13)
		}
	}
	c, b := q.Parameters()
	if c != 30 || b != 30 {
		t.Errorf("QDA has %d and %d parameters", c, b)
	}
	if c, b = l.Parameters(); c != 10 || b != 10 {
		t.Errorf("LDA has %d and %d parameters", c, b)
	}
}

func TestLikelihoods(t *testing.T) {
	x, y := iris(t)
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	q := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))
	for name, m := range map[string]interface {
		classifier
		Bayes() *discriminant.Bayes
		LogProba(dst, row []float64) []float64
	}{"LDA": l, "QDA": q} {
		b := m.Bayes()
		joint, conditional, err := b.LogLikelihood(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum, total := 0.0, 0.0
		for i := range x.Rows {
			p := m.LogProba(nil, x.Row(i))
			sum += p[y[i]]
			total += p[y[i]] + b.LogDensity(x.Row(i))
			linalgtest.CloseSlice(t, name+": posterior of the densities", b.Proba(nil, x.Row(i)), m.Proba(nil, x.Row(i)), 1e-12)
		}
		linalgtest.Close(t, name+": conditional", conditional, sum, 1e-12)
		linalgtest.Close(t, name+": joint = conditional + marginal", joint, total, 1e-12)
	}
	joint, _, _ := l.Bayes().LogLikelihood(x, y, nil)
	linalgtest.Close(t, "LDA: objective", l.Report().Objective(), -joint, 1e-12)
	joint, _, _ = q.Bayes().LogLikelihood(x, y, nil)
	linalgtest.Close(t, "QDA: objective", q.Report().Objective(), -joint, 1e-12)
}
