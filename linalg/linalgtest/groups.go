package linalgtest

import (
	"math"
	"math/big"

	"halfspace/linalg"
)

// Groups are class moments recomputed: means, counts and covariances.
type Groups struct {
	Count  []float64
	Mean   [][]*big.Float
	Pooled [][]*big.Float
	Each   [][][]*big.Float
}

// meanRounding bounds the rounding of the means of classes k and 0 in column j, of
// rows that spread by sd.
func (g *Groups) meanRounding(k, j int, sd *big.Float) *big.Float {
	n := 0.0
	for _, c := range g.Count {
		n += c
	}
	var s sum
	s.addBig(sd, roundings, math.Sqrt(n))
	s.addBig(abs(g.Mean[k][j]), roundings)
	s.addBig(abs(g.Mean[0][j]), roundings)
	return s.value()
}

// Classes recomputes the moments of K classes with divisors N−K and Nₖ−1, or N and
// Nₖ for mle.
func Classes(x *linalg.Dense, code []int, w []float64, k int, mle bool) *Groups {
	p := x.Cols
	g := &Groups{Count: make([]float64, k)}
	var pooled, all = make([]sum, p*p), sum{}
	for c := range k {
		var count sum
		scatter := make([]sum, p*p)
		mine := make([]float64, x.Rows)
		for i, l := range code {
			if l == c {
				mine[i] = weight(w, i)
				count.add(mine[i])
				all.add(mine[i])
			}
		}
		mu := center(x, mine)
		for i, m := range mine {
			if m == 0 {
				continue
			}
			dev := make([]*big.Float, p)
			for j, v := range x.Row(i) {
				dev[j] = minus(number(v), mu[j])
			}
			for a := range p {
				for b := range p {
					v := times(dev[a], dev[b])
					scatter[a*p+b].addBig(v, m)
					pooled[a*p+b].addBig(v, m)
				}
			}
		}
		g.Count[c], _ = count.value().Float64()
		divisor := minus(count.value(), number(1))
		if mle {
			divisor = count.value()
		}
		g.Mean, g.Each = append(g.Mean, mu), append(g.Each, divided(scatter, p, divisor))
	}
	divisor := minus(all.value(), number(float64(k)))
	if mle {
		divisor = all.value()
	}
	g.Pooled = divided(pooled, p, divisor)
	return g
}

// divided lays p×p sums out as a matrix over a divisor, 0 where there is none: one
// row shows no spread.
func divided(s []sum, p int, divisor *big.Float) [][]*big.Float {
	m := make([][]*big.Float, p)
	for a := range m {
		m[a] = make([]*big.Float, p)
		for b := range m[a] {
			if m[a][b] = number(0); divisor.Sign() > 0 {
				m[a][b] = over(s[a*p+b].value(), divisor)
			}
		}
	}
	return m
}

// mixed returns α·Σₖ + (1−α)·((1−s)Σ + s·tr(Σ)/p·I).
func (g *Groups) mixed(k int, alpha, shrinkage float64) [][]*big.Float {
	p := len(g.Mean[k])
	var trace sum
	for j := range p {
		trace.addBig(g.Pooled[j][j], 1)
	}
	out := make([][]*big.Float, p)
	for a := range out {
		out[a] = make([]*big.Float, p)
		for b := range out[a] {
			var s sum
			if alpha > 0 {
				s.addBig(g.Each[k][a][b], alpha)
			}
			s.addBig(g.Pooled[a][b], 1-alpha, 1-shrinkage)
			if a == b {
				s.addBig(over(trace.value(), number(float64(p))), 1-alpha, shrinkage)
			}
			out[a][b] = s.value()
		}
	}
	return out
}

// Discriminant measures how far affine functions are from those of LDA: the largest
// |Σ(βₖ−β₀) − (μₖ−μ₀)|ⱼ/(sdⱼ·Σ sd|βₖ−β₀| + |μₖ−μ₀|ⱼ), and half-way between two
// means the difference of the functions from log πₖ/π₀, relative to the
// functions there.
func (g *Groups) Discriminant(f Affine, prior []float64) float64 {
	worst := 0.0
	p := f.Coef.Cols
	sd := make([]*big.Float, p)
	for j := range sd {
		sd[j] = squareRoot(g.Pooled[j][j])
	}
	for k := 1; k < f.Coef.Rows; k++ {
		var size, half, scale sum
		beta := make([]*big.Float, p)
		half.add(f.At[k])
		half.add(-f.At[0])
		half.add(math.Log(prior[0]) - math.Log(prior[k]))
		scale.add(1 + math.Abs(f.At[k]) + math.Abs(f.At[0]) + math.Abs(math.Log(prior[0])) + math.Abs(math.Log(prior[k])))
		for j := range p {
			bk, b0 := f.Coef.At(k, j), f.Coef.At(0, j)
			beta[j] = minus(number(bk), number(b0))
			size.addBig(sd[j], math.Abs(bk)+math.Abs(b0))
			mid := times(number(0.5), plus(g.Mean[k][j], g.Mean[0][j]))
			mid = minus(mid, number(f.origin(j)))
			half.addProduct(mid, beta[j])
			scale.addBig(abs(mid), math.Abs(bk)+math.Abs(b0))
		}
		var blur sum
		for j := range p {
			blur.addBig(g.meanRounding(k, j, sd[j]), math.Abs(f.Coef.At(k, j))+math.Abs(f.Coef.At(0, j)))
		}
		if left := minus(abs(half.value()), blur.value()); left.Sign() > 0 {
			worst = max(worst, relative(left, scale.value()))
		}
		for a := range p {
			var r, s sum
			for b := range p {
				r.addProduct(g.Pooled[a][b], beta[b])
			}
			gap := minus(g.Mean[k][a], g.Mean[0][a])
			r.addBig(gap, -1)
			s.addProduct(sd[a], size.value())
			s.addBig(abs(minus(g.Mean[k][a], number(f.origin(a)))), 1)
			s.addBig(abs(minus(g.Mean[0][a], number(f.origin(a)))), 1)
			if left := minus(abs(r.value()), g.meanRounding(k, a, sd[a])); left.Sign() > 0 {
				worst = max(worst, relative(left, s.value()))
			}
		}
	}
	return worst
}

// Density measures how far a lower triangle L and a mean about an origin are from
// those of class k in quadratic discriminant analysis: |LLᵀ − Σₖ| relative to the standard
// deviations, |mean − μₖ| relative to those and its distance from the origin.
func (g *Groups) Density(k int, alpha, shrinkage float64, l *linalg.Dense, origin, deviation []float64) float64 {
	worst, cov := 0.0, g.mixed(k, alpha, shrinkage)
	for a := range cov {
		for b := range cov {
			var s sum
			for j := 0; j <= min(a, b); j++ {
				s.add(l.At(a, j), l.At(b, j))
			}
			s.addBig(cov[a][b], -1)
			worst = max(worst, relative(s.value(), squareRoot(times(cov[a][a], cov[b][b]))))
		}
		var d, size sum
		d.add(origin[a])
		d.add(deviation[a])
		d.addBig(g.Mean[k][a], -1)
		size.addBig(squareRoot(cov[a][a]), 1)
		size.add(math.Abs(deviation[a]))
		worst = max(worst, relative(d.value(), size.value()))
	}
	return worst
}

// Directions measures how well the columns of v solve Bv = λWv with vᵀWv = 1, where W is
// the pooled covariance and B that of the means with the priors: the residual
// relative to sdⱼ·Σ sd|v|·(λ₁+1), and |vᵢᵀWvⱼ − δᵢⱼ| to Σ sd|vᵢ|·Σ sd|vⱼ|.
func (g *Groups) Directions(v *linalg.Dense, values, prior []float64) float64 {
	worst, p := 0.0, v.Rows
	mu := make([]*big.Float, p)
	for j := range mu {
		var s sum
		for k := range prior {
			s.addBig(g.Mean[k][j], prior[k])
		}
		mu[j] = s.value()
	}
	w, length := make([][]*big.Float, v.Cols), make([]sum, v.Cols)
	for c := range w {
		for a := range p {
			length[c].addBig(squareRoot(g.Pooled[a][a]), math.Abs(v.At(a, c)))
		}
		w[c] = make([]*big.Float, p)
		for a := range p {
			var s sum
			for b := range p {
				s.addBig(g.Pooled[a][b], v.At(b, c))
			}
			w[c][a] = s.value()
		}
		var along []*big.Float
		for k := range prior {
			var s sum
			for j := range p {
				s.addBig(minus(g.Mean[k][j], mu[j]), v.At(j, c))
			}
			along = append(along, s.value())
		}
		for a := range p {
			var r sum
			for k := range prior {
				r.addBig(times(minus(g.Mean[k][a], mu[a]), along[k]), prior[k])
			}
			r.addBig(w[c][a], -values[c])
			size := times(times(squareRoot(g.Pooled[a][a]), length[c].value()), number(values[0]+1))
			worst = max(worst, relative(r.value(), size))
		}
	}
	for c := range w {
		for e := range w {
			var s sum
			for a := range p {
				s.addBig(w[c][a], v.At(a, e))
			}
			if c == e {
				s.add(-1)
			}
			worst = max(worst, relative(s.value(), times(length[c].value(), length[e].value())))
		}
	}
	return worst
}
