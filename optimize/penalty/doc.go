// Package penalty holds the penalties P(β) of linear models: value,
// distance from optimality, and the λ from which on everything is zero.
//
// For a smooth f with gradient g, β minimises f + P exactly when −g ∈ ∂P(β), that
// is, when the shortest vector of g + ∂P(β), which [Penalty] calls the residual,
// is zero. The residual is a certificate that anyone can recompute.
//
// Scale of the library: P(β) = λ·(α‖β‖₁ + (1−α)/2·‖β‖₂²) beside a sum of losses.
// A coordinate of factor 0 (the intercept) is not penalised.
//
// # Files in reading order
//
//	penalty.go  the interface and the elastic net
//	group.go    the lasso of groups
package penalty
