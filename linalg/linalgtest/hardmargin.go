package linalgtest

import (
	"math/big"
	"slices"

	"halfspace/linalg"
)

// HardMarginOn is HardMargin against multipliers that are solved for in rational numbers, on
// rows of the support: α of Σⱼ(zᵢᵀzⱼ)αⱼ + b·yᵢ = 1 and Σαy = 0, z = yx, less the rows where
// α < 0. Every α ≥ 0 bounds the minimum from below, and at a solution ‖Σαz‖² = Σα. Published
// multipliers cannot show it where their roundings, times the rows, exceed Σαz.
// O(s³) operations on rationals for s rows.
func HardMarginOn(x *linalg.Dense, sign []float64, noIntercept bool, f Affine, support []int) float64 {
	primal := hardPrimal(x, sign, f)
	if primal == nil {
		return 1
	}
	for rows := slices.Clone(support); len(rows) > 0; {
		alpha := onMargins(x, sign, noIntercept, rows, nil, func(int) *big.Rat { return big.NewRat(1, 1) }, new(big.Rat))
		if alpha == nil {
			return 1
		}
		var kept []int
		all := new(big.Rat)
		for k, i := range rows {
			if all.Add(all, alpha[k]); alpha[k].Sign() > 0 {
				kept = append(kept, i)
			}
		}
		if !slices.ContainsFunc(alpha[:len(rows)], func(a *big.Rat) bool { return a.Sign() < 0 }) {
			dual := new(big.Float).SetPrec(digits).SetRat(all)
			if primal.Cmp(dual) < 0 {
				return 0 // the roundings that were allowed for
			}
			return relative(minus(primal, dual), primal)
		}
		rows = kept
	}
	return 1
}

// SoftMarginGapOn is the gap of SoftMargin or SquaredMargin against multipliers that are solved for in rational
// numbers: those of some rows, which then have a margin of 1, less α/2C for squared slack, beside
// others at their nearer bound. All sets of rows are tried; the gap is 1 where none has multipliers
// within their bounds.
// O(2ⁿn³) operations on rationals for n rows.
func SoftMarginGapOn(x *linalg.Dense, sign, price []float64, noIntercept bool, f Affine, d Dual, squared bool) float64 {
	var s parts
	miss := s.miss
	if squared {
		miss = s.missSquared
	}
	for _, b := range f.Coef.Row(0) {
		s.norm.add(0.5, b, b)
	}
	for i, y := range sign {
		if row := x.Row(i); y != 0 {
			miss(minus(number(1), times(number(y), f.at(0, row))), f.rounding(0, row), price[i])
		}
	}
	scale := largest(number(1), plus(s.norm.value(), s.slack.value()))
	ends, best := d.byRow(x.Rows), 1.0
	for i, a := range ends { // the nearer bound
		if ends[i] = 0; !squared && a > price[i]/2 {
			ends[i] = price[i]
		}
	}
	for set := range 1 << x.Rows {
		var rows []int
		for i, y := range sign {
			if y != 0 && set>>i&1 == 1 {
				rows = append(rows, i)
			}
		}
		if dual := softDualOn(x, sign, price, noIntercept, ends, rows, squared); dual != nil {
			gap, _ := over(minus(plus(s.norm.value(), s.eased.value()), dual), scale).Float64()
			best = min(best, gap)
		}
	}
	return best
}

// softDualOn is the dual objective where some rows have a margin of 1 and the multipliers of the
// others are given; nil if theirs do not exist or are beyond their bounds.
func softDualOn(x *linalg.Dense, sign, price []float64, noIntercept bool, given []float64, rows []int, squared bool) *big.Float {
	alpha, open, t := make([]*big.Rat, x.Rows), new(big.Rat), new(big.Rat)
	for i, a := range given {
		if a > 0 && !slices.Contains(rows, i) {
			alpha[i] = new(big.Rat).SetFloat64(a)
			open.Sub(open, t.SetFloat64(sign[i]*a))
		}
	}
	var ease []*big.Rat // 1/2C
	for _, i := range rows {
		if squared {
			ease = append(ease, t.SetFloat64(2*price[i]).Inv(t))
			t = new(big.Rat)
		}
	}
	solved := onMargins(x, sign, noIntercept, rows, ease, func(i int) *big.Rat {
		left := big.NewRat(1, 1)
		for j, a := range alpha {
			if a != nil {
				left.Sub(left, t.Mul(a, product(x, sign, i, j)))
			}
		}
		return left
	}, open)
	if solved == nil {
		return nil
	}
	for k, i := range rows {
		if solved[k].Sign() < 0 || !squared && solved[k].Cmp(t.SetFloat64(price[i])) > 0 {
			return nil
		}
		alpha[i] = solved[k]
	}
	dual := softDual(x, sign, alpha)
	for k, v := range ease {
		t.Mul(solved[k], solved[k])
		dual.Sub(dual, t.Mul(t.Mul(t, v), big.NewRat(1, 2)))
	}
	return new(big.Float).SetPrec(digits).SetRat(dual)
}

// softDual is Σα − ½‖Σαz‖²; nil multipliers are 0.
func softDual(x *linalg.Dense, sign []float64, alpha []*big.Rat) *big.Rat {
	dual, t, half := new(big.Rat), new(big.Rat), big.NewRat(1, 2)
	for i, a := range alpha {
		if a == nil {
			continue
		}
		dual.Add(dual, a)
		for j, b := range alpha {
			if b != nil {
				t.Mul(t.Mul(a, b), half)
				dual.Sub(dual, t.Mul(t, product(x, sign, i, j)))
			}
		}
	}
	return dual
}

// onMargins solves Σⱼ(zᵢᵀzⱼ)αⱼ + b·yᵢ = want(i), z = yx, on some rows, easeᵢ added to zᵢᵀzᵢ (nil: 0),
// and with an intercept Σαy = open; nil if these contradict each other. Behind the multipliers stands b, where there is one.
func onMargins(x *linalg.Dense, sign []float64, noIntercept bool, rows []int, ease []*big.Rat, want func(i int) *big.Rat, open *big.Rat) []*big.Rat {
	n := len(rows)
	m := n
	if !noIntercept {
		m++
	}
	a := make([][]*big.Rat, m)
	for k := range a {
		a[k] = make([]*big.Rat, m+1)
		for l := range a[k] {
			a[k][l] = new(big.Rat)
		}
	}
	for k, i := range rows {
		a[k][m] = want(i)
		for l, j := range rows {
			a[k][l] = product(x, sign, i, j)
		}
		if ease != nil {
			a[k][k].Add(a[k][k], ease[k])
		}
		if !noIntercept {
			a[k][n].SetFloat64(sign[i])
			a[n][k].SetFloat64(sign[i])
		}
	}
	if !noIntercept {
		a[n][m].Set(open)
	}
	return solveRational(a)
}

// product is zᵢᵀzⱼ.
func product(x *linalg.Dense, sign []float64, i, j int) *big.Rat {
	all, u, v := new(big.Rat), new(big.Rat), new(big.Rat)
	for c, q := range x.Row(i) {
		u.SetFloat64(sign[i] * q)
		all.Add(all, u.Mul(u, v.SetFloat64(sign[j]*x.At(j, c))))
	}
	return all
}

// solveRational solves the equations whose right-hand sides stand in the last column by
// Gauss–Jordan elimination, in place. Unknowns that are not determined are 0; the result is
// nil if there is no solution.
func solveRational(a [][]*big.Rat) []*big.Rat {
	m, at := len(a), 0
	pivots := make([]int, 0, m)
	var t big.Rat
	for c := 0; c < m && at < m; c++ {
		k := slices.IndexFunc(a[at:], func(row []*big.Rat) bool { return row[c].Sign() != 0 })
		if k < 0 {
			continue
		}
		a[at], a[at+k] = a[at+k], a[at]
		inverse := new(big.Rat).Inv(a[at][c])
		for l := range a[at] {
			a[at][l].Mul(a[at][l], inverse)
		}
		for i := range a {
			if i == at || a[i][c].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Set(a[i][c])
			for l := range a[i] {
				a[i][l].Sub(a[i][l], t.Mul(factor, a[at][l]))
			}
		}
		pivots = append(pivots, c)
		at++
	}
	if slices.ContainsFunc(a[at:], func(row []*big.Rat) bool { return row[m].Sign() != 0 }) {
		return nil
	}
	solution := make([]*big.Rat, m)
	for k := range solution {
		solution[k] = new(big.Rat)
	}
	for k, c := range pivots {
		solution[c] = a[k][m]
	}
	return solution
}
