//go:build purego || !gc || !amd64

package kernel

func scoresAt(_, _ []float64, _ int, _ []int32, _ []float64) bool { return false }
func backAt(_ []float64, _ int, _ []float64, _ []int32, _ []float64, _ int) bool {
	return false
}
