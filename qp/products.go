package qp

import "halfspace/linalg"

// products returns the products (xᵢ−c)·(xⱼ−c) of all rows. They are computed once:
// problems that differ in all but X and Origin share them. O(n²p).
func (l *Linear) products() *linalg.Dense {
	r := l.rows()
	r.multiply.Do(func() {
		r.products = linalg.Zeros(r.d.N, r.d.N)
		if r.dense != nil {
			l.denseProducts(r.products, r.dense)
			return
		}
		row := make([]float64, r.d.P)
		for i := range r.d.N {
			r.keep(r.d.Margins(r.products.Row(i), l.centered(row, i)))
		}
	})
	return r.products
}

// denseProducts sets k to the products of the rows of x, block by block.
func (l *Linear) denseProducts(k, x *linalg.Dense) {
	const side = linalg.BlockRows
	blocks := (x.Rows + side - 1) / side
	linalg.For(blocks*(blocks+1)/2, 1, l.Workers, func(piece, _ int) {
		a := 0
		for ; piece > a; a++ {
			piece -= a + 1
		}
		left := l.window(x, a*side, min(x.Rows, (a+1)*side))
		right := left
		if piece != a {
			right = l.window(x, piece*side, (piece+1)*side)
		}
		at := k.RowRange(a*side, a*side+left.Rows)
		at.Data, at.Cols = at.Data[piece*side:], right.Rows
		linalg.MulBTAdd(at, 1, left, right)
	})
	linalg.Symmetrize(k)
}

// window returns rows lo ≤ i < hi of x about the origin, a copy where that is not 0.
func (l *Linear) window(x *linalg.Dense, lo, hi int) *linalg.Dense {
	x = x.RowRange(lo, hi)
	if l.Origin == nil {
		return x
	}
	c := x.Clone()
	for i := range c.Rows {
		linalg.Axpy(c.Row(i), -1, l.Origin)
	}
	return c
}

// rowProducts is the Q of a [Linear] as an n×n matrix of products with signs: where there are
// few rows of many columns, a row of Q costs O(n) and not O(np).
type rowProducts struct {
	l *Linear
	k *linalg.Dense
}

func (q *rowProducts) Len() int { return q.l.Len() }

func (q *rowProducts) Diag(dst []float64) {
	for i := range dst {
		k := i % q.k.Rows
		dst[i] = q.k.At(k, k)
	}
}

func (q *rowProducts) Row(dst []float64, i int, cols []int) {
	n := q.k.Rows
	row, s := q.k.Row(i%n), q.l.Sign[i]
	if cols == nil {
		copy(dst, row)
		q.l.unfold(dst)
		linalg.Scale(dst, s)
		return
	}
	for k, j := range cols {
		dst[k] = s * q.l.Sign[j] * row[j%n]
	}
}

// MulVec sets dst to Q·a. O(n²).
func (q *rowProducts) MulVec(dst, a []float64) {
	linalg.MulVec(dst[:q.k.Rows], q.k, q.l.fold(a, true), q.l.Workers)
	q.l.unfold(dst)
}
