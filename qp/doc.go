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
// Q through [Matrix]. [Solve] chooses among it and others. For Q = AAᵀ with p columns, through
// [Factored], a step of Newton's method on the dual with its corners rounded costs O(mp) and O(p²) for
// each variable near a corner, one of Mehrotra's predictor-corrector O(mp²), or O(n³/3) by the products of n rows.
// A step of the augmented Lagrangian costs products with the rows near a corner; a pass of coordinate
// descent, in package descent, two with all rows. From a point near the solution an active-set method leads
// to the solution itself.
//
// [NearestPoints] and [Kozinec] find the nearest points of two convex hulls, or the
// point of one that is nearest to 0: by Wolfe's algorithm also the multipliers of a soft margin of classes that are
// apart. [NonNegative] is non-negative least squares over columns that are not stored.
//
// # Evidence
//
// With gᵢ = (Qα + q)ᵢ, a multiplier b and reduced gradients rᵢ = gᵢ − b·sᵢ, every
// feasible α* has
//
//	f(α) − f(α*) ≤ Σᵢ max(rᵢ, 0)(αᵢ − lᵢ) + max(−rᵢ, 0)(uᵢ − αᵢ) + b(sᵀα − Δ),
//
// which is the duality gap: for the soft margin, the difference between its
// primal and its dual objective. The last term, by its size, is what rounding leaves of the
// equality. Anyone can recompute it from α alone.
//
// # Files, in reading order
//
//	problem    the program, its feasible start, gap and result: what all solvers share
//	linear     Q of rows that are not copied
//	cache      rows of Q kept by recency, Q of few and long rows by their products, and the mirror for rows far off 0
//	smo        two variables at a time
//	equations  those of the interior point's steps, by columns or by products, and of a zone
//	ipm        the interior point
//	smooth     Newton's method on the smoothed dual
//	lagrange   the augmented Lagrangian, for rows of many columns, and the turn of descent before it
//	block      the equations of the free variables, and a basis of their rows
//	polish     the active-set method that ends all others
//	solve      which method has its turn, and the thresholds that decide it
//	nnls       non-negative least squares, and a QR factorisation of columns that come and go
//	nearest    hulls, and the evidence for their nearest points; wolfe, kozinec find them
//
// # Names
//
// A solver is a type with the state of its steps: it embeds *state, α with its
// gradient, and has run, which makes steps until a gap, and leave or finish, which
// state a [Result]. m is the number of variables, p the columns of a factor, s the
// signs of the equality, b its multiplier, and r = g − b·s a reduced gradient. Show
// calls the trace. A free variable is strictly between its bounds.
//
// # The life of one Solve
//
// prepare checks the problem and moves the start into the feasible set (problem). The
// table in solve gives each stage its turn, in the order that [Solve] lists. Most hand their α to the polisher, which
// guesses from it which variables are at a bound, solves the equations of the others (block), and
// corrects the guess until no reduced gradient has the wrong sign. The first result
// whose certificate holds ends the table.
package qp
