package inference_test

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	lt "halfspace/logistic/internal/logistictest"
)

// criteria are the numbers of an inference that belong to no term.
func criteria(inf *inference.Inference) []float64 {
	return []float64{inf.LogLikelihood, inf.Deviance, inf.NullDeviance, inf.DF, inf.NullDF, inf.AIC, inf.BIC, inf.Pearson}
}

// Rows of another storage have the inference of the same rows as a dense matrix.
func TestOtherStorage(t *testing.T) {
	heart, chd := lt.Heart(t, "tobacco ldl famhist=Present age")
	three, race := lt.Several(t, "birthwt")
	far := heart.Clone()
	for i := range far.Data {
		far.Data[i] = math.Round(8*far.Data[i])/8 + 0x1p20
	}
	w, offset := make([]float64, len(chd)), make([]float64, len(chd))
	for i := range w {
		w[i], offset[i] = float64(i%3), 0.01*float64(i%7)
	}
	for name, c := range map[string]struct {
		x *linalg.Dense
		y []int
		o logistic.Options
	}{
		"likelihood":         {heart, chd, logistic.Options{}},
		"weights and offset": {heart, chd, logistic.Options{Weights: w, Offset: offset}},
		"no intercept":       {heart, chd, logistic.Options{NoIntercept: true}},
		"Firth":              {heart, chd, logistic.Options{Firth: true}},
		"means of a million": {far, chd, logistic.Options{}},
		"three classes":      {three, race, logistic.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			m := lt.MustFit(t, c.x, c.y, &c.o)
			a, b := mustInfer(t, m, linalgtest.OddBlocks{X: c.x}, c.y, &c.o), mustInfer(t, m, c.x, c.y, &c.o)
			linalgtest.CloseSlice(t, "estimates", a.Estimate, b.Estimate, 0)
			linalgtest.CloseSlice(t, "covariance", a.Covariance.Data, b.Covariance.Data, 1e-9)
			linalgtest.CloseSlice(t, "criteria", criteria(a), criteria(b), 1e-9)
			for what, numbers := range map[string]func(inf *inference.Inference) ([]float64, error){
				"dropped": func(inf *inference.Inference) (v []float64, err error) {
					tests, err := inf.Drop(nil)
					for _, test := range tests {
						v = append(v, test.Statistic)
					}
					return v, err
				},
				"profile": func(inf *inference.Inference) ([]float64, error) {
					lo, hi, err := inf.Profile(1, 0.95)
					return []float64{lo, hi}, err
				},
			} {
				got, err := numbers(a)
				if err != nil {
					t.Fatal(what, err)
				}
				want, err := numbers(b)
				if err != nil {
					t.Fatal(what, err)
				}
				linalgtest.CloseSlice(t, what, got, want, 1e-7)
			}
		})
	}
}

// So have residuals and Rao's test, of columns that are themselves of another storage.
func TestOtherStorageOfResidualsAndScores(t *testing.T) {
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	z, _ := lt.Heart(t, "obesity alcohol")
	m := lt.MustFit(t, x, y, nil)
	a, b := mustInfer(t, m, linalgtest.OddBlocks{X: x}, y, nil), mustInfer(t, m, x, y, nil)
	got, err := a.Score(linalgtest.OddBlocks{X: z})
	if err != nil {
		t.Fatal(err)
	}
	want, err := b.Score(z)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "Rao", got.Statistic, want.Statistic, 1e-9)
	ra, err := a.Residuals()
	if err != nil {
		t.Fatal(err)
	}
	rb, err := b.Residuals()
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "deviance residuals", ra.Deviance, rb.Deviance, 1e-9)
	linalgtest.CloseSlice(t, "leverages", ra.Leverage, rb.Leverage, 1e-9)
}

// Whichever block cannot be read: each method that passes over the rows says so, and
// gives no number.
func TestEveryLostBlockIsReported(t *testing.T) {
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	z, _ := lt.Heart(t, "obesity alcohol")
	lost := errors.New("the disk is gone")
	var reads, left atomic.Int64
	watched := func(x linalg.Rows) linalg.Rows {
		return linalgtest.Watched{Rows: x, Watch: func(*linalg.Block) error {
			if reads.Add(1) > left.Load() {
				return lost
			}
			return nil
		}}
	}
	left.Store(math.MaxInt64)
	firth := &logistic.Options{Firth: true}
	m, corrected := lt.MustFit(t, x, y, nil), lt.MustFit(t, x, y, firth)
	rows := watched(x)
	inf, penalized, dense := mustInfer(t, m, rows, y, nil), mustInfer(t, corrected, rows, y, firth), mustInfer(t, m, x, y, nil)
	for name, f := range map[string]func() error{
		"Of":               func() error { _, err := inference.Of(m, rows, y, nil); return err },
		"Of, Firth":        func() error { _, err := inference.Of(corrected, rows, y, firth); return err },
		"Drop":             func() error { _, err := inf.Drop([][]int{{1}}); return err },
		"Drop, Firth":      func() error { _, err := penalized.Drop([][]int{{1}}); return err },
		"WriteDrop":        func() error { return inf.WriteDrop(io.Discard, [][]int{{0}}, nil) },
		"Score beside it":  func() error { _, err := inf.Score(z); return err },
		"Score of columns": func() error { _, err := dense.Score(watched(z)); return err },
		"Profile":          func() error { _, _, err := inf.Profile(1, 0.95); return err },
		"Profile at 0":     func() error { _, _, err := inf.Profile(0, 0.95); return err },
		"Residuals":        func() error { _, err := inf.Residuals(); return err },
	} {
		reads.Store(0)
		left.Store(math.MaxInt64)
		if err := f(); err != nil {
			t.Fatal(name, err)
		}
		blocks := reads.Load()
		for k := blocks - 1; k >= 0; k -= 1 + blocks/40 {
			reads.Store(0)
			left.Store(k)
			if err := f(); !errors.Is(err, lost) {
				t.Errorf("%s, %d of %d blocks read: %v", name, k, blocks, err)
			}
		}
	}
	if err := inf.WriteSummary(io.Discard, nil, nil); err != nil {
		t.Errorf("a summary needs no rows: %v", err)
	}
}

// Rao's test of further columns needs a copy, which rows that are too many for it refuse.
func TestScoreOfTooManyRowsIsRefused(t *testing.T) {
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	z, _ := lt.Heart(t, "obesity alcohol")
	inf := mustInfer(t, lt.MustFit(t, x, y, nil), linalgtest.Remote{Rows: x, Most: 80}, y, nil)
	var size *linalg.SizeError
	if test, err := inf.Score(z); !errors.As(err, &size) || size.Cols != 6 || !errors.Is(err, linalg.ErrRemote) {
		t.Errorf("%v, %v", test, err)
	}
}

// Any number of goroutines may use an inference, also where dependences of sparse columns are looked for, by
// their spread. The race detector sees one that notes it while another reads.
func TestTestsOfSparseRowsAtTheSameTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := linalg.Zeros(1000, 310), make([]int, 1000)
	for i := range y {
		for range 8 {
			x.Set(i, r.IntN(x.Cols), 1+r.Float64())
		}
		x.Set(i, 309, x.At(i, 308)*(1+1e-6*r.Float64())) // nearly the column before
		y[i] = r.IntN(2)
	}
	sparse := linalgtest.Sparse(x)
	inf := mustInfer(t, lt.MustFit(t, sparse, y, nil), sparse, y, nil)
	var all sync.WaitGroup
	tests, errs := make([]inference.Test, 3), make([]error, 3)
	for k := range tests {
		all.Add(1)
		go func() {
			defer all.Done()
			tests[k], errs[k] = inf.ScoreAll()
		}()
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil || tests[0] != tests[1] || tests[0] != tests[2] {
		t.Errorf("%v, %v", tests, err)
	}
}
