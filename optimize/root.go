package optimize

import (
	"fmt"
	"math"
)

// Sample is the value F of a function of one variable at X.
type Sample struct{ X, F float64 }

// Root returns a root of a continuous function between a and b, whose values there
// have opposite signs, by the Illinois variant of regula falsi (Dowell & Jarratt,
// BIT 11, 1971): it converges faster than linearly and calls f once a step. The
// search ends where |f| is at most tolF, or at the end of the bracket on b's side once
// that is no wider than 1e-11·|x| + tolX.
//
// Errors: that of f; one that wraps [ErrNotConverged] after 100 steps, or where f is
// not a number; and one for values at a and b of the same sign.
func Root(f func(x float64) (float64, error), a, b Sample, tolX, tolF float64) (float64, error) {
	if !(a.F < 0 && b.F >= 0 || a.F > 0 && b.F <= 0) {
		return 0, fmt.Errorf("optimize: values %v at %v and %v at %v do not bracket a root", a.F, a.X, b.F, b.X)
	}
	last := 0 // the side that moved: −1 a, 1 b
	for range 100 {
		if math.Abs(b.X-a.X) <= 1e-11*math.Abs(b.X)+tolX {
			return b.X, nil
		}
		x := (a.X*b.F - b.X*a.F) / (b.F - a.F)
		v, err := f(x)
		switch next := (Sample{x, v}); {
		case err != nil:
			return 0, err
		case v != v:
			return 0, fmt.Errorf("optimize: %w: the function is not a number at %v", ErrNotConverged, x)
		case math.Abs(v) <= tolF:
			return x, nil
		case (v > 0) == (b.F > 0):
			if b = next; last == 1 {
				a.F /= 2
			}
			last = 1
		default:
			if a = next; last == -1 {
				b.F /= 2
			}
			last = -1
		}
	}
	return b.X, fmt.Errorf("optimize: %w: the root is between %v and %v", ErrNotConverged, a.X, b.X)
}
