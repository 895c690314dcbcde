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
		alpha := onMargins(x, sign, noIntercept, rows)
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

// onMargins solves Σⱼ(zᵢᵀzⱼ)αⱼ + b·yᵢ = 1, z = yx, on some rows, and with an intercept Σαy = 0;
// nil if these contradict each other. Behind the multipliers stands b, where there is one.
func onMargins(x *linalg.Dense, sign []float64, noIntercept bool, rows []int) []*big.Rat {
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
		a[k][m].SetInt64(1)
		for l, j := range rows {
			a[k][l] = product(x, sign, i, j)
		}
		if !noIntercept {
			a[k][n].SetFloat64(sign[i])
			a[n][k].SetFloat64(sign[i])
		}
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
