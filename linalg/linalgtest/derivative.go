package linalgtest

import "halfspace/linalg"

// Derivative returns f′(0) for a function of one variable with several values, which may
// be one slice each time: central differences in steps of 1/16, 1/32, 1/64 and 1/128,
// extrapolated (Richardson's scheme). The error is that of f times some 100, and
// f⁽⁹⁾·10⁻¹⁸ at most.
func Derivative(f func(t float64) []float64) []float64 {
	var table [][]float64
	h := 1. / 16
	for range 4 {
		d := append([]float64(nil), f(h)...)
		linalg.Axpy(d, -1, f(-h))
		linalg.Scale(d, 0.5/h)
		factor := 1.0
		for k, before := range table { // Neville's scheme in h²
			factor *= 4
			next := append([]float64(nil), d...)
			linalg.Axpy(next, -1, before)
			linalg.Scale(next, 1/(factor-1))
			linalg.Axpy(next, 1, d)
			table[k], d = d, next
		}
		table = append(table, d)
		h /= 2
	}
	return table[len(table)-1]
}
