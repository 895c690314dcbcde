package sample_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

func TestCode(t *testing.T) {
	l, err := sample.Code([]int{7, -1, 7, 3, 3}, nil, []float64{1, 2, .5, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.Classes, []int{-1, 3, 7}) || !slices.Equal(l.Code, []int{2, 0, 2, 1, 1}) || !slices.Equal(l.Count, []float64{2, 2, 1.5}) {
		t.Errorf("got %+v", l)
	}
}

// Labels that are their codes are not copied, and others are not written over.
func TestCodesThatAreTheLabels(t *testing.T) {
	for _, c := range []struct {
		y, classes, code []int
		w                []float64
	}{
		{y: []int{0, 2, 1, 2}, code: []int{0, 2, 1, 2}},
		{y: []int{0, 1, 3, 1}, code: []int{0, 1, 2, 1}},
		{y: []int{0, 5, 1}, classes: []int{0, 1}, code: []int{0, 0, 1}, w: []float64{1, 0, 1}},
	} {
		before := slices.Clone(c.y)
		l, err := sample.Code(c.y, c.classes, c.w)
		if err != nil || !slices.Equal(l.Code, c.code) || !slices.Equal(c.y, before) {
			t.Errorf("%v: codes %v, labels %v, %v", before, l.Code, c.y, err)
			continue
		}
		if same := slices.Equal(c.y, c.code); (&l.Code[0] == &c.y[0]) != same {
			t.Errorf("%v: codes are the labels: %t, want %t", before, !same, same)
		}
	}
}

// A row of weight 0 is a row deleted: its label alone makes no class.
func TestCodeIgnoresRowsOfWeightZero(t *testing.T) {
	l, err := sample.Code([]int{5, 5, 0, 1, 1}, nil, []float64{0, 0, 1, 0, 2})
	if err != nil || !slices.Equal(l.Classes, []int{0, 1}) {
		t.Errorf("got %v, %v", l.Classes, err)
	}
	if _, err := sample.Code([]int{9, 0, 1}, []int{0, 1}, []float64{0, 1, 1}); err != nil {
		t.Errorf("a label outside the list on a row of weight 0: %v", err)
	}
}

// Labels next to each other, far apart and at the ends of the integers.
func TestCodeSpans(t *testing.T) {
	for _, classes := range [][]int{
		{-2, 0, 3}, {0, 65535}, {0, 65536}, {-1 << 20, 0, 1, 1 << 20},
		{math.MinInt, math.MinInt + 1, math.MaxInt}, {math.MinInt, 0}, {-50000, -32769, -32768, 32767, 32768},
	} {
		for first := range classes {
			var y []int
			for i := range 3 * len(classes) {
				y = append(y, classes[(first+i)%len(classes)])
			}
			for _, given := range [][]int{nil, classes} {
				l, err := sample.Code(y, given, nil)
				if err != nil || !slices.Equal(l.Classes, classes) {
					t.Errorf("%v: %v, %v", y, l.Classes, err)
					continue
				}
				for i, c := range l.Code {
					if classes[c] != y[i] {
						t.Errorf("%v: code %d of row %d", y, c, i)
					}
				}
			}
			var e *linalg.ClassError
			for _, other := range []int{classes[0] - 1, classes[0] + 2, classes[len(classes)-1] + 1} {
				if !slices.Contains(classes, other) {
					if _, err := sample.Code(append(y, other), classes, nil); !errors.As(err, &e) || e.Class != other {
						t.Errorf("%d in %v: %v", other, classes, err)
					}
				}
			}
		}
	}
}

func TestCodeRefuses(t *testing.T) {
	for _, c := range []struct {
		name       string
		y, classes []int
		w          []float64
		class      int
	}{
		{"one class", []int{4, 4}, nil, nil, 4},
		{"one class of positive weight", []int{4, 5}, nil, []float64{1, 0}, 4},
		{"a listed class without rows", []int{0, 1, 0}, []int{0, 1, 2}, nil, 2},
		{"a listed class of weight 0", []int{0, 1, 2}, []int{0, 1, 2}, []float64{1, 1, 0}, 2},
		{"a label outside the list", []int{0, 1, 3}, []int{0, 1}, nil, 3},
		{"a list with a repeat", []int{0, 1}, []int{0, 1, 1}, nil, 1},
		{"a list that does not ascend", []int{0, 1}, []int{1, 0}, nil, 0},
	} {
		var ce *linalg.ClassError
		if _, err := sample.Code(c.y, c.classes, c.w); !errors.As(err, &ce) || ce.Class != c.class {
			t.Errorf("%s: got %v, want a ClassError for class %d", c.name, err, c.class)
		}
	}
}

func TestCodeKeepsNoList(t *testing.T) {
	given := []int{0, 1, 2}
	l, err := sample.Code([]int{0, 1, 2}, given, nil)
	if given[0] = 7; err != nil || l.Classes[0] != 0 {
		t.Errorf("got %v, %v", l.Classes, err)
	}
}

func TestDims(t *testing.T) {
	var shape *linalg.ShapeError
	x := linalg.Zeros(3, 2)
	if n, p, err := sample.Dims(x, 3, "labels"); n != 3 || p != 2 || err != nil {
		t.Errorf("got %d, %d, %v", n, p, err)
	}
	if _, _, err := sample.Dims(x, 4, "labels"); !errors.As(err, &shape) || shape.Want != 3 || shape.Got != 4 || shape.GotOf != "labels" {
		t.Errorf("got %v", err)
	}
	for _, c := range []struct {
		n, p   int
		wantOf string
	}{{0, 3, "row needed"}, {3, 0, "column needed"}} {
		if _, _, err := sample.Dims(empty{c.n, c.p}, c.n, "labels"); !errors.As(err, &shape) || shape.Want != 1 || shape.WantOf != c.wantOf {
			t.Errorf("%d×%d: %v", c.n, c.p, err)
		}
	}
	for _, bad := range []linalg.Rows{nil, (*linalg.Dense)(nil), &linalg.Dense{}, (*linalg.CSR)(nil), &linalg.CSR{}, empty{0, 3}, empty{3, 0}} {
		if _, _, err := sample.Dims(bad, 3, "labels"); !errors.As(err, &shape) {
			t.Errorf("%v: got %v, want a ShapeError", bad, err)
		}
	}
}

type empty struct{ n, p int }

func (e empty) Dims() (int, int)                                     { return e.n, e.p }
func (empty) Pass(lo, hi int, visit func(*linalg.Block) error) error { return nil }

func TestWeights(t *testing.T) {
	if s, err := sample.Weights(nil, 5); s != 5 || err != nil {
		t.Errorf("nil: %v, %v", s, err)
	}
	if s, err := sample.Weights([]float64{0, 2, .5}, 3); s != 2.5 || err != nil {
		t.Errorf("got %v, %v", s, err)
	}
	var (
		shape *linalg.ShapeError
		nf    *linalg.NonFiniteError
		we    *linalg.WeightError
	)
	if _, err := sample.Weights([]float64{1}, 2); !errors.As(err, &shape) {
		t.Errorf("short: %v", err)
	}
	if _, err := sample.Weights([]float64{1, math.NaN()}, 2); !errors.As(err, &nf) || nf.Row != 1 {
		t.Errorf("NaN: %v", err)
	}
	if _, err := sample.Weights([]float64{1, 1, -2}, 3); !errors.As(err, &we) || we.Row != 2 || we.Value != -2 {
		t.Errorf("negative: %v", err)
	}
	if _, err := sample.Weights([]float64{math.MaxFloat64, math.MaxFloat64}, 2); !errors.As(err, &nf) || nf.Row != 1 || nf.Col != -1 {
		t.Errorf("overflow: %v", err)
	}
	if _, err := sample.Weights([]float64{0, 0}, 2); !errors.As(err, &shape) {
		t.Errorf("all zero: %v", err)
	}
}

func TestOptions(t *testing.T) {
	if v, err := sample.Positive("Rate", 0, 1); v != 1 || err != nil {
		t.Errorf("default: %v, %v", v, err)
	}
	if v, err := sample.Count("MaxIter", 0, 100); v != 100 || err != nil {
		t.Errorf("default: %v, %v", v, err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, errP := sample.Positive("Rate", bad, 1)
		for _, err := range []error{errP, sample.NonNegative("Lambda", bad), sample.Fraction("Alpha", bad)} {
			var oe *sample.OptionError
			if !errors.As(err, &oe) {
				t.Errorf("%v passes: %v", bad, err)
			}
		}
	}
	if _, err := sample.Count("MaxIter", -1, 1); err == nil {
		t.Error("a negative count passes")
	}
	for _, good := range []float64{0, .5, 1} {
		if err := errors.Join(sample.Fraction("Alpha", good), sample.NonNegative("Lambda", good)); err != nil {
			t.Error(err)
		}
	}
}

func ExampleCode() {
	l, err := sample.Code([]int{10, 20, 10}, nil, nil)
	fmt.Println(l.Classes, l.Code, err)
	_, err = sample.Code([]int{10, 10}, nil, nil)
	fmt.Println(err)
	// Output:
	// [10 20] [0 1 0] <nil>
	// class 10 (2 rows) is the only class
}
