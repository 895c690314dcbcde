package draw_test

import (
	"bytes"
	"math"
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/draw"
)

// A confusion matrix of many classes has the square of them of cells, nearly all empty.
func TestConfusionOfManyClasses(t *testing.T) {
	for k, most := range map[int]int{50: 1 << 20, 150: 1 << 18} {
		x, y := linalg.Zeros(4*k, 2), make([]int, 4*k)
		for i := range y {
			y[i] = i % k
			x.Set(i, 0, float64(y[i]%13)+math.Sin(float64(i)))
			x.Set(i, 1, float64(y[i]/13)+math.Cos(3*float64(i)))
		}
		lda, err := method.Named("lda")
		if err != nil {
			t.Fatal(err)
		}
		m, err := lda.Fit(&dataset.Data{X: x, Labels: y}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := draw.Kind("confusion", m, &dataset.Data{X: x, Labels: y}, "", "")
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := p.SVG(&b); err != nil || b.Len() > most {
			t.Errorf("%d classes: %d bytes, %v", k, b.Len(), err)
		}
	}
}
