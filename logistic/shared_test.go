package logistic

import (
	"testing"

	"halfspace/linalg/linalgtest"
)

// The models of a path have one origin, not a copy each.
func TestModelsOfAPathShareTheirOrigin(t *testing.T) {
	x, y := linalgtest.Normal(5, 60, 4), make([]int, 60)
	for i := range y {
		y[i] = i % 3
		x.Set(i, 2, x.At(i, 2)+100+float64(y[i]))
	}
	path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1}, Count: 5})
	if err != nil || len(path.Points) < 3 {
		t.Fatal(path, err)
	}
	first := path.Points[0].Model
	for k, p := range path.Points {
		if m := p.Model; &m.origin[0] != &first.origin[0] || &m.far[0] != &first.far[0] {
			t.Errorf("model %d has an origin of its own", k)
		}
	}
}
