package optimize

import (
	"testing"

	"halfspace/linalg"
)

// columnsLogit is a logistic loss whose Hessian is made of columns: 10,000 rows of
// 50 features.
type columnsLogit struct{ *logits }

func (l columnsLogit) Hess(h *linalg.Dense, g, x []float64) float64 {
	all := make([]int, len(x))
	for j := range all {
		all[j] = j
	}
	l.SubHess(h, x, all, nil)
	return l.Grad(g, x)
}

func (l columnsLogit) HessVec(dst, x, v []float64) {
	l.scores(v)
	for i, w := range l.w { // of the last gradient, which was at x
		l.f[i] *= w
	}
	linalg.MulVec(dst, l.xt, l.f, 1)
}

// BenchmarkSolvers fits one logistic model to the same certificate.
func BenchmarkSolvers(b *testing.B) {
	const n, p = 10_000, 50
	f := columnsLogit{newLogits(9, n, p, 0.3)}
	c := &Control{Tol: 1e-6, Scale: make([]float64, p)}
	for j := range c.Scale {
		c.Scale[j] = 0.8 * n
	}
	zero := make([]float64, p)
	for name, run := range map[string]func() error{
		"Newton":   func() error { return third(Newton(f, zero, c)) },
		"NewtonCG": func() error { return third(NewtonCG(f, zero, c)) },
		"BFGS":     func() error { return third(BFGS(f, zero, c)) },
		"LBFGS":    func() error { return third(LBFGS(f, zero, 0, c)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			f.grads = 0
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(f.grads)/float64(b.N), "gradients")
		})
	}
}
