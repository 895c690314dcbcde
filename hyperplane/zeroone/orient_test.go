package zeroone

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactly is the determinant of the differences from the first point, in rational numbers.
func exactly(o, p, q, r [3]float64) int {
	d := func(a, b float64) *big.Rat {
		return new(big.Rat).Sub(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b))
	}
	sum := new(big.Rat)
	for c := range 3 {
		a, b := (c+1)%3, (c+2)%3
		m := new(big.Rat).Mul(d(p[a], o[a]), d(q[b], o[b]))
		m.Sub(m, new(big.Rat).Mul(d(p[b], o[b]), d(q[a], o[a])))
		sum.Add(sum, m.Mul(m, d(r[c], o[c])))
	}
	return sum.Sign()
}

// Turns and sides are those of exact arithmetic, for points next to a line or a plane, of any
// size and any distance from 0.
func TestSidesAreExact(t *testing.T) {
	signs := [3]int{}
	for seed := range uint64(1200) {
		r := rand.New(rand.NewPCG(seed, 6))
		scale, shift := math.Ldexp(1, int(seed%5)*20-40), []float64{0, 1, 1e3}[seed%3]
		at := make([][3]float64, 4)
		for i := range 3 {
			for c := range 3 {
				if at[i][c] = scale * (shift + r.Float64()); seed%7 == 0 {
					at[i][c] = scale * (shift + float64(r.IntN(8)))
				}
			}
		}
		u, v := r.Float64(), r.Float64()
		if seed%7 == 0 { // in the plane, exactly
			u, v = 2, 3
		}
		for c := range 3 { // nearly in the plane of the others, and k nearly on the line of i and j
			if seed%2 == 0 {
				at[2][c] = at[0][c] + u*(at[1][c]-at[0][c])
			}
			at[3][c] = at[0][c] + u*(at[1][c]-at[0][c]) + v*(at[2][c]-at[0][c])
			if seed%7 > 0 && r.IntN(3) == 0 {
				at[3][c] = math.Nextafter(at[3][c], math.Inf(1))
			}
		}
		s := newPoints(at, make([]float64, 4))
		want := exactly(at[0], at[1], at[2], at[3])
		if got := s.side(0, 1, 2, 3); got != want {
			t.Errorf("seed %d: side %d, want %d", seed, got, want)
		}
		signs[want+1]++
		for _, c := range [][2]int{{0, 1}, {1, 2}, {2, 0}} {
			flat := make([][3]float64, 3)
			for i := range flat {
				flat[i] = [3]float64{at[i][c[0]], at[i][c[1]], 0}
			}
			above := flat[0]
			above[2] = 1
			if got, want := s.turn(0, 1, 2, c[0], c[1]), exactly(flat[0], flat[1], flat[2], above); got != want {
				t.Errorf("seed %d: turn %d, want %d", seed, got, want)
			}
		}
	}
	if min(signs[0], signs[1], signs[2]) < 20 {
		t.Errorf("sides −1, 0, 1: %v", signs)
	}
	// In float64 the turn is to the left.
	at := [][3]float64{{0x1p-30, 0x1p-30}, {3758811, 5250816}, {7517622, 10501632}}
	if got := newPoints(at, make([]float64, 3)).turn(0, 1, 2, 0, 1); got != -1 {
		t.Errorf("turn %d of long sides that nearly agree", got)
	}
}

// In units whose products of three underflow the sides are exact all the same.
func TestSidesOfTinyPoints(t *testing.T) {
	at := [][3]float64{{0, 0, 0}, {0, 1, -1}, {11, 21, 0}, {1, 1, 1}}
	for i := range at {
		for c := range at[i] {
			at[i][c] *= 0x1p-359
		}
	}
	if got, want := newPoints(at, make([]float64, 4)).side(0, 1, 2, 3), exactly(at[0], at[1], at[2], at[3]); got != -1 || want != -1 {
		t.Errorf("side %d, want %d", got, want)
	}
}
