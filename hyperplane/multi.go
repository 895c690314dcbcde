package hyperplane

import (
	"fmt"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Multi says how planes between two classes make a classifier for K ≥ 3.
type Multi uint8

const (
	// OneVsOne puts a plane between each two classes, K(K−1)/2 in the order (0,1),
	// (0,2) …, the later class positive. Each votes; the scores are the votes,
	// and a tie goes to the smaller label.
	OneVsOne Multi = iota
	// OneVsRest puts a plane between each class and all others, K of them, the
	// class positive. The scores are their f.
	OneVsRest
)

var multiNames = []string{"ovo", "ovr"}

// String returns "ovo" or "ovr".
func (m Multi) String() string {
	if int(m) < len(multiNames) {
		return multiNames[m]
	}
	return fmt.Sprintf("Multi(%d)", uint8(m))
}

// maxMachines bounds what one-vs-one may ask for.
const maxMachines = 1 << 20

// planes returns how many planes tell k classes apart.
//
// Errors: *[sample.OptionError], *[linalg.SizeError].
func (m Multi) planes(k int) (int, error) {
	switch {
	case m > OneVsRest:
		return 0, &sample.OptionError{Name: "Multi", Value: float64(m), Want: "OneVsOne or OneVsRest"}
	case k == 2:
		return 1, nil
	case m == OneVsRest:
		return k, nil
	case k > maxMachines/k*2:
		return 0, &linalg.SizeError{Rows: k, Cols: k, Bytes: 8 * float64(k) * float64(k-1) / 2, Limit: 8 * maxMachines}
	}
	return k * (k - 1) / 2, nil
}

// Machine is one plane of a margin classifier with the evidence for it.
type Machine struct {
	Negative, Positive int // the labels on either side; where Rest, Negative is −1 and stands for all other classes
	Rest               bool
	Plane              *Plane
	Support            []int     // rows with a multiplier α > 0, ascending
	Multipliers        []float64 // α of the support
	Remainders         []float64 // second words of α, added to it in the gap of the report; nil of 0
	Report             optimize.Report
}

// unfitted is the machine of a fit that was stopped before its turn, with the report
// of nothing.
func unfitted(p int) Machine { return Machine{Plane: planeAt(make([]float64, p), nil, 0)} }

// machines is what the margin classifiers share: K classes told apart by one or
// more planes.
type machines struct {
	classes []int // ascending
	multi   Multi
	list    []Machine
	report  optimize.Report
}

// Classes returns the labels, ascending.
func (m *machines) Classes() []int { return slices.Clone(m.classes) }

// Features returns p, the length of a row.
func (m *machines) Features() int {
	if len(m.list) == 0 {
		return 0
	}
	return m.list[0].Plane.Features()
}

// Machines returns the planes: one for two classes, else in the order of
// [Multi].
func (m *machines) Machines() []Machine {
	list := slices.Clone(m.list)
	for k := range list {
		list[k].Support = slices.Clone(list[k].Support)
		list[k].Multipliers = slices.Clone(list[k].Multipliers)
		list[k].Remainders = slices.Clone(list[k].Remainders)
	}
	return list
}

// Support returns the rows of the training data that carry a multiplier in one of
// the machines, ascending.
func (m *machines) Support() []int {
	var rows []int
	for _, c := range m.list {
		rows = append(rows, c.Support...)
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// Report says how the fit ended. With several machines: the worst status and
// certificate, the sum of the objectives and of the iterations.
func (m *machines) Report() optimize.Report { return m.report }

// describe returns how the fit of the named model ended and the coefficients.
func (m *machines) describe(name string) string {
	if m.list == nil {
		return name + ", not fitted"
	}
	coef, intercept := m.Coef()
	return sample.Describe(name, m.classes, m.Features(), m.report, coef, intercept)
}

// Coef returns the normals, one row a machine, and the intercepts.
func (m *machines) Coef() (coef *linalg.Dense, intercept []float64) {
	coef = linalg.Zeros(len(m.list), m.Features())
	for k, c := range m.list {
		copy(coef.Row(k), c.Plane.beta())
		intercept = append(intercept, c.Plane.Intercept())
	}
	return coef, intercept
}

// Scores appends K values, the largest of which is the prediction's: for two
// classes 0 and f, else votes or the f of each class (see [Multi]).
func (m *machines) Scores(dst, row []float64) []float64 {
	return m.scores(dst, func(p *Plane) float64 { return p.Value(row) })
}

// ScoresSparse is Scores of a sparse row, see [Plane.ValueSparse].
func (m *machines) ScoresSparse(dst []float64, index []int32, value []float64) []float64 {
	return m.scores(dst, func(p *Plane) float64 { return p.ValueSparse(index, value) })
}

// scores is Scores of the row at which value returns f of a plane.
func (m *machines) scores(dst []float64, value func(*Plane) float64) []float64 {
	if len(m.classes) == 2 {
		return appendScores(dst, value(m.list[0].Plane))
	}
	if m.multi == OneVsRest {
		for _, c := range m.list {
			dst = append(dst, value(c.Plane))
		}
		return dst
	}
	from := len(dst)
	for range m.classes {
		dst = append(dst, 0)
	}
	votes := dst[from:]
	m.pairs(func(k, a, b int) { vote(&votes[a], &votes[b], value(m.list[k].Plane)) })
	return dst
}

// Pairs returns the positions of the classes that each machine of one-vs-one tells apart, the positive
// one second; nil where there are two classes or it is one against the rest.
func (m *machines) Pairs() (pairs [][2]int) {
	if len(m.classes) > 2 && m.multi == OneVsOne {
		m.pairs(func(_, a, b int) { pairs = append(pairs, [2]int{a, b}) })
	}
	return pairs
}

// Normals returns the normals, one a machine, and the intercepts. They are the model's own, to be
// read only; Coef copies them.
func (m *machines) Normals() (normals [][]float64, intercept []float64) {
	for _, c := range m.list {
		normals, intercept = append(normals, c.Plane.beta()), append(intercept, c.Plane.Intercept())
	}
	return normals, intercept
}

// pairs calls f with each machine of one-vs-one and the positions of its classes.
func (m *machines) pairs(f func(k, a, b int)) {
	k := 0
	for a := range m.classes {
		for b := a + 1; b < len(m.classes); b++ {
			f(k, a, b)
			k++
		}
	}
}

// Predict returns the label with the largest score, the smaller of equals.
func (m *machines) Predict(row []float64) int {
	return m.predict(func(p *Plane) float64 { return p.Value(row) })
}

// PredictSparse is Predict of a sparse row, see [Plane.ValueSparse].
func (m *machines) PredictSparse(index []int32, value []float64) int {
	return m.predict(func(p *Plane) float64 { return p.ValueSparse(index, value) })
}

// predict is Predict of the row at which value returns f of a plane.
func (m *machines) predict(value func(*Plane) float64) int {
	var room [32]float64
	return m.classes[max(0, linalg.ArgMax(m.scores(room[:0], value)))]
}

// PredictRows appends the labels of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], those of the storage.
func (m *machines) PredictRows(dst []int, x linalg.Rows) (_ []int, err error) {
	if m.multi == OneVsOne && len(m.list) > fewPlanes {
		dst, err = sample.PredictBlocks(dst, x, m.Features(), len(m.list), m, m.poll)
	} else {
		dst, err = sample.PredictRows(dst, x, m.Features(), m)
	}
	return dst, wrap(err)
}

// fewPlanes stay in the cache from row to row; more are taken one after the other, each for some rows. (19,900 planes of
// two features took 49 ns a row row by row and 14 one after the other.)
const fewPlanes = 500

// poll returns a function that predicts some rows by the votes of one plane after the other.
func (m *machines) poll() func(out []int, rows *linalg.Dense) {
	var votes *linalg.Dense // a row for each class, a column for each row; the last row is f
	return func(out []int, rows *linalg.Dense) {
		last := len(m.classes)
		if votes == nil || votes.Cols != len(out) {
			votes = linalg.Zeros(last+1, len(out))
		}
		clear(votes.Data)
		f, row := votes.Row(last), make([]float64, last+1)
		m.pairs(func(k, a, b int) {
			m.list[k].Plane.values(f, rows)
			negative, positive := votes.Row(a), votes.Row(b)
			for i, v := range f {
				vote(&negative[i], &positive[i], v)
			}
		})
		for i := range out {
			out[i] = m.classes[max(0, linalg.ArgMax(votes.Col(row, i)[:last]))]
		}
	}
}

// vote counts the vote of a plane with value f between two classes. A NaN is no vote for either, and spoils both.
func vote(negative, positive *float64, f float64) {
	switch {
	case f > 0:
		*positive++
	case f <= 0:
		*negative++
	default:
		*negative, *positive = f, f
	}
}

// division is K classes cut into two-class problems, in the order of their machines.
type division struct {
	code  []int
	pairs [][2]int // positions of the negative class, −1 for all others, and the positive
	rows  [][]int  // by class; nil where every problem has all rows
}

// divide lists the two-class problems of K classes. O(n + K²) memory.
func divide(l sample.Labels, multi Multi) (division, error) {
	k := l.K()
	d := division{code: l.Code}
	count, err := multi.planes(k)
	switch {
	case err != nil:
		return d, err
	case k == 2:
		d.pairs = [][2]int{{0, 1}}
		return d, nil
	case multi == OneVsRest:
		for c := range k {
			d.pairs = append(d.pairs, [2]int{-1, c})
		}
		return d, nil
	}
	d.rows = make([][]int, k)
	for i, c := range l.Code {
		d.rows[c] = append(d.rows[c], i)
	}
	d.pairs = make([][2]int, 0, count)
	for a := range k {
		for b := a + 1; b < k; b++ {
			d.pairs = append(d.pairs, [2]int{a, b})
		}
	}
	return d, nil
}

// task is a two-class problem: its rows, nil for all, and their signs.
type task struct {
	rows []int
	sign []float64
}

// task returns problem k. O(n).
func (d *division) task(k int) task {
	a, b := d.pairs[k][0], d.pairs[k][1]
	if d.rows == nil {
		return task{nil, oneAgainstRest(d.code, b)}
	}
	t := task{rows: slices.Concat(d.rows[a], d.rows[b])}
	slices.Sort(t.rows)
	t.sign = make([]float64, len(t.rows))
	for i, r := range t.rows {
		t.sign[i] = -1
		if d.code[r] == b {
			t.sign[i] = 1
		}
	}
	return t
}

// oneAgainstRest returns +1 for the rows of class c and −1 for the others.
func oneAgainstRest(code []int, c int) []float64 {
	s := make([]float64, len(code))
	for i, v := range code {
		s[i] = -1
		if v == c {
			s[i] = 1
		}
	}
	return s
}

// selectRows returns the task's rows of x, x itself where they are all.
func (t task) selectRows(x linalg.Table) linalg.Table {
	if t.rows == nil {
		return x
	}
	return x.Select(t.rows)
}

// selectValues returns the task's entries of a vector over all rows, in room if that is enough.
func (t task) selectValues(room, v []float64) []float64 {
	if t.rows == nil || v == nil {
		return v
	}
	d := sized(room, len(t.rows))
	for k, i := range t.rows {
		d[k] = v[i]
	}
	return d
}

// row returns the row of x that the task's row k is.
func (t task) row(k int) int {
	if t.rows == nil {
		return k
	}
	return t.rows[k]
}

// within returns multipliers of all rows of the task from those of a support, cut to 0 and the prices.
func (t task) within(support []int, multipliers, price []float64) []float64 {
	alpha := make([]float64, len(price))
	for i := range alpha {
		if k, ok := slices.BinarySearch(support, t.row(i)); ok {
			alpha[i] = min(max(0, multipliers[k]), price[i])
		}
	}
	return alpha
}

// named gives the rows of an audit of the task their numbers among all.
func (t task) named(a *optimize.Audit) *optimize.Audit {
	if a != nil {
		a.Renumber(t.row)
	}
	return a
}

// suits is Plane.suits for each plane, one at least.
func (m *machines) suits(x linalg.Rows, noIntercept bool) error {
	if len(m.list) == 0 {
		return (*Plane)(nil).suits(x, noIntercept)
	}
	for _, c := range m.list {
		if err := c.Plane.suits(x, noIntercept); err != nil {
			return err
		}
	}
	return nil
}

// combineReports sets the report of m from those of its machines.
func (m *machines) combineReports() {
	m.report = m.list[0].Report
	for k := range m.list[1:] {
		m.report = optimize.Combine(m.report, m.list[k+1].Report)
	}
}

// machineRecord and machinesRecord are the JSON of the types of those names.
type machineRecord struct {
	Plane       *Plane          `json:"plane"`
	Support     []int           `json:"support"`
	Multipliers []float64       `json:"multipliers"`
	Remainders  []float64       `json:"remainders,omitempty"`
	Report      optimize.Report `json:"report"`
}

type machinesRecord struct {
	Classes  []int           `json:"classes"`
	Multi    Multi           `json:"multi"`
	Machines []machineRecord `json:"machines"`
}

func (m *machines) record() machinesRecord {
	r := machinesRecord{Classes: m.classes, Multi: m.multi}
	for _, c := range m.list {
		r.Machines = append(r.Machines, machineRecord{c.Plane, c.Support, c.Multipliers, c.Remainders, c.Report})
	}
	return r
}

// machines checks every length of r.
func (r machinesRecord) machines() (machines, error) {
	m := machines{classes: r.Classes, multi: r.Multi}
	damage := func(format string, args ...any) (machines, error) {
		return machines{}, &record.DamageError{Reason: fmt.Sprintf(format, args...)}
	}
	k := len(r.Classes)
	if !sample.Ascend(r.Classes) {
		return damage("%d classes, or they do not ascend", k)
	}
	want, err := r.Multi.planes(k)
	if err != nil {
		return damage("%v", err)
	}
	if len(r.Machines) != want {
		return damage("%d planes for %d classes %v", len(r.Machines), k, r.Multi)
	}
	for i, c := range r.Machines {
		if c.Plane == nil {
			return machines{}, noPlane
		}
		if p, first := c.Plane.Features(), r.Machines[0].Plane.Features(); p != first {
			return damage("plane %d has %d features, plane 0 %d", i, p, first)
		}
		if err := checkSupport(c.Support, c.Multipliers, 0); err != nil {
			return machines{}, err
		}
		if len(c.Remainders) != 0 && len(c.Remainders) != len(c.Support) {
			return damage("%d support rows, %d remainders", len(c.Support), len(c.Remainders))
		}
		m.list = append(m.list, Machine{Plane: c.Plane, Support: c.Support, Multipliers: c.Multipliers, Remainders: c.Remainders, Report: c.Report})
	}
	m.labelSides()
	m.combineReports()
	return m, nil
}

// labelSides gives each machine the labels on its sides.
func (m *machines) labelSides() {
	switch {
	case len(m.classes) == 2:
		m.list[0].Negative, m.list[0].Positive = m.classes[0], m.classes[1]
	case m.multi == OneVsRest:
		for k := range m.list {
			m.list[k].Negative, m.list[k].Positive, m.list[k].Rest = -1, m.classes[k], true
		}
	default:
		m.pairs(func(k, a, b int) {
			m.list[k].Negative, m.list[k].Positive = m.classes[a], m.classes[b]
		})
	}
}
