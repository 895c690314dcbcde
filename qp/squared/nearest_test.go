package squared

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/qp"
)

// Where steps creep from row to row the nearest points of the hulls are the minimum: of rows that no digits tell apart in
// their small columns, through 0 too, and with rows that have no price.
func TestCreepingStepsEndAtNearestPoints(t *testing.T) {
	n, p := 120, 240
	x, q := lt.Normal(5, n, p), &qp.Linear{Sign: make([]float64, n)}
	for i := range n {
		q.Sign[i] = float64(2*(i%2) - 1)
		for j := range p {
			x.Row(i)[j] *= math.Pow(10, 7.5*float64(j*7%5-2)/2)
		}
	}
	q.X = x
	for k, noLevel := range []bool{false, true} {
		price := slices.Repeat([]float64{1e7}, n)
		price[7*k] = 0
		stop, steps := errors.New("enough"), 0
		r, err := Minimize(&Problem{Rows: q, Price: price, NoLevel: noLevel}, &Options{Trace: func(s optimize.Step) error {
			steps = s.Iteration
			return nil
		}})
		if err != nil || r.Report.Status() != optimize.Converged || r.Report.Iterations() != steps || steps <= creeps {
			t.Errorf("through 0 %t: %v, %v, the last shown is %d", noLevel, r.Report, err, steps)
		}
		r, _ = Minimize(&Problem{Rows: q, Price: price, NoLevel: noLevel}, &Options{Trace: func(s optimize.Step) error {
			if s.Iteration == creeps+5 {
				return stop
			}
			return nil
		}})
		if r.Report.Status() != optimize.Stopped || r.Report.Iterations() != creeps+5 {
			t.Errorf("stopped: %v", r.Report)
		}
		r, _ = Minimize(&Problem{Rows: q, Price: price, NoLevel: noLevel}, &Options{MaxIter: creeps + 5})
		if r.Report.Status() != optimize.MaxIterations || r.Report.Iterations() != creeps+5 {
			t.Errorf("capped: %v", r.Report)
		}
	}
}

// Of classes that overlap slacks make nearly all of F, and long rows have small β: what rounding leaves of Σαs is no
// reason to doubt the minimum, and to look for it again by the nearest points, each of the rows a step.
func TestLongRowsLeaveNoDoubtOfTheMinimum(t *testing.T) {
	const n, tables = 300, 20
	doubted := 0 // rounding leaves a doubt of few
	for seed := range uint64(tables) {
		r := rand.New(rand.NewPCG(9+seed, 9))
		q := &qp.Linear{X: linalg.Zeros(n, 2), Sign: slices.Repeat([]float64{-1}, n), Origin: []float64{3e6, 3e6}}
		for i := range n {
			copy(q.X.(*linalg.Dense).Row(i), []float64{math.Pow(10, 7*r.Float64()), math.Pow(10, 7*r.Float64())})
			if i%100 == 0 {
				q.Sign[i] = 1
			}
		}
		res, err := Minimize(&Problem{Rows: q, Price: slices.Repeat([]float64{300}, n)}, nil)
		if err != nil || res.Report.Status() != optimize.Converged || res.Report.Iterations() > creeps {
			doubted++
		}
	}
	if doubted > tables/2 {
		t.Errorf("of %d tables the minimum of %d is doubted", tables, doubted)
	}
}

// An edged row is the row and its own coordinate 1/√2c, in sums and in products.
func TestEdgedRows(t *testing.T) {
	const n, p = 5, 3
	x, price := lt.Normal(3, n, p), []float64{0.5, 2, 8, 0.125, 50}
	m := newMinimizer(&Problem{Rows: &qp.Linear{X: x, Sign: []float64{1, -1, 1, -1, 1}}, Price: price}, 1e-10)
	e := m.edged()
	gamma, sum, each := []float64{1, 2, 3, 4, 5}, make([]float64, p+n), make([]float64, p+n)
	e.ApplyT(sum, gamma)
	want := 0.0
	m.Rows.ApplyT(m.back, gamma)
	for i, c := range price {
		want += gamma[i] * gamma[i] / (2 * c)
		e.AddRow(each, i, gamma[i])
	}
	lt.CloseSlice(t, "sum of rows", each, sum, 1e-14)
	lt.Close(t, "square", linalg.Dot(sum, sum), want+linalg.Dot(m.back, m.back), 1e-12)
	products := make([]float64, n)
	e.Apply(products, sum)
	lt.Close(t, "products", linalg.Dot(products, gamma), linalg.Dot(sum, sum), 1e-12)
}

// Nearest points have no turn where the coordinates of the active rows, of which each has one for every row, are too many.
func TestNearestPointsNeedRoom(t *testing.T) {
	q := &qp.Linear{X: lt.Normal(3, 4, 2), Sign: []float64{1, -1, 1, -1}}
	for n, want := range map[int]bool{1 << 18: true, 1 << 20: false} {
		m := newMinimizer(&Problem{Rows: q, Price: []float64{1, 1, 1, 1}}, 1e-10)
		m.n, m.active, m.excess, m.value = n, make([]int, 100), 1, 1
		run, err := optimize.Begin(nil, m.beta, nil, optimize.Defaults{Kind: optimize.KindGap, MaxIter: 10})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.turnToPoints(run); got != want {
			t.Errorf("100 of %d rows: %t, want %t", n, got, want)
		}
	}
}
