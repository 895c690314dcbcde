package hyperplane

import (
	"math"
	"math/rand/v2"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/qp"
)

const plattFolds = 5

// sigmoid is P(positive | f) = 1/(1 + exp(A·f + B)).
type sigmoid struct {
	A, B float64
}

func (s sigmoid) prob(f float64) float64 { return linalg.Sigmoid(-(s.A*f + s.B)) }

// logProb returns the logarithm of prob, finite for scores of any size.
func (s sigmoid) logProb(f float64) float64 {
	return max(-linalg.Log1pExp(s.A*f+s.B), -math.MaxFloat64/2)
}

// platt fits the sigmoid of a machine to scores that cross-validation gave: each
// row is scored by a plane fitted without its fold, the folds being drawn class by
// class (Platt, Probabilistic outputs for support vector machines, 1999).
func (s *solver) platt(q *qp.Linear, price, w []float64, seed uint64) (sigmoid, error) {
	fold := stratify(q.Sign, seed)
	score, value := make([]float64, len(fold)), make([]float64, len(fold))
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
		m, _, err := quiet.softMargin(q, without, nil)
		if m.Plane == nil {
			return sigmoid{}, err
		}
		if err != nil {
			failed = err
		}
		q.Apply(value, m.Plane.beta)
		for i, v := range value {
			if fold[i] == k {
				score[i] = q.Sign[i]*v + m.Plane.offset
			}
		}
	}
	fitted, err := fitSigmoid(score, q.Sign, w)
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
// (N₊+1)/(N₊+2) for the positive rows and 1/(N₋+2) for the others: a logistic
// regression of 1 − t on the scores, measured in units of the largest.
func fitSigmoid(score, sign, w []float64) (sigmoid, error) {
	plus, minus := 0.0, 0.0
	for i, s := range sign {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		if s > 0 {
			plus += wi
		} else {
			minus += wi
		}
	}
	y := make([]float64, len(sign)) // 2(1−t) − 1
	for i, s := range sign {
		if y[i] = 1 - 2/(minus+2); s > 0 {
			y[i] = 1 - 2*(plus+1)/(plus+2)
		}
	}
	unit := linalg.NormInf(score)
	x := &linalg.Dense{Rows: len(score), Cols: 1, Stride: 1, Data: slices.Clone(score)}
	if unit < leastScore {
		clear(x.Data)
		unit = 1
	}
	linalg.Scale(x.Data, 1/unit)
	d, err := design.New(x, len(y), "signs", design.Settings{Weights: w})
	if err != nil {
		return sigmoid{}, err
	}
	f := glm.New(d, y, loss.Logistic{}, nil)
	theta := make([]float64, 2)
	d.Parameters(theta, []float64{0}, math.Log((minus+1)/(plus+1)))
	theta, _, err = f.Minimize(glm.Problem{Start: theta, Given: true, Tol: sigmoidTol})
	if theta == nil {
		return sigmoid{}, err
	}
	public := make([]float64, 2)
	d.ToPublic(public, theta)
	return sigmoid{A: public[1] / unit, B: public[0]}, err
}

const (
	sigmoidTol = 1e-8     // tolerance of the certificate of a sigmoid
	leastScore = 0x1p-900 // scores below this are 0 as far as A, measured in its inverse, can tell
)
