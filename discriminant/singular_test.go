package discriminant_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// Constant or collinear columns.
func TestDegenerateColumns(t *testing.T) {
	x, y := gaussians(9, 90, 4, 3, 1)
	change := func(f func(row []float64, class int)) *linalg.Dense {
		c := x.Clone()
		for i := range c.Rows {
			f(c.Row(i), y[i])
		}
		return c
	}
	for name, c := range map[string]struct {
		x       *linalg.Dense
		rank    int
		columns []int
	}{
		"constant":                       {change(func(r []float64, _ int) { r[2] = 0.1 }), 3, []int{2}},
		"two constant":                   {change(func(r []float64, _ int) { r[0], r[3] = -7, 1e8 }), 2, []int{0, 3}},
		"constant within classes":        {change(func(r []float64, k int) { r[1] = 0.3 * float64(k) }), 3, []int{1}},
		"copy":                           {change(func(r []float64, _ int) { r[3] = r[0] }), 3, []int{3}},
		"sum":                            {change(func(r []float64, _ int) { r[3] = r[0] - 2*r[1] + 5 }), 3, []int{3}},
		"sum on another scale":           {change(func(r []float64, _ int) { r[3] = 1e-12 * (r[0] + r[1]) }), 3, []int{3}},
		"sum far from 0":                 {change(func(r []float64, _ int) { r[0] += 1e8; r[1] += 1e8; r[3] = r[0] + r[1] }), 3, []int{3}},
		"sum within classes":             {change(func(r []float64, k int) { r[2] = r[0] + float64(k*k) }), 3, []int{2}},
		"constant but for its roundings": {change(func(r []float64, k int) { r[2] = 1e8 + 1e-8*math.Copysign(1, r[0]) }), 3, []int{2}},
	} {
		for method, fit := range fits {
			within := strings.Contains(name, "within")
			if method == "indicator" && within {
				continue // its covariance is that of all rows
			}
			_, err := fit(c.x, y, nil)
			var rank *linalg.RankError
			if !errors.As(err, &rank) {
				t.Errorf("%s: %s: %v", method, name, err)
				continue
			}
			if rank.P != 4 || rank.Rank != c.rank || !slices.Equal(rank.Columns, c.columns) {
				t.Errorf("%s: %s: %v", method, name, err)
			}
			var of *discriminant.ClassRankError
			if errors.As(err, &of) != (method == "qda") { // at α = 0 the covariance is that of all classes
				t.Errorf("%s: %s: %v", method, name, err)
			}
		}
		o := &discriminant.Options{Ridge: 1e-3}
		if _, err := discriminant.FitLDA(c.x, y, o); err != nil && !strings.Contains(name, "far") {
			t.Errorf("%s: with a ridge: %v", name, err)
		}
		if _, err := discriminant.FitQDA(c.x, y, o); err != nil && !strings.Contains(name, "far") {
			t.Errorf("%s: with a ridge: %v", name, err)
		}
	}
}

// One class of three has a column that its others determine.
func TestSingularClassCovariance(t *testing.T) {
	x, y := gaussians(15, 90, 4, 3, 1)
	for i := range x.Rows {
		if y[i] == 1 {
			x.Set(i, 2, 3*x.At(i, 0)-x.At(i, 3))
		}
	}
	_, err := discriminant.FitQDA(x, y, nil)
	var of *discriminant.ClassRankError
	if !errors.As(err, &of) || of.Class != 1 || of.Err.Rank != 3 || of.Err.P != 4 || !slices.Equal(of.Err.Columns, []int{3}) {
		t.Fatalf("error %v", err)
	}
	rows := 0
	for _, k := range y {
		if k == 1 {
			rows++
		}
	}
	if want := fmt.Sprintf("class 1 (%d rows)", rows); of.Rows != rows || !strings.Contains(err.Error(), want) {
		t.Errorf("error %q, want %q in it", err, want)
	}
	if _, err := discriminant.FitRDA(x, y, &discriminant.Options{Alpha: 1}); !errors.As(err, &of) {
		t.Errorf("RDA, α = 1: %v", err)
	}
	for name, m := range map[string]*discriminant.QDA{
		"RDA":   must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, &discriminant.Options{Alpha: 0.9})),
		"ridge": must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, &discriminant.Options{Ridge: 1e-3})),
	} {
		if wrong := errorsOf(t, m, x, y); wrong > 20 || !m.Report().Certificate().Holds() {
			t.Errorf("%s: %d errors, %+v", name, wrong, m.Report())
		}
	}
}

// n < p, in the whole and within classes; classes of one row.
func TestFewRows(t *testing.T) {
	x, y := gaussians(10, 90, 4, 3, 1)
	y[0], y[1] = 7, 8
	y[1] = y[0]
	y[0] = 0
	// Class 7 has one row: no covariance of its own, but LDA needs none.
	m := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	if !slices.Equal(m.Classes(), []int{0, 1, 2, 7}) {
		t.Errorf("classes %v", m.Classes())
	}
	for _, d := range []discriminant.Divisor{discriminant.Unbiased, discriminant.MLE} {
		_, err := discriminant.FitQDA(x, y, &discriminant.Options{Divisor: d})
		var of *discriminant.ClassRankError
		if !errors.As(err, &of) || of.Class != 7 || of.Rows != 1 || of.Err.Rank != 0 || of.Err.P != 4 {
			t.Errorf("a class of one row: %v", err)
		}
	}
	if _, err := discriminant.FitRDA(x, y, &discriminant.Options{Alpha: 0.9}); err != nil {
		t.Errorf("RDA: %v", err)
	}
	if _, err := discriminant.FitQDA(x, y, &discriminant.Options{Ridge: 0.1}); err != nil {
		t.Errorf("ridge: %v", err)
	}
	// Three rows a class in four dimensions, and fewer rows than columns.
	var rank *linalg.RankError
	few, fy := x.RowRange(2, 11), y[2:11]
	if _, err := discriminant.FitQDA(few, fy, nil); !errors.As(err, &rank) || rank.Rank != 2 {
		t.Errorf("three rows a class: %v", err)
	}
	few, fy = x.RowRange(2, 5), y[2:5]
	for method, fit := range fits {
		if _, err := fit(few, fy, nil); !errors.As(err, &rank) {
			t.Errorf("%s: one row a class: %v", method, err)
		}
	}
	wide, wy := gaussians(11, 20, 50, 2, 1)
	if _, err := discriminant.FitLDA(wide, wy, nil); !errors.As(err, &rank) || rank.Rank != 18 || len(rank.Columns) != 32 {
		t.Errorf("n < p: %v", err)
	}
	if _, err := discriminant.FitLDA(wide, wy, &discriminant.Options{Shrinkage: 0.5}); err != nil {
		t.Errorf("n < p with shrinkage: %v", err)
	}
	same := linalg.Zeros(6, 1)
	for i := range 6 {
		same.Set(i, 0, float64(i/2))
	}
	if _, err := discriminant.FitReducedRank(same, []int{0, 1, 0, 1, 0, 1}, nil); !errors.Is(err, discriminant.ErrCentroids) {
		t.Errorf("equal means: %v", err)
	}
}

// Class means that are equal but for the rounding of their sums coincide, in any order of the rows;
// classes that are 1e-10 of their width apart do not.
func TestRoundingOfMeansDiscriminatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for trial := range 200 {
		n, p, apart := 6*(1+trial%40), 1+trial%3, 0.0
		if trial%2 == 1 {
			apart = 1e-10
		}
		x, y := linalg.Zeros(n, p), make([]int, n)
		for i := range n {
			y[i] = i % 2
			for j := range p { // each class has each value as often
				x.Set(i, j, .3*float64(i/2%3*(j+2)%5)+.1+apart*float64(y[i]))
			}
		}
		for i := n - 1; i > 0; i-- {
			k := r.IntN(i + 1)
			for j := range p {
				a, b := x.At(i, j), x.At(k, j)
				x.Set(i, j, b)
				x.Set(k, j, a)
			}
			y[i], y[k] = y[k], y[i]
		}
		m, err := discriminant.FitReducedRank(x, y, &discriminant.Options{Ridge: .01})
		if (apart == 0) != errors.Is(err, discriminant.ErrCentroids) || apart > 0 && err != nil {
			t.Errorf("%d × %d, %g apart: %v, %v", n, p, apart, m, err)
		}
		lda, err := discriminant.FitLDA(x, y, &discriminant.Options{Ridge: .01})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := lda.Scaling(); (apart == 0) != errors.Is(err, discriminant.ErrCentroids) {
			t.Errorf("%d × %d, %g apart: vectors of LDA: %v", n, p, apart, err)
		}
	}
}

// Columns so nearly dependent that their Gram matrix is singular to rounding: the
// QR factorisation decides, and gives the answer of the well-conditioned basis.
func TestNearlyDependentColumns(t *testing.T) {
	x, y := gaussians(14, 200, 3, 3, 1)
	z := x.Clone()
	const h = 1.0 / (1 << 33)
	for i := range x.Rows {
		for j := range 3 {
			x.Set(i, j, math.Round(x.At(i, j)*(1<<10))/(1<<10)) // sums below are exact
		}
		z.Set(i, 0, x.At(i, 0))
		z.Set(i, 1, x.At(i, 1))
		z.Set(i, 2, x.At(i, 0)+x.At(i, 1)+h*x.At(i, 2))
	}
	want := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	got := must[*discriminant.LDA](t)(discriminant.FitLDA(z, y, nil))
	wantQ := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))
	gotQ := must[*discriminant.QDA](t)(discriminant.FitQDA(z, y, nil))
	zero := must[*discriminant.QDA](t)(discriminant.FitRDA(z, y, nil))
	one := must[*discriminant.QDA](t)(discriminant.FitRDA(z, y, &discriminant.Options{Alpha: 1}))
	for i := range x.Rows {
		linalgtest.CloseSlice(t, "LDA", got.Proba(nil, z.Row(i)), want.Proba(nil, x.Row(i)), 1e-5)
		linalgtest.CloseSlice(t, "QDA", gotQ.Proba(nil, z.Row(i)), wantQ.Proba(nil, x.Row(i)), 1e-5)
		linalgtest.CloseSlice(t, "RDA, α = 0", zero.Proba(nil, z.Row(i)), want.Proba(nil, x.Row(i)), 1e-5)
		linalgtest.CloseSlice(t, "RDA, α = 1", one.LogProba(nil, z.Row(i)), gotQ.LogProba(nil, z.Row(i)), 1e-12)
	}
	if c := got.Report().Certificate(); !c.Holds() {
		t.Errorf("certificate %+v", c)
	}
}

// A covariance between that of a class and the pooled one, or with a ridge, tells columns apart where both of these
// do, and so do those of the folds of a cross-validation.
func TestBlendsOfNearlyDependentColumns(t *testing.T) {
	x, y := gaussians(16, 120, 3, 3, 1)
	z, folds := x.Clone(), make([]int, x.Rows)
	const h = 1.0 / (1 << 32)
	for i := range x.Rows {
		for j := range 3 {
			x.Set(i, j, math.Round(x.At(i, j)*(1<<10))/(1<<10)) // sums below are exact
		}
		copy(z.Row(i), []float64{x.At(i, 0), x.At(i, 1), x.At(i, 0) + x.At(i, 1) + h*x.At(i, 2)})
		folds[i] = i % 4
	}
	probas := func(name string, o *discriminant.Options) (even, near func(row []float64) []float64) {
		var fit [2]scorer
		for at, rows := range []*linalg.Dense{x, z} {
			var err error
			if name == "lda" {
				fit[at], err = discriminant.FitLDA(rows, y, o)
			} else {
				fit[at], err = discriminant.FitRDA(rows, y, o)
			}
			if err != nil {
				t.Fatalf("%s, α %g, ridge %g, shrinkage %g: %v", name, o.Alpha, o.Ridge, o.Shrinkage, err)
			}
		}
		return func(row []float64) []float64 { return fit[0].Proba(nil, row) }, func(row []float64) []float64 { return fit[1].Proba(nil, row) }
	}
	for _, o := range []*discriminant.Options{{Alpha: .3}, {Alpha: .99}, {Alpha: .5, Shrinkage: 1e-26}, {Alpha: 1, Ridge: 1e-26}} {
		even, near := probas("rda", &discriminant.Options{Alpha: o.Alpha})
		if o.Ridge+o.Shrinkage > 0 {
			_, near = probas("rda", o) // a ridge of a millionth of the last column's own part
		}
		for i := range x.Rows {
			linalgtest.CloseSlice(t, "RDA", near(z.Row(i)), even(x.Row(i)), 1e-5)
		}
	}
	even, _ := probas("lda", nil)
	_, near := probas("lda", &discriminant.Options{Ridge: 1e-26})
	for i := range x.Rows {
		linalgtest.CloseSlice(t, "LDA with a ridge", near(z.Row(i)), even(x.Row(i)), 1e-5)
	}
	plain := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, nil))
	ridged := must[*discriminant.Indicator](t)(discriminant.FitIndicator(z, y, &discriminant.Options{Ridge: 1e-26}))
	for i := range x.Rows {
		linalgtest.CloseSlice(t, "indicators with a ridge", ridged.Scores(nil, z.Row(i)), plain.Scores(nil, x.Row(i)), 1e-5)
	}
	alpha := []float64{0, .3, 1}
	want := must[*discriminant.RDACV](t)(discriminant.CrossValidateRDA(x, y, folds, alpha, nil))
	got := must[*discriminant.RDACV](t)(discriminant.CrossValidateRDA(z, y, folds, alpha, nil))
	linalgtest.CloseSlice(t, "losses of the folds", got.CV.Mean, want.CV.Mean, 1e-12)
}

// A column that varies by no more than 1e-12 of its values is constant to every
// model, and one that varies by 1e-11 is not.
func TestSpreadBesideSize(t *testing.T) {
	x, y := linalg.Zeros(40, 2), make([]int, 40)
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		spread float64
		flat   bool
	}{{1e-5, true}, {1e-2, false}} {
		for i := range y {
			y[i] = i % 2
			x.Set(i, 0, r.NormFloat64()+float64(y[i]))
			x.Set(i, 1, 1e9+c.spread*r.NormFloat64())
		}
		_, lda := discriminant.FitLDA(x, y, nil)
		_, qda := discriminant.FitQDA(x, y, nil)
		_, reduced := discriminant.FitReducedRank(x, y, nil)
		for name, err := range map[string]error{"lda": lda, "qda": qda, "reduced": reduced} {
			var rank *linalg.RankError
			if errors.As(err, &rank) != c.flat || c.flat && !slices.Equal(rank.Columns, []int{1}) {
				t.Errorf("%s, spread %g of 1e9: %v", name, c.spread, err)
			}
		}
	}
}

// A weight that is the number of means but for rounding leaves no divisor to trust,
// unless there is one row for each; the maximum likelihood divisor is not lost.
func TestLostDivisor(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{0, 1}, {1, 3}, {2, -1}, {4, 1}, {5, 1}, {4, 3}})
	y := []int{0, 0, 0, 1, 1, 1}
	own := &discriminant.Options{Weights: []float64{1, 1, 1, 1, 1e-30, 1e-30}, Alpha: .5}
	both := &discriminant.Options{Weights: []float64{1, 1e-30, 1e-30, 1, 1e-30, 1e-30}}
	var lost *linalg.ClassError
	if m, err := discriminant.FitRDA(x, y, own); m != nil || !errors.As(err, &lost) || lost.Class != 1 || lost.Rows != 3 {
		t.Errorf("RDA: %v", err)
	}
	if m, err := discriminant.FitQDA(x, y, taken("qda", own)); m != nil || !errors.As(err, &lost) || lost.Class != 1 {
		t.Errorf("QDA: %v", err)
	}
	if m, err := discriminant.FitLDA(x, y, both); m != nil || !errors.As(err, &lost) {
		t.Errorf("LDA: %v", err)
	}
	if _, err := discriminant.FitLDA(x, y, taken("lda", own)); err != nil {
		t.Errorf("LDA with N − K = 2: %v", err)
	}
	small := slices.Repeat([]float64{1.0 / 6}, 6)
	for _, ridge := range []float64{0, .01} {
		if m, err := discriminant.FitLDA(x, y, &discriminant.Options{Weights: small, Ridge: ridge}); m != nil || !errors.As(err, &lost) || !strings.Contains(err.Error(), "MLE") {
			t.Errorf("LDA, weights that sum to 1, ridge %g: %v", ridge, err)
		}
		for name, fit := range map[string]func(linalg.Rows, []int, *discriminant.Options) (*discriminant.QDA, error){"QDA": discriminant.FitQDA, "RDA": discriminant.FitRDA} {
			o := &discriminant.Options{Weights: []float64{1, 1, 1, .25, .25, .25}, Ridge: ridge}
			if name == "RDA" {
				o.Alpha = .5
			}
			if m, err := fit(x, y, o); m != nil || !errors.As(err, &lost) || lost.Class != 1 || !strings.Contains(err.Error(), "MLE") {
				t.Errorf("%s, a class of weight .75, ridge %g: %v", name, ridge, err)
			}
		}
	}
	both.Divisor, both.Ridge = discriminant.MLE, 1
	if _, err := discriminant.FitLDA(x, y, both); err != nil {
		t.Errorf("divisor N: %v", err)
	}
	if _, err := discriminant.FitRDA(x.RowRange(0, 4), y[:4], &discriminant.Options{Alpha: .5}); err != nil {
		t.Errorf("a class of one row: %v", err)
	}
}

// Rows that are no more than the columns are refused without a matrix by these, which has a hundred times as many values.
func TestFewRowsAreRefusedWithoutMoments(t *testing.T) {
	const p = 1500
	x, y := gaussians(12, 10, p, 2, 1)
	for i := range x.Rows {
		x.Set(i, 1, 2)
	}
	first := 0
	for _, v := range y {
		if v == slices.Min(y) {
			first++
		}
	}
	for method, rank := range map[string]int{"lda": 8, "qda": first - 1, "rda": 8, "path of rda": first - 1, "rrlda": 8, "indicator": 9} {
		var before, after runtime.MemStats
		var e *linalg.RankError
		var err error
		runtime.ReadMemStats(&before)
		if fit := fits[method]; fit != nil {
			_, err = fit(x, y, &discriminant.Options{})
		} else {
			_, err = discriminant.FitRDAPath(x, y, []float64{1, 0}, nil)
		}
		runtime.ReadMemStats(&after)
		if !errors.As(err, &e) || e.Rank != rank || len(e.Columns) != p-rank || !slices.Equal(e.Columns[:2], []int{1, rank + 1}) {
			t.Errorf("%s: %v", method, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 8*p*p/8 {
			t.Errorf("%s took %d bytes", method, got)
		}
	}
}

// The log-likelihood of covariances that are close to singular is that of their rows: the covariance N·S of a class makes the
// squared distances of its N rows sum to N·p. Their rounded scatter has lost it.
func TestLikelihoodOfNearCopies(t *testing.T) {
	x, y := gaussians(21, 60, 3, 2, 1)
	for i := range y {
		x.Set(i, 2, x.At(i, 0)+1e-10*float64(i*i%7-3))
	}
	mle := &discriminant.Options{Divisor: discriminant.MLE}
	lda := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, mle))
	qda := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, mle))
	rrlda := must[*discriminant.ReducedRank](t)(discriminant.FitReducedRank(x, y, mle))
	want := func(l func(k int) *linalg.Dense) (s float64) { // two classes of 30 rows
		for k := range 2 {
			s += 30 * (1.5*math.Log(2*math.Pi) + 1.5 - math.Log(0.5))
			for j := range 3 {
				s += 30 * math.Log(l(k).At(j, j))
			}
		}
		return s
	}
	pooled := lda.Bayes().Density(0).(*discriminant.Gaussian).Factor()
	one := want(func(int) *linalg.Dense { return pooled })
	linalgtest.Close(t, "LDA", lda.Report().Objective(), one, 1e-8*math.Abs(one))
	linalgtest.Close(t, "reduced rank", rrlda.Report().Objective(), one, 1e-8*math.Abs(one))
	own := want(func(k int) *linalg.Dense { return qda.Density(k).Factor() })
	linalgtest.Close(t, "QDA", qda.Report().Objective(), own, 1e-8*math.Abs(own))
	a, err := qda.Audit(x, y, mle)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "audit of QDA", a.Report.Objective(), own, 1e-4*math.Abs(own))
}

// The points of a path of RDA are fits to the rows, also where moments alone have lost digits of them.
func TestPathOfRDAFitsTheRows(t *testing.T) {
	x, y := gaussians(22, 60, 3, 2, 1)
	for i := range y {
		x.Set(i, 2, x.At(i, 0)+1e-6*float64(i*i%7-3))
	}
	alpha := []float64{0, 0.3, 1}
	path := must[[]*discriminant.QDA](t)(discriminant.FitRDAPath(x, y, alpha, nil))
	for i, a := range alpha {
		q := must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, &discriminant.Options{Alpha: a}))
		for k := range 2 {
			got, want := path[i].Density(k).Factor().At(2, 2), q.Density(k).Factor().At(2, 2)
			linalgtest.Close(t, "factor", got, want, 1e-12*want)
		}
	}
	if path, err := discriminant.FitRDAPath(x, y, []float64{0, 2}, nil); len(path) != 1 || err == nil {
		t.Errorf("%d models up to an α of 2, %v", len(path), err)
	}
	stop := func(optimize.Step) error { return errors.New("enough") }
	if path, err := discriminant.FitRDAPath(x, y, alpha, &discriminant.Options{Trace: stop}); len(path) != 1 || !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("%d models up to the one that the trace ended, %v", len(path), err)
	}
}
