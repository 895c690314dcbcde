// Package design is the rows of a fit as its solver sees them: about an origin, in
// units, with weights and offsets, read in blocks.
//
// A design stands for the columns (1, x): x is taken about an origin c and measured
// in units that are powers of two near the columns' spread, so that all coordinates
// are of one size whatever the features are measured in and however far from 0 they
// lie. A parameter vector θ holds, for each of K functions, the intercept at c (if
// there is one) and then βⱼ·unitⱼ. [Design.Coef] and [Design.Parameters] translate.
//
// One rule chooses the origin: the middle of a column where that is farther from 0
// than the column's ends are from it, else 0, for moving it would gain less than two
// bits. So a column that holds a zero keeps the origin 0, and dense rows whose columns
// all do are read where they lie. Squared error has its own: about the weighted means,
// exactly, it needs no intercept ([Design.Centered]).
//
// Without an intercept and with a ridge on every feature, rows far from 0 have next to an intercept
// all the same: the function of the direction of their means. [Design.Leveled] makes that a column.
//
// [Reduce] sums over the rows: each goroutine gets pieces of them, as blocks of up to
// [linalg.BlockRows] rows about the origin, and the bits of the sums depend on the
// rows alone.
//
// Files in reading order: design.go (the type, parameters), pass.go (blocks and sums),
// scores.go (scores of all rows, in two precisions), stats.go (sizes and spreads of
// columns), origin.go (the rule), gram.go (cross products), thin.go (parts of the rows),
// dependent.go (dependences of sparse columns),
// columns.go (copies of columns, products of rows by them, rank), level.go (rows far from 0 without an intercept).
package design
