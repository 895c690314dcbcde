package hyperplane

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

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
			got := mustSVC(t, linalgtest.Rows(t, rows...), labels, &SVCOptions{Weights: w}).Machines()[0].Plane
			linalgtest.CloseSlice(t, "svc", got.Normal(), want.Normal(), 1e-8)

			s, err := FitSVR(x, r, &SVROptions{Epsilon: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			z, err := FitSVR(linalgtest.Rows(t, rows...), responses, &SVROptions{Epsilon: 0.1, Weights: w})
			if err != nil {
				t.Fatalf("svr, size %g, means of %g: %v", size, shift, err)
			}
			linalgtest.CloseSlice(t, "svr", z.Plane().Normal(), s.Plane().Normal(), 1e-8)

			h, err := FitHardMargin(apart, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			g, err := FitHardMargin(linalgtest.Rows(t, wide...), labels, &HardMarginOptions{Weights: w})
			if err != nil {
				t.Fatal(err)
			}
			linalgtest.CloseSlice(t, "hard margin", g.Machines()[0].Plane.Normal(), h.Machines()[0].Plane.Normal(), 1e-8)
		}
	}
}

// Responses of 1e12 leave a prediction four decimals. The certificate is that of the
// plane as published, so it says how far that is from the optimum.
func TestSVRCertificateIsThePublishedPlanes(t *testing.T) {
	x, noise := linalgtest.Normal(5, 80, 3), linalgtest.Normal(6, 80, 1)
	for _, level := range []float64{0, 1e6, 1e12} {
		y := make([]float64, x.Rows)
		for i := range y {
			y[i] = level + x.At(i, 0) + noise.Data[i]
		}
		m, err := FitSVR(x, y, nil)
		if m == nil {
			t.Fatal(err)
		}
		primal, dual := 0.0, 0.0
		beta := make([]float64, x.Cols)
		for i, v := range y {
			primal += math.Abs(v - m.Predict(x.Row(i)))
		}
		for k, i := range m.Support() {
			linalg.Axpy(beta, m.Multipliers()[k], x.Row(i))
			dual += m.Multipliers()[k] * (y[i] - level)
		}
		normal := m.Plane().Normal()
		primal += linalg.Dot(normal, normal) / 2
		dual -= linalg.Dot(beta, beta) / 2
		r := m.Report()
		linalgtest.Close(t, "objective", r.Objective(), primal, 1e-12)
		if gap := math.Abs(primal-dual) / math.Max(1, primal); math.Abs(gap-r.Certificate().Value) > 1e-10 {
			t.Errorf("level %g: gap %g, reported %g", level, gap, r.Certificate().Value)
		}
		if converged := r.Status() == optimize.Converged; converged != r.Certificate().Holds() || converged != (err == nil) ||
			converged != (level < 1e12) || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("level %g: %+v, %v", level, r, err)
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
	linalgtest.CloseSlice(t, "svc", m.Machines()[0].Plane.Normal(), []float64{0, 0}, 0)
	s, err := FitSVR(x, x.Col(nil, 0), &SVROptions{C: 1e-200, Weights: w})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "svr", s.Plane().Normal(), []float64{0, 0}, 0)
	p := mustSVC(t, x, y, &SVCOptions{C: 1e-320, Probability: true}).Proba(nil, x.Row(0))
	linalgtest.CloseSlice(t, "probabilities", p, []float64{0.5, 0.5}, 1e-6)
}

// In a tube of next to no width both multipliers of a row may be large; a row for
// which they are equal but for rounding is no support vector.
func TestNarrowTube(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-1, -1, -1}, []float64{1, -1, -1}, []float64{-1, -1, -1})
	m, err := FitSVR(x, []float64{1e8, 1e8 + 1, 1e8 + 1}, &SVROptions{C: 100, Epsilon: 1e-300, Weights: []float64{0.001, 2, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Support(), []int{0, 2}) {
		t.Errorf("support vectors %v, multipliers %v", m.Support(), m.Multipliers())
	}
	sum := 0.0
	for _, a := range m.Multipliers() {
		sum += a
	}
	linalgtest.Close(t, "Σ(α*−α)", sum, 0, 1e-13)
}
