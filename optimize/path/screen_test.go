package path

// A bound that is too low would leave out a feature, which a certificate notices, and
// one that is too high only costs time: no public face shows how near they are.

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// boundsTest is the copy of some rows with all kinds of columns.
type boundsTest struct {
	*columns
	t           *testing.T
	r           *rand.Rand
	noIntercept bool
	size        float64
}

func newBoundsTest(t *testing.T, r *rand.Rand, noIntercept bool, size float64, weights []float64) *boundsTest {
	x, labels := linalgtest.LabeledRows(300, 40, 2)
	for i := range x.Rows {
		x.Row(i)[6] += 2
		x.Row(i)[7] += 1e8
		x.Row(i)[8] = 3
		x.Row(i)[10] *= 1e-130
		x.Row(i)[11] *= 1e100
	}
	c := columnsOf(t, logistic(t, x, labels, false, design.Settings{NoIntercept: noIntercept, Weights: weights}))
	var err error
	if c.bounds, err = newBounds(c.Design); err != nil {
		t.Fatal(err)
	}
	c.use(0, 9)
	c.use(3, 30)
	return &boundsTest{c, t, r, noIntercept, size}
}

// exact returns the inner products of the features with e.
func (b *boundsTest) exact(e []float64) []float64 {
	g := make([]float64, b.P)
	for at, j := range b.feature {
		for k, a := range b.blocks {
			g[j] += linalg.Dot(a.Row(at), e[k*blockRows:][:a.Cols])
		}
	}
	return g
}

func (b *boundsTest) draw() []float64 {
	e := make([]float64, b.N)
	for i := range e {
		e[i] = b.size * b.Weight(i) * b.r.NormFloat64()
	}
	return e
}

// check holds the bounds for e to the inner products, and returns ‖e‖ as bounds have it
// and the largest share of its bound that a difference takes up.
func (b *boundsTest) check(e []float64) (rest, worst float64) {
	want, g := b.exact(e), make([]float64, b.P)
	rest = b.bounds.gradient(g, b.bounds.residuals(e))
	for j, v := range g {
		d, limit := math.Abs(v-want[j]), b.bounds.norm[j]*rest
		if !(d <= limit) {
			b.t.Errorf("no intercept %v, size %g: feature %d is off by %g, the bound is %g", b.noIntercept, b.size, j, d, limit)
		}
		if limit > 0 {
			worst = max(worst, d/limit)
		}
	}
	return rest, worst
}

// Inner products with any residuals are as near to what bounds foretell as they say:
// of points near those they know, of others, of columns far from 0 without an
// intercept, and for numbers whose squares overflow or vanish.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for k, noIntercept := range []bool{false, true, false, true} {
		var weights []float64
		for i := range k / 2 * 300 {
			weights = append(weights, float64(i%3)*2)
		}
		for _, size := range []float64{1, 1e-200, 1e200} {
			b := newBoundsTest(t, r, noIntercept, size, weights)
			points := []point{{r: b.draw()}, {r: b.draw()}, {}, {r: b.draw()}}
			points[2].r = slices.Clone(points[0].r) // nothing new
			linalg.Axpy(points[3].r, 1e5, points[1].r)
			for i, q := range points {
				points[i].g = b.exact(q.r)
			}
			b.bounds.refer(points)
			if n := len(b.bounds.u); n != 4 {
				t.Errorf("%d directions, want the constant and three", n)
			}
			for k := range 4 { // ever nearer to what is known
				e, near := b.draw(), math.Pow(10, -3*float64(k))
				linalg.Scale(e, near)
				if k > 0 {
					linalg.Axpy(e, 0.3, points[0].r)
					linalg.Axpy(e, -2e-5, points[3].r)
				}
				rest, _ := b.check(e)
				if part := rest / linalg.Norm(b.bounds.residuals(e)); !(part < near+2e-6) || !(part > near/10) {
					t.Errorf("no intercept %v, size %g: ‖e‖/‖r‖ is %g where %g was drawn", noIntercept, size, part, near)
				}
			}
			for _, u := range b.bounds.u {
				e := slices.Clone(u)
				for i := range e {
					e[i] *= size * math.Sqrt(b.Weight(i))
				}
				b.check(e)
			}
			b.checkReached()
		}
	}
}

// checkReached looks for residuals along each feature, for which its bound is reached.
func (b *boundsTest) checkReached() {
	b.t.Helper()
	for at, j := range b.feature {
		var e []float64
		for _, a := range b.blocks {
			e = append(e, a.Row(at)...)
		}
		mean := b.Mean(e)
		for i := range e {
			e[i] = b.Weight(i) * (e[i] - mean)
		}
		if e[1] == 0 || b.bounds.norm[j]*b.size < 1e-300 {
			continue // the product vanishes
		}
		linalg.Scale(e, 1/linalg.NormInf(e))
		linalg.Scale(e, b.size)
		if _, worst := b.check(e); !(b.noIntercept && j == 7) && !(worst > 0.9) {
			b.t.Errorf("no intercept %v, size %g: along feature %d the bound is %g times too wide", b.noIntercept, b.size, j, 1/worst)
		}
	}
}

// Where a path has looked at all features once, bounds leave few of them in doubt at
// the next fits.
func TestBoundsSpareFeatures(t *testing.T) {
	x, labels := linalgtest.LabeledRows(100, 2000, 2)
	w := newWalk(t, x, labels, Settings{Tol: 1e-6})
	b := w.batches(t)
	if _, err := b.run(); err != nil {
		t.Fatal(err)
	}
	if features, few := b.doubtful(b.past[len(b.past)-1:]); !few || len(features) > b.P/fewDoubts {
		t.Errorf("%d of %d features are in doubt", len(features), b.P)
	}
}
