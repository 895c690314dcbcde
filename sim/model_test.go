package sim

import (
	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/logistic"
)

// Every model is what this package asks for.
var (
	_ = []Classifier{(*hyperplane.Perceptron)(nil), (*hyperplane.LeastSquares)(nil), (*hyperplane.Kozinec)(nil),
		(*hyperplane.HardMargin)(nil), (*hyperplane.SVC)(nil), (*discriminant.Indicator)(nil)}
	_ = []Prober{(*logistic.Model)(nil)}
	_ = []LogProber{(*discriminant.LDA)(nil), (*discriminant.QDA)(nil), (*discriminant.Bayes)(nil), (*discriminant.ReducedRank)(nil)}
	_ = []Regressor{(*hyperplane.Regression)(nil), (*hyperplane.SVR)(nil)}
	_ = []Linear{(*logistic.Model)(nil), (*discriminant.LDA)(nil), (*discriminant.ReducedRank)(nil), (*discriminant.Indicator)(nil),
		(*hyperplane.Perceptron)(nil), (*hyperplane.LeastSquares)(nil), (*hyperplane.HardMargin)(nil), (*hyperplane.SVC)(nil),
		(*hyperplane.Regression)(nil), (*hyperplane.SVR)(nil)}
)
