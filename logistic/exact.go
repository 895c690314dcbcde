package logistic

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// What is published are coefficients in 53 bits, and the scores that they make are
// sums of as many. Where large terms cancel, a solver may see derivatives below the
// tolerance that are not, or none that come below it.

// charge denies that a fit has converged where the rounding of its coefficients
// alone can move the derivatives, relative to their sizes, by more than the
// tolerance: a penalty of next to nothing on columns that are almost dependent
// allows coefficients so large. Rounding moves the score of a row by up to 2⁻⁵³ of
// the sum of its absolute terms, and its probabilities the less the surer they
// are. A look at the sizes, O(n + p), spares most fits the O(np).
func (d *design) charge(report optimize.Report, functions [][]float64, size []float64) optimize.Report {
	tol := report.Certificate().Tol
	if report.Status() != optimize.Converged || d.clear(functions, size, tol) {
		return report
	}
	if moved := d.rounding(functions); moved > tol {
		c := report.Certificate()
		c.Value = max(c.Value, moved)
		return report.Certify(report.Objective(), c)
	}
	return report
}

const roundoff = 0x1p-53

// clear reports whether rounding is no more than tol in any row, by the sizes of the
// columns alone.
func (d *design) clear(functions [][]float64, size []float64, tol float64) bool {
	terms, least := 0.0, 1.0
	for _, theta := range functions {
		for j, t := range theta {
			terms += math.Abs(t) * size[j]
		}
	}
	for _, w := range d.weights {
		if w > 0 {
			least = min(least, w)
		}
	}
	return roundoff*terms <= tol*least
}

// rounding bounds what the rounding of the functions' parameters moves the
// probabilities of a row by. O(npK).
func (d *design) rounding(functions [][]float64) float64 {
	scores := linalg.Zeros(d.n, len(functions))
	for k, theta := range functions {
		d.margins(theta, func(i int, f float64) { scores.Set(i, k, f) })
	}
	worst, offsets := 0.0, len(d.offset)/d.n
	for i := range d.n {
		if !(d.weight(i) > 0) {
			continue
		}
		row := scores.Row(i)
		linalg.Axpy(row[len(row)-offsets:], 1, d.offset[i*offsets:(i+1)*offsets])
		slices.Sort(row)
		moved := roundoff * d.termSize(functions, i)
		lead := max(0, row[len(row)-1]-row[len(row)-2]-2*moved)
		worst = max(worst, moved*min(1, float64(len(row)-1)*math.Exp(-lead)))
	}
	return worst
}

// sharpen goes on from the end of a fit without a penalty with scores summed in twice
// the precision, where rounding may be what stopped it or, as far as a thousand rows
// tell, hides a derivative above the tolerance.
func (d *design) sharpen(f optimize.Hessian, theta []float64, report optimize.Report, c *optimize.Control,
	functions [][]float64, size []float64) ([]float64, optimize.Report, error) {
	stuck := report.Status() == optimize.LineSearch
	if !stuck && report.Status() != optimize.Converged || d.clear(functions, size, c.Tol) ||
		!stuck && d.thinned(offBeat(d.n/1000)).rounding(functions) <= c.Tol {
		return theta, report, report.Err(nil)
	}
	if c.MaxIter > 0 && report.Iterations() == c.MaxIter {
		report = optimize.NewReport(optimize.MaxIterations, report.Iterations(), report.Objective(), report.Certificate())
		return theta, report, report.Err(nil)
	}
	d.exact = true
	next, more, err := optimize.Newton(f, theta, after(c, report.Iterations()))
	if next == nil {
		return theta, report, err
	}
	if more = plus(more, report.Iterations()); more.Status() != optimize.Stopped {
		err = more.Err(nil)
	}
	return next, more, err
}

// exactScore returns the sum of base and β·(xᵢ − c) in twice the working precision,
// rounded (Ogita, Rump & Oishi, SIAM J. Sci. Comput. 26, 2005, Algorithm 5.3).
func (d *design) exactScore(i int, beta []float64, base ...float64) float64 {
	total, low := 0.0, 0.0
	for _, b := range base {
		var e float64
		total, e = twoSum(total, b)
		low += e
	}
	for j, v := range d.x.Row(i)[:len(beta)] {
		b := beta[j]
		v, tail := twoSum(v, -d.origin[j])
		product := float64(b * v)
		var e float64
		total, e = twoSum(total, product)
		low += e + math.FMA(b, v, -product) + b*tail
	}
	if total-total != 0 {
		return total
	}
	return total + low
}

// twoSum returns a + b rounded, and what rounding left.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}
