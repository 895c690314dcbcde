package report

import (
	"errors"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
)

// WayOut names the flags of the command by which a fit that has no solution gets one, in
// parentheses after a space; "" for other errors.
func WayOut(err error) string {
	var (
		separated *logistic.SeparationError
		class     *discriminant.ClassRankError
		rank      *linalg.RankError
		hulls     *hyperplane.InfeasibleError
	)
	switch {
	case errors.Is(err, linalg.ErrRemote):
		return " (without -stream; in passes: logistic, ols, ridge, lasso; lda and qda by moments)"
	case errors.As(err, &separated):
		return " (-lambda 1, or for two classes -firth)"
	case errors.As(err, &class):
		return " (-method rda -alpha 0.5, or -gamma below 1)"
	case errors.As(err, &rank):
		return " (leave them out with -drop; logistic and ridge take -lambda, rda -gamma below 1)"
	case errors.As(err, &hulls):
		return " (-method svc allows errors)"
	}
	return ""
}
