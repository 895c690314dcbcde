package linalg

import "math"

// diagonalScale returns, for each j, the power of two nearest below 1/√aⱼⱼ, 1
// where aⱼⱼ is not positive. SAS then has a diagonal in [¼, 1) or so.
func diagonalScale(a *Dense) []float64 {
	s := make([]float64, a.Rows)
	for j := range s {
		s[j] = 1
		if d := a.At(j, j); d > 0 && !math.IsInf(d, 1) {
			s[j] = unitScale(math.Sqrt(d))
		}
	}
	return s
}

// scaledSymmetric returns SAS, full, from the lower triangle of a.
func scaledSymmetric(a *Dense, s []float64) *Dense {
	m := Zeros(a.Rows, a.Rows)
	for i := range a.Rows {
		for j, v := range a.Row(i)[:i+1] {
			m.Data[i*m.Stride+j] = v * s[i] * s[j]
		}
	}
	Symmetrize(m)
	return m
}
