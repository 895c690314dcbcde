// Package loss holds the loss functions of linear models, each in one place: the
// cost of a row, its derivative by the score, and the second derivative where there is
// one.
//
// A [Loss] is a function L(y, f) of the response and the score f = f(x). For the
// losses of classification y is ±1 and L depends on the margin y·f alone, but for
// [ComplementaryLogLog]; for those of regression y is any number and L depends on the
// residual y − f. A model is a loss, a penalty (package penalty) and a solver (package
// optimize):
//
//	minimise  Σ wᵢ·L(yᵢ, f(xᵢ)) + λ·J(β)
//
//	loss                L(y, f)                  with a ridge penalty, and otherwise
//	[ZeroOne]           1 where y·f < 0          the error rate; not minimised
//	[Perceptron]        max(0, −y·f)             the perceptron's criterion, without penalty
//	[Hinge]             max(0, 1 − y·f)          the support vector classifier
//	[Logistic]          log(1 + exp(−y·f))       logistic regression; the lasso's
//	[ComplementaryLogLog] −log(1 − exp(−u)), or u   events of rate u = exp f, one or more, or none
//	[Squared]           ½(y − f)²                least squares, ridge, lasso
//	[EpsilonInsensitive] max(0, |y − f| − ε)     support vector regression
//
// (Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, 2nd ed.,
// §10.6, §12.3.2 and Table 12.1.) No value overflows where the result does not.
//
// Files in reading order: loss.go, squared.go, cloglog.go, logistic.go (losses of one
// score), softmax.go (of K scores), batch.go (many rows at a time, as objectives use a loss).
package loss

import "math"

// Loss is the cost of the score f where the response is y.
//
// Deriv returns ∂L/∂f, at a corner one element of the subdifferential: the one
// of the flat side, 0, so that a row that just meets its demand asks for nothing.
type Loss interface {
	Value(y, f float64) float64
	Deriv(y, f float64) float64
}

// Smooth is a loss with a second derivative ∂²L/∂f². Where a value or a derivative is
// infinite or NaN, solvers step back from the point.
type Smooth interface {
	Loss
	Second(y, f float64) float64
}

// ZeroOne is the misclassification loss: 1 if the sign of f is not y. A score of
// 0 is a tie, which goes to the smaller label, y = −1. Its derivative is 0
// wherever there is one.
type ZeroOne struct{}

// Value returns 1 if f does not predict y.
func (ZeroOne) Value(y, f float64) float64 {
	if (f > 0) != (y > 0) {
		return 1
	}
	return 0
}

// Deriv returns 0.
func (ZeroOne) Deriv(y, f float64) float64 { return 0 }

// Perceptron is max(0, −y·f), Rosenblatt's criterion (ESL 4.41).
type Perceptron struct{}

// Value returns max(0, −y·f).
func (Perceptron) Value(y, f float64) float64 { return max(0, -y*f) }

// Deriv returns −y where y·f < 0, and 0.
func (Perceptron) Deriv(y, f float64) float64 { return corner(y*f < 0, y) }

// Hinge is max(0, 1 − y·f), the loss of the support vector classifier (ESL
// 12.25).
type Hinge struct{}

// Value returns max(0, 1 − y·f).
func (Hinge) Value(y, f float64) float64 { return max(0, 1-y*f) }

// Deriv returns −y where y·f < 1, and 0.
func (Hinge) Deriv(y, f float64) float64 { return corner(y*f < 1, y) }

func corner(charged bool, y float64) float64 {
	if charged {
		return -y
	}
	return 0
}

// EpsilonInsensitive is max(0, |y − f| − ε) for ε ≥ 0, Vapnik's loss of support
// vector regression (ESL 12.37). With ε = 0 it is the absolute error.
type EpsilonInsensitive struct{ Epsilon float64 }

// Value returns max(0, |y − f| − ε).
func (l EpsilonInsensitive) Value(y, f float64) float64 {
	return max(0, math.Abs(y-f)-l.Epsilon)
}

// Deriv returns the sign of f − y outside the tube, and 0.
func (l EpsilonInsensitive) Deriv(y, f float64) float64 {
	switch r := f - y; {
	case r > l.Epsilon:
		return 1
	case r < -l.Epsilon:
		return -1
	}
	return 0
}

// Rows sets d[i] = wᵢ·∂L/∂f at (y[i], f[i]) and returns Σ wᵢ·L(yᵢ, fᵢ). A nil w
// is all ones, a nil d is not wanted. The slices have one length. A row of weight 0 adds
// nothing, also where its loss is infinite.
func Rows(l Loss, d, y, f, w []float64) float64 {
	sum := 0.0
	for i, fi := range f {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		if wi == 0 {
			if d != nil {
				d[i] = 0
			}
			continue
		}
		sum += wi * l.Value(y[i], fi)
		if d != nil {
			d[i] = wi * l.Deriv(y[i], fi)
		}
	}
	return sum
}
