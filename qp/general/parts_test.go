package general

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// drawn is an interior point of a program, of which neither the equations nor the conditions hold.
func drawn(seed uint64) *state {
	r := rand.New(rand.NewPCG(seed, 91))
	n, m, k := 3+r.IntN(4), r.IntN(6), r.IntN(3)
	p := &Problem{P: linalg.Zeros(n, n), Q: lt.Normal(seed+1, 1, n).Data}
	root := lt.Normal(seed+2, n, n)
	for i := range n {
		for j := range n {
			p.P.Set(i, j, linalg.Dot(root.Row(i), root.Row(j)))
		}
	}
	if m > 0 {
		p.G, p.H = lt.Normal(seed+3, m, n), lt.Normal(seed+4, 1, m).Data
	}
	if k > 0 {
		p.A, p.B = lt.Normal(seed+5, k, n), lt.Normal(seed+6, 1, k).Data
	}
	s := newState(p)
	size := 10.0
	for _, v := range append(append([]float64(nil), p.Q...), p.H...) {
		size = max(size, math.Abs(v))
	}
	for i := range s.s {
		if s.s[i] != size || s.lambda[i] != size {
			panic("the start is not of the size of the problem")
		}
		s.s[i], s.lambda[i] = 0.1+r.Float64(), 0.1+r.Float64()
	}
	for j := range s.x {
		s.x[j] = r.NormFloat64()
	}
	for j := range s.nu {
		s.nu[j] = r.NormFloat64()
	}
	return s
}

// The residuals of the conditions and both objectives are those of the definition, at any point.
func TestSolutionIsMeasured(t *testing.T) {
	for seed := range uint64(80) {
		s := drawn(seed)
		p, got := s.p, s.solution()
		quadratic, linear, dual := 0.0, 0.0, 0.0
		for i, u := range s.x {
			linear += p.Q[i] * u
			for j, v := range s.x {
				quadratic += u * p.P.At(i, j) * v
			}
		}
		primal := quadratic/2 + linear
		dual = -quadratic / 2
		stationary, feasible, slackness := 0.0, 0.0, 0.0
		for j := range s.x {
			terms := []float64{0, p.Q[j], 0, 0}
			for i, v := range s.x {
				terms[0] += p.P.At(j, i) * v
			}
			for i, l := range s.lambda {
				terms[2] -= p.G.At(i, j) * l
			}
			for i, l := range s.nu {
				terms[3] -= p.A.At(i, j) * l
			}
			sum, size := 0.0, 1.0
			for _, v := range terms {
				sum += v
				size += math.Abs(v)
			}
			lt.Close(t, "dual residual", s.dual[j], sum, 1e-12)
			stationary = max(stationary, math.Abs(sum)/size)
		}
		for i, l := range s.lambda {
			f := linalg.Dot(p.G.Row(i), s.x)
			lt.CloseSlice(t, "slack, residual", []float64{got.Slack[i], s.primal[i]}, []float64{f - p.H[i], f - p.H[i] - s.s[i]}, 1e-12)
			feasible = max(feasible, (p.H[i]-f)/(1+math.Abs(f)+math.Abs(p.H[i])))
			slackness += math.Abs(l*(f-p.H[i])) / (1 + math.Abs(primal))
			dual += l * p.H[i]
		}
		for i, l := range s.nu {
			f := linalg.Dot(p.A.Row(i), s.x)
			lt.Close(t, "equality", s.equal[i], f-p.B[i], 1e-12)
			feasible = max(feasible, math.Abs(f-p.B[i])/(1+math.Abs(f)+math.Abs(p.B[i])))
			dual += l * p.B[i]
		}
		lt.CloseSlice(t, "primal, dual, feasibility, stationarity, slackness", []float64{got.Primal, got.Dual, got.PrimalFeasibility, got.Stationarity, got.ComplementarySlackness},
			[]float64{primal, dual, feasible, stationary, slackness}, 1e-12*(1+math.Abs(primal)))
		if got.String() == "" {
			t.Error("a solution without words")
		}
	}
}

// One factorisation solves the four Newton equations, before any refinement.
func TestNewtonEquationsHold(t *testing.T) {
	for seed := range uint64(80) {
		s := drawn(seed)
		s.solution()
		k, err := s.factor()
		if err != nil {
			t.Fatal(err)
		}
		target := lt.Normal(seed+8, 1, len(s.s)+1).Data[:len(s.s)]
		dx, ds, dl, dn := s.solve(k, s.dual, s.primal, s.equal, target)
		size := 1 + linalg.NormInf(dx) + linalg.NormInf(dl) + linalg.NormInf(dn)
		for j := range dx {
			left := s.dual[j]
			for i, v := range dx {
				left += s.p.P.At(j, i) * v
			}
			for i, v := range dl {
				left -= s.p.G.At(i, j) * v
			}
			for i, v := range dn {
				left -= s.p.A.At(i, j) * v
			}
			lt.Close(t, "stationarity", left, 0, 1e-9*size)
		}
		for i := range ds {
			lt.Close(t, "inequality", linalg.Dot(s.p.G.Row(i), dx)-ds[i]+s.primal[i], 0, 1e-10*size)
			lt.Close(t, "complementarity", s.s[i]*dl[i]+s.lambda[i]*ds[i], target[i], 1e-10*size)
		}
		for i := range dn {
			lt.Close(t, "equality", linalg.Dot(s.p.A.Row(i), dx)+s.equal[i], 0, 1e-10*size)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %d variables, %d and %d constraints", seed, len(dx), len(ds), len(dn))
		}

		// A step stays inside, at 0.995 of the way at most, and whole where nothing is in the way.
		longest := math.Inf(1)
		for i := range ds {
			if ds[i] < 0 {
				longest = min(longest, -s.s[i]/ds[i])
			}
			if dl[i] < 0 {
				longest = min(longest, -s.lambda[i]/dl[i])
			}
		}
		a := s.length(ds, dl)
		lt.Close(t, "length", a, min(1, 0.995*longest), 1e-15)
		product := 0.0
		for i := range ds {
			product += (s.s[i] + a*ds[i]) * (s.lambda[i] + a*dl[i])
		}
		lt.Close(t, "products", s.products(ds, dl, a), product, 1e-13*(1+product))
	}
}

// Programs of some variables take ten to thirty steps, as is said.
func TestFewSteps(t *testing.T) {
	most := 0
	for seed := range uint64(60) {
		s := drawn(seed)
		p := s.p
		if len(p.H) == 0 {
			continue
		}
		x := lt.Normal(seed+7, 1, len(p.Q)).Data // a point inside
		for i := range p.H {
			p.H[i] = linalg.Dot(p.G.Row(i), x) - 0.1
		}
		for i := range p.B {
			p.B[i] = linalg.Dot(p.A.Row(i), x)
		}
		r, err := Solve(p, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		most = max(most, r.Report.Iterations())
	}
	if most > 16 {
		t.Errorf("%d steps", most)
	}
}

// A direction that does not move an element leaves it all the way.
func TestWayToTheBoundary(t *testing.T) {
	for _, c := range []struct {
		v, d []float64
		want float64
	}{{[]float64{1, 2}, []float64{0, -1}, 2}, {[]float64{1, 2}, []float64{-4, -1}, 0.25}, {[]float64{1, 2}, []float64{0, 3}, math.Inf(1)}} {
		lt.Close(t, "way", most(c.v, c.d), c.want, 0)
	}
}

// Parts that do not fit are refused with what is there.
func TestPartsThatDoNotFit(t *testing.T) {
	one := linalg.Zeros(1, 1)
	for name, c := range map[string]struct {
		p   Problem
		got int
	}{
		"H without G": {Problem{P: one, Q: []float64{1}, H: []float64{1, 2}}, 0}, "G of a row": {Problem{P: one, Q: []float64{1}, G: one, H: []float64{1, 2}}, 1},
		"G without H": {Problem{P: one, Q: []float64{1}, G: one}, 1}, "wide A": {Problem{P: one, Q: []float64{1}, A: linalg.Zeros(1, 2), B: []float64{1}}, 2},
		"no variables": {Problem{P: linalg.Zeros(0, 0)}, 0}, "no P": {Problem{Q: []float64{1}}, 0},
	} {
		var shape *linalg.ShapeError
		if _, err := Solve(&c.p, nil); !errors.As(err, &shape) || shape.Got != c.got {
			t.Errorf("%s: %v", name, err)
		}
	}
}
