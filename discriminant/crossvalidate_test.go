package discriminant_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// thirds are three folds of n rows.
func thirds(n int) []int {
	folds := make([]int, n)
	for i := range folds {
		folds[i] = i / 3 % 3
	}
	return folds
}

// At α = 0 the covariance is that of all classes, and so is the error of a singular one. A grid
// with a larger α goes on without that point.
func TestSingularPooledCovarianceHasNoClass(t *testing.T) {
	x, y := gaussians(4, 90, 3, 3, 1)
	for i := range y {
		x.Set(i, 2, float64(y[i])) // constant within the classes
	}
	var rank *linalg.RankError
	var class *discriminant.ClassRankError
	_, err := discriminant.FitRDA(x, y, nil)
	if !errors.As(err, &rank) || errors.As(err, &class) || !slices.Equal(rank.Columns, []int{2}) {
		t.Errorf("at α = 0: %v", err)
	}
	if _, err = discriminant.FitRDA(x, y, &discriminant.Options{Alpha: 0.5}); !errors.As(err, &class) {
		t.Errorf("at α = ½: %v", err)
	}
	_, err = discriminant.CrossValidateRDA(x, y, thirds(90), []float64{0}, nil)
	if !errors.As(err, &rank) || errors.As(err, &class) || !strings.HasPrefix(err.Error(), "discriminant: alpha 0: rank 2 of 3") {
		t.Errorf("cross-validated: %v", err)
	}
}

// A fit that rounding leaves above its tolerance is said, beside the errors of all.
func TestCrossValidateRDASaysWhichFitsDidNotConverge(t *testing.T) {
	x, y := gaussians(4, 90, 2, 2, 1)
	// The first fold has no row of the class that lies far off and outweighs the other, so
	// that the merged moments are about a point whose distance swallows that class's spread.
	w, folds := make([]float64, 90), make([]int, 90)
	for i := range w {
		w[i], folds[i] = 1, i%3
		if y[i] == 1 {
			x.Row(i)[0] += 1e10
			w[i], folds[i] = 1e20, 1+i/2%2
		}
	}
	c, err := discriminant.CrossValidateRDA(x, y, folds, []float64{1, 0.5}, &discriminant.Options{Weights: w})
	if c == nil || len(c.Path.Points) != 2 || !errors.Is(err, optimize.ErrNotConverged) || !strings.Contains(err.Error(), "alpha 1: ") {
		t.Errorf("%v, %v", c, err)
	}
}

// The trace sees every fit of a cross-validation, and its error ends the rest.
func TestTraceOfDiscriminants(t *testing.T) {
	x, y := gaussians(4, 90, 3, 3, 1)
	enough := errors.New("enough")
	for name, fit := range fits {
		calls := 0
		m, err := fit(x, y, &discriminant.Options{Trace: func(s optimize.Step) error {
			if calls++; s.Iteration != 0 || !(s.Objective > 0) || !(s.Certificate < 1e-12) {
				t.Errorf("%s: %+v", name, s)
			}
			return enough
		}})
		if calls != 1 || isNil(m) || !errors.Is(err, enough) || !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: %d calls, %v", name, calls, err)
		}
	}
	calls := 0
	o := &discriminant.Options{Trace: func(optimize.Step) error {
		if calls++; calls > 6 {
			return enough
		}
		return nil
	}}
	c, err := discriminant.CrossValidateRDA(x, y, thirds(90), []float64{0.2, 0.4, 0.6}, o)
	if calls != 7 || c == nil || len(c.Path.Points) != 1 || len(c.CV.Mean) != 1 || !errors.Is(err, enough) {
		t.Errorf("%d calls, %+v, %v", calls, c, err)
	}
}

// Class weights are weights of rows.
func TestClassWeightsWeighRows(t *testing.T) {
	x, y := gaussians(4, 90, 3, 3, 1)
	w, both := make([]float64, 90), make([]float64, 90)
	for i := range w {
		w[i] = float64(1 + i%2)
		both[i] = w[i] * []float64{1, 4, 0.5}[y[i]]
	}
	type linear interface {
		Scores(dst, row []float64) []float64
	}
	for name, fit := range fits {
		a, err := fit(x, y, &discriminant.Options{Weights: w, ClassWeights: []float64{1, 4, 0.5}, Alpha: 0.5})
		if err != nil {
			t.Fatal(name, err)
		}
		b, err := fit(x, y, &discriminant.Options{Weights: both, Alpha: 0.5})
		if err != nil {
			t.Fatal(name, err)
		}
		linalgtest.CloseSlice(t, name, a.(linear).Scores(nil, x.Row(0)), b.(linear).Scores(nil, x.Row(0)), 0)
	}
	// The errors of left-out rows count by the weights of rows alone.
	classes := &discriminant.Options{Weights: w, ClassWeights: []float64{1, 1e-6, 1e-6}, Divisor: discriminant.MLE}
	c, err := discriminant.CrossValidateRDA(x, y, thirds(90), []float64{0.5}, classes)
	if err != nil || c.CV.Mean[0] < 0.3 { // nearly all rows of two classes are mistaken
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := discriminant.CrossValidateRDA(x, y, thirds(90), []float64{0.5}, &discriminant.Options{Alpha: 0.1}); err == nil {
		t.Error("Alpha beside a list of α is accepted")
	}
}
