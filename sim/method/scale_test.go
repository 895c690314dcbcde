package method_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// Data of extreme size give the answer that they have at size 1, where the method
// is indifferent to scale, else a certified one; or the named error.
func TestExtremeScales(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, m := range method.All() {
		for _, o := range methodtest.Ways(m) {
			for _, size := range []float64{1e-150, 1e-120, 1e-12, 1e12, 1e120, 1e150} {
				d := methodtest.Clouds(m, 1, 60, 3)
				scale := func(row []float64) { linalg.Scale(row, size) }
				big := changed(d, scale)
				model, err := m.Fit(big, o)
				if err == nil || errors.Is(err, optimize.ErrNotConverged) {
					judge(t, m, model, err, big, o)
				} else if !documented(err) {
					t.Errorf("%s at %g: %v", m.Name, size, err)
				}
				if err == nil && free(m, o) && m.Name != "perceptron" {
					agree(t, fmt.Sprint("scaled by ", size), methodtest.Must(t, m, d, o), model, d.X, scale, nil)
				}
				if size >= 1e-12 && size <= 1e12 && err != nil && free(m, o) {
					t.Errorf("%s at %g: %v", m.Name, size, err)
				}
			}
			// Features on scales 1e-12 … 1e12.
			scales := []float64{1e-12, 1, 1e12}
			mixed := func(row []float64) {
				for j := range row {
					row[j] *= scales[j]
				}
			}
			if d := methodtest.Clouds(m, 1, 60, 3); free(m, o) && m.Name != "perceptron" {
				agree(t, "features on scales 1e-12 … 1e12", methodtest.Must(t, m, d, o), methodtest.Must(t, m, changed(d, mixed), o), d.X, mixed, nil)
			}
		}
	}
}

// 10⁴ classes are too many for a plane between each two, which is said before any
// work, and not too many for Gaussian classes.
func TestTenThousandClasses(t *testing.T) {
	const k = 10_000
	d := &dataset.Data{X: linalg.Zeros(2*k, 1), Labels: make([]int, 2*k), Names: make([]string, k),
		Schema: &dataset.Schema{Columns: []dataset.Column{{Name: "a"}}, Label: "y"}}
	for i := range d.Labels {
		d.Labels[i] = i / 2
		d.X.Row(i)[0] = float64(i/2)*10 + float64(i%2)
		d.Names[i/2] = fmt.Sprint(i / 2)
	}
	d.Schema.Names = d.Names
	for _, name := range []string{"svc", "hardmargin"} {
		m, _ := method.Named(name)
		var size *linalg.SizeError
		start := time.Now()
		refused(t, m, "10⁴ classes", d, new(method.Options), &size)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: refused after %v", name, took)
		}
	}
	m, _ := method.Named("lda")
	c := methodtest.Must(t, m, d, new(method.Options)).Classifier()
	if got := c.Predict([]float64{54320.4}); got != 5432 {
		t.Errorf("lda: class %d", got)
	}
}

// Sizes whose product leaves an int (on 386 already these) are an error, not a
// panic.
func TestSizesThatOverflow(t *testing.T) {
	for _, x := range []*linalg.Dense{
		{Rows: 1 << 20, Cols: 1 << 20, Stride: 1 << 20, Data: make([]float64, 8)},
		{Rows: 1 << 16, Cols: 1 << 15, Stride: 1 << 16, Data: make([]float64, 8)},
		{Rows: math.MaxInt, Cols: 2, Stride: 2, Data: make([]float64, 8)},
		{Rows: 2, Cols: math.MaxInt, Stride: math.MaxInt, Data: make([]float64, 8)},
		{Rows: 3, Cols: 2, Stride: math.MaxInt, Data: make([]float64, 8)},
		{Rows: 3, Cols: 2, Stride: 1, Data: make([]float64, 8)},
		{Rows: -3, Cols: -2, Stride: -2, Data: make([]float64, 8)},
	} {
		for _, m := range method.All() {
			d := &dataset.Data{X: x, Labels: make([]int, 8), Y: make([]float64, 8), Names: []string{"a", "b"}, Schema: &dataset.Schema{}}
			model, err := m.Fit(d, methodtest.Options(m))
			var shape *linalg.ShapeError
			var size *linalg.SizeError
			if model != nil || !errors.As(err, &shape) && !errors.As(err, &size) {
				t.Errorf("%s: %d × %d, stride %d: %v", m.Name, x.Rows, x.Cols, x.Stride, err)
			}
		}
	}
}

// Far rows have finite probabilities that sum to 1.
func TestScoresOfTenThousand(t *testing.T) {
	for _, m := range method.All() {
		if m.Regression {
			continue
		}
		model := methodtest.Must(t, m, methodtest.Clouds(m, 1, 60, 3), methodtest.Options(m))
		p, ok := model.Classifier().(interface {
			Proba(dst, row []float64) []float64
		})
		if !ok || !model.HasProba() {
			continue
		}
		for _, far := range []float64{1e4, -1e4, 1e8, -1e8, 1e100, -1e100} {
			total := 0.0
			for _, v := range p.Proba(nil, []float64{far, -far, far}) {
				total += v
			}
			if !(math.Abs(total-1) < 1e-12) {
				t.Errorf("%s: at %g probabilities sum to %v", m.Name, far, total)
			}
		}
	}
}
