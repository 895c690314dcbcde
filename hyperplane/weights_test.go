package hyperplane

import (
	"testing"

	lt "halfspace/linalg/linalgtest"
)

func TestSVCWeightsAreRepeatedRows(t *testing.T) {
	x, y := clouds(5, 60, 2, 0.7)
	w := make([]float64, len(y))
	var rows [][]float64
	var labels []int
	for i := range w {
		w[i] = float64(i % 4)
		for range i % 4 {
			rows, labels = append(rows, x.Row(i)), append(labels, y[i])
		}
	}
	m := mustSVC(t, x, y, &SVCOptions{Weights: w})
	checkSVC(t, x, y, w, m)
	again := mustSVC(t, lt.Rows(t, rows...), labels, nil)
	samePlane(t, "repeated", again.Machines()[0].Plane, m.Machines()[0].Plane, 1e-8)
}

// A row of weight 0 is the row deleted, whatever stands in it.
func TestMarginsRowOfWeightZero(t *testing.T) {
	for _, size := range []float64{1e3, 1e8, 1e15} {
		for _, shift := range []float64{0, 1e8} {
			x, y := clouds(3, 60, 3, 1.5)
			apart := x.Clone()
			r := make([]float64, len(y))
			w := append([]float64{0}, make([]float64, len(y))...)
			for i := range r {
				r[i] = x.At(i, 1) + 0.3*x.At(i, 2)
				w[i+1] = 1
				for j := range x.Cols {
					x.Row(i)[j] += shift
					apart.Row(i)[j] += shift + 9*float64(y[i])
				}
			}
			rows := [][]float64{{size, -size, size}}
			wide := [][]float64{{size, -size, size}}
			for i := range y {
				rows, wide = append(rows, x.Row(i)), append(wide, apart.Row(i))
			}
			labels, responses := append([]int{1}, y...), append([]float64{3 * size}, r...)

			want := mustSVC(t, x, y, nil).Machines()[0].Plane
			got := mustSVC(t, lt.Rows(t, rows...), labels, &SVCOptions{Weights: w}).Machines()[0].Plane
			lt.CloseSlice(t, "svc", got.Normal(), want.Normal(), 1e-8)

			s, err := FitSVR(x, r, &SVROptions{Epsilon: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			z, err := FitSVR(lt.Rows(t, rows...), responses, &SVROptions{Epsilon: 0.1, Weights: w})
			if err != nil {
				t.Fatalf("svr, size %g, means of %g: %v", size, shift, err)
			}
			lt.CloseSlice(t, "svr", z.Plane().Normal(), s.Plane().Normal(), 1e-8)

			h, err := FitHardMargin(apart, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			g, err := FitHardMargin(lt.Rows(t, wide...), labels, &HardMarginOptions{Weights: w})
			if err != nil {
				t.Fatal(err)
			}
			lt.CloseSlice(t, "hard margin", g.Machines()[0].Plane.Normal(), h.Machines()[0].Plane.Normal(), 1e-8)
		}
	}
}

// Prices that underflow to 0 leave nothing to fit; that is a plane of zeros.
func TestMarginsOfNextToNothing(t *testing.T) {
	x, y := clouds(4, 20, 2, 1)
	w := make([]float64, len(y))
	for i := range w {
		w[i] = 1e-130
	}
	m := mustSVC(t, x, y, &SVCOptions{C: 1e-200, Weights: w})
	lt.CloseSlice(t, "svc", m.Machines()[0].Plane.Normal(), []float64{0, 0}, 0)
	s, err := FitSVR(x, x.Col(nil, 0), &SVROptions{C: 1e-200, Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "svr", s.Plane().Normal(), []float64{0, 0}, 0)
	p := mustSVCProba(t, x, y, &SVCProbaOptions{SVCOptions: SVCOptions{C: 1e-320}}).Proba(nil, x.Row(0))
	lt.CloseSlice(t, "probabilities", p, []float64{0.5, 0.5}, 1e-6)
}
