package inference

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"halfspace/linalg/record"
	"halfspace/linalg/tail"
)

// WriteSummary writes the table of coefficients and the criteria, laid out as
// R's summary of a glm. features are their names (nil: x1, x2, …), classes those of
// the classes in ascending order of their labels (nil: the labels), which are shown
// for more than two.
func (inf *Inference) WriteSummary(w io.Writer, features, classes []string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tEstimate\tStd. Error\tz value\tPr(>|z|)\t\n")
	width := 0
	for _, term := range inf.Terms {
		width = max(width, len([]rune(inf.name(term, features, classes))))
	}
	for i, term := range inf.Terms {
		fmt.Fprintf(t, "%-*s\t%s\t%s\t%.3f\t%s\t%s\n", width, inf.name(term, features, classes),
			digits(inf.Estimate[i]), digits(inf.SE[i]), inf.Z[i], tail.PValue(inf.P[i]), " "+tail.Stars(inf.P[i]))
	}
	t.Flush()
	b.WriteString(tail.Codes + "\n\n")
	fmt.Fprintf(&b, "    Null deviance: %s on %g degrees of freedom\n", digits(inf.NullDeviance), inf.NullDF)
	fmt.Fprintf(&b, "Residual deviance: %s on %g degrees of freedom\n", digits(inf.Deviance), inf.DF)
	fmt.Fprintf(&b, "AIC: %s  BIC: %s\n", digits(inf.AIC), digits(inf.BIC))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteDrop writes the tests of [Inference.Drop] as a table, one group of
// features a line.
func (inf *Inference) WriteDrop(w io.Writer, groups [][]int, names []string) error {
	tests, err := inf.Drop(groups)
	if err != nil {
		return err
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\tDf\tDeviance\tLRT\tPr(>Chi)\t\n")
	fmt.Fprintf(t, "<none>\t\t%s\t\t\t\n", digits(inf.Deviance))
	for i, test := range tests {
		name := column(i, names)
		if groups != nil {
			parts := make([]string, len(groups[i]))
			for k, j := range groups[i] {
				parts[k] = column(j, names)
			}
			name = strings.Join(parts, "+")
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\n", name, test.DF, digits(inf.Deviance+test.Statistic), digits(test.Statistic), tail.PValue(test.P), " "+tail.Stars(test.P))
	}
	t.Flush()
	_, err = io.WriteString(w, b.String())
	return err
}

// digits formats a number with five significant digits, without an exponent
// where that stays short.
func digits(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e6) {
		return strconv.FormatFloat(v, 'e', 4, 64)
	}
	s := strconv.FormatFloat(v, 'f', max(0, 5-magnitude(v)), 64)
	return s
}

// magnitude is the number of digits before the point, negative for zeros behind
// it.
func magnitude(v float64) int {
	if v == 0 {
		return 1
	}
	return int(math.Floor(math.Log10(math.Abs(v)))) + 1
}

// String returns the table of [Inference.WriteSummary] with features x1, x2, ….
func (inf *Inference) String() string {
	var b strings.Builder
	inf.WriteSummary(&b, nil, nil)
	return b.String()
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (inf Inference) MarshalJSON() ([]byte, error) { return record.Plain(inf) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN. What is read describes, and has
// no rows for further tests.
func (inf *Inference) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, inf) }
