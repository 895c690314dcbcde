package logistic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
)

// Inner products with any residuals are as near to what bounds foretell as they say:
// of points near those they know, of others, of columns far from 0 without an
// intercept, and for numbers whose squares overflow or vanish.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for _, noIntercept := range []bool{false, true} {
		for _, size := range []float64{1, 1e-200, 1e200} {
			x, y := benchData(300, 40, 2)
			for i := range x.Rows {
				x.Row(i)[6] += 2
				x.Row(i)[7] += 1e8
				x.Row(i)[8] = 3
				x.Row(i)[10] *= 1e-170
				x.Row(i)[11] *= 1e100
			}
			s := newStretch(walkOf(t, x, y, &PathOptions{Options: Options{L1Ratio: 1, NoIntercept: noIntercept}}, 1e-8))
			s.f.use(0, 9)
			s.f.use(3, 30)
			exact := func(e []float64) []float64 {
				g := make([]float64, s.intercept+s.p)
				for at, j := range s.f.feature {
					for b, a := range s.f.blocks {
						g[j+s.intercept] += linalg.Dot(a.Row(at), e[b*blockRows:][:a.Cols])
					}
				}
				return g
			}
			draw := func() []float64 {
				e := make([]float64, s.n)
				for i := range e {
					e[i] = size * r.NormFloat64()
				}
				return e
			}
			points := []*try{{r: draw()}, {r: draw()}, {}, {r: draw()}}
			points[2].r = slices.Clone(points[0].r) // nothing new
			linalg.Axpy(points[3].r, 1e5, points[1].r)
			for _, q := range points {
				q.g = exact(q.r)
			}
			s.f.bounds.refer(points, s.intercept)
			if n := len(s.f.bounds.u); n != 4 {
				t.Errorf("%d directions, want the constant and three", n)
			}
			check := func(e []float64) (rest, worst float64) {
				want, g := exact(e), make([]float64, s.p)
				rest = s.f.bounds.gradient(g, slices.Clone(e))
				for j, v := range g {
					d, limit := math.Abs(v-want[j+s.intercept]), s.f.bounds.norm[j]*rest
					if !(d <= limit) {
						t.Errorf("no intercept %v, size %g: feature %d is off by %g, the bound is %g", noIntercept, size, j, d, limit)
					}
					if limit > 0 {
						worst = max(worst, d/limit)
					}
				}
				return rest, worst
			}
			for k := range 4 { // ever nearer to what is known
				e, near := draw(), math.Pow(10, -3*float64(k))
				linalg.Scale(e, near)
				if k > 0 {
					linalg.Axpy(e, 0.3, points[0].r)
					linalg.Axpy(e, -2e-5, points[3].r)
				}
				rest, _ := check(e)
				if part := rest / linalg.Norm(e); !(part < near+2e-6) || !(part > near/10) {
					t.Errorf("no intercept %v, size %g: ‖e‖/‖r‖ is %g where %g was drawn", noIntercept, size, part, near)
				}
			}
			for _, u := range s.f.bounds.u {
				e := slices.Clone(u)
				linalg.Scale(e, size)
				check(e)
			}
			for at, j := range s.f.feature { // the bound is reached
				var e []float64
				for _, a := range s.f.blocks {
					e = append(e, a.Row(at)...)
				}
				mean := sum(e) / float64(s.n)
				for i := range e {
					e[i] -= mean
				}
				if e[0] == 0 || s.f.bounds.norm[j]*size < 1e-300 {
					continue // the product vanishes
				}
				linalg.Scale(e, 1/linalg.NormInf(e))
				linalg.Scale(e, size)
				if _, worst := check(e); !(noIntercept && j == 7) && !(worst > 0.9) {
					t.Errorf("no intercept %v, size %g: along feature %d the bound is %g times too wide", noIntercept, size, j, 1/worst)
				}
			}
		}
	}
}

// Where a path has looked at all features once, bounds leave few of them in doubt at
// the next fits.
func TestBoundsSpareFeatures(t *testing.T) {
	x, y := benchData(100, 2000, 2)
	s := newStretch(walkOf(t, x, y, &PathOptions{Options: Options{L1Ratio: 1}}, 1e-6))
	if _, _, err := s.walk(); err != nil {
		t.Fatal(err)
	}
	if n := len(s.doubtful(s.past[len(s.past)-1:])); n > s.p/fewDoubts {
		t.Errorf("%d of %d features are in doubt", n, s.p)
	}
}
