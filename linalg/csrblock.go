package linalg

import "halfspace/linalg/internal/kernel"

// The operations of a block on sparse rows; their costs are by stored values.

func (a *CSR) mulVec(dst, beta []float64) {
	mustLen("MulVec", a.n, len(dst))
	mustLen("MulVec", a.p, len(beta))
	for i := range dst {
		dst[i] = a.Dot(i, beta)
	}
}

func (a *CSR) addScores(dst, coef *Dense) {
	mustAgree("AddScores", a.n, dst.Rows, a.p, coef.Cols, coef.Rows, dst.Cols)
	for i := range a.n {
		for c := range coef.Rows {
			dst.Data[i*dst.Stride+c] += a.Dot(i, coef.Row(c))
		}
	}
}

func (a *CSR) addScoresByColumn(dst, coef *Dense) {
	mustAgree("AddScoresByColumn", a.n, dst.Rows, a.p, coef.Rows, coef.Cols, dst.Cols)
	for i := range a.n {
		index, value := a.Row(i)
		kernel.ScoresAt(dst.Row(i), coef.Data, coef.Stride, index, value)
	}
}

func (a *CSR) addTVec(dst, r []float64) {
	mustLen("AddTVec", a.p, len(dst))
	mustLen("AddTVec", a.n, len(r))
	for i, v := range r {
		if v != 0 {
			a.AddRow(dst, i, v)
		}
	}
}

func (a *CSR) addBack(dst, r *Dense) {
	mustAgree("AddBack", a.p, dst.Cols, a.n, r.Rows, r.Cols, dst.Rows)
	for i := range a.n {
		index, value := a.Row(i)
		for c, v := range r.Row(i) {
			AxpyAt(dst.Row(c), v, index, value)
		}
	}
}

func (a *CSR) addBackByColumn(dst, r *Dense) {
	mustAgree("AddBackByColumn", a.p, dst.Rows, a.n, r.Rows, r.Cols, dst.Cols)
	for i := range a.n {
		index, value := a.Row(i)
		kernel.BackAt(dst.Data, dst.Stride, r.Row(i), index, value)
	}
}

// addSquares adds Σ vᵢxᵢⱼ² to dst.
func (a *CSR) addSquares(dst, v []float64) {
	for i := range a.n {
		index, value := a.Row(i)
		vi := v[i]
		for k, j := range index {
			x := value[k]
			dst[uint32(j)] += vi * x * x
		}
	}
}

// addGram adds Σ vᵢxᵢxᵢᵀ to the lower triangle of dst: for each row as many products as
// pairs of its values.
func (a *CSR) addGram(dst *Dense, v []float64) {
	mustAgree("AddGram", a.p, dst.Rows, a.p, dst.Cols, a.n, len(v))
	for i, vi := range v {
		if vi == 0 {
			continue
		}
		index, value := a.Row(i)
		for k, j := range index {
			AxpyAt(dst.Row(int(j)), vi*value[k], index[:k+1], value)
		}
	}
}

func (a *CSR) addAbs(dst, w []float64) {
	for i := range a.n {
		index, value := a.Row(i)
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		for k, j := range index {
			v := value[k]
			if v < 0 {
				v = -v
			}
			dst[j] += wi * v
		}
	}
}

// every returns a copy of every step-th row from row first on.
func (a *CSR) every(first, step int) *CSR {
	t := &CSR{p: a.p, start: []int{0}}
	for i := first; i < a.n; i += step {
		t.append(a.Row(i))
	}
	return t
}

// Map returns a copy in which f has made each stored value v of row i and column j another
// one.
func (a *CSR) Map(f func(i int, j int32, v float64) float64) *CSR {
	t := *a
	t.value = make([]float64, len(a.stored()))
	t.index, t.start = a.index[a.start[0]:], make([]int, a.n+1)
	for i := range a.n {
		index, value := a.Row(i)
		to := t.value[t.start[i]:]
		for k, j := range index {
			to[k] = f(i, j, value[k])
		}
		t.start[i+1] = t.start[i] + len(value)
	}
	return &t
}

// stored returns the values of all rows.
func (a *CSR) stored() []float64 { return a.value[a.start[0]:a.start[a.n]] }

func (a *CSR) copyRow(dst []float64, i int) {
	clear(dst)
	index, value := a.Row(i)
	for k, j := range index {
		dst[j] = value[k]
	}
}

func (a *CSR) copyColumn(dst []float64, stride, j int) {
	for i := range a.n {
		dst[i*stride] = a.At(i, j)
	}
}

func (a *CSR) copyTransposed(dst *Dense, row, col int) {
	for j := range dst.Rows {
		clear(dst.Row(j))
	}
	for i := range dst.Cols {
		index, value := a.Row(row + i)
		for k, j := range index {
			if at := int(j) - col; at >= 0 && at < dst.Rows {
				dst.Data[at*dst.Stride+i] = value[k]
			}
		}
	}
}

func (a *CSR) toDense() *Dense {
	d := Zeros(a.n, a.p)
	for i := range a.n {
		a.copyRow(d.Row(i), i)
	}
	return d
}
