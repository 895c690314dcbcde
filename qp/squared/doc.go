// Package squared minimises the squared hinge loss with a ridge,
//
//	F(β, b) = ½‖β‖² + Σ cᵢ max(0, ξᵢ)²,  ξᵢ = 1 − sᵢ((xᵢ−o)·β + b),
//
// where the level b has no penalty or is 0.
//
// # Method
//
// F has a continuous gradient and is quadratic wherever the set A of rows with ξ > 0, the
// active rows, stays the same. Newton's method goes to the minimum of the quadratic of A,
// with a search along the way, and ends once the minimum has the same A (Keerthi & DeCoste,
// JMLR 6, 2005; Hsia, Zhu & Lin, ACML 2017). With d = 2c that minimum is the weighted ridge
// regression of the signs on the active rows. Its equations are those of the p columns,
//
//	(I + Σ dᵢ(xᵢ−m)(xᵢ−m)ᵀ)β = Σ dᵢ(sᵢ−s̄)(xᵢ−m),  b = s̄ − (m−o)·β,
//
// m and s̄ the means by d, or those of the rows in the multipliers α = dξ,
//
//	(K + D⁻¹)α + b·s = 1,  sᵀα = 0,  β = Σ αᵢsᵢ(xᵢ−o),
//
// whichever are fewer. The equations in α are solved too where slacks α/d are below the rounding of rows. Conjugate
// gradients solve those of the columns where a factor would cost more.
//
// Where classes are nearly apart the minimum of few active rows lies far from that of all, and steps creep from row to
// row. The minima for lower prices lead to that minimum then. Where steps creep all the same, or end at rounding, the
// nearest points of the hulls of the rows are found once, each row with a coordinate 1/√2c of its own (Cortes & Vapnik,
// Machine Learning 20, 1995). Sparse rows that are few beside their columns begin by coordinate descent on the dual
// problem below, which has a second turn where conjugate gradients take too long.
//
// # Evidence
//
// α ≥ 0 with sᵀα = 0 is a point of the dual problem, max Σα − ½‖Σαᵢsᵢ(xᵢ−o)‖² − Σα²/4c,
// whose objective is at most min F (Fenchel and Young, row by row: cξ² ≥ αξ − α²/4c).
// [Result] has the α of the last equations where Newton's method has ended at their solution:
// large prices leave ξ = α/2c without digits, but not α.
//
// Files in reading order: problem.go (F and its points), equations.go (the minimum for given
// active rows, exactly or nearly), newton.go (a step of Newton's method, and the bound), dual.go (the turns of coordinate
// descent), rise.go (that of lower prices), nearest.go (that of the nearest points), squared.go (whose turn it is, and the end).
package squared
