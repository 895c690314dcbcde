package discriminant_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/moments"
)

// tenClasses returns 100,000 rows of 100 features in 10 classes.
func tenClasses() (*linalg.Dense, []int) {
	const n, p, k = 100000, 100, 10
	r := rand.New(rand.NewPCG(1, 1))
	center := linalg.Zeros(k, p)
	for i := range center.Data {
		center.Data[i] = 0.2 * r.NormFloat64()
	}
	x, y := linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		y[i] = r.IntN(k)
		row, last := x.Row(i), 0.0
		for j := range row {
			last = 0.5*last + 0.87*r.NormFloat64()
			row[j] = last + center.At(y[i], j)
		}
	}
	return x, y
}

func BenchmarkFit(b *testing.B) {
	x, y := tenClasses()
	fits := map[string]func() error{
		"lda":       func() error { _, err := discriminant.FitLDA(x, y, nil); return err },
		"qda":       func() error { _, err := discriminant.FitQDA(x, y, nil); return err },
		"rrlda":     func() error { _, err := discriminant.FitReducedRank(x, y, nil); return err },
		"indicator": func() error { _, err := discriminant.FitIndicator(x, y, nil); return err },
	}
	for _, name := range []string{"lda", "qda", "rrlda", "indicator"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := fits[name](); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// LDA in a growing number of rows.
func BenchmarkLDARows(b *testing.B) {
	x, y := tenClasses()
	for _, n := range []int{12500, 25000, 50000, 100000} {
		b.Run(map[int]string{12500: "12500", 25000: "25000", 50000: "50000", 100000: "100000"}[n], func(b *testing.B) {
			for b.Loop() {
				if _, err := discriminant.FitLDA(x.RowRange(0, n), y[:n], nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	x, y := tenClasses()
	l, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		b.Fatal(err)
	}
	q, err := discriminant.FitQDA(x, y, nil)
	if err != nil {
		b.Fatal(err)
	}
	row := x.Row(7)
	b.Run("lda/row", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Predict(row)
		}
	})
	b.Run("qda/row", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			q.Predict(row)
		}
	})
	dst := make([]int, 0, x.Rows)
	for name, m := range map[string]classifier{"lda": l, "qda": q} {
		b.Run(name+"/rows", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.PredictRows(dst, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// 101 values of α from one pass, beside three QDA fits and the 1,010 factors that
// the models keep (L and L⁻¹), which take turns: of-limit is the grid's share of
// their time, whatever else the machine does.
func BenchmarkRDAGrid(b *testing.B) {
	x, y := tenClasses()
	clock := func(total *time.Duration, f func() error) {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		*total += time.Since(start)
	}
	q, err := discriminant.FitQDA(x, y, nil)
	if err != nil {
		b.Fatal(err)
	}
	var qda, grid, factors time.Duration
	b.ReportAllocs()
	for b.Loop() {
		clock(&qda, func() error { _, err := discriminant.FitQDA(x, y, nil); return err })
		clock(&grid, func() error { return rdaGrid(x, y) })
		clock(&factors, func() error { return factorize(q, 101) })
	}
	for name, t := range map[string]time.Duration{"qda": qda, "grid": grid, "factors": factors} {
		b.ReportMetric(float64(t.Milliseconds())/float64(b.N), "ms/"+name)
	}
	b.ReportMetric(float64(grid)/float64(3*qda+factors), "of-limit")
}

func rdaGrid(x *linalg.Dense, y []int) error {
	m, err := moments.New(x.Cols, false)
	if err != nil {
		return err
	}
	if err := m.AddRows(x, y, nil, 0); err != nil {
		return err
	}
	for i := range 101 {
		if _, err := discriminant.RDAFromMoments(m, &discriminant.Options{Alpha: float64(i) / 100}); err != nil {
			return err
		}
	}
	return nil
}

// factorize factors and inverts the covariances of the classes of q a number of
// times.
func factorize(q *discriminant.QDA, times int) error {
	cov := make([]*linalg.Dense, len(q.Classes()))
	for k := range cov {
		cov[k] = q.Density(k).Cov()
	}
	errs := make([]error, times*len(cov))
	linalg.For(len(errs), 1, 0, func(lo, _ int) {
		c, err := linalg.NewCholesky(cov[lo%len(cov)])
		if errs[lo] = err; err == nil {
			c.InverseL(1)
		}
	})
	return errors.Join(errs...)
}
