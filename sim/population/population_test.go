package population

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func TestSample(t *testing.T) {
	b, err := Gaussians([][]float64{{1, -1}, {3, 4}}, [][][]float64{{{1, .5}, {.5, 1}}, {{4, 0}, {0, 9}}}, []float64{.25, .75})
	if err != nil {
		t.Fatal(err)
	}
	n := 40_000
	x, y := Sample(b, n, 1)
	var sum, sq [2]float64
	count := 0.0
	for i, k := range y {
		if k == 1 {
			count++
			for j, v := range x.Row(i) {
				sum[j] += v
				sq[j] += v * v
			}
		}
	}
	// Five standard errors.
	within(t, "share of class 1", count/float64(n), .75, 5*.0022)
	within(t, "mean of x1", sum[0]/count, 3, 5*.0116)
	within(t, "mean of x2", sum[1]/count, 4, 5*.0174)
	within(t, "variance of x1", sq[0]/count-9, 4, 5*.08)
	within(t, "variance of x2", sq[1]/count-16, 9, 5*.17)

	again, _ := Sample(b, n, 1)
	other, _ := Sample(b, n, 2)
	if !slices.Equal(x.Data, again.Data) || slices.Equal(x.Data, other.Data) {
		t.Error("rows are not a function of the seed")
	}
	_, y = SampleClasses(b, []int{2, 3}, 1)
	if !slices.Equal(y, []int{0, 0, 1, 1, 1}) {
		t.Errorf("labels %v", y)
	}
}

// A population wants a count of each of its classes.
func TestSampleClassesNamesBothNumbers(t *testing.T) {
	b, err := Gaussians([][]float64{{1}, {3}}, [][][]float64{{{1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, counts := range [][]int{nil, {2}, {2, 3, 4}} {
		func() {
			defer func() {
				if r, want := recover(), fmt.Sprintf("population: 2 classes but %d counts", len(counts)); r != want {
					t.Errorf("panic %v, want %s", r, want)
				}
			}()
			SampleClasses(b, counts, 1)
		}()
	}
}

func within(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	linalgtest.Close(t, what, got-want, 0, tol)
}

func TestGaussiansErrors(t *testing.T) {
	one := [][]float64{{1, 0}, {0, 1}}
	var shape *linalg.ShapeError
	var pivot *linalg.PivotError
	if _, err := Gaussians([][]float64{{0, 0}, {1, 1}, {2, 2}}, [][][]float64{one, one}, nil); !errors.As(err, &shape) {
		t.Error(err)
	}
	if _, err := Gaussians([][]float64{{0, 0}, {1, 1}}, [][][]float64{{{1, 2}, {2, 1}}}, nil); !errors.As(err, &pivot) {
		t.Error(err)
	}
	if _, err := Gaussians([][]float64{{0, 0}, {1, 1, 1}}, [][][]float64{one}, nil); !errors.As(err, &shape) {
		t.Error(err)
	}
}

// A mixture has the weighted densities of its parts, which share a covariance if
// there is one.
func TestMixtureIsTheSumOfItsParts(t *testing.T) {
	m, err := Mixture([]float64{.25, .75}, [][]float64{{0, 1}, {3, -2}}, [][][]float64{{{2, .5}, {.5, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{1, .5}
	want := 0.0
	for i, mean := range [][]float64{{0, 1}, {3, -2}} {
		g, err := Gaussian(mean, [][]float64{{2, .5}, {.5, 1}})
		if err != nil {
			t.Fatal(err)
		}
		want += []float64{.25, .75}[i] * math.Exp(g.LogDensity(x))
	}
	linalgtest.Close(t, "density", math.Exp(m.LogDensity(x)), want, 1e-14)
	var shape *linalg.ShapeError
	if _, err := Mixture([]float64{1}, [][]float64{{0}}, [][][]float64{{{1}}, {{1}}}); !errors.As(err, &shape) {
		t.Errorf("two covariances of one part: %v", err)
	}
	if _, err := Mixture([]float64{1}, [][]float64{{0}}, [][][]float64{{{-1}}}); err == nil {
		t.Error("a negative variance")
	}
	if _, err := Gaussian([]float64{0}, [][]float64{{1, 2}, {3}}); err == nil {
		t.Error("a ragged covariance")
	}
}
