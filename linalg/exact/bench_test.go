package exact_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"halfspace/linalg/exact"
)

func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{6, 21, 85} {
		r := rand.New(rand.NewPCG(4, 0))
		a, rhs := integers(r, n, 70), integers(r, n, 70)[0]
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				exact.NewSystem(a).Solve(rhs)
			}
		})
	}
}
