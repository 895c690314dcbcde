package moments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// ByClass holds for each class of labelled rows the number of rows, the weight
// Nₖ = Σwᵢ, the mean μₖ and the scatter Sₖ = Σwᵢ(xᵢ−μₖ)(xᵢ−μₖ)ᵀ, or, when pooled,
// the sum of the Sₖ alone.
//
// Means are held as deviations from an origin near the data and every row is
// taken about a centre of its own class before it is squared, so means of 1e8
// beside variances of 1, or classes far apart beside their width, cost no digits of
// moments of one pass. Merge moves means to one origin: a class that is d widths from
// it keeps its scatter to about 10⁻¹⁶·d of itself.
type ByClass struct {
	p      int
	pooled bool
	origin []float64 // nil until the first row
	class  []classMoments
	within *linalg.Dense // the pooled scatter; nil where each class keeps its own
}

type classMoments struct {
	label   int
	rows    int
	weight  float64
	dev     []float64     // mean − origin
	scatter *linalg.Dense // nil where pooled
}

// ErrPooled is returned where the scatter of each class is needed but the
// moments hold only their sum.
var ErrPooled = errors.New("the moments hold one scatter matrix for all classes together")

// New returns the moments of no rows of p columns. Pooled moments need
// O(p²) memory and serve linear discriminants; others need O(Kp²) and serve
// quadratic ones too.
//
// Errors: *[linalg.ShapeError] if p is not positive, *[linalg.SizeError].
func New(p int, pooled bool) (*ByClass, error) {
	if err := linalg.CheckDims(p, p); err != nil {
		return nil, err
	}
	if err := linalg.CheckSquare(p); err != nil {
		return nil, err
	}
	m := &ByClass{p: p, pooled: pooled}
	if pooled {
		m.within = linalg.Zeros(p, p)
	}
	return m, nil
}

// Features returns the number of columns.
func (m *ByClass) Features() int { return m.p }

// Pooled reports whether the moments hold only the sum of the scatter matrices.
func (m *ByClass) Pooled() bool { return m.pooled }

// Classes returns the labels of the classes that have rows of positive weight,
// ascending.
func (m *ByClass) Classes() []int {
	c := make([]int, len(m.class))
	for k := range c {
		c[k] = m.class[k].label
	}
	return c
}

// Rows returns, for each class, the number of rows of positive weight.
func (m *ByClass) Rows() []int {
	n := make([]int, len(m.class))
	for k := range n {
		n[k] = m.class[k].rows
	}
	return n
}

// Weights returns, for each class, the sum of the weights of its rows.
func (m *ByClass) Weights() []float64 {
	w := make([]float64, len(m.class))
	for k := range w {
		w[k] = m.class[k].weight
	}
	return w
}

// Origin returns the point that Deviations are taken about; nil if there are no
// rows. It is not a copy.
func (m *ByClass) Origin() []float64 { return m.origin }

// Deviation returns μₖ minus the origin, for the class at position k of Classes.
// It is not a copy.
func (m *ByClass) Deviation(k int) []float64 { return m.class[k].dev }

// Mean returns a copy of μₖ, for the class at position k of Classes.
func (m *ByClass) Mean(k int) []float64 {
	mean := slices.Clone(m.origin)
	linalg.Axpy(mean, 1, m.class[k].dev)
	return mean
}

// Scatter returns Sₖ, for the class at position k of Classes; nil if the moments
// are pooled. It is not a copy.
func (m *ByClass) Scatter(k int) *linalg.Dense { return m.class[k].scatter }

// Within returns a copy of ΣₖSₖ.
func (m *ByClass) Within() *linalg.Dense {
	if m.pooled {
		return m.within.Clone()
	}
	s := linalg.Zeros(m.p, m.p)
	for k := range m.class {
		linalg.Axpy(s.Data, 1, m.class[k].scatter.Data)
	}
	return s
}

// Clone returns a copy that shares nothing with m.
func (m *ByClass) Clone() *ByClass {
	c := *m
	c.origin = slices.Clone(m.origin)
	c.class = slices.Clone(m.class)
	for k := range c.class {
		cl := &c.class[k]
		cl.dev = slices.Clone(cl.dev)
		if cl.scatter != nil {
			cl.scatter = cl.scatter.Clone()
		}
	}
	if m.within != nil {
		c.within = m.within.Clone()
	}
	return &c
}

// find returns the position of a class, or where it would stand.
func (m *ByClass) find(label int) (k int, ok bool) {
	return slices.BinarySearchFunc(m.class, label, func(c classMoments, label int) int { return cmp.Compare(c.label, label) })
}

// at returns the moments of a class, which it creates if need be.
func (m *ByClass) at(label int) *classMoments {
	k, ok := m.find(label)
	if !ok {
		c := classMoments{label: label, dev: make([]float64, m.p)}
		if !m.pooled {
			c.scatter = linalg.Zeros(m.p, m.p)
		}
		m.class = slices.Insert(m.class, k, c)
	}
	return &m.class[k]
}

// scatterOf returns the matrix that the scatter of class c is gathered in.
func (m *ByClass) scatterOf(c *classMoments) *linalg.Dense {
	if m.pooled {
		return m.within
	}
	return c.scatter
}

// Add adds one row (West's update, O(p²)). A weight of 0 adds nothing. Many rows
// at once are much faster through [ByClass.AddRows].
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError], *[linalg.WeightError], and
// those of [sample.Range] with row 0; m is then unchanged.
func (m *ByClass) Add(row []float64, label int, weight float64) error {
	if len(row) != m.p {
		return &linalg.ShapeError{Want: m.p, WantOf: "columns", Got: len(row), GotOf: "in the row"}
	}
	w := []float64{weight}
	if err := linalg.CheckWeights(w); err != nil {
		return err
	}
	if err := sample.Range(&linalg.Dense{Rows: 1, Cols: m.p, Stride: m.p, Data: row}, nil, w); err != nil {
		return err
	}
	if weight == 0 {
		return nil
	}
	origin := m.origin
	if origin == nil {
		origin = slices.Clone(row)
	}
	d := slices.Clone(row)
	linalg.Axpy(d, -1, origin)
	return m.take(origin, nil, []classMoments{{label: label, rows: 1, weight: weight, dev: d}})
}

// take joins classes whose deviations are from the given origin, m's own if it has
// one; it keeps the deviations. Within is their pooled scatter, nil where
// each has its own or none. Error: *[linalg.SizeError].
func (m *ByClass) take(origin []float64, within *linalg.Dense, joining []classMoments) error {
	classes := len(m.class)
	for i := range joining {
		if _, ok := m.find(joining[i].label); !ok {
			classes++
		}
	}
	if err := m.checkMemory(classes); err != nil {
		return err
	}
	m.origin = origin
	if within != nil {
		linalg.Axpy(m.within.Data, 1, within.Data)
	}
	for i := range joining {
		o := &joining[i]
		c := m.at(o.label)
		s := m.scatterOf(c)
		if o.scatter != nil {
			linalg.Axpy(s.Data, 1, o.scatter.Data)
		}
		c.join(s, o.rows, o.weight, o.dev)
	}
	return nil
}

// checkMemory returns a *[linalg.SizeError] if the scatter matrices of that many classes
// would be too large.
func (m *ByClass) checkMemory(classes int) error {
	if m.pooled {
		return nil
	}
	if err := linalg.CheckSquares(classes, m.p); err != nil {
		return fmt.Errorf("scatter matrices of %d classes: %w", classes, err)
	}
	return nil
}

// join adds the weight and the mean of further rows, whose deviation it keeps:
// their scatter about their own mean is not part of it. With δ the difference of
// the means, S grows by N₁N₂/(N₁+N₂)·δδᵀ. (Chan, Golub, LeVeque, Algorithms for
// computing the sample variance, 1983, eq. 2.1.) The mean is taken from the
// heavier side, whose digits the lighter one's distance must not cost.
func (c *classMoments) join(s *linalg.Dense, rows int, weight float64, dev []float64) {
	diff := slices.Clone(dev)
	linalg.Axpy(diff, -1, c.dev)
	total := c.weight + weight
	f := c.weight / total * weight
	for i, v := range diff {
		linalg.Axpy(s.Row(i)[:i+1], f*v, diff[:i+1])
	}
	linalg.Symmetrize(s)
	if weight > c.weight {
		c.dev = dev
		linalg.Axpy(c.dev, -c.weight/total, diff)
	} else {
		linalg.Axpy(c.dev, weight/total, diff)
	}
	c.weight = total
	c.rows += rows
}

// Merge adds the rows that other describes, which is not changed; nil describes
// none. O(Kp²).
//
// Errors: *[linalg.ShapeError] if the numbers of columns differ, [ErrPooled] if m keeps
// a scatter a class and other does not, *[linalg.SizeError]; m is then unchanged.
func (m *ByClass) Merge(other *ByClass) error {
	switch {
	case other == nil:
		return nil
	case m.p != other.p:
		return &linalg.ShapeError{Want: m.p, WantOf: "columns", Got: other.p, GotOf: "in the other moments"}
	case other.pooled && !m.pooled:
		return ErrPooled
	case other.origin == nil:
		return nil
	}
	origin := m.origin
	if origin == nil {
		origin = slices.Clone(other.origin)
	}
	joining := slices.Clone(other.class)
	for k := range joining {
		joining[k].dev = moved(joining[k].dev, other.origin, origin)
	}
	return m.take(origin, other.within, joining)
}

// Relabel returns moments of the same rows with other labels: of each class,
// label(old). Moments gathered in parts that code their classes differently can
// so be brought to one code before they are merged.
//
// Error: *[linalg.ClassError] if two classes get one label.
func (m *ByClass) Relabel(label func(old int) int) (*ByClass, error) {
	r := m.Clone()
	for k := range r.class {
		r.class[k].label = label(r.class[k].label)
	}
	slices.SortFunc(r.class, func(a, b classMoments) int { return cmp.Compare(a.label, b.label) })
	for k := 1; k < len(r.class); k++ {
		if c := r.class[k]; c.label == r.class[k-1].label {
			return nil, fmt.Errorf("relabelled moments: %w", &linalg.ClassError{Class: c.label, Rows: c.rows, Reason: "is the label of two classes"})
		}
	}
	return r, nil
}

// moved returns dev, a deviation from one origin, as a deviation from another.
// The difference of the origins is taken first: it is small and exact to
// rounding, where origin + dev would lose the digits that dev is kept for.
func moved(dev, from, to []float64) []float64 {
	d := slices.Clone(from)
	linalg.Axpy(d, -1, to)
	linalg.Axpy(d, 1, dev)
	return d
}
