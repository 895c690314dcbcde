package glm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// The misfit and the bound on the divergence of a dual point are those of their definitions, row by
// row; and the bound is one for the Newton step by some coordinates.
func TestDivergenceByDefinition(t *testing.T) {
	const n, p = 40, 3
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		k := []int{1, 3, 1}[seed%3]
		of := []loss.Batch{loss.BatchOf(loss.Logistic{}), loss.Softmax{K: k}, loss.BatchOf(loss.Squared{})}[seed%3]
		x, y, w := linalgtest.Normal(seed, n, p), make([]float64, n), make([]float64, n)
		own := make([]int, n)
		for i := range y {
			own[i], w[i] = r.IntN(max(2, k)), float64(r.IntN(3))
			switch seed % 3 {
			case 0:
				y[i] = float64(2*own[i] - 1)
			case 1:
				y[i] = float64(own[i])
			default:
				y[i] = r.NormFloat64()
			}
		}
		d, err := design.New(x, n, "rows", design.Settings{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		d.SetUnits([]float64{1, 1, 1})
		d.MoveOrigin(make([]float64, p))
		o := glm.NewMulti(d, y, of, nil, nil)
		dim, theta := d.Dim(), make([]float64, o.Parameters())
		for j := range theta {
			theta[j] = 0.3 * r.NormFloat64()
		}
		scores := func(theta []float64, i int) []float64 {
			f := make([]float64, k)
			for c := range f {
				f[c] = theta[c*dim] + linalg.Dot(theta[c*dim+1:(c+1)*dim], x.Row(i))
			}
			return f
		}
		// The chances of all classes, that of the own class, and how a step moves them.
		chances := func(i int) (p []float64, class int) {
			f := scores(theta, i)
			if k == 1 {
				v := 1 / (1 + math.Exp(-f[0]))
				return []float64{1 - v, v}, own[i]
			}
			total := 0.0
			for c, v := range f {
				f[c] = math.Exp(v)
				total += f[c]
			}
			linalg.Scale(f, 1/total)
			return f, own[i]
		}
		// The Newton step by the intercepts: of K, by the last K − 1 of them.
		g, step := make([]float64, len(theta)), make([]float64, len(theta))
		value := o.Grad(g, theta)
		var free []int
		for c := range k {
			if k == 1 || c > 0 {
				free = append(free, c*dim)
			}
		}
		h := linalg.Zeros(len(free), len(free))
		o.SubHess(h, theta, free, free)
		factor, err := linalg.NewCholesky(h)
		if err != nil {
			t.Fatal(err)
		}
		part := make([]float64, len(free))
		for c, at := range free {
			part[c] = g[at]
		}
		factor.Solve(part)
		decrement := 0.0
		for c, at := range free {
			step[at] = part[c]
			decrement += part[c] * g[at]
		}
		for _, share := range []float64{1, 0.9, 0.5} {
			want, misfit, reach := 0.0, 0.0, 0.0
			for i := range n {
				moved := scores(step, i)
				if seed%3 == 2 {
					res := scores(theta, i)[0] - y[i]
					want += w[i] * math.Pow(share*(res-moved[0])-res, 2) / 2
					continue
				}
				chance, class := chances(i)
				if k == 1 {
					moved = []float64{0, moved[0]}
				}
				mean := linalg.Dot(chance, moved)
				for c, q := range chance {
					u := moved[c] - mean
					at := share * q * (1 - u)
					if c == class {
						at += 1 - share
					}
					if at > 0 {
						want += w[i] * at * math.Log(at/q)
					}
					if w[i] > 0 {
						reach = max(reach, u)
					}
				}
				misfit += w[i] * (1/chance[class] - 1)
			}
			what := fmt.Sprintf("%T %d, share %g", of, seed, share)
			if reach > 1 { // a probability below 0
				if v := o.DivergenceAtMost(value, decrement, decrement, misfit, reach, share); !math.IsInf(v, 1) {
					t.Errorf("%s: divergence at most %g", what, v)
				}
				continue
			}
			if k > 1 {
				got, err := o.Misfit(theta)
				if err != nil {
					t.Fatal(what, err)
				}
				linalgtest.Close(t, what+": misfit", got, misfit, 1e-11*misfit)
			}
			rest := 1 - share
			exact := rest*rest*value + share*(2-share)*decrement/2 // of squared error
			if seed%3 != 2 {
				square := func(t float64) float64 { return (t + (1-t)*math.Log1p(-t)) / (t * t) }
				exact = min(share*square(reach)*decrement+rest*value,
					square(rest+share*reach)*(rest*rest*misfit+share*(2-share)*decrement))
			}
			bound := o.DivergenceAtMost(value, decrement, decrement, misfit, reach, share)
			linalgtest.Close(t, what+": bound", bound, exact, 1e-7*(1+exact))
			if bound < want*(1-1e-9)-1e-12 {
				t.Errorf("%s: a bound of %g on %g", what, bound, want)
			}
			if seed%3 != 2 {
				linalgtest.Close(t, what+": without a misfit", o.DivergenceAtMost(value, decrement, decrement, math.Inf(1), reach, share),
					share*(reach+(1-reach)*math.Log1p(-reach))/(reach*reach)*decrement+rest*value, 1e-7*(1+value))
			}
		}
	}
}
