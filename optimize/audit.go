package optimize

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg/record"
)

// Audit is the judgment of coefficients, whoever found them.
type Audit struct {
	Report  Report  // status audited: the objective at the coefficients, and the certificate
	Minimum float64 // the objective has no smaller value anywhere: proven; NaN where nothing is

	// Own is the certificate that the coefficients have by themselves. That of the report is
	// smaller where a fit of the same objective bounds the minimum more closely.
	Own Certificate

	// Equations are the relative residuals of the equations that define the coefficients, of a
	// closed form or of a stationary point. Nil where a bound says it all.
	Equations []Equation

	// Rows are the rows with the largest parts of the excess. The gap of a primal and a dual
	// point is a sum over the rows and the coefficients of terms that are not negative, and 0
	// where the conditions of Karush, Kuhn and Tucker hold: so a part says by how much a row
	// violates its own. The rows are empty where the certificate needs no other point.
	Rows []Part
	all  []Part // of which Rows are the largest, and the first

	// NoMinimum explains why the objective has no minimum or the problem no solution: the
	// classes are separated, columns are dependent, no plane separates the classes. Nil otherwise.
	NoMinimum error
}

// Part is the part of a row in the excess of an objective above its minimum.
type Part struct {
	Row  int
	Part float64
}

// Equation is the residual of an equation that defines coefficients, relative to its terms.
type Equation struct {
	Name     string
	Residual float64
}

// mostParts is the most rows that an audit names.
const mostParts = 10

// NewAudit judges coefficients at which the objective is value and that have a certificate by
// themselves. The minimum is bounded by a gap alone.
func NewAudit(value float64, own Certificate) *Audit {
	if own.Kind == KindGap { // an objective is not below 0
		own.Value = min(1, own.Value)
	}
	a := &Audit{Own: own}
	a.judge(value, own, own.beneath(value))
	return a
}

// judge sets the report, and the bound of the minimum.
func (a *Audit) judge(value float64, c Certificate, below float64) {
	if value == 0 && c.Kind == KindGap {
		c.Value = 0
	}
	a.Minimum = min(value, below)
	a.Report = Elsewhere().Certify(value, c)
}

// Beside makes the certificate one relative to least where the objective is less, and leaves the bound of the
// minimum as it is. It comes before [Audit.Against].
func (a *Audit) Beside(least float64) *Audit {
	if value := a.Report.objective; value < least && a.Own.Kind == KindGap {
		a.Own.Value *= value / least
		a.judge(value, a.Own, a.Minimum)
	}
	return a
}

// beneath returns the least that the minimum can be where an objective of that value has the certificate,
// rounded down; NaN of one that is no gap.
func (c Certificate) beneath(value float64) float64 {
	if c.Kind != KindGap {
		return math.NaN()
	}
	return value * (1 - min(1, c.Value)) * (1 - 0x1p-51)
}

// Refit is the share of a fit of the same objective in an audit.
type Refit struct {
	Report    Report    // its duality gap bounds the minimum from below; zero: nothing does
	Parts     []float64 // of the rows in the excess; those of 0 and below are rounding
	NoMinimum error     // see [Audit]
}

// Against returns the audit with the share of a fit, which is made where the coefficients are
// not certified by themselves: value − F*, relative to value, is at most
// value − F̂·(1 − gap) for an objective F̂ of that gap. The smaller of both bounds is taken.
//
// Errors: those of refit.
func (a *Audit) Against(refit func() (Refit, error)) (*Audit, error) {
	if a.Own.Holds() {
		return a, nil
	}
	r, err := refit()
	if err != nil {
		return nil, err
	}
	value, c := a.Report.objective, a.Own
	if below := r.Report.certificate.beneath(r.Report.objective); below == below && r.Report.status != None {
		if by := max(0, value-below) / value; by < c.Value || c.Value != c.Value {
			c.Value = by
		}
		if math.IsInf(value, 1) { // what was judged is no point of the problem
			c.Value = 1
		}
		if a.Minimum > below {
			below = a.Minimum
		}
		a.judge(value, c, below)
	}
	a.NoMinimum = r.NoMinimum
	a.AddRows(r.Parts)
	return a, nil
}

// CombineAudits returns the audit of several problems that are solved side by side, one at
// least: [Combine] of the reports, and sums of the rest.
func CombineAudits(audits ...*Audit) *Audit {
	whole := &Audit{Own: audits[0].Own}
	var reports []Report
	var parts []float64
	for _, a := range audits {
		reports = append(reports, a.Report)
		whole.Minimum += a.Minimum
		whole.NoMinimum = cmp.Or(whole.NoMinimum, a.NoMinimum)
		whole.Equations = append(whole.Equations, a.Equations...)
		if v := whole.Own.Value; v == v && !(a.Own.Value <= v) {
			whole.Own = a.Own
		}
		for _, p := range a.all {
			if more := p.Row + 1 - len(parts); more > 0 {
				parts = append(parts, make([]float64, more)...)
			}
			parts[p.Row] += p.Part
		}
	}
	whole.Report = Combine(reports...)
	whole.AddRows(parts)
	return whole
}

// Excess returns by how much the objective is above its minimum, at most.
func (a *Audit) Excess() float64 { return a.Report.objective - a.Minimum }

// AddRows adds the parts of all rows, of which those of 0 and below are left out, and names the largest: none where
// the certificate holds, as they are rounding there.
func (a *Audit) AddRows(parts []float64) {
	if a.Report.certificate.Holds() {
		return
	}
	for i, v := range parts {
		if v > 0 {
			a.all = append(a.all, Part{i, v})
		}
	}
	slices.SortFunc(a.all, func(p, q Part) int {
		return cmp.Or(cmp.Compare(q.Part, p.Part), cmp.Compare(p.Row, q.Row))
	})
	a.Rows = a.all[:min(mostParts, len(a.all))]
}

// Renumber makes the rows, which were some of a table, those that row returns.
func (a *Audit) Renumber(row func(int) int) {
	for i, p := range a.all {
		a.all[i].Row = row(p.Row)
	}
}

// String returns the report, the bounds of the minimum and the worst rows.
func (a *Audit) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", a.Report)
	if a.NoMinimum != nil {
		fmt.Fprintf(&b, "there is no solution: %v\n", a.NoMinimum)
	} else if a.Minimum == a.Minimum {
		fmt.Fprintf(&b, "the minimum is at least %.10g: the objective exceeds it by at most %.3g\n", a.Minimum, a.Excess())
	}
	for _, e := range a.Equations {
		fmt.Fprintf(&b, "%s: off by %.3g\n", e.Name, e.Residual)
	}
	for _, p := range a.Rows {
		fmt.Fprintf(&b, "row %d: %.3g of the excess\n", p.Row, p.Part)
	}
	return strings.TrimRight(b.String(), "\n")
}

type auditJSON struct {
	Status      Status        `json:"status"`
	Objective   record.Number `json:"objective"`
	Certificate Certificate   `json:"certificate"`
	Own         Certificate   `json:"own"`
	Minimum     record.Number `json:"minimum"`
	Equations   []equation    `json:"equations,omitempty"`
	Rows        []partJSON    `json:"rows"`
	NoMinimum   string        `json:"no_minimum,omitempty"`
}

type equation struct {
	Name     string        `json:"name"`
	Residual record.Number `json:"residual"`
}

type partJSON struct {
	Row  int           `json:"row"`
	Part record.Number `json:"part"`
}

// MarshalJSON writes the report and the fields, NoMinimum as text; a number that JSON cannot hold is null.
func (a *Audit) MarshalJSON() ([]byte, error) {
	j := auditJSON{Status: a.Report.status, Objective: record.Number(a.Report.objective), Certificate: a.Report.certificate,
		Own: a.Own, Minimum: record.Number(a.Minimum), Rows: []partJSON{}}
	for _, e := range a.Equations {
		j.Equations = append(j.Equations, equation{e.Name, record.Number(e.Residual)})
	}
	for _, p := range a.Rows {
		j.Rows = append(j.Rows, partJSON{p.Row, record.Number(p.Part)})
	}
	if a.NoMinimum != nil {
		j.NoMinimum = a.NoMinimum.Error()
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (a *Audit) UnmarshalJSON(b []byte) error {
	var j auditJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*a = Audit{Report: Report{status: j.Status, objective: float64(j.Objective), certificate: j.Certificate}, Own: j.Own, Minimum: float64(j.Minimum)}
	for _, e := range j.Equations {
		a.Equations = append(a.Equations, Equation{e.Name, float64(e.Residual)})
	}
	for _, p := range j.Rows {
		if p.Row < 0 || p.Row > math.MaxInt32 {
			return fmt.Errorf("optimize: row %d of an audit", p.Row)
		}
		a.Rows = append(a.Rows, Part{p.Row, float64(p.Part)})
	}
	a.all = a.Rows
	if j.NoMinimum != "" {
		a.NoMinimum = errors.New(j.NoMinimum)
	}
	return nil
}
