package path

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// A λ that the caller gives twice has two fits that differ by rounding: no parabola goes through these and a third.
func TestForetellBesideTheSameLambda(t *testing.T) {
	x, labels := linalgtest.LabeledRows(60, 4, 2)
	w := newWalk(t, x, labels, Settings{Tol: 1e-8})
	at := linalg.Sequence(w.Parameters())
	fit := func(lambda, value float64) held {
		h := held{lambda: lambda, at: at}
		for range at {
			h.value = append(h.value, value)
		}
		return h
	}
	for _, past := range [][]held{{fit(2, 0.9), fit(2, 1), fit(4, 0.5)}, {fit(2, 0.9), fit(4, 0.5), fit(4, 0.4)}, {fit(2, 1), fit(2, 1), fit(2, 1)}} {
		for j, v := range w.foretell(past, 1) {
			if !(v > 0 && v < 3) {
				t.Errorf("coordinate %d at λ = 1 is %g, after %v", j, v, past)
			}
		}
	}
}
