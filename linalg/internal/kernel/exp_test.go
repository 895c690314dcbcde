package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const prec = 200

// bigExp returns eˣ: the Taylor series of x/2⁴⁰, squared forty times.
func bigExp(x float64) *big.Float {
	const halvings = 40
	r := new(big.Float).SetPrec(prec).SetFloat64(x)
	r.SetMantExp(r, -halvings)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for k := 1; k < 14; k++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetInt64(int64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog1p returns log(1+e) for 0 ≤ e ≤ 1: 2 artanh(e/(2+e)).
func bigLog1p(e *big.Float) *big.Float {
	s := new(big.Float).SetPrec(prec).Quo(e, new(big.Float).Add(e, big.NewFloat(2)))
	z := new(big.Float).SetPrec(prec).Mul(s, s)
	sum, power := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec).Set(s)
	for k := int64(1); k < 130; k += 2 {
		sum.Add(sum, new(big.Float).SetPrec(prec).Quo(power, new(big.Float).SetInt64(k)))
		power.Mul(power, z)
	}
	return sum.Add(sum, sum)
}

// ulps returns how far got is from want in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	ulp := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
	if math.IsInf(ulp, 0) {
		ulp = 0x1p971
	}
	d := new(big.Float).SetPrec(prec).SetFloat64(got)
	d.Sub(d, want)
	f, _ := d.Abs(d).Float64()
	return f / ulp
}

func arguments(n int) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	v := []float64{0, 1, -1, math.Ln2, -math.Ln2, math.Ln2 / 2, -math.Ln2 / 2, 0.34657359, 709.78, -708.3, -708.5, -720, -744, -745.13, 1e-300, -5e-324, 0x1p-53, 0x1p-54}
	for len(v) < n {
		switch len(v) % 4 {
		case 0:
			v = append(v, r.NormFloat64())
		case 1:
			v = append(v, (2*r.Float64()-1)*709)
		case 2:
			v = append(v, (2*r.Float64()-1)*40)
		default:
			v = append(v, r.NormFloat64()*math.Exp(-40*r.Float64()))
		}
	}
	return v
}

func count(t *testing.T) int {
	if testing.Short() {
		return 400
	}
	return 4000
}

// ownExp reports whether the level has an exponential of its own and does not
// call math.Exp.
func ownExp() bool { return level == AVX2 || level == AVX512 }

func TestExpIsAccurate(t *testing.T) {
	x := arguments(count(t))
	want := make([]*big.Float, len(x))
	for i, v := range x {
		want[i] = bigExp(v)
	}
	each(t, func(t *testing.T) {
		got, worst, limit := make([]float64, len(x)), 0.0, 2.0
		if ownExp() {
			limit = 0.8
		}
		Exp(got, x)
		for i, v := range got {
			if !ownExp() && x[i] > 709.4 {
				continue // math.Exp overflows early on amd64
			}
			u := ulps(v, want[i])
			if worst = max(worst, u); !(u <= limit) {
				t.Errorf("exp(%v) = %v is off by %.3g ulp", x[i], v, u)
			}
		}
		t.Logf("worst error %.3f ulp", worst)
	})
}

func TestLogisticIsAccurate(t *testing.T) {
	x := arguments(count(t))
	prob, loss := make([]*big.Float, len(x)), make([]*big.Float, len(x))
	for i, v := range x {
		e := bigExp(-math.Abs(v))
		u := new(big.Float).SetPrec(prec).Add(e, big.NewFloat(1))
		prob[i], loss[i] = new(big.Float).SetPrec(prec).Quo(big.NewFloat(1), u), bigLog1p(e)
		if v < 0 {
			prob[i].Mul(prob[i], e)
		} else {
			loss[i].Add(loss[i], big.NewFloat(v))
		}
	}
	each(t, func(t *testing.T) {
		p, l := make([]float64, len(x)), make([]float64, len(x))
		Logistic(p, l, x)
		worst, worstLoss, limit := 0.0, 0.0, 2.5
		if ownExp() {
			limit = 1.5
		}
		for i := range x {
			u, v := ulps(p[i], prob[i]), ulps(l[i], loss[i])
			worst, worstLoss = max(worst, u), max(worstLoss, v)
			if !(u <= 2.5) || !(v <= limit) {
				t.Errorf("at %v: %v is off by %.3g ulp, the loss %v by %.3g", x[i], p[i], u, l[i], v)
			}
		}
		t.Logf("worst errors %.3f, %.3f ulp", worst, worstLoss)
	})
}

func TestExpOfSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	each(t, func(t *testing.T) {
		for _, c := range []struct{ x, exp, prob, loss float64 }{
			{inf, inf, 1, inf}, {-inf, 0, 0, 0}, {nan, nan, nan, nan},
			{0, 1, 0.5, math.Ln2}, {math.Copysign(0, -1), 1, 0.5, math.Ln2},
			{1e308, inf, 1, 1e308}, {-1e308, 0, 0, 0}, {709.79, inf, 1, 709.79}, {710.5, inf, 1, 710.5},
			{-745.2, 0, 0, 0}, {-746.5, 0, 0, 0}, {5e-324, 1, 0.5, math.Ln2},
		} {
			x, got, loss := []float64{c.x}, []float64{3}, []float64{3}
			Exp(got, x)
			if got[0] != c.exp && got[0] == got[0] {
				t.Errorf("exp(%v) = %v, want %v", c.x, got[0], c.exp)
			}
			Logistic(got, loss, x)
			if same := func(a, b float64) bool { return a == b || a != a && b != b }; !same(got[0], c.prob) || !same(loss[0], c.loss) {
				t.Errorf("at %v: %v and %v, want %v and %v", c.x, got[0], loss[0], c.prob, c.loss)
			}
		}
	})
}

// Every length and alignment, in place and beside; a value's result is the same
// wherever it stands.
func TestExpStaysInside(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, n := range lengths(t) {
			src := guarded(n, r.IntN(8), func(int) float64 { return 20 * r.NormFloat64() })
			dst, prob, loss := guarded(n, r.IntN(8), nil), guarded(n, r.IntN(8), nil), guarded(n, r.IntN(8), nil)
			Exp(dst.v, src.v)
			Logistic(prob.v, loss.v, src.v)
			one, two := []float64{0}, []float64{0}
			for i, x := range src.v {
				Exp(one, []float64{x})
				if one[0] != dst.v[i] {
					t.Fatalf("length %d: exp(%v) = %v at %d, alone %v", n, x, dst.v[i], i, one[0])
				}
				Logistic(one, two, []float64{x})
				if one[0] != prob.v[i] || two[0] != loss.v[i] {
					t.Fatalf("length %d: at %v %v, %v, alone %v, %v", n, x, prob.v[i], loss.v[i], one[0], two[0])
				}
			}
			copy(loss.v, src.v)
			Logistic(prob.v, loss.v, loss.v)
			Exp(src.v, src.v)
			for i, v := range src.v {
				if v != dst.v[i] {
					t.Fatalf("length %d: in place %v at %d, beside %v", n, v, i, dst.v[i])
				}
			}
			for _, b := range []buffer{src, dst, prob, loss} {
				b.check(t)
			}
		}
	})
}

func BenchmarkExp(b *testing.B) {
	x, p, l := arguments(1000), make([]float64, 1000), make([]float64, 1000)
	for _, lv := range Levels() {
		b.Run("exp/"+lv.String(), func(b *testing.B) {
			defer Use(Use(lv))
			for b.Loop() {
				Exp(p, x)
			}
		})
		b.Run("logistic/"+lv.String(), func(b *testing.B) {
			defer Use(Use(lv))
			for b.Loop() {
				Logistic(p, l, x)
			}
		})
	}
}
