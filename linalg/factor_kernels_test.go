package linalg_test

import (
	"fmt"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/internal/kernel"
	"halfspace/linalg/linalgtest"
)

// The factorisations rest on the kernels; each implementation of those must
// carry them.
func TestFactorisationsOnEveryKernel(t *testing.T) {
	defer kernel.Use(kernel.Use(kernel.Generic))
	for _, level := range kernel.Levels() {
		kernel.Use(level)
		for _, n := range []int{1, 9, 37, 70, 131} {
			name := fmt.Sprintf("%v, n = %d", level, n)
			a := spd(uint64(n), n)
			l := mustCholesky(t, a).L()
			if d := maxDiff(mul(l, trans(l)), a); !(d <= 1e-14*norm(a)) {
				t.Errorf("%s: LLᵀ−A is %g", name, d)
			}
			checkEigen(t, name, a)
			x := linalgtest.Normal(uint64(n), 2*n+1, n)
			checkQR(t, name, x)
			checkSVD(t, name, x)
			if err := linalg.CheckRank(x, nil, true, 1); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
