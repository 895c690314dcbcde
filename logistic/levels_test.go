package logistic_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/qp/separation"
)

// levels returns indicators of fields with so many levels, the first of each left out, and the
// level of each row by field.
func levels(r *rand.Rand, n, fields, count int) (*linalg.Dense, [][]int) {
	x, level := linalg.Zeros(n, fields*(count-1)), make([][]int, n)
	for i := range level {
		for f := range fields {
			l := r.IntN(count)
			if level[i] = append(level[i], l); l > 0 {
				x.Set(i, f*(count-1)+l-1, 1)
			}
		}
	}
	return x, level
}

// verified returns the error of separated classes, which is multiplied out in integers, and which
// dense and sparse rows have.
func verified(t *testing.T, x *linalg.Dense, y []int, k int) *logistic.SeparationError {
	t.Helper()
	var both [2]*logistic.SeparationError
	for i, rows := range []linalg.Rows{x, linalgtest.Sparse(x)} {
		_, err := logistic.Fit(rows, y, nil)
		if !errors.As(err, &both[i]) {
			t.Fatalf("%T, %d columns, %d classes: %v", rows, x.Cols, k, err)
		}
		if err := both[i].Verify(&separation.Problem{X: rows, Code: y, Classes: k}); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := both[0], both[1]; !slices.Equal(a.Columns, b.Columns) || a.Rows != b.Rows || a.Kind != b.Kind {
		t.Errorf("%v of dense rows, %v of sparse ones", a, b)
	}
	return both[1]
}

// A level of which all rows are of one class separates the classes, among so many columns that the
// exact search gives up: the steps of the fit show its column, and, of the level that is
// left out, those of all others of its field.
func TestPureLevelsAreNamed(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, fields, count = 3000, 10, 40
	x, level := levels(rand.New(rand.NewPCG(1, 5)), n, fields, count)
	r, y := rand.New(rand.NewPCG(2, 5)), make([]int, n)
	draw := func(pure func(level []int) bool) {
		for i := range y {
			if y[i] = r.IntN(2); pure(level[i]) {
				y[i] = 1
			}
		}
	}
	draw(func([]int) bool { return false })
	m, err := logistic.Fit(linalgtest.Sparse(x), y, nil)
	if err != nil || !m.Report().Certificate().Holds() {
		t.Fatalf("without a pure level: %v", err)
	}
	for i := range y { // a column far from 0, which says what a row is not
		x.Set(i, 2*(count-1)+6, 3-x.At(i, 2*(count-1)+6))
	}
	draw(func(level []int) bool { return level[2] == 7 || level[5] == 1 })
	e := verified(t, x, y, 2)
	if want := []int{2*(count-1) + 6, 5 * (count - 1)}; !slices.Equal(e.Columns, want) || e.Complete || e.Rows == 0 {
		t.Errorf("columns %v, want %v: %v", e.Columns, want, e)
	}
	draw(func(level []int) bool { return level[3] == 0 })
	e = verified(t, x, y, 2)
	if len(e.Columns) != count-1 || e.Columns[0] != 3*(count-1) || e.Columns[count-2] != 4*(count-1)-1 || e.Intercept[0] == 0 {
		t.Errorf("the level left out: columns %v, intercept %v", e.Columns, e.Intercept)
	}
}

// A level that one of several classes lacks separates it from the others.
func TestLevelsThatAClassLacks(t *testing.T) {
	const n, fields, count, k = 3000, 8, 25, 4
	x, level := levels(rand.New(rand.NewPCG(3, 5)), n, fields, count)
	r, y := rand.New(rand.NewPCG(4, 5)), make([]int, n)
	for i := range y {
		for y[i] = r.IntN(k); y[i] == 2 && level[i][1] == 3; {
			y[i] = r.IntN(k)
		}
	}
	e := verified(t, x, y, k)
	if want := []int{count - 1 + 2}; !slices.Equal(e.Columns, want) || e.Complete {
		t.Errorf("columns %v, want %v: %v", e.Columns, want, e)
	}
}

// Of many classes one of few rows is often separated from the rest, where two of the rest are
// not from each other. The functions of a fit show that early.
func TestAClassApartFromManyOthers(t *testing.T) {
	const n, p, k = 1500, 20, 80
	x, y := linalgtest.Normal(7, n, p), make([]int, n)
	r := rand.New(rand.NewPCG(8, 5))
	for i := range y {
		if y[i] = 1 + r.IntN(k-1); x.At(i, 0)+x.At(i, 1) > 4 {
			y[i] = 0
		}
	}
	e := verified(t, x, y, k)
	if e.Complete || e.Rows != n || len(e.Ties) == 0 {
		t.Errorf("%d rows, %d ties: %v", e.Rows, len(e.Ties), e)
	}
	for c := range k {
		if used := linalg.NormInf(e.Coef.Row(c)) > 0; used != (c == 0) {
			t.Errorf("class %d of %d is part of the direction: %v", c, k, used)
		}
	}
}

// A ridge that alone tells the indicators of all levels apart, a billionth of what the rows say of each, is proven
// beside columns of large values: rounding of the Hessian is taken from it, not measured along the ridge.
func TestSmallRidgesBesideAllLevels(t *testing.T) {
	const n, factors, count = 3000, 8, 5
	x, y := linalgtest.Normal(3, n, 2+factors*count), make([]int, n)
	for i := range y {
		row := x.Row(i)
		y[i] = int(2+row[0]+row[1]+float64((i/7)%3)) & 3
		row[0], row[1] = 1e3*(3+row[0]), 1e5*(3+row[1])
		clear(row[2:])
		for f := range factors {
			row[2+f*count+(i*(f+7)/(f+3))%count] = 1
		}
	}
	var objective [2]float64
	for i, rows := range []linalg.Rows{x, linalgtest.Sparse(x)} {
		m, err := logistic.Fit(rows, y, &logistic.Options{Lambda: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		objective[i] = m.Report().Objective()
	}
	linalgtest.Close(t, "objective of sparse rows", objective[1], objective[0], 1e-12*objective[0])
}
