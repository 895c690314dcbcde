package sample

import (
	"fmt"
	"strings"

	"halfspace/linalg"
)

// mostTerms is how many features a printed model shows.
const mostTerms = 20

// Describe returns a line that names a model, its classes (nil for a regression) and how
// its fit ended, and a table of its coefficients, a line for each feature and a column for
// each function; nil coefficients are no table.
func Describe(name string, classes []int, features int, report fmt.Stringer, coef *linalg.Dense, intercept []float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %d features", name, features)
	if classes != nil {
		fmt.Fprintf(&b, ", classes %v", classes)
	}
	fmt.Fprintf(&b, "\n%v\n", report)
	if coef == nil {
		return b.String()
	}
	line := func(term string, value func(k int) float64) {
		fmt.Fprintf(&b, "%-12s", term)
		for k := range coef.Rows {
			fmt.Fprintf(&b, " %12.5g", value(k))
		}
		b.WriteByte('\n')
	}
	line("(Intercept)", func(k int) float64 { return intercept[k] })
	for j := range min(coef.Cols, mostTerms) {
		line(fmt.Sprintf("x%d", j+1), func(k int) float64 { return coef.At(k, j) })
	}
	if coef.Cols > mostTerms {
		fmt.Fprintf(&b, "… and %d more\n", coef.Cols-mostTerms)
	}
	return b.String()
}
