package general_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/qp/general"
)

// The primal program of the soft margin, posed as it stands in ESL 12.8, has the plane and
// the objective of FitSVC, and its multipliers of y·f ≥ 1 − ξ are those of the dual.
func TestSoftMarginAsItIsWritten(t *testing.T) {
	for seed := range uint64(lt.Rounds(8, 200)) {
		n, p, c := 12+int(seed%9), 1+int(seed%3), []float64{0.1, 1, 30}[seed%3]
		x, y := lt.Normal(seed, n, p), make([]int, n)
		for i := range y {
			y[i] = i % 2
			x.Set(i, 0, x.At(i, 0)+1.5*float64(y[i]))
		}
		q := softMargin(x, y, c)
		s, err := general.Solve(q, nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		m, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: c, Tol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		lt.Close(t, "objective", s.Primal, m.Report().Objective(), 1e-7*(1+s.Primal))
		lt.Close(t, "dual", s.Dual, s.Primal, 1e-7*(1+s.Primal))
		coef, _ := m.Coef()
		lt.CloseSlice(t, "β", s.X[1:1+p], coef.Row(0), 1e-5)
		alpha := make([]float64, n)
		for k, i := range m.Machines()[0].Support {
			alpha[i] = m.Machines()[0].Multipliers[k]
		}
		beta := make([]float64, p)
		for i := range alpha { // the multipliers need not be unique, their β is
			linalg.Axpy(beta, s.Lambda[i]*float64(2*y[i]-1), x.Row(i))
		}
		lt.CloseSlice(t, "Σαyx", beta, coef.Row(0), 1e-5)
	}
}

// softMargin poses ½‖β‖² + C·Σξ in (β₀, β, ξ), subject to y(β₀ + βᵀx) + ξ ≥ 1 and ξ ≥ 0.
func softMargin(x *linalg.Dense, y []int, c float64) *general.Problem {
	n, p := x.Dims()
	q := &general.Problem{P: linalg.Zeros(1+p+n, 1+p+n), Q: make([]float64, 1+p+n), G: linalg.Zeros(2*n, 1+p+n), H: make([]float64, 2*n)}
	for j := range p {
		q.P.Set(1+j, 1+j, 1)
	}
	for i := range n {
		sign := float64(2*y[i] - 1)
		q.Q[1+p+i] = c
		q.G.Set(i, 0, sign)
		for j, v := range x.Row(i) {
			q.G.Set(i, 1+j, sign*v)
		}
		q.G.Set(i, 1+p+i, 1)
		q.G.Set(n+i, 1+p+i, 1)
		q.H[i] = 1
	}
	return q
}

// Random programs with inequalities and equations: the conditions hold, recomputed here,
// and no feasible point of many near the solution is better.
func TestConditionsHold(t *testing.T) {
	seeds := []uint64{518, 719, 1360} // where the corrector would go in circles
	for seed := range uint64(lt.Rounds(30, 2000)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 8))
		n, m, k := 2+r.IntN(6), r.IntN(10), r.IntN(2)
		half := lt.Normal(seed, 1+r.IntN(n), n)
		q := &general.Problem{P: linalg.Zeros(n, n), Q: make([]float64, n), G: lt.Normal(seed+1, m, n), H: make([]float64, m), A: lt.Normal(seed+2, k, n), B: make([]float64, k)}
		linalg.MulTAdd(q.P, 1, half, half)
		at := lt.Normal(seed+3, 1, n).Row(0) // feasible
		for i := range m {
			q.H[i] = linalg.Dot(q.G.Row(i), at) - 1e-3 - r.Float64()*float64(r.IntN(3))
		}
		for i := range k {
			q.B[i] = linalg.Dot(q.A.Row(i), at)
		}
		for i := range n { // Q in the range of P, so that there is a minimum
			q.Q[i] = linalg.Dot(q.P.Row(i), lt.Normal(seed+4, 1, n).Row(0))
		}
		s, err := general.Solve(q, nil)
		if err != nil {
			t.Errorf("seed %d, %d variables, %d and %d constraints: %v", seed, n, m, k, err)
			continue
		}
		value := func(x []float64) (v float64) {
			for i := range x {
				v += x[i] * (linalg.Dot(q.P.Row(i), x)/2 + q.Q[i])
			}
			return v
		}
		for i := range n {
			g := linalg.Dot(q.P.Row(i), s.X) + q.Q[i]
			for c := range m {
				g -= s.Lambda[c] * q.G.At(c, i)
			}
			for c := range k {
				g -= s.Nu[c] * q.A.At(c, i)
			}
			if !(math.Abs(g) <= 1e-6) {
				t.Errorf("seed %d: gradient %g", seed, g)
			}
		}
		for c := range m {
			slack := linalg.Dot(q.G.Row(c), s.X) - q.H[c]
			if slack < -1e-7 || s.Lambda[c] < 0 || math.Abs(slack*s.Lambda[c]) > 1e-6 {
				t.Errorf("seed %d: constraint %d has slack %g, multiplier %g", seed, c, slack, s.Lambda[c])
			}
		}
		if v := value(at); s.Primal > v+1e-7*(1+math.Abs(v)) || math.Abs(value(s.X)-s.Primal) > 1e-9*(1+math.Abs(s.Primal)) || math.Abs(s.Primal-s.Dual) > 1e-6*(1+math.Abs(s.Primal)) {
			t.Errorf("seed %d: %v, a feasible point has %g, the dual %g", seed, s, v, s.Dual)
		}
	}
}

// The residuals are those of the point published, wherever the steps end.
func TestResidualsOfAnyPoint(t *testing.T) {
	q := &general.Problem{P: lt.Rows(t, []float64{4, 1}, []float64{1, 3}), Q: []float64{-30, 7}, G: lt.Rows(t, []float64{-1, 0}, []float64{2, -5}), H: []float64{-2, 40},
		A: lt.Rows(t, []float64{3, 4}), B: []float64{-50}}
	const side, value = 1, 1 // units of x and of the objective, whose numbers are not small
	for steps := 1; steps < 4; steps++ {
		s, err := general.Solve(q, &general.Options{MaxIter: steps})
		if s == nil || !errors.Is(err, optimize.ErrNotConverged) {
			t.Fatal(s, err)
		}
		primal, slackness, square := 0.0, 0.0, 0.0
		for i, h := range q.H {
			v := linalg.Dot(q.G.Row(i), s.X)
			lt.Close(t, "slack", s.Slack[i], v-h, 1e-12)
			primal = max(primal, -s.Slack[i]/(side+math.Abs(v)+math.Abs(h)))
			slackness += math.Abs(s.Lambda[i] * s.Slack[i])
		}
		for i, b := range q.B {
			v := linalg.Dot(q.A.Row(i), s.X)
			primal = max(primal, math.Abs(v-b)/(side+math.Abs(v)+math.Abs(b)))
		}
		stationarity := 0.0
		for j, v := range q.Q {
			terms := []float64{linalg.Dot(q.P.Row(j), s.X), v, -q.A.At(0, j) * s.Nu[0], -(q.G.At(0, j)*s.Lambda[0] + q.G.At(1, j)*s.Lambda[1])}
			size := float64(value / side)
			for _, v := range terms {
				size += math.Abs(v)
			}
			square += s.X[j] * terms[0]
			stationarity = max(stationarity, math.Abs(linalg.Sum(terms))/size)
		}
		lt.Close(t, "primal", s.Primal, square/2+linalg.Dot(q.Q, s.X), 1e-10)
		lt.Close(t, "dual", s.Dual, -square/2+linalg.Dot(q.H, s.Lambda)+linalg.Dot(q.B, s.Nu), 1e-10)
		lt.Close(t, "primal feasibility", s.PrimalFeasibility, primal, 1e-13)
		lt.Close(t, "stationarity", s.Stationarity, stationarity, 1e-13)
		lt.Close(t, "complementary slackness", s.ComplementarySlackness, slackness/(value+math.Abs(s.Primal)), 1e-10)
	}
}

// Numbers that are all small have the solution of the same program in other units, and one that is huge makes no others nothing.
func TestSolutionsInAllUnits(t *testing.T) {
	s, err := general.Solve(&general.Problem{P: lt.Rows(t, []float64{1e-12}), Q: []float64{0}, G: lt.Rows(t, []float64{1}), H: []float64{1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "x, λ·10¹², objective·10¹²", []float64{s.X[0], s.Lambda[0] * 1e12, s.Primal * 1e12}, []float64{1, 1, 0.5}, 1e-7)
	s, err = general.Solve(&general.Problem{P: lt.Rows(t, []float64{1}), Q: []float64{0}, G: lt.Rows(t, []float64{1}, []float64{-1}), H: []float64{1, -1e9}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "x beside a far bound", s.X[0], 1, 1e-6)
	program := func(side, value float64) *general.Solution {
		q := &general.Problem{P: lt.Rows(t, []float64{4, 1}, []float64{1, 3}), Q: []float64{-30, 7}, G: lt.Rows(t, []float64{-1, 0}, []float64{2, -5}), H: []float64{-2, -40},
			A: lt.Rows(t, []float64{3, 4}), B: []float64{5}}
		linalg.Scale(q.P.Data, value/(side*side))
		linalg.Scale(q.Q, value/side)
		linalg.Scale(q.H, side)
		linalg.Scale(q.B, side)
		s, err := general.Solve(q, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const small, least, side, value = 0x1p-6, 0x1p-15, 0x1p-12, 0x1p-40
	want, got := program(small, least), program(small*side, least*value)
	for j := range want.X {
		lt.Close(t, "x", got.X[j]/side, want.X[j], 0)
		lt.Close(t, "λ", got.Lambda[j]*side/value, want.Lambda[j], 0)
		lt.Close(t, "slack", got.Slack[j]/side, want.Slack[j], 0)
	}
	lt.CloseSlice(t, "ν, objectives", []float64{got.Nu[0] * side / value, got.Primal / value, got.Dual / value}, []float64{want.Nu[0], want.Primal, want.Dual}, 0)
}

func TestProgramsWithoutSolution(t *testing.T) {
	no := func(q *general.Problem) {
		t.Helper()
		if s, err := general.Solve(q, nil); s == nil || !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%v, %v", s, err)
		}
	}
	no(&general.Problem{P: lt.Rows(t, []float64{1}), Q: []float64{0}, G: lt.Rows(t, []float64{1}, []float64{-1}), H: []float64{1, 1}}) // x ≥ 1 and x ≤ −1
	no(&general.Problem{P: linalg.Zeros(1, 1), Q: []float64{-1}, G: lt.Rows(t, []float64{1}), H: []float64{0}})                        // −x, x ≥ 0
	for name, q := range map[string]*general.Problem{
		"nothing":       {},
		"rows":          {P: linalg.Zeros(1, 1), Q: []float64{1}, G: linalg.Zeros(2, 1), H: []float64{1}},
		"columns":       {P: linalg.Zeros(1, 1), Q: []float64{1}, G: linalg.Zeros(1, 2), H: []float64{1}},
		"not symmetric": {P: lt.Rows(t, []float64{1, 2}, []float64{0, 1}), Q: []float64{1, 1}},
		"NaN":           {P: lt.Rows(t, []float64{math.NaN()}), Q: []float64{1}},
	} {
		if s, err := general.Solve(q, nil); s != nil || err == nil || errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// The widest margin between two points, posed as a program: β = ½, and the multipliers are
// those of the dual, which needs its ½: with −Σ in place of −½Σ they would be halved.
func ExampleSolve() {
	// ½β² subject to −(β₀ + β·(−2)) ≥ 1 and β₀ + β·2 ≥ 1, in (β₀, β).
	p, err := linalg.FromRows([][]float64{{0, 0}, {0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := linalg.FromRows([][]float64{{-1, 2}, {1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := general.Solve(&general.Problem{P: p, Q: []float64{0, 0}, G: g, H: []float64{1, 1}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("β₀ %.4f, β %.4f, α %.4f, primal %.4f, dual %.4f\n", math.Abs(s.X[0]), s.X[1], s.Lambda, s.Primal, s.Dual)
	// Output: β₀ 0.0000, β 0.5000, α [0.1250 0.1250], primal 0.1250, dual 0.1250
}

func TestMatricesWithoutDataAreRefused(t *testing.T) {
	var shape *linalg.ShapeError
	if _, err := general.Solve(&general.Problem{P: &linalg.Dense{Rows: 1, Cols: 1, Stride: 1}, Q: []float64{0}}, nil); !errors.As(err, &shape) {
		t.Error(err)
	}
}
