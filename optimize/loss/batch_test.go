package loss_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/loss"
)

// poisson is a user's own loss: exp f − yf, infinite from f = 710 on.
type poisson struct{}

func (poisson) Value(y, f float64) float64  { return math.Exp(f) - y*f }
func (poisson) Deriv(y, f float64) float64  { return math.Exp(f) - y }
func (poisson) Second(_, f float64) float64 { return math.Exp(f) }

// draw is a block of rows at random.
type draw struct{ y, f, w []float64 }

// blocks returns blocks of up to 400 rows of k scores, whose sizes go from 10⁻³ to 10⁴;
// each second one has weights, 0 among them.
func blocks(k int, response func(r *rand.Rand) float64) []draw {
	var all []draw
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		var d draw
		size := math.Pow(10, 7*r.Float64()-3)
		for range 1 + r.IntN(400) {
			d.y = append(d.y, response(r))
			for range k {
				d.f = append(d.f, size*r.NormFloat64())
			}
			d.w = append(d.w, max(0, r.Float64()*4-1))
		}
		d.f[r.IntN(len(d.f))] = 1e4
		d.f[r.IntN(len(d.f))] = -1e4
		d.f[r.IntN(len(d.f))] = 0
		if seed%2 == 0 {
			d.w = nil
		}
		all = append(all, d)
	}
	return all
}

func (d draw) weight(i int) float64 {
	if d.w == nil {
		return 1
	}
	return d.w[i]
}

// rows evaluates a batch, which may overwrite the scores it is given.
func (d draw) rows(b loss.Batch, seconds bool) (value float64, r, v []float64) {
	r = slices.Repeat([]float64{math.NaN()}, len(d.f))
	if seconds {
		v = slices.Clone(r)
	}
	return b.Rows(r, v, d.y, slices.Clone(d.f), d.w), r, v
}

func sign(r *rand.Rand) float64     { return math.Copysign(1, r.NormFloat64()) }
func share(r *rand.Rand) float64    { return math.Round(20*r.Float64())/10 - 1 }
func anything(r *rand.Rand) float64 { return 10 * r.NormFloat64() }
func count(r *rand.Rand) float64    { return float64(r.IntN(7)) }

// Of one score a batch is the loss, row by row, with finite numbers at any score.
func TestBatchIsTheLoss(t *testing.T) {
	for name, c := range map[string]struct {
		loss     loss.Smooth
		response func(r *rand.Rand) float64
		limit    float64 // scores that are too far for the loss
	}{
		"logistic": {loss.Logistic{}, sign, 1e9}, "logistic, shares": {loss.Logistic{}, share, 1e9},
		"squared": {loss.Squared{}, anything, 1e9}, "Poisson": {poisson{}, count, 700},
	} {
		b := loss.BatchOf(c.loss)
		if b.Functions() != 1 {
			t.Errorf("%s: %d functions", name, b.Functions())
		}
		for _, d := range blocks(1, c.response) {
			for i, f := range d.f {
				d.f[i] = max(-c.limit, min(f, c.limit))
			}
			value, r, v := d.rows(b, true)
			want, size, floor := 0.0, 0.0, math.MaxFloat64
			for i, f := range d.f {
				w, y := d.weight(i), d.y[i]
				l := w * c.loss.Value(y, f)
				want += l
				size += math.Abs(l)
				near(t, name+", derivative", r[i], w*c.loss.Deriv(y, f), 1e-15*w*(1+math.Abs(y)))
				near(t, name+", second derivative", v[i], w*c.loss.Second(y, f), 1e-15*w)
				if w > 0 {
					floor = min(floor, v[i])
				}
			}
			near(t, name+", value", value, want, 1e-13*size)
			if got := b.Floor(v, d.w); got != floor {
				t.Errorf("%s: floor %g, want %g", name, got, floor)
			}
			second := make([]float64, len(d.y))
			if b.Curvature(second, 0, 0, v, d.w); !slices.Equal(second, v) {
				t.Errorf("%s: curvatures are not the second derivatives", name)
			}
			d.withoutSeconds(t, name, b, value, r)
		}
	}
}

// withoutSeconds checks that value and derivatives have the same bits where no second
// derivatives are asked for.
func (d draw) withoutSeconds(t *testing.T, name string, b loss.Batch, value float64, r []float64) {
	t.Helper()
	if v, alone, _ := d.rows(b, false); v != value || !slices.Equal(alone, r) {
		t.Errorf("%s: the value is %v alone, %v with second derivatives; or derivatives differ", name, v, value)
	}
}

// near fails the test unless got is finite and within tol of want, or of 1e-14 of it.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol+1e-14*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v ± %g", what, got, want, tol)
	}
}

// Labels pull scores to their side, the less the farther they are there.
func TestLogisticSigns(t *testing.T) {
	b := loss.BatchOf(loss.Logistic{})
	for _, d := range blocks(1, sign) {
		value, r, v := d.rows(b, true)
		if !(value >= 0) {
			t.Errorf("value %v", value)
		}
		for i, f := range d.f {
			w := d.weight(i)
			if pull := -r[i] * d.y[i]; !(pull >= 0 && pull <= w && v[i] >= 0 && v[i] <= w/4) {
				t.Errorf("label %v at %v of weight %v: derivative %v, second %v", d.y[i], f, w, r[i], v[i])
			}
			if e := math.Exp(-math.Abs(f)); d.y[i]*f > 1 && math.Abs(f) < 700 {
				near(t, "pull far on the right side", math.Abs(r[i]), w*e/(1+e), 0)
			}
		}
	}
}

// Of K scores a batch is the negative logarithm of the probability of the row's class. Its
// derivatives sum to 0 and pull the class's score up, the others down; its curvatures are
// w(diag p − ppᵀ), with the floor that they say.
func TestSoftmaxBatch(t *testing.T) {
	for _, k := range []int{2, 3, 7} {
		b, name := loss.Softmax{K: k}, fmt.Sprintf("softmax of %d", k)
		if b.Functions() != k {
			t.Errorf("%s: %d functions", name, b.Functions())
		}
		for _, d := range blocks(k, func(r *rand.Rand) float64 { return float64(r.IntN(k)) }) {
			value, r, v := d.rows(b, true)
			want, floor := 0.0, b.Floor(v, d.w)
			h := make([]float64, len(d.y)*k*k)
			for a := range k {
				for c := range k {
					b.Curvature(h[(a*k+c)*len(d.y):(a*k+c+1)*len(d.y)], a, c, v, d.w)
				}
			}
			for i, y := range d.y {
				w, f, own := d.weight(i), d.f[i*k:(i+1)*k], int(y)
				tol := w * (1e-15 + 0x1p-50*linalg.NormInf(f)) // scores are rounded by as much
				want += w * (linalg.LogSumExp(f) - f[own])
				p := slices.Clone(f)
				linalg.Softmax(p)
				total, u, uu, bent := 0.0, direction(i, k), 0.0, 0.0
				for a, g := range r[i*k : (i+1)*k] {
					if a != own {
						total += g
					}
					target := p[a]
					if a == own {
						target--
					}
					near(t, name+", derivative", g, w*target, tol)
					if most := w * (1 + 0x1p-51); a == own && !(g <= 0 && g >= -most) || a != own && !(g >= 0 && g <= most) {
						t.Errorf("%s: class %d at %v is pulled by %v", name, own, f, r[i*k:(i+1)*k])
					}
					uu += u[a] * u[a]
					for c := range k {
						second := h[(a*k+c)*len(d.y)+i]
						near(t, name+", curvature", second, w*(delta(a, c)*p[a]-p[a]*p[c]), tol)
						bent += u[a] * u[c] * second
					}
				}
				pull := r[i*k+own]
				near(t, name+", pull of the class", -pull, total, 0)
				if w > 0 && bent < floor*uu-1e-15*w {
					t.Errorf("%s: the curvature along %v is %g, the floor %g", name, u, bent, floor)
				}
			}
			near(t, name+", value", value, want, 1e-12)
			if !(floor >= 0) {
				t.Errorf("%s: floor %g", name, floor)
			}
			d.withoutSeconds(t, name, b, value, r)
			d.shifted(t, name, b, value)
		}
	}
}

// shifted checks that adding a number to all scores of a row changes nothing.
func (d draw) shifted(t *testing.T, name string, b loss.Batch, value float64) {
	t.Helper()
	k := b.Functions()
	for i := range d.f {
		d.f[i] += 64 * float64(i/k%5)
	}
	if v, _, _ := d.rows(b, false); !(math.Abs(v-value) <= 1e-9*(1+value)) {
		t.Errorf("%s: %v after adding to the scores of rows, %v before", name, v, value)
	}
}

func delta(a, c int) float64 {
	if a == c {
		return 1
	}
	return 0
}

// direction returns k numbers that sum to 0.
func direction(i, k int) []float64 {
	u, mean := make([]float64, k), 0.0
	for a := range u {
		u[a] = math.Sin(float64(5*i + 3*a))
		mean += u[a] / float64(k)
	}
	for a := range u {
		u[a] -= mean
	}
	return u
}

// Two classes are one score: the difference.
func TestSoftmaxOfTwoIsLogistic(t *testing.T) {
	one, two := loss.BatchOf(loss.Logistic{}), loss.Softmax{K: 2}
	for _, d := range blocks(2, func(r *rand.Rand) float64 { return float64(r.IntN(2)) }) {
		value, r, _ := d.rows(two, true)
		single := draw{w: d.w}
		for i, y := range d.y {
			single.y = append(single.y, 2*y-1)
			single.f = append(single.f, d.f[2*i+1]-d.f[2*i])
		}
		want, by, second := single.rows(one, true)
		near(t, "value", value, want, 1e-12)
		h := make([]float64, len(d.y))
		_, _, v := d.rows(two, true)
		two.Curvature(h, 1, 1, v, d.w)
		for i := range d.y {
			near(t, "derivative", r[2*i+1], by[i], 1e-15*d.weight(i))
			near(t, "second derivative", h[i], second[i], 1e-15*d.weight(i))
		}
	}
}

// A row of weight 0 adds nothing, also where the loss of its score is infinite; a score
// that is no number shows in the value.
func TestRowsThatDoNotCount(t *testing.T) {
	for name, c := range map[string]struct {
		batch loss.Batch
		k     int
		y     float64
		far   float64
	}{
		"logistic": {loss.BatchOf(loss.Logistic{}), 1, -1, 1e300}, "shares": {loss.BatchOf(loss.Logistic{}), 1, 0.5, -1e300},
		"squared": {loss.BatchOf(loss.Squared{}), 1, 0, 1e300}, "Poisson": {loss.BatchOf(poisson{}), 1, 3, 1e4},
		"softmax": {loss.Softmax{K: 3}, 3, 2, 1e300},
	} {
		with := draw{y: []float64{c.y, c.y, c.y}, w: []float64{2, 0, 1}}
		for i := range 3 * c.k {
			with.f = append(with.f, float64(i))
		}
		without := draw{y: with.y[:2], w: []float64{2, 1}, f: slices.Concat(with.f[:c.k], with.f[2*c.k:])}
		with.f[c.k] = c.far
		value, r, v := with.rows(c.batch, true)
		want, _, others := without.rows(c.batch, true)
		linalgtest.Close(t, name, value, want, 1e-15)
		for a := c.k; a < 2*c.k; a++ {
			if r[a] != 0 || v[a]-v[a] != 0 {
				t.Errorf("%s: a row of weight 0 has the derivatives %v, %v", name, r[a], v[a])
			}
		}
		if got, want := c.batch.Floor(v, with.w), c.batch.Floor(others, without.w); got != want {
			t.Errorf("%s: floor %g, without the row %g", name, got, want)
		}
		with.f[0] = math.NaN()
		if value, _, _ := with.rows(c.batch, true); value == value {
			t.Errorf("%s: a score that is no number has the value %v", name, value)
		}
		with.w = nil
		if value, _, _ := with.rows(c.batch, false); value == value {
			t.Errorf("%s: a score that is no number has the value %v", name, value)
		}
	}
}

// A loss says whether its curvature is constant.
func TestConstantCurvature(t *testing.T) {
	for name, c := range map[string]struct {
		batch loss.Batch
		want  bool
	}{
		"logistic": {loss.BatchOf(loss.Logistic{}), false}, "squared": {loss.BatchOf(loss.Squared{}), true},
		"Poisson": {loss.BatchOf(poisson{}), false}, "softmax": {loss.Softmax{K: 3}, false},
	} {
		if got := loss.ConstantCurvature(c.batch); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Times is the product with the second derivatives by all pairs of scores.
func TestTimes(t *testing.T) {
	const n, k = 5, 3
	l := loss.Softmax{K: k}
	f, y, w := linalgtest.Numbers(n*k), []float64{0, 1, 2, 1, 0}, []float64{1, 0, 2, 0.5, 3}
	for _, w := range [][]float64{nil, w} {
		r, v, u := make([]float64, n*k), make([]float64, n*k), linalgtest.Numbers(n*k + 1)[1:]
		l.Rows(r, v, y, slices.Clone(f), w)
		got, second := slices.Clone(u), make([]float64, n)
		l.Times(got, v, w)
		for a := range k {
			want := make([]float64, n)
			for b := range k {
				l.Curvature(second, a, b, v, w)
				for i := range want {
					want[i] += second[i] * u[i*k+b]
				}
			}
			for i := range want {
				linalgtest.Close(t, "product", got[i*k+a], want[i], 1e-15)
			}
		}
	}
}

// Where a class is all but certain, curvatures and products with them keep their digits, however
// small: those of a row by all scores sum to 0.
func TestCurvatureOfNearCertainClasses(t *testing.T) {
	const k = 3
	l := loss.Softmax{K: k}
	for _, f := range [][]float64{{0, -20, -25}, {-30, 0, -30.5}, {-36, -44, 0}, {-300, 0, -310}, {0, 0, -60}} {
		r, p, u := make([]float64, k), make([]float64, k), []float64{1e8, -3, 5}
		l.Rows(r, p, []float64{0}, slices.Clone(f), nil)
		got, second := slices.Clone(u), make([]float64, 1)
		l.Times(got, p, nil)
		for a := range k {
			sum, most, want := 0.0, 0.0, 0.0
			for b := range k {
				l.Curvature(second, a, b, p, nil)
				sum, most = sum+second[0], max(most, math.Abs(second[0]))
				want += p[a] * p[b] * (u[a] - u[b])
			}
			near(t, fmt.Sprintf("scores %v, curvatures by %d, sum", f, a), sum, 0, 1e-15*most)
			near(t, fmt.Sprintf("scores %v, product by %d", f, a), got[a], want, 1e-14*math.Abs(want))
		}
	}
}
