package logistic

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/design"
)

// SeparationError reports data whose classes a hyperplane separates, so that the
// likelihood has no maximum: along the direction it rises for ever. The functions
//
//	fₖ(x) = Interceptₖ + Coefₖ·x
//
// satisfy f_y(x) ≥ fₖ(x) for every row x of class y and every class k, with >
// for at least one (Albert & Anderson, Biometrika 1984). As in a [Model], two
// classes have a single row f, the difference of the two.
type SeparationError struct {
	Complete  bool          // every inequality is strict; otherwise quasi-complete
	Coef      *linalg.Dense // one row for two classes, K for more
	Intercept []float64
	Columns   []int // features of non-zero Coef, from 0
	Rows      int   // rows with a strict inequality
}

func (e *SeparationError) Error() string {
	kind := "quasi-completely"
	if e.Complete {
		kind = "completely"
	}
	cols := make([]string, 0, len(e.Columns))
	for i, c := range e.Columns {
		if i == 10 {
			cols = append(cols, fmt.Sprintf("… (%d in all)", len(e.Columns)))
			break
		}
		cols = append(cols, fmt.Sprint(c))
	}
	return fmt.Sprintf("the classes are %s separated (%d rows strictly) by columns %s: there is no maximum likelihood estimate, but one with a penalty or Firth's correction",
		kind, e.Rows, strings.Join(cols, ", "))
}

const (
	// margin is the size, relative to that of the terms of a row's scores, from which a
	// difference of scores counts as positive.
	margin = 1e-9
	// lostShare is the share of the largest win up to which a loss counts as rounding. The
	// rounding errors of other rows can exceed margin where one row is an outlier.
	lostShare = 1e-3
)

// separationAlong describes the direction with the given functions, by class, as a
// *[SeparationError]. f may be any functions: the result is nil unless they separate, or
// the error of a pass over the rows. code is as for [searchDirection]. O(npK).
func separationAlong(d *design.Design, code []int, f [][]float64) error {
	values, size := linalg.Zeros(len(f), d.N), make([]float64, d.N)
	for c := range f {
		if err := d.Margins(values.Row(c), f[c]); err != nil {
			return err
		}
	}
	if err := d.TermSizes(size, f); err != nil {
		return err
	}
	e := &SeparationError{Complete: true}
	won, lost := 0.0, 0.0
	for i, y := range code {
		if !(d.Weight(i) > 0) {
			continue
		}
		noise := margin * size[i]
		if y < 0 {
			if math.Abs(values.At(1, i)-values.At(0, i)) > noise {
				return nil
			}
			e.Complete = false
			continue
		}
		strict, all := false, true
		for c := range f {
			m := values.At(y, i) - values.At(c, i)
			won, lost = max(won, m), max(lost, -m)
			switch {
			case c == y:
			case m > noise:
				strict = true
			case m < -noise:
				return nil
			default:
				all = false
			}
		}
		if strict {
			e.Rows++
		}
		e.Complete = e.Complete && all
	}
	if e.Rows == 0 || lost > lostShare*won {
		return nil
	}
	e.publish(d, f)
	return e
}

// involved is the size of a coefficient, relative to the largest, from which its column
// is named.
const involved = 1e-9

// publish fills in the direction on the data's scale.
func (e *SeparationError) publish(d *design.Design, f [][]float64) {
	largest := 0.0
	for _, g := range f {
		largest = max(largest, linalg.NormInf(g))
	}
	rows := f
	if len(f) == 2 {
		diff := slices.Clone(f[1])
		linalg.Axpy(diff, -1, f[0])
		rows = [][]float64{diff}
	}
	e.Coef, e.Intercept = linalg.Zeros(len(rows), d.P), make([]float64, len(rows))
	for c, g := range rows {
		e.Intercept[c] = d.Coef(e.Coef.Row(c), g) - linalg.Dot(e.Coef.Row(c), d.Origin)
		for j, v := range g[d.Intercept:] {
			if math.Abs(v) > involved*largest && !slices.Contains(e.Columns, j) {
				e.Columns = append(e.Columns, j)
			}
		}
	}
	slices.Sort(e.Columns)
}

// findSeparation returns the evidence that a hyperplane separates the classes as a
// *[SeparationError], nil if there is none, or the error of a pass over the rows. It
// tries the functions that a fit came to (of two classes that of the larger label),
// without the features that are not among the columns (ascending; nil: all), and then
// those that [searchDirection] finds in the columns. code is as there.
func findSeparation(d *design.Design, code []int, functions [][]float64, columns []int) error {
	var came [][]float64
	if len(functions) == 1 {
		came = append(came, make([]float64, d.Dim()))
	}
	for _, theta := range functions {
		f := slices.Clone(theta)
		for j := range d.P {
			if _, in := slices.BinarySearch(columns, j); columns != nil && !in {
				f[j+d.Intercept] = 0
			}
		}
		came = append(came, f)
	}
	// With outliers a separation may show only in median-based units, or only in the
	// fit's: both are tried.
	typical, err := d.Typical()
	if err != nil {
		return err
	}
	for _, in := range []*design.Design{typical, d} {
		moved := make([][]float64, len(came))
		for c, theta := range came {
			moved[c] = slices.Clone(theta)
			d.MoveTo(in, moved[c])
		}
		if err := separationAlong(in, code, moved); err != nil {
			return err
		}
		f, err := searchDirection(in, code, len(came), columns)
		if err != nil {
			return err
		}
		if f != nil {
			if err := separationAlong(in, code, f); err != nil {
				return err
			}
		}
		if slices.Equal(typical.Unit, d.Unit) {
			return nil
		}
	}
	return nil
}
