// Package exact solves linear systems of integers without rounding, and turns the numbers
// of a float64 into integers: every finite float64 is an integer times a power of two, so
// an equation or an inequality between sums of products of data has a provable answer.
//
// # Method
//
// A [System] A·x = b with integers of any size is solved by p-adic lifting (Dixon,
// Numerische Mathematik 40, 1982): the inverse of A modulo one prime p gives one digit of x
// to the base p after another, each at O(n²), and the quotients that the digits stand for
// are recovered by Euclid's algorithm (von zur Gathen & Gerhard, Modern Computer Algebra,
// §5.10). The result is multiplied out before it is returned, so no step before has to be
// trusted. A [Span] tells modulo the same prime whether vectors are independent: if they
// are modulo p, they are.
//
// # Files in reading order
//
//	floats.go   a float64 as an integer and a power of two, and back
//	twice.go    sums in twice the working precision, which spare most integers
//	modular.go  arithmetic modulo a prime, Span
//	system.go   systems of equations
package exact
