package squared

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/qp"
)

// The sums of products follow the active rows, whether few change, many, or one that outweighs the others leaves;
// and sums that could have lost their digits are made anew.
func TestProductsFollowActiveRows(t *testing.T) {
	const n, p, heavy = 200, 6, 17
	for _, sparse := range []bool{false, true} {
		r := rand.New(rand.NewPCG(4, 1))
		x, price := lt.Normal(4, n, p), slices.Repeat([]float64{.5}, n)
		price[heavy] = 1e9
		q := &qp.Linear{X: x, Sign: slices.Repeat([]float64{1}, n)}
		if sparse {
			q.X = lt.Sparse(x)
		}
		m := newMinimizer(&Problem{Rows: q, Price: price}, 1e-10)
		within, updated := make([]bool, n), 0
		for step := range 40 {
			for i := range within {
				if step == 0 || r.IntN(40) == 0 {
					within[i] = !within[i]
				}
			}
			within[heavy] = step == 20
			m.active = nil
			mean, total := make([]float64, p), 0.0
			want := linalg.Zeros(p, p)
			m.products.begin(n)
			for i, in := range within {
				if in {
					m.active = append(m.active, i)
					m.products.d[i] = 2 * price[i]
					total += 2 * price[i]
					linalg.Axpy(mean, 2*price[i], x.Row(i))
				}
			}
			linalg.Scale(mean, 1/total)
			for _, i := range m.active {
				away := slices.Clone(x.Row(i))
				linalg.Axpy(away, -1, mean)
				for j, v := range away {
					linalg.Axpy(want.Row(j), 2*price[i]*v, away)
				}
			}
			was := m.products.sums
			g := m.spread(mean, total)
			if m.products.sums == was {
				updated++
			}
			scale := 0.0
			for j := range p {
				scale = math.Max(scale, want.At(j, j))
			}
			if step == 20 && sparse {
				continue // about 0 the products of one row that outweighs all others leave no digits
			}
			for i, v := range g.Data {
				lt.Close(t, "product", v/scale, want.Data[i]/scale, 1e-12)
			}
		}
		if updated < 30 || updated > 37 {
			t.Errorf("sparse %t: %d of 40 sums are updated", sparse, updated)
		}
	}
}
