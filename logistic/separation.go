package logistic

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/optimize"
	"halfspace/qp/separation"
)

// SeparationError reports data whose classes a hyperplane separates, so that the
// likelihood has no maximum: along the direction it rises for ever. The functions
//
//	fₖ(x) = Interceptₖ + Coefₖ·(x − Origin)
//
// satisfy f_y(x) ≥ fₖ(x) for every row x of class y and every class k, with >
// for at least one (Albert & Anderson, Biometrika 1984), in exact arithmetic. As in a
// [Model], two classes have a single row f, the difference of the two. Where float64 has no
// such direction it is in IntegerCoef and IntegerIntercept; see [separation.Evidence], which
// also lists the ties of a quasi-complete separation.
type SeparationError struct {
	separation.Evidence
	Complete bool  // every inequality is strict; otherwise quasi-complete
	Columns  []int // features of non-zero coefficients, from 0
	Rows     int   // rows with a strict inequality
}

func (e *SeparationError) Error() string {
	kind := "quasi-completely"
	if e.Complete {
		kind = "completely"
	}
	return fmt.Sprintf("the classes are %s separated (%d rows strictly) by columns %s: there is no maximum likelihood estimate, but one with a penalty or Firth's correction",
		kind, e.Rows, linalg.ListColumns(e.Columns))
}

// separated returns the error with evidence of a direction.
func separated(e *separation.Evidence) *SeparationError {
	s := &SeparationError{Evidence: *e, Complete: e.Kind == separation.Complete, Rows: e.Strict}
	for j := range e.Features() {
		if e.Uses(j) {
			s.Columns = append(s.Columns, j)
		}
	}
	return s
}

// MarshalJSON writes the evidence.
func (e *SeparationError) MarshalJSON() ([]byte, error) { return json.Marshal(&e.Evidence) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *SeparationError) UnmarshalJSON(data []byte) error {
	var evidence separation.Evidence
	if err := json.Unmarshal(data, &evidence); err != nil {
		return err
	}
	*e = *separated(&evidence)
	return nil
}

// UndecidedError accompanies a fit by maximum likelihood of which it is not known whether
// there is a maximum: neither the fit nor a search within its budget has a proof.
type UndecidedError struct{}

func (*UndecidedError) Error() string {
	return "whether a hyperplane separates the classes is undecided within the budget"
}

// findSeparation returns a *[SeparationError] if a hyperplane in the given columns
// (ascending; nil: all) separates the classes, a *[linalg.RankError] if columns are
// dependent, a *[UndecidedError] if neither that nor the opposite is known, and the errors
// of passes over the rows. code holds the classes' indices 0 … k−1, −1 for a row that
// belongs to both of two classes. moving says that the fit has not shown that a maximum
// exists, reached is the functions that it came to: they are tried where the search is
// undecided. spent is the share of the work of the search that the fit has used up.
//
// Columns that are dependent only to rounding determine a maximum in exact arithmetic, and
// can separate the classes; the classes are asked about before that is called a dependence.
func findSeparation(d *design.Design, code []int, k int, columns []int, moving bool, reached [][]float64, spent float64) error {
	dependent := d.CheckRank(columns)
	var rank *linalg.RankError
	if dependent != nil && !errors.As(dependent, &rank) || dependent == nil && !moving {
		return dependent
	}
	p := inequalities(d, code, k, columns)
	p.Spent = spent
	if dependent != nil {
		independent, err := separation.Independent(p)
		if err != nil {
			return err
		}
		if !independent {
			return dependent
		}
	}
	e, err := separation.Decide(p)
	if err == nil && e.Kind == separation.Undecided {
		e = pointed(d, columns, reached)
		err = e.Check(p, nil)
	}
	switch {
	case err != nil:
		return err
	case e.Separated():
		return separated(e)
	case dependent == nil && e.Kind == separation.Undecided:
		return &UndecidedError{}
	}
	return dependent
}

// inequalities returns the problem of separating the classes.
func inequalities(d *design.Design, code []int, k int, columns []int) *separation.Problem {
	p := &separation.Problem{X: d.Rows(), Code: code, Classes: k, ThroughZero: d.Intercept == 0, Columns: columns, Workers: d.Workers}
	if d.Weights == nil {
		return p
	}
	p.Code = make([]int, d.N)
	for i, c := range code {
		if p.Code[i] = c; !(d.Weight(i) > 0) {
			p.Code[i] = separation.Left
		}
	}
	return p
}

// fewRows is the number of rows for each class up to which the classes are expected to
// lie apart.
const fewRows = 4

// nearestMean returns a *[SeparationError] where the functions mₖ·x − ‖mₖ‖²/2 of the
// class means mₖ separate the classes, with which each row is nearest to the mean of its
// own: as it is where every class has one row. The likelihood of as many classes as rows
// rises slowly, through matrices of all classes. O(nKp); nil unless there are three
// classes or more, few rows of each, and an intercept.
func (p *problem) nearestMean() error {
	k := p.r.k()
	if k < 3 || p.N > fewRows*k || p.Intercept == 0 {
		return nil
	}
	means, count := make([][]float64, k), make([]float64, k)
	for c := range means {
		means[c] = make([]float64, p.Dim())
	}
	row := make([]float64, p.Dim())
	err := p.EachBlock(func(b *design.Block) {
		for i := b.Lo; i < b.Hi; i++ {
			if w := p.Weight(i); w > 0 {
				b.Row(row, i-b.Lo)
				linalg.Axpy(means[p.r.code[i]], w, row)
				count[p.r.code[i]] += w
			}
		}
	})
	if err != nil {
		return err
	}
	for c, m := range means {
		linalg.Scale(m, 1/count[c])
		m[0] = -linalg.Dot(m[1:], m[1:]) / 2
	}
	e := pointed(p.Design, nil, means)
	if err := e.Check(inequalities(p.Design, p.r.code, k, nil), nil); err != nil || !e.Separated() {
		return err
	}
	if p.CheckRank(nil) != nil {
		return nil // the fit tells which it is
	}
	return separated(e)
}

// pointed returns the functions that a fit came to, of two classes that of the larger
// label, as a direction that is yet to be checked: in the given columns alone.
func pointed(d *design.Design, columns []int, functions [][]float64) *separation.Evidence {
	e := &separation.Evidence{Origin: d.Origin, Coef: linalg.Zeros(len(functions), d.P), Intercept: make([]float64, len(functions))}
	for c, theta := range functions {
		row := e.Coef.Row(c)
		e.Intercept[c] = d.Coef(row, theta)
		for j := range row {
			if _, in := slices.BinarySearch(columns, j); columns != nil && !in {
				row[j] = 0
			}
		}
	}
	return e
}

// explain is [findSeparation] for the data of the problem, which keeps an undecided answer
// instead of ending the fit: the fit may yet show that a maximum exists.
func (p *problem) explain(columns []int, moving bool, reached [][]float64, spent float64) error {
	err := findSeparation(p.Design, p.r.code, p.r.k(), columns, moving, reached, spent)
	p.undecided = nil
	if u := (*UndecidedError)(nil); errors.As(err, &u) {
		p.undecided = u
		return nil
	}
	return err
}

// ended returns the error of a fit, with what is undecided if the fit has not converged.
func (p *problem) ended(err error) error {
	if p.undecided != nil && errors.Is(err, optimize.ErrNotConverged) {
		return fmt.Errorf("%w: %w", err, p.undecided)
	}
	return err
}
