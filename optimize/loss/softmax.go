package loss

import (
	"math"

	"halfspace/linalg"
)

// maxFloor is the floor of no rows.
const maxFloor = math.MaxFloat64

// Softmax is the negative log-likelihood of K classes, −log p_y with
// pₖ = exp fₖ/Σ exp fₗ (ESL 4.19): y is the index of a row's class. Its derivative is
// p − e_y, its second derivative diag p − ppᵀ, which the probabilities tell: they are
// the v of [Batch.Rows].
type Softmax struct{ K int }

// Functions returns K.
func (l Softmax) Functions() int { return l.K }

// Rows is [Batch.Rows]. The score of the own class is subtracted first, so that no
// probability cancels; logarithms of many rows are taken together. O(K) a row.
func (l Softmax) Rows(r, v, y, f, w []float64) float64 {
	k, total, product := l.K, 0.0, 1.0
	var room [256]float64
	lift := append(room[:0], make([]float64, max(0, len(y)-len(room)))...)[:0]
	for i, class := range y {
		lift = append(lift, relative(f[i*k:(i+1)*k], int(class)))
	}
	linalg.Exp(r[:len(f)], f)
	for i, class := range y {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		p, own := r[i*k:(i+1)*k], int(class)
		e := p[own]
		p[own] = 0
		others := sum2(p)
		all := e + others
		switch {
		case lift[i] > 0:
			total += wi * (lift[i] + math.Log(all))
		case others < small:
			total += wi * log1pSmall(others)
		case wi == 1 && all < 0x1p100:
			if product *= all; product > 0x1p900 {
				total += math.Log(product)
				product = 1
			}
		default:
			total += wi * math.Log1p(others)
		}
		if v != nil {
			p[own] = e
			copy(v[i*k:], p)
			linalg.Scale(v[i*k:(i+1)*k], 1/all)
		}
		p[own] = -others // p_y − 1 without cancellation
		s := wi / all
		for c := range p {
			p[c] *= s
		}
	}
	return total + math.Log(product)
}

// sum2 is Σ pₖ in two sums, which do not wait for each other.
func sum2(p []float64) float64 {
	even, odd := 0.0, 0.0
	for ; len(p) > 1; p = p[2:] {
		even += p[0]
		odd += p[1]
	}
	if len(p) == 1 {
		even += p[0]
	}
	return even + odd
}

// relative subtracts the score of class y from all of a row, so that exp(f) is finite
// as a rule; where one of the others is far above it, the largest of them is subtracted
// too, and returned.
func relative(f []float64, y int) (lift float64) {
	own := f[y]
	for k := range f {
		f[k] -= own
		if f[k] > 600 {
			lift = max(lift, f[k])
		}
	}
	if lift > 0 {
		for k := range f {
			f[k] -= lift
		}
	}
	return lift
}

// Curvature sets dst to wᵢ(1[a=b]pₐ − pₐp_b). One less the probability of an all but certain class
// would have few digits: it is the sum of the others.
func (l Softmax) Curvature(dst []float64, a, b int, v, w []float64) {
	for i := range dst {
		if p := v[i*l.K : (i+1)*l.K]; a != b {
			dst[i] = -p[a] * p[b]
		} else {
			others := 0.0
			for _, q := range p[:a] {
				others += q
			}
			for _, q := range p[a+1:] {
				others += q
			}
			dst[i] = p[a] * others
		}
	}
	for i := range w {
		dst[i] *= w[i]
	}
}

// Times overwrites f, K values a row, with wᵢ(diag pᵢ − pᵢpᵢᵀ)fᵢ, v as Rows has set it. They are
// taken about that of the most probable class, for it hardly differs from their mean.
func (l Softmax) Times(f, v, w []float64) {
	for i := range len(f) / l.K {
		p, d := v[i*l.K:(i+1)*l.K], f[i*l.K:(i+1)*l.K]
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		about := d[linalg.ArgMax(p)]
		for c := range d {
			d[c] -= about
		}
		mean := linalg.Dot(p, d)
		for c, q := range p {
			d[c] = wi * q * (d[c] - mean)
		}
	}
}

// Floor returns min wᵢpᵢₖ: on the vectors that sum to 0 no eigenvalue of diag p − ppᵀ
// is less than the least p.
func (l Softmax) Floor(v, w []float64) float64 {
	least := maxFloor
	for i := range len(v) / l.K {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		if wi > 0 {
			least = min(least, wi*linalg.Min(v[i*l.K:(i+1)*l.K]))
		}
	}
	return least
}
