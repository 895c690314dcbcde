package separation

import (
	"cmp"
	"math/big"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

// Margin is the nearest points of the hulls of two classes that are separated completely,
// found in exact arithmetic and rounded once; through zero, the point nearest to 0 of the
// hull of the rows with the signs of their classes.
type Margin struct {
	Rows       []int     // those with a positive weight
	Weights    []float64 // of sum 1 over each class, or over both
	Difference []float64 // p values: the point of class 1 less that of class 0
	Origin     []float64 // p values in the midst of the rows, about which to take products
}

// WidestMargin finds the nearest points by Wolfe's algorithm (Math. Programming 11, 1976)
// with the affine hulls' weights as rational numbers, from rows that are near the solution as a rule and their weights. A
// column of 1e12 beside a flag, or columns that differ in the thirteenth digit, are as good
// there as any. p must be separated completely. Nil where that would take more work than
// [Decide] may. A step costs a pass over the rows and a system of k + 2 integer equations
// for k rows in the solution.
func WidestMargin(p *Problem, rows []int, weights []float64) (*Margin, error) {
	d, err := newData(p, nil)
	if err != nil || len(d.columns) == 0 {
		return nil, err
	}
	w := &corral{d: d, work: allowance, low: slices.Min(d.bit)}
	// Each given row costs its products with those before, and as many equations are solved as are independent.
	k, rank := float64(len(rows)), float64(min(len(rows), d.dim+1))
	if w.work -= k * rank * float64(d.dim) * madeWork / 2; w.work < solving(rank, 0) {
		return nil, nil
	}
	if err := w.start(rows, weights); err != nil {
		return nil, err
	}
	for {
		if !w.approach() {
			return nil, nil
		}
		beyond, err := w.beyond()
		if err != nil {
			return nil, err
		}
		if beyond < 0 {
			return w.margin(), nil
		}
		if err := w.join(beyond, 0); err != nil {
			return nil, err
		}
	}
}

// corral is rows whose hulls' nearest points are those of their affine hulls, when
// approach has returned.
type corral struct {
	d    *data
	low  int // the last bit of any column: points are integers times 2^low
	work float64

	rows   []int
	points [][]*big.Int // x − origin with the sign of the class
	inner  [][]*big.Int // the products of a point and those before it, and its own
	gamma  []*big.Float // on the way rounded, for it is where they end that counts
	levels []*big.Int   // w·p over the points of either group, in the unit of w
	normal []*big.Int   // w = Σ γp times the common denominator of γ
	common *big.Int     // that
}

// start takes the rows into the corral, those of large weight first, that are affinely
// independent of the ones before.
func (w *corral) start(rows []int, weights []float64) error {
	order := linalg.Sequence(len(rows))
	linalg.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), rows[a]-rows[b])
	})
	span := exact.NewSpan(len(w.d.columns) + w.groups())
	for _, k := range order {
		if err := w.join(rows[k], weights[k]); err != nil {
			return err
		}
		last := len(w.rows) - 1
		if !span.Add(slices.Concat(w.points[last], unitVector(w.groups(), w.group(rows[k])))) {
			w.gamma[last].SetInt64(0)
			w.drop()
		}
	}
	w.normalize()
	return nil
}

// groups is 2 with an intercept, class 1 the second, and 1 without.
func (w *corral) groups() int { return w.d.first + 1 }

func (w *corral) group(i int) int { return w.d.Code[i] * w.d.first }

// join adds row i with weight g.
func (w *corral) join(i int, g float64) error {
	row := make([]float64, len(w.d.columns))
	if err := w.d.row(row, i); err != nil {
		return err
	}
	z := w.d.integers(row)[w.d.first:]
	for j, v := range z {
		v.Lsh(v, uint(w.d.bit[j]-w.low))
		if w.d.Code[i] == 0 {
			v.Neg(v)
		}
	}
	w.rows, w.points, w.gamma = append(w.rows, i), append(w.points, z), append(w.gamma, rounded().SetFloat64(g))
	products := make([]*big.Int, len(w.points))
	for j, q := range w.points {
		products[j] = exact.Dot(z, q)
	}
	w.inner = append(w.inner, products)
	return nil
}

// rounded returns 0 with room for twice the digits of a float64, and some.
func rounded() *big.Float { return new(big.Float).SetPrec(128) }

// normalize makes the weights of each group sum to 1.
func (w *corral) normalize() {
	sum := make([]*big.Float, w.groups())
	for g := range sum {
		sum[g] = rounded()
	}
	for k, i := range w.rows {
		sum[w.group(i)].Add(sum[w.group(i)], w.gamma[k])
	}
	for k, i := range w.rows {
		w.gamma[k].Quo(w.gamma[k], sum[w.group(i)])
	}
}

// approach moves to the nearest points of the affine hulls and drops the rows whose weight
// reaches 0 on the way, until it is there; false where the work is spent.
func (w *corral) approach() bool {
	for {
		target, den := w.affine()
		if target == nil {
			return false
		}
		d, goal := rounded().SetInt(den), make([]*big.Float, len(w.gamma))
		step, blocking := rounded().SetInt64(1), -1
		for k, g := range w.gamma {
			goal[k] = rounded().SetInt(target[k])
			if goal[k].Quo(goal[k], d); goal[k].Sign() > 0 {
				continue
			}
			share := rounded().Sub(g, goal[k])
			if share.Sign() > 0 {
				share.Quo(g, share)
			}
			if blocking < 0 || share.Cmp(step) < 0 {
				step, blocking = share, k
			}
		}
		if blocking < 0 {
			w.gamma = goal
			w.setNormal(target, den)
			return true
		}
		for k, g := range w.gamma {
			if g.Add(g, goal[k].Mul(goal[k].Sub(goal[k], g), step)); k == blocking || g.Sign() < 0 {
				g.SetInt64(0)
			}
		}
		w.drop()
	}
}

// drop takes out the rows of weight 0.
func (w *corral) drop() {
	var kept []int
	for k, g := range w.gamma {
		if g.Sign() != 0 {
			kept = append(kept, k)
		}
	}
	for to, k := range kept {
		w.rows[to], w.points[to], w.gamma[to] = w.rows[k], w.points[k], w.gamma[k]
		for at, j := range kept[:to+1] {
			w.inner[k][at] = w.inner[k][j]
		}
		w.inner[to] = w.inner[k][:to+1]
	}
	w.rows, w.points, w.gamma, w.inner = w.rows[:len(kept)], w.points[:len(kept)], w.gamma[:len(kept)], w.inner[:len(kept)]
}

// affine returns the weights with which the affine hulls of the groups are nearest, and
// then the products w·p of the groups, times their denominator: Gγ = Eμ, Eᵀγ = 1 for the
// inner products G of the points.
func (w *corral) affine() (v []*big.Int, den *big.Int) {
	k := len(w.rows)
	n := k + w.groups()
	bits := 0
	a, b := make([][]*big.Int, n), zeros(n)
	for i := range a {
		a[i] = zeros(n)
	}
	for i := range k {
		for j := range i + 1 {
			a[i][j], a[j][i] = w.inner[i][j], w.inner[i][j]
			bits = max(bits, a[i][j].BitLen())
		}
		g := k + w.group(w.rows[i])
		a[i][g].SetInt64(-1)
		a[g][i].SetInt64(1)
	}
	for g := k; g < n; g++ {
		b[g].SetInt64(1)
	}
	if w.work -= solving(float64(n), bits); w.work < 0 {
		return nil, nil
	}
	system := exact.NewSystem(a)
	if system == nil {
		return nil, nil
	}
	return system.Solve(b)
}

func (w *corral) setNormal(target []*big.Int, den *big.Int) {
	w.normal, w.common, w.levels = zeros(len(w.d.columns)), den, target[len(w.rows):]
	t := new(big.Int)
	for j := range w.normal {
		for k, p := range w.points {
			w.normal[j].Add(w.normal[j], t.Mul(p[j], target[k]))
		}
	}
}

// beyond returns the row farthest beyond the supporting plane of its group, −1 if none is:
// with an intercept half-way between the planes that is y·f < (μ₀+μ₁)/2, twice which are
// integers.
func (w *corral) beyond() (int, error) {
	d := w.d
	v, offset := make([]*big.Int, d.dim), new(big.Int)
	for j, z := range w.normal {
		v[j+d.first] = new(big.Int).Lsh(z, uint(d.first+d.bit[j]-w.low))
	}
	for _, l := range w.levels {
		offset.Sub(offset, l)
	}
	if d.first == 1 {
		v[0] = new(big.Int).Sub(w.levels[0], w.levels[1])
	}
	out, err := (&scan{f: newFunctions(d, v), offset: offset, strictly: true, most: 1}).run()
	w.work -= float64(d.n*d.dim) / scanShare
	if err != nil || out.first == nil {
		return -1, err
	}
	return worst(out.worst).row, nil
}

// margin rounds the solution.
func (w *corral) margin() *Margin {
	_, p := w.d.X.Dims()
	m := &Margin{Rows: w.rows, Difference: make([]float64, p), Origin: make([]float64, p)}
	for _, g := range w.gamma {
		f, _ := g.Float64()
		m.Weights = append(m.Weights, f)
	}
	const more = 200 // bits kept behind the point
	for k, j := range w.d.columns {
		z := new(big.Int).Lsh(w.normal[k], more)
		m.Origin[j] = w.d.origin[k]
		m.Difference[j], _ = exact.Pair(z.Quo(z, w.common), w.low-more)
	}
	return m
}
