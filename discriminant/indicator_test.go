package discriminant_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
)

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

// Functions from elsewhere need not sum to 1, and where none is positive no class is likelier than another.
func TestIndicatorsThatAreAllNegative(t *testing.T) {
	f := must[*discriminant.Indicator](t)(discriminant.NewIndicator([]int{0, 1}, linalgtest.Rows(t, []float64{1}, []float64{2}), []float64{0, 0}))
	for _, v := range []float64{-1, 0} {
		linalgtest.CloseSlice(t, "probabilities", f.Proba(nil, []float64{v}), []float64{.5, .5}, 0)
	}
	linalgtest.CloseSlice(t, "of a NaN", f.Proba(nil, []float64{math.NaN()})[:1], []float64{math.NaN()}, 0)
}

// Masked leaves the list of classes of a classifier as it is.
func TestMaskedWritesToNoClassifier(t *testing.T) {
	c := &constant{classes: []int{3, 5, 7}}
	got, err := discriminant.Masked(c, linalg.Zeros(2, 1))
	if err != nil || !slices.Equal(got, []int{5, 7}) || !slices.Equal(c.classes, []int{3, 5, 7}) {
		t.Errorf("masked %v of %v, %v", got, c.classes, err)
	}
}

// constant predicts its first class.
type constant struct{ classes []int }

func (c *constant) Classes() []int { return c.classes }

func (c *constant) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	n, _ := x.Dims()
	for range n {
		dst = append(dst, c.classes[0])
	}
	return dst, nil
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
	if masked, err := discriminant.Masked(l, linalgtest.OddBlocks{X: x}); err != nil || len(masked) != 0 {
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
