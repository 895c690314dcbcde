package logistic_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
	"halfspace/optimize"
)

// Firth's estimates solve his score equation, computed from the data and the published
// coefficients alone.
func TestFirthSolvesItsScoreEquation(t *testing.T) {
	x, y := lt.Coded(t, "iris.csv", "species", "")
	for i := range y {
		y[i] = 1 - min(y[i], 1)
	}
	o := &logistic.Options{Firth: true}
	m := lt.MustFit(t, x, y, o)
	linalgtest.Close(t, "score", firthScore(m, x, y), 0, 1e-9)
	if _, err := logistic.Fit(x, y, &logistic.Options{Firth: true, Lambda: 1}); err == nil {
		t.Error("Firth with a ridge")
	}
	constant := x.Clone()
	for i := range constant.Rows {
		constant.Set(i, 2, 3)
	}
	if _, err := logistic.Fit(constant, y, o); !lt.Is[*linalg.RankError](err) {
		t.Errorf("constant column: %v", err)
	}
}

// Firth's objective is that of the coefficients on the data's scale, however rows are stored, repeated
// or weighed, and in whatever units they come.
func TestFirthsObjectiveIsOfTheDatasScale(t *testing.T) {
	const n, p = 40, 3
	x, y := linalg.Zeros(n, p), make([]int, n)
	r := rand.New(rand.NewPCG(4, 4))
	for i := range n {
		for j := range p {
			x.Set(i, j, float64(r.IntN(3))*math.Pow(10, float64(2*j)))
		}
		y[i] = r.IntN(2)
	}
	m := lt.MustFit(t, x, y, &logistic.Options{Firth: true})
	want, rows, v, log := m.Report().Objective(), linalg.Zeros(n, p+1), make([]float64, n), 0.0
	for i := range n {
		rows.Set(i, 0, 1)
		copy(rows.Row(i)[1:], x.Row(i))
		q := m.Proba(nil, x.Row(i))
		v[i] = q[0] * q[1]
		log += math.Log(q[y[i]])
	}
	c, err := linalg.NewCholesky(linalg.Gram(rows, nil, v, 1))
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective", want, -log-c.LogDet()/2, 1e-10)
	linalgtest.Close(t, "of sparse rows", lt.MustFit(t, linalgtest.Sparse(x), y, &logistic.Options{Firth: true}).Report().Objective(), want, 1e-10)
	twice, labels, two := linalg.Zeros(2*n, p), slices.Repeat(y, 2), slices.Repeat([]float64{2}, n)
	copy(twice.Data, x.Data)
	copy(twice.Data[n*p:], x.Data)
	linalgtest.Close(t, "of weights", lt.MustFit(t, x, y, &logistic.Options{Firth: true, Weights: two}).Report().Objective(),
		lt.MustFit(t, twice, labels, &logistic.Options{Firth: true}).Report().Objective(), 1e-10)
	for i := range n {
		x.Set(i, 1, 10*x.At(i, 1))
	}
	linalgtest.Close(t, "in another unit", lt.MustFit(t, x, y, &logistic.Options{Firth: true}).Report().Objective(), want-math.Log(10), 1e-10)
}

// firthScore returns max |Σ (t − p + h(½ − p))xⱼ| / Σ|xⱼ|.
func firthScore(m *logistic.Model, x *linalg.Dense, y []int) float64 {
	rows := linalg.Zeros(x.Rows, x.Cols+1)
	v, r := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range x.Rows {
		rows.Set(i, 0, 1)
		copy(rows.Row(i)[1:], x.Row(i))
		p := m.Proba(nil, x.Row(i))
		v[i], r[i] = p[0]*p[1], float64(y[i])-p[1]
	}
	c, err := linalg.NewCholesky(linalg.Gram(rows, nil, v, 1))
	if err != nil {
		return math.NaN()
	}
	worst := 0.0
	for j := range rows.Cols {
		s, size := 0.0, 0.0
		for i := range rows.Rows {
			row := append([]float64(nil), rows.Row(i)...)
			c.Solve(row)
			h := v[i] * linalg.Dot(row, rows.Row(i))
			p := m.Proba(nil, x.Row(i))[1]
			s += (r[i] + h*(0.5-p)) * rows.At(i, j)
			size += math.Abs(rows.At(i, j))
		}
		worst = math.Max(worst, math.Abs(s)/size)
	}
	return worst
}

// Dependent columns are told before the first step, which rounding would lead.
func TestFirthOfDependentColumnsTakesNoStep(t *testing.T) {
	steps := 0
	for seed := range uint64(20) {
		x, y := linalgtest.Normal(seed, 200, 3), make([]int, 200)
		for i := range y {
			y[i] = i % 2
			x.Set(i, 1, x.At(i, 0)+1e4*float64(1+seed)) // but for rounding
		}
		_, err := logistic.Fit(x, y, &logistic.Options{Firth: true, Trace: func(optimize.Step) error { steps++; return nil }})
		if !lt.Is[*linalg.RankError](err) || steps > 0 {
			t.Error(seed, steps, err)
		}
	}
}
