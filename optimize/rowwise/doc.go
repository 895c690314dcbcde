// Package rowwise minimises squared error with a lasso or an elastic net,
//
//	½‖y − Xβ‖² + Σⱼ l1ⱼ|βⱼ| + ½l2ⱼβⱼ²,
//
// of few rows and many columns: it solves systems of at most as many equations as there are rows.
//
// With columns of length 1, X = Z·diag(length) and b = length·β, whose l1 and l2 are those of β
// by length and by its square, an iteration of the proximal
// point method goes from c to the minimum of the objective plus ‖b − c‖²/(2σ). The dual of that
// step is a function of as many variables u as there are rows,
//
//	½‖u‖² − yᵀu + Σⱼ (1 + σ·l2ⱼ)/(2σ)·bⱼ(u)²,   bⱼ(u) = Soft(cⱼ + σ·zⱼᵀu, σ·l1ⱼ)/(1 + σ·l2ⱼ),
//
// with gradient u − y + Zb(u) and, where b(u) is not 0 on the columns S, the generalised Hessian
// I + Z_S·D·Z_Sᵀ, D = σ/(1 + σ·l2). It is piecewise quadratic, so that Newton's steps along which
// it falls come to its minimum in a few. (Li, Sun & Toh, SIAM J. Optim. 28, 2018.) σ grows
// from one iteration to the next, until rounding of u moves b too far; steps on the face of the signs
// of b, by its residuals, make up for that.
package rowwise
