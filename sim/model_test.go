package sim_test

import (
	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/logistic"
	"halfspace/sim"
)

// Every model is what package sim asks for.
var (
	_ = []sim.Classifier{(*hyperplane.Perceptron)(nil), (*regression.LeastSquares)(nil), (*hyperplane.Kozinec)(nil),
		(*hyperplane.HardMargin)(nil), (*hyperplane.SVC)(nil), (*discriminant.Indicator)(nil)}
	_ = []sim.LogProber{(*logistic.Model)(nil), (*discriminant.LDA)(nil), (*discriminant.QDA)(nil), (*discriminant.Bayes)(nil), (*discriminant.ReducedRank)(nil)}
	_ = []sim.RowsLogProber{(*discriminant.QDA)(nil)}
	_ = []sim.Regressor{(*regression.Model)(nil), (*hyperplane.SVR)(nil)}
	_ = []sim.Linear{(*logistic.Model)(nil), (*discriminant.LDA)(nil), (*discriminant.ReducedRank)(nil), (*discriminant.Indicator)(nil),
		(*hyperplane.Perceptron)(nil), (*regression.LeastSquares)(nil), (*hyperplane.HardMargin)(nil), (*hyperplane.SVC)(nil),
		(*regression.Model)(nil), (*hyperplane.SVR)(nil)}
)
