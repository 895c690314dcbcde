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

func (s sigmoid) prob(f float64) float64 { return linalg.Sigmoid(-(s.A*f + s.B)) }

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
