package logistic

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
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
// also lists the ties of a separation that is not complete. Its kind is [separation.Weak] where
// nobody has looked for a direction without ties: of many columns that takes long.
type SeparationError struct {
	separation.Evidence
	Complete bool  // every inequality is strict; otherwise some are equations
	Columns  []int // features of non-zero coefficients, from 0
	Rows     int   // rows with a strict inequality
}

func (e *SeparationError) Error() string {
	return fmt.Sprintf("the classes are %vly separated (%d rows strictly) by columns %s: there is no maximum likelihood estimate, but one with a penalty or Firth's correction",
		e.Kind, e.Rows, linalg.ListColumns(e.Columns))
}

// Separated returns the error with evidence of a direction.
func Separated(e *separation.Evidence) *SeparationError {
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
	*e = *Separated(&evidence)
	return nil
}

// UndecidedError accompanies a fit by maximum likelihood of which it is not known whether
// there is a maximum: neither the fit nor a search within its budget has a proof.
type UndecidedError struct{}

func (*UndecidedError) Error() string {
	return "whether a hyperplane separates the classes is undecided within the budget"
}

// search asks of the columns of a fit whether a hyperplane in them separates the classes.
type search struct {
	columns []int                // ascending; nil are all
	moving  bool                 // the fit has not shown that a maximum exists
	reached [][]float64          // the functions that the fit came to: they are tried where the search is undecided
	spent   float64              // the share of the work of the search that the fit has used up
	known   *separation.Evidence // a direction that separates the classes; nil without one
}

// find returns a *[SeparationError] if a hyperplane separates the classes, a *[linalg.RankError]
// if columns are dependent, a *[UndecidedError] if neither that nor the opposite is known, and
// the errors of passes over the rows. Where a direction is known, whether another does better may
// take less work, and none does better than completely.
//
// Columns that are dependent only to rounding determine a maximum in exact arithmetic, and
// can separate the classes; the classes are asked about before that is called a dependence.
func (s *search) find(p *problem) error {
	dependent := p.d.CheckRank(s.columns)
	if s.known != nil && linalg.TooLarge(dependent) { // it shows that there is no maximum, whatever the rank is
		return Separated(s.known)
	}
	if _, rank := dependent.(*linalg.RankError); !rank && (dependent != nil || !s.moving) {
		return dependent
	}
	apart := p.inequalities(s.columns)
	apart.Spent = s.spent
	if dependent != nil {
		independent, err := separation.Independent(apart)
		if err != nil {
			return err
		}
		if !independent {
			return dependent
		}
	}
	if s.known != nil {
		if s.known.Kind == separation.Complete {
			return Separated(s.known)
		}
		apart.Spent = max(s.spent, spentOnBetter)
	}
	e, err := p.decide(apart)
	if err == nil && e.Kind == separation.Undecided {
		if e = s.known; e == nil {
			e = p.pointed(s.columns, s.reached)
			err = e.Check(apart, nil)
		}
	}
	switch {
	case err != nil:
		return err
	case e.Separated():
		return Separated(e)
	case dependent == nil && e.Kind == separation.Undecided:
		return &UndecidedError{}
	}
	return dependent
}

// decide is [separation.Decide], but for a question that it has no evidence of a direction for and that is asked again: a
// fit asks on its way and where it ends.
func (p *problem) decide(apart *separation.Problem) (*separation.Evidence, error) {
	if last := p.asked; last != nil && slices.Equal(last.Columns, apart.Columns) && (last.Columns == nil) == (apart.Columns == nil) &&
		(p.answer.Kind == separation.Overlap || last.Spent <= apart.Spent) {
		return p.answer, nil
	}
	e, err := separation.Decide(apart)
	if err == nil && !e.Separated() {
		p.asked, p.answer = apart, e
	}
	return e, err
}

// spentOnBetter is the share of the work of a search that is not done where a direction is known.
const spentOnBetter = 0.9

// inequalities returns the problem of separating the classes in the given columns.
//
//go:noinline // a program would have a copy for each caller
func (p *problem) inequalities(columns []int) *separation.Problem {
	d := p.d
	q := &separation.Problem{X: d.Rows(), Code: p.r.code, Classes: p.r.k(), ThroughZero: d.Intercept == 0, Columns: columns, Workers: d.Workers}
	if d.Weights == nil {
		return q
	}
	q.Code = make([]int, d.N)
	for i, c := range p.r.code {
		if q.Code[i] = c; !(d.Weight(i) > 0) {
			q.Code[i] = separation.Left
		}
	}
	return q
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
	if k < 3 || p.d.N > fewRows*k || p.d.Intercept == 0 {
		return nil
	}
	means, count := make([][]float64, k), make([]float64, k)
	for c := range means {
		means[c] = make([]float64, p.d.Dim())
	}
	row := make([]float64, p.d.Dim())
	err := p.d.EachBlock(func(b *design.Block) {
		for i := b.Lo; i < b.Hi; i++ {
			if w := p.d.Weight(i); w > 0 {
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
	e := p.pointed(nil, means)
	if err := p.check(e, nil); err != nil || !e.Separated() {
		return err
	}
	if p.d.CheckRank(nil) != nil {
		return nil // the fit tells which it is
	}
	return Separated(e)
}

// check finds out how a direction does.
func (p *problem) check(e *separation.Evidence, columns []int) error {
	return e.Check(p.inequalities(columns), nil)
}

// apart is explain for a fit that shows a direction which separates the classes: that of its last
// steps, its functions, or of several classes those of one class and the rest. Nil for others.
func (p *problem) apart(columns []int, steps, functions [][]float64, spent float64) error {
	e := rounded(p.pointed(columns, steps))
	err := p.check(e, columns)
	if err == nil && !e.Separated() {
		e = p.pointed(columns, functions)
		err = p.check(e, columns)
	}
	if err == nil && !e.Separated() && len(functions) > 1 && p.d.Intercept == 1 {
		if functions, err = p.againstRest(functions); functions != nil {
			e = p.pointed(columns, functions)
			err = p.check(e, columns)
		}
	}
	if err != nil || !e.Separated() {
		return err
	}
	return p.explain(&search{columns: columns, moving: true, spent: spent, known: e})
}

// fractions is the number of steps in which coefficients of a direction go up to the largest.
const fractions = 8

// rounded returns the direction about 0 with coefficients and intercepts in eighths of the largest
// coefficient. Where columns of zeros and ones, as those of a rare level are, separate classes
// quasi-completely, some coefficients of a fit grow without end, each as fast as the others, and
// the rest converge: their steps are rounded to 0.
func rounded(e *separation.Evidence) *separation.Evidence {
	largest := linalg.NormInf(e.Coef.Data)
	for c, v := range e.Intercept {
		e.Intercept[c] = v - linalg.Dot(e.Coef.Row(c), e.Origin)
	}
	e.Origin = nil
	if largest == 0 {
		return e
	}
	for _, v := range [][]float64{e.Coef.Data, e.Intercept} {
		for j := range v {
			v[j] = math.Round(v[j] / largest * fractions)
		}
	}
	return e
}

// againstRest returns functions of the classes that their own, less the mean of all, separates from
// the rest: that difference, less a value between both sides. For other classes they are 0; nil
// where there are no such classes. A class of few rows is often separated from all others, which are
// not from each other. O(nKp).
func (p *problem) againstRest(functions [][]float64) (rest [][]float64, err error) {
	k, found := len(functions), false
	rest = make([][]float64, k)
	f, scores := p.d.NewFunctions(k), linalg.Zeros(linalg.BlockRows, k)
	mean, least, most := make([]float64, p.d.Dim()), make([]float64, k), make([]float64, k)
	for _, theta := range functions {
		linalg.Axpy(mean, -1/float64(k), theta)
	}
	for c, theta := range functions {
		rest[c] = linalg.Clone(theta)
		linalg.Axpy(rest[c], 1, mean)
		f.Set(p.d, c, rest[c])
		least[c], most[c] = math.Inf(1), math.Inf(-1)
	}
	err = p.d.EachBlock(func(b *design.Block) {
		s := scores.RowRange(0, b.Len())
		b.AlongAll(s, f)
		for i := range s.Rows {
			for c, v := range s.Row(i) {
				switch {
				case !(p.d.Weight(b.Lo+i) > 0):
				case c == p.r.code[b.Lo+i]:
					least[c] = min(least[c], v)
				default:
					most[c] = max(most[c], v)
				}
			}
		}
	})
	for c, theta := range rest {
		if least[c] > most[c] {
			found = true
			theta[0] -= (least[c] + most[c]) / 2
			continue
		}
		clear(theta)
	}
	if !found {
		rest = nil
	}
	return rest, err
}

// pointed returns the functions that a fit came to, of two classes that of the larger
// label, as a direction that is yet to be checked: in the given columns alone.
func (p *problem) pointed(columns []int, functions [][]float64) *separation.Evidence {
	e := &separation.Evidence{Origin: p.d.Origin, Coef: linalg.Zeros(len(functions), p.d.P), Intercept: make([]float64, len(functions))}
	for c, theta := range functions {
		row := e.Coef.Row(c)
		e.Intercept[c] = p.d.Coef(row, theta)
		for j := range row {
			if _, in := slices.BinarySearch(columns, j); columns != nil && !in {
				row[j] = 0
			}
		}
	}
	return e
}

// explain returns what a search finds, and keeps an undecided answer instead of ending the fit:
// the fit may yet show that a maximum exists.
func (p *problem) explain(s *search) error {
	err := s.find(p)
	p.undecided = nil
	if u, ok := err.(*UndecidedError); ok {
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
