package sample_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

func TestFunctionsFromElsewhere(t *testing.T) {
	two := lt.Rows(t, []float64{1, 2, 3}, []float64{4, 5, 6})
	if err := errors.Join(sample.CheckAffine(2, two, []float64{7, 8}), sample.CheckAffine(1, lt.Rows(t, []float64{1}), []float64{0})); err != nil {
		t.Error(err)
	}
	if one, three := sample.Functions(2), sample.Functions(3); one != 1 || three != 3 {
		t.Errorf("%d functions for two classes, %d for three", one, three)
	}
	var (
		shape     *linalg.ShapeError
		nonFinite *linalg.NonFiniteError
		damage    *record.DamageError
	)
	for name, c := range map[string]struct {
		functions int
		coef      *linalg.Dense
		intercept []float64
		want      any
	}{
		"none":       {2, nil, []float64{7, 8}, &shape},
		"cut":        {2, &linalg.Dense{Rows: 2, Cols: 3, Stride: 3, Data: make([]float64, 5)}, []float64{7, 8}, &shape},
		"functions":  {1, two, []float64{7}, &shape},
		"columns":    {2, linalg.Zeros(2, 0), []float64{7, 8}, &shape},
		"intercepts": {2, two, []float64{7}, &shape},
		"NaN":        {1, lt.Rows(t, []float64{1, math.NaN()}), []float64{7}, &nonFinite},
		"infinite":   {1, lt.Rows(t, []float64{1, 2}), []float64{math.Inf(1)}, &nonFinite},
		"too large":  {1, lt.Rows(t, []float64{1, 0x1p1000}), []float64{0}, &damage},
	} {
		if err := sample.CheckAffine(c.functions, c.coef, c.intercept); err == nil || !errors.As(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSignsOfTwoClasses(t *testing.T) {
	pair, sign, err := sample.Signs(linalg.Zeros(4, 1), []int{7, 3, 3, 7}, nil, nil)
	if err != nil || pair != [2]int{3, 7} || !slices.Equal(sign, []float64{1, -1, -1, 1}) {
		t.Error(pair, sign, err)
	}
	var third *linalg.ClassError
	if _, _, err := sample.Signs(linalg.Zeros(5, 1), []int{7, 9, 3, 3, 9}, nil, nil); !errors.As(err, &third) || third.Class != 9 || third.Rows != 2 {
		t.Error(err)
	}
}

func TestOffsetsAreCounted(t *testing.T) {
	if err := errors.Join(sample.Offsets(nil, 2, 3), sample.Offsets(make([]float64, 6), 2, 3)); err != nil {
		t.Error(err)
	}
	var shape *linalg.ShapeError
	if err := sample.Offsets(make([]float64, 5), 2, 3); !errors.As(err, &shape) || shape.Want != 6 || shape.Got != 5 {
		t.Error(err)
	}
	cell, three := new(linalg.NonFiniteError), make([]float64, 12)
	three[7] = math.NaN()
	if err := sample.Offsets(three, 4, 3); !errors.As(err, &cell) || cell.Row != 2 {
		t.Errorf("no number at place 7: %v", err)
	}
	if err := sample.Offsets([]float64{0, math.Inf(1)}, 2, 1); !errors.As(err, new(*linalg.NonFiniteError)) {
		t.Error(err)
	}
	var large *linalg.RangeError
	if err := sample.Offsets([]float64{0, 0x1p450, 0, -0x1p451}, 2, 2); !errors.As(err, &large) || large.Row != 1 {
		t.Error(err)
	}
}

func TestClassWeightsMultiplyThoseOfRows(t *testing.T) {
	y, w := []int{5, 9, 5}, []float64{2, 3, 0}
	if got, err := sample.WeighClasses(y, nil, w, []float64{10, 0.5}); err != nil || !slices.Equal(got, []float64{20, 1.5, 0}) {
		t.Error(got, err)
	}
	for _, bad := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, err := sample.WeighClasses(y, nil, w, []float64{1, bad}); !errors.As(err, new(*sample.OptionError)) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := sample.WeighClasses(y, nil, w, []float64{1}); !errors.As(err, new(*linalg.ShapeError)) {
		t.Error(err)
	}
}

func TestClassesAscend(t *testing.T) {
	if err := sample.CheckClasses([]int{-1, 0, 7}); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		classes []int
		class   int
	}{{nil, 0}, {[]int{4}, 4}, {[]int{1, 1}, 1}, {[]int{1, 3, 2}, 2}} {
		var e *linalg.ClassError
		if err := sample.CheckClasses(c.classes); !errors.As(err, &e) || e.Class != c.class {
			t.Errorf("%v: %v", c.classes, err)
		}
	}
}
