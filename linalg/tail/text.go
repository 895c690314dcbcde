package tail

import "strconv"

// Codes explains the marks of [Stars] under a table, as R does.
const Codes = "Signif. codes: 0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1"

// Stars returns the mark of a p-value in a table of coefficients, "" from 0.1 on.
func Stars(p float64) string {
	switch {
	case p < 0.001:
		return "***"
	case p < 0.01:
		return "**"
	case p < 0.05:
		return "*"
	case p < 0.1:
		return "."
	}
	return ""
}

// PValue formats a p-value as R's tables do: "<2e-16" below the rounding of a
// float64, which no test statistic is exact to.
func PValue(p float64) string {
	if p < 2.2e-16 {
		return "<2e-16"
	}
	if p < 1e-4 {
		return strconv.FormatFloat(p, 'e', 2, 64)
	}
	return strconv.FormatFloat(p, 'f', 5, 64)
}
