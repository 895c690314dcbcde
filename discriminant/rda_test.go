package discriminant_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

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
	c := must[*discriminant.RDACV](t)(discriminant.CrossValidateRDA(x, y, folds, alpha, o))
	for i, a := range alpha {
		wrong, total := 0.0, 0.0
		var rates, sizes []float64 // fold by fold
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
			rates, sizes = append(rates, (wrong-wrongBefore)/(total-totalBefore)), append(sizes, total-totalBefore)
		}
		linalgtest.Close(t, "error", c.CV.Mean[i], wrong/total, 1e-15)
		squares := 0.0
		for f, v := range rates {
			squares += sizes[f] / total * (v - wrong/total) * (v - wrong/total)
		}
		linalgtest.Close(t, "standard error", c.CV.SE[i], math.Sqrt(squares/4), 1e-13)
		if got := c.Path.Points[i]; got.Penalty != a || got.Model.Alpha() != a || got.Report.Status() != optimize.Direct {
			t.Errorf("point %d: %+v", i, got)
		}
		if c.CV.Mean[i] < c.CV.Mean[c.CV.Best()] {
			t.Errorf("best is α = %v with %v, but α = %v has %v", alpha[c.CV.Best()], c.CV.Mean[c.CV.Best()], a, c.CV.Mean[i])
		}
	}
	// Classes far apart: no errors at any α, and the smallest is chosen.
	for i := range x.Rows {
		x.Set(i, 0, x.At(i, 0)+100*float64(y[i]))
	}
	c = must[*discriminant.RDACV](t)(discriminant.CrossValidateRDA(x, y, folds, []float64{0.7, 0.2, 1, 0.4}, nil))
	if c.CV.Best() != 1 || c.CV.Mean[1] != 0 || c.CV.SE[1] != 0 {
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
	c := must[*discriminant.RDACV](t)(discriminant.CrossValidateRDA(few, fy, folds[:24], []float64{1, 0.5}, &discriminant.Options{}))
	if c.CV.Best() < 0 {
		t.Errorf("%+v", c)
	}
	tiny := must[*discriminant.RDACV](t)(discriminant.CrossValidateRDA(few.RowRange(0, 15), fy[:15], folds[:15], []float64{1, 0.5}, nil))
	if !math.IsNaN(tiny.CV.Mean[0]) || tiny.CV.Best() != 1 {
		t.Errorf("%+v", tiny)
	}
}

// The moments of all folds but one are gathered from those before it and those behind it: twice the folds
// cost twice as much, not four times.
func TestCrossValidateRDAMergesFoldsOnce(t *testing.T) {
	x, y := gaussians(4, 240, 2, 2, 0.7)
	cost := func(count int) float64 {
		folds := make([]int, x.Rows)
		for i := range folds {
			folds[i] = i / 2 % count
		}
		return testing.AllocsPerRun(1, func() {
			must[*discriminant.RDACV](t)(discriminant.CrossValidateRDA(x, y, folds, []float64{0}, &discriminant.Options{Workers: 1}))
		})
	}
	if few, many := cost(60), cost(120); many > 2.5*few {
		t.Errorf("%v allocations for 60 folds, %v for 120", few, many)
	}
}
