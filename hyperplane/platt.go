package hyperplane

import (
	"math"
	"math/rand/v2"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

const plattFolds = 5

// sigmoid is P(positive | f) = 1/(1 + exp(A·f + B)).
type sigmoid struct {
	A, B float64
}

func (s sigmoid) at(f float64) float64 { return linalg.Sigmoid(-(s.A*f + s.B)) }

// platt fits the sigmoid of a machine to scores that cross-validation gave: each
// row is scored by a plane fitted without its fold, the folds being drawn class by
// class (Platt, Probabilistic outputs for support vector machines, 1999).
func (s *solver) platt(x *linalg.Dense, t task, price, w []float64, seed uint64) (sigmoid, error) {
	fold := stratify(t.sign, seed)
	score := make([]float64, len(fold))
	quiet := *s
	quiet.trace = nil
	without := make([]float64, len(fold))
	var failed error
	for k := range plattFolds {
		for i, v := range price {
			without[i] = v
			if fold[i] == k {
				without[i] = 0
			}
		}
		m, _, err := quiet.softMargin(x, t.sign, without, nil)
		if m.Plane == nil {
			return sigmoid{}, err
		}
		if err != nil {
			failed = err
		}
		for i := range score {
			if fold[i] == k {
				score[i] = m.Plane.Value(x.Row(i))
			}
		}
	}
	fitted, err := fitSigmoid(score, t.sign, w)
	if failed == nil {
		failed = err
	}
	return fitted, failed
}

// stratify deals the rows of each sign to the folds in an order drawn with seed.
func stratify(sign []float64, seed uint64) []int {
	fold := make([]int, len(sign))
	r := rand.New(rand.NewPCG(seed, 0x506c617474))
	next := 0
	for _, side := range []float64{-1, 1} {
		var rows []int
		for i, s := range sign {
			if s == side {
				rows = append(rows, i)
			}
		}
		r.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		for _, i := range rows {
			fold[i] = next % plattFolds
			next++
		}
	}
	return fold
}

// fitSigmoid minimises −Σ w(t·log p + (1−t)·log(1−p)) with targets t =
// (N₊+1)/(N₊+2) for the positive rows and 1/(N₋+2) for the others, by Newton's
// method. The scores are measured in units of the largest.
func fitSigmoid(score, sign, w []float64) (sigmoid, error) {
	d := &sigmoidLoss{score: slices.Clone(score), target: make([]float64, len(score)), weight: w}
	if w == nil {
		d.weight = slices.Repeat([]float64{1}, len(score))
	}
	unit := linalg.NormInf(score)
	if unit < 1e-290 { // 0 as far as A, measured in its inverse, can tell
		unit = 1
	}
	linalg.Scale(d.score, 1/unit)
	plus, minus := 0.0, 0.0
	for i, s := range sign {
		if s > 0 {
			plus += d.weight[i]
		} else {
			minus += d.weight[i]
		}
	}
	for i, s := range sign {
		if d.target[i] = 1 / (minus + 2); s > 0 {
			d.target[i] = (plus + 1) / (plus + 2)
		}
	}
	start := []float64{0, math.Log((minus + 1) / (plus + 1))}
	at, _, err := optimize.Newton(d, start, &optimize.Control{Scale: []float64{plus + minus, plus + minus}})
	return sigmoid{at[0] / unit, at[1]}, err
}

// sigmoidLoss is the cross-entropy as a function of (A, B).
type sigmoidLoss struct{ score, target, weight []float64 }

func (d *sigmoidLoss) Value(v []float64) float64 { return d.Hess(nil, nil, v) }

func (d *sigmoidLoss) Grad(g, v []float64) float64 { return d.Hess(nil, g, v) }

func (d *sigmoidLoss) Hess(h *linalg.Dense, g, v []float64) float64 {
	loss, g0, g1, haa, hab, hbb := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i, f := range d.score {
		z, w := v[0]*f+v[1], d.weight[i]
		// −log p = log(1+eᶻ), −log(1−p) = log(1+eᶻ) − z.
		loss += w * (linalg.Log1pExp(z) - (1-d.target[i])*z)
		q := linalg.Sigmoid(z)
		r := w * (q - (1 - d.target[i]))
		g0 += r * f
		g1 += r
		c := w * q * (1 - q)
		haa += c * f * f
		hab += c * f
		hbb += c
	}
	if g != nil {
		g[0], g[1] = g0, g1
	}
	if h != nil {
		copy(h.Row(0), []float64{haa, hab})
		copy(h.Row(1), []float64{hab, hbb})
	}
	return loss
}

// HasProba reports whether the fit was asked for probabilities.
func (m *SVC) HasProba() bool { return m.platt != nil }

// Proba appends the K class probabilities: Platt's sigmoid for two classes and
// normalised for one-vs-rest; for one-vs-one those whose pairwise ratios are
// closest to the sigmoids (Wu, Lin & Weng, JMLR 5, 2004, method 2). They are fitted
// to other planes than the scores are, so the most probable class need not be
// the predicted one. Without Probability in the options they are NaN.
func (m *SVC) Proba(dst, row []float64) []float64 {
	from := len(dst)
	for range m.classes {
		dst = append(dst, math.NaN())
	}
	p := dst[from:]
	switch {
	case m.platt == nil:
	case len(p) == 2:
		p[1] = m.platt[0].at(m.list[0].Plane.Value(row))
		p[0] = linalg.Sigmoid(m.platt[0].A*m.list[0].Plane.Value(row) + m.platt[0].B)
	case m.multi == OneVsRest:
		sum := 0.0
		for k, c := range m.list {
			p[k] = m.platt[k].at(c.Plane.Value(row))
			sum += p[k]
		}
		linalg.Scale(p, 1/sum)
	default:
		m.couple(p, row)
	}
	return dst
}

// couple sets p to the minimiser of Σ over pairs (r_ba·p_a − r_ab·p_b)² with
// Σp = 1, where r_ab is the probability of a against b.
func (m *SVC) couple(p, row []float64) {
	const least = 1e-7 // a pair's probability is kept this far from 0 and 1
	k := len(p)
	var room [256]float64
	q := linalg.Dense{Rows: k, Cols: k, Stride: k, Data: room[:]}
	if k*k > len(room) {
		q.Data = make([]float64, k*k)
	}
	q.Data = q.Data[:k*k]
	m.pairs(func(c, a, b int) {
		rb := min(max(m.platt[c].at(m.list[c].Plane.Value(row)), least), 1-least)
		ra := 1 - rb
		q.Row(a)[a] += rb * rb
		q.Row(b)[b] += ra * ra
		q.Row(a)[b] = -ra * rb
		q.Row(b)[a] = -ra * rb
	})
	for i := range p {
		p[i] = 1 / float64(k)
	}
	// Gauss-Seidel on the stationarity equations (algorithm 2 there).
	for range max(100, k) {
		value, worst := 0.0, 0.0
		for i := range p {
			value += p[i] * linalg.Dot(q.Row(i), p)
		}
		for i := range p {
			worst = max(worst, math.Abs(linalg.Dot(q.Row(i), p)-value))
		}
		if worst < 1e-12 {
			return
		}
		for i := range p {
			d := (value - linalg.Dot(q.Row(i), p)) / q.Row(i)[i]
			p[i] += d
			value = (value + d*(d*q.Row(i)[i]+2*(linalg.Dot(q.Row(i), p)-d*q.Row(i)[i]))) / (1 + d) / (1 + d)
			linalg.Scale(p, 1/(1+d))
		}
	}
}
