package columnwise_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/columnwise"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/penalty"
)

// The minimum of a quadratic model has no subgradient, written row by row from the curvatures
// that the documentation gives: w(diag p − ppᵀ) and what is added for rows next to certain of a
// wrong class, or v for one score. Coordinates outside the set stay.
func TestModelsAreMinimized(t *testing.T) {
	minima := 0
	for seed := range 24 {
		r := rand.New(rand.NewPCG(uint64(seed), 21))
		n, p, k := 30+r.IntN(40), 4+r.IntN(6), []int{1, 3, 4}[seed%3]
		if seed%8 == 1 {
			n += 1000 // several pieces of work
		}
		x := linalgtest.Thinned(uint64(seed), n, p, 0.5)
		s := design.Settings{NoIntercept: seed%4 == 3, Weights: make([]float64, n)}
		for i := range s.Weights {
			s.Weights[i] = float64(i%4) / 2
		}
		d, err := design.New(linalgtest.Sparse(x), n, "rows", s)
		if err != nil {
			t.Fatal(err)
		}
		d.SetUnits(slices.Repeat([]float64{1}, p))
		d.MoveOrigin(make([]float64, p))
		o := glm.New(d, slices.Repeat([]float64{1}, n), loss.Logistic{}, nil)
		if k > 1 {
			o = glm.NewMulti(d, make([]float64, n), loss.Softmax{K: k}, nil, nil)
		}
		q, err := columnwise.New(o)
		if err != nil {
			t.Fatal(err)
		}
		dim := d.Dim()
		residual, curve, z := make([]float64, n*k), make([]float64, n*k), make([]float64, dim*k)
		for i, w := range s.Weights {
			chances(r, residual[i*k:(i+1)*k], curve[i*k:(i+1)*k], w, float64(1+i%7/6*4))
		}
		pen := penalty.ElasticNet{Lambda: 0.5, L1Ratio: []float64{1, 0.5}[seed%2]}
		c := &optimize.Control{Tol: 1e-8, Scale: make([]float64, dim*k)}
		var set []int
		for at := range z {
			c.Scale[at] = 1 + float64(at%3)
			z[at] = float64(r.IntN(3)-1) / 4
			factor := float64(1+at%3) / 2
			if d.Intercept == 1 && at%dim == 0 {
				factor = 0
			} else if at%5 != 1 {
				set = append(set, at)
			}
			pen.Factors = append(pen.Factors, factor)
		}
		if seed%5 == 0 && d.Intercept == 0 {
			pen.Factors, c.Scale = nil, nil
		}
		start := append([]float64(nil), z...)
		before := worst(pen, modelGradient(x, s, residual, curve, start, z, k), z, set, d)
		solved := q.Minimize(z, residual, curve, set, pen, c)
		after := worst(pen, modelGradient(x, s, residual, curve, start, z, k), z, set, d)
		switch {
		case k == 1 && (!solved || after > 1e-8), solved && after > 20*c.Tol, after > 0.015*before:
			t.Errorf("%d: solved %v, subgradients of %g were %g", seed, solved, after, before)
		case solved:
			minima++
		}
		for at, v := range z {
			if v != start[at] && !slices.Contains(set, at) && (d.Intercept == 0 || at%dim > 0) {
				t.Errorf("%d: coordinate %d moved", seed, at)
			}
		}
	}
	if minima < 10 {
		t.Errorf("%d minima", minima)
	}
}

// worst returns the largest step of a proximal gradient method by a coordinate of the set or an
// intercept, times its curvature: a subgradient that is small on the way to 0 too.
func worst(pen penalty.ElasticNet, g, z []float64, set []int, d *design.Design) (worst float64) {
	for at, v := range g {
		if slices.Contains(set, at) || d.Intercept == 1 && at%d.Dim() == 0 {
			const h = 20
			l1, l2 := pen.Weights(at)
			worst = max(worst, h*math.Abs(z[at]-penalty.Soft(h*z[at]-v, l1)/(h+l2)))
		}
	}
	return worst
}

// chances sets the derivatives and what the loss has for curvatures in a row: of one score the
// second derivative, of several their probabilities, next to 0 and 1 where the
// spread is large.
func chances(r *rand.Rand, residual, curve []float64, w, spread float64) {
	if len(curve) == 1 {
		residual[0], curve[0] = w*(r.Float64()-0.5), w*r.Float64()/4
		return
	}
	sum := 0.0
	for c := range curve {
		curve[c] = math.Exp(spread * r.NormFloat64())
		sum += curve[c]
	}
	own := r.IntN(len(curve))
	for c := range curve {
		curve[c] /= sum
		residual[c] = w * curve[c]
	}
	residual[own] -= w
}

// modelGradient returns the gradient at z of the model that was made at start, by parameter.
func modelGradient(x *linalg.Dense, s design.Settings, residual, curve, start, z []float64, k int) []float64 {
	intercept := 1
	if s.NoIntercept {
		intercept = 0
	}
	dim := x.Cols + intercept
	g := make([]float64, dim*k)
	for i, w := range s.Weights {
		step, mean := make([]float64, k), 0.0
		for c := range step {
			for j, v := range x.Row(i) {
				at := c*dim + j + intercept
				step[c] += v * (z[at] - start[at])
			}
			if intercept == 1 {
				step[c] += z[c*dim] - start[c*dim]
			}
			mean += curve[i*k+c] * step[c]
		}
		for c := range step {
			r, v := residual[i*k+c], curve[i*k+c]
			t := r + v*step[c]
			if k > 1 {
				extra := 0.0
				if w > 0 {
					extra = max(0, 0.02*r*r/w-w*v*(1-v))
				}
				t = r + w*v*(step[c]-mean) + extra*step[c]
			}
			for j, a := range x.Row(i) {
				g[c*dim+j+intercept] += t * a
			}
			if intercept == 1 {
				g[c*dim] += t
			}
		}
	}
	return g
}

// A screened loss has the value of the loss, the derivatives by the features that it looks at,
// and an end where those left out are known to hold: next to a minimum, and by a tolerance that
// the looked-at derivatives meet.
func TestScreenedLossIsTheLoss(t *testing.T) {
	left := 0
	for seed := range 12 {
		k := drawn(seed)
		k.penalty.L1Ratio, k.penalty.Lambda = 1, max(k.penalty.Lambda, 0.01*float64(len(k.y)))
		o := k.objective(t, linalgtest.Sparse(k.x))
		s, err := newSolver(o)
		if err != nil {
			t.Fatal(err)
		}
		dim := o.Dim()
		g, want := make([]float64, dim), make([]float64, dim)
		agree := func(what string, theta []float64) *columnwise.End {
			t.Helper()
			value, end := s.loss.Grad(g, theta), s.loss.End(theta)
			linalgtest.Close(t, what, value, o.Grad(want, theta), 1e-12*(1+value))
			if end != nil {
				linalgtest.CloseSlice(t, what+": gradient", end.Gradient, want, 1e-9*(1+linalg.NormInf(want)))
				r, v := o.RowsAt(theta)
				linalgtest.CloseSlice(t, what+": residuals", end.Residuals, r, 1e-12*(1+linalg.NormInf(r)))
				linalgtest.Close(t, what+": curvature", end.Curvature, linalg.Sum(v), 1e-11*(1+linalg.Sum(v)))
			}
			return end
		}
		zero, implied := make([]float64, dim), o.Design.Implied()
		s.loss.Aim(zero, k.penalty, 1e-8, nil)
		if (agree("the first point", zero) == nil) != implied {
			t.Errorf("%d: no end where all features were looked at", seed)
		}
		theta, _, err := s.Minimize(zero, k.penalty, &optimize.Control{Tol: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		if s.loss.End(zero) != nil {
			t.Errorf("%d: an end elsewhere", seed)
		}
		pen := k.penalty
		pen.Lambda *= 0.9
		s.loss.Aim(theta, pen, 1e-9, nil)
		s.loss.RowsAt(zero) // or all derivatives at theta are known
		if end := agree("after a step of the path", theta); end == nil {
			left++ // the features near do not hold yet
		}
		for _, tol := range []float64{1e9, 0} {
			s.loss.Aim(theta, pen, tol, nil)
			s.loss.RowsAt(zero)
			if end := agree("by tolerance", theta); tol > 1 && (end == nil) != implied {
				t.Errorf("%d: no end within a large tolerance", seed)
			}
		}
	}
	if left < 3 {
		t.Errorf("features were left out of %d of 12 fits", left)
	}
}

// After a pass that failed a screened loss has no value anywhere, at points it has been at neither, makes no
// further pass, and keeps the first error.
func TestFailedScreenedLoss(t *testing.T) {
	k := drawn(2)
	lost, fails, blocks := errors.New("lost"), false, 0
	o := k.objective(t, linalgtest.Watched{Rows: linalgtest.Sparse(k.x), Watch: func(*linalg.Block) error {
		if blocks++; fails {
			return lost
		}
		return nil
	}})
	s, err := newSolver(o)
	if err != nil {
		t.Fatal(err)
	}
	theta, other := linalgtest.Numbers(o.Dim()), make([]float64, o.Dim())
	if v := s.loss.Value(other); v != v {
		t.Fatal("no value before")
	}
	fails = true
	if v := s.loss.Value(theta); v == v || s.loss.Err() != lost {
		t.Fatalf("value %g, error %v where the pass fails", v, s.loss.Err())
	}
	fails, blocks = false, 0
	for _, at := range [][]float64{other, theta} {
		if v := s.loss.Value(at); v == v || s.loss.Err() != lost || blocks > 0 {
			t.Errorf("value %g, error %v, %d blocks read afterwards", v, s.loss.Err(), blocks)
		}
	}
}
