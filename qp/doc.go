// Package qp solves the convex quadratic programs of support vector machines,
//
//	minimise ½αᵀQα + qᵀα  subject to  sᵀα = Δ (or nothing),  lᵢ ≤ αᵢ ≤ uᵢ,
//
// with Q symmetric positive semidefinite and every sᵢ = ±1. Classification,
// regression, class weights and row weights differ only in q, s, Δ, l and u.
//
// # Solvers
//
// [SMO] moves two variables at a time (Platt's sequential minimal optimisation)
// with the second-order choice of Fan, Chen and Lin (2005); it asks for rows of
// Q through [Matrix]. [Solve] has more ways. For Q = AAᵀ with few columns, through
// [Factored]: Newton's method on the dual with its corners rounded, at O(mp) a
// step and O(p²) for each variable near a corner, and Mehrotra's
// predictor-corrector at O(mp²) a step. And from a point near the solution an
// active-set method to the solution itself. It chooses among them. [NonNegative] is
// non-negative least squares over columns that are not stored. [NearestPoints] and
// [Kozinec] find the nearest points of two convex hulls, or the point of one that is
// nearest to 0.
//
// # Evidence
//
// With gᵢ = (Qα + q)ᵢ, a multiplier b and reduced gradients rᵢ = gᵢ − b·sᵢ, every
// feasible α* has
//
//	f(α) − f(α*) ≤ Σᵢ max(rᵢ, 0)(αᵢ − lᵢ) + max(−rᵢ, 0)(uᵢ − αᵢ),
//
// which is the duality gap: for the soft margin, the difference between its
// primal and its dual objective. Anyone can recompute it from α alone.
package qp
