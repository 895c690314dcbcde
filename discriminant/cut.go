package discriminant

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// Cut is a cut-point between two classes on the scores of a direction: scores
// above it go to the larger label.
type Cut struct {
	At    float64
	Error float64 // weighted error rate on the rows it was chosen on
}

// BestCut returns the cut-point on the scores f of n rows that errs least on
// their labels y, of two classes; nil weights are all ones. Of the cuts with equal
// errors it is the middle of the widest gap between scores, the lowest of equals.
// A direction of discrimination needs no Gaussian assumption, the cut-point of LDA
// does (section 4.3, and exercise 4.2). O(n log n).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.WeightError],
// *[linalg.ClassError] unless there are two classes.
func BestCut(f []float64, y []int, weights []float64) (Cut, error) {
	c, err := bestCut(f, y, weights)
	return c, wrap(err)
}

func bestCut(f []float64, y []int, w []float64) (Cut, error) {
	if len(f) != len(y) {
		return Cut{}, &linalg.ShapeError{Want: len(f), WantOf: "scores", Got: len(y), GotOf: "labels"}
	}
	if err := linalg.CheckFinite("scores", f); err != nil {
		return Cut{}, err
	}
	total, err := sample.Weights(w, len(f))
	if err != nil {
		return Cut{}, err
	}
	l, err := sample.Code(y, nil, w)
	if err != nil {
		return Cut{}, err
	}
	if l.K() != 2 {
		return Cut{}, thirdClass(l.Classes)
	}
	c := leastErrors(f, l.Code, w)
	c.Error /= total
	return c, nil
}

// leastErrors returns the best cut of scores whose rows have code 0 or 1, with the
// weight of the rows that it gets wrong.
func leastErrors(f []float64, code []int, w []float64) Cut {
	order := make([]int, 0, len(f))
	for i := range f {
		if sample.WeightAt(w, i) > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f[a], f[b]) })
	// The weight of the smaller label from each score on. Sums from both ends cancel
	// nothing: where no row is wrong they are exactly 0.
	above := make([]float64, len(order)+1)
	for k, i := range slices.Backward(order) {
		above[k] = above[k+1]
		if code[i] == 0 {
			above[k] += sample.WeightAt(w, i)
		}
	}
	// Below the lowest score all rows go to the larger label, above the highest none.
	best := Cut{At: math.Nextafter(f[order[0]], math.Inf(-1)), Error: above[0]}
	width, below := 0.0, 0.0
	for k, i := range order {
		if code[i] == 1 {
			below += sample.WeightAt(w, i)
		}
		errs, next := below+above[k+1], f[i]
		if k+1 < len(order) {
			if next = f[order[k+1]]; next == f[i] {
				continue
			}
		}
		if gap := next - f[i]; errs < best.Error || errs == best.Error && gap > width {
			best, width = Cut{between(f[i], next), errs}, gap
		}
	}
	return best
}

// between returns a point of [a, b), the middle where rounding allows.
func between(a, b float64) float64 {
	if m := a/2 + b/2; m > a && m < b {
		return m
	}
	return a
}

// WithCut returns the two-class model that decides at another cut-point: its
// log-odds are those of l less cut. Priors, densities and report stay those of l.
//
// Errors: *[linalg.ClassError] unless there are two classes,
// *[linalg.NonFiniteError].
func (l *LDA) WithCut(cut float64) (*LDA, error) {
	if len(l.classes) != 2 {
		return nil, wrap(thirdClass(l.classes))
	}
	if err := linalg.CheckFinite("cut", []float64{cut}); err != nil {
		return nil, wrap(err)
	}
	c := *l
	c.intercept = slices.Clone(l.intercept)
	c.intercept[1] -= cut
	return &c, nil
}

// thirdClass returns the error for more classes than two.
func thirdClass(classes []int) error {
	return &linalg.ClassError{Class: classes[2], Reason: "is a third class"}
}
