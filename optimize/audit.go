package optimize

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg/record"
)

// Audit is the judgment of coefficients, whoever found them.
type Audit struct {
	Report  Report  // status audited: the objective at the coefficients, and the certificate
	Minimum float64 // the objective has no smaller value anywhere: proven

	// Rows are the rows with the largest parts of the excess. The gap of a primal and a dual
	// point is a sum over the rows and the coefficients of terms that are not negative, and 0
	// where the conditions of Karush, Kuhn and Tucker hold: so a part says by how much a row
	// violates its own. The rows are empty where the certificate needs no other point.
	Rows []Part

	// NoMinimum explains why the objective has no minimum: the classes are separated, columns
	// are dependent. Nil otherwise.
	NoMinimum error
}

// Part is the part of a row in the excess of an objective above its minimum.
type Part struct {
	Row  int
	Part float64
}

// mostParts is the most rows that an audit names.
const mostParts = 10

// NewAudit judges coefficients at which the objective is value. own is the certificate that
// they have by themselves. fit is the report of a fit of the same objective, whose duality gap
// bounds the minimum from below: value − F*, relative to value, is at most
// value − F̂·(1 − gap). The smaller of the two is taken. A zero report adds nothing.
func NewAudit(value float64, own Certificate, fit Report) *Audit {
	c := own
	if f := fit.certificate; f.Kind == KindGap && fit.status != None {
		below := value - fit.objective*(1-min(1, f.Value))
		if by := max(0, below) / value; by < c.Value || c.Value != c.Value {
			c.Value = by
		}
	}
	if value == 0 {
		c.Value = 0
	}
	return &Audit{Report: Elsewhere().Certify(value, c), Minimum: value * (1 - min(1, c.Value))}
}

// CombineAudits returns the audit of several problems that are solved side by side, one at
// least: [Combine] of the reports, and sums of the rest.
func CombineAudits(audits ...*Audit) *Audit {
	whole, parts := &Audit{}, map[int]float64{}
	var reports []Report
	for _, a := range audits {
		reports = append(reports, a.Report)
		whole.Minimum += a.Minimum
		whole.NoMinimum = cmp.Or(whole.NoMinimum, a.NoMinimum)
		for _, p := range a.Rows {
			parts[p.Row] += p.Part
		}
	}
	whole.Report = Combine(reports...)
	for row, part := range parts {
		whole.Rows = append(whole.Rows, Part{row, part})
	}
	whole.keepLargest()
	return whole
}

// Excess returns by how much the objective is above its minimum, at most.
func (a *Audit) Excess() float64 { return a.Report.objective - a.Minimum }

// AddRows adds the parts of n rows, of which those of 0 and below are left out.
func (a *Audit) AddRows(n int, part func(i int) float64) {
	for i := range n {
		if v := part(i); v > 0 {
			a.Rows = append(a.Rows, Part{i, v})
		}
		if len(a.Rows) > 64*mostParts {
			a.keepLargest()
		}
	}
	a.keepLargest()
}

// keepLargest sorts the rows by their parts and keeps the largest.
func (a *Audit) keepLargest() {
	slices.SortFunc(a.Rows, func(p, q Part) int {
		return cmp.Or(cmp.Compare(q.Part, p.Part), cmp.Compare(p.Row, q.Row))
	})
	a.Rows = a.Rows[:min(mostParts, len(a.Rows))]
}

// String returns the report, the bounds of the minimum and the worst rows.
func (a *Audit) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", a.Report)
	if a.NoMinimum != nil {
		fmt.Fprintf(&b, "there is no minimum: %v\n", a.NoMinimum)
	} else if a.Minimum == a.Minimum {
		fmt.Fprintf(&b, "the minimum is at least %.10g: the objective exceeds it by at most %.3g\n", a.Minimum, a.Excess())
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
	Minimum     record.Number `json:"minimum"`
	Rows        []partJSON    `json:"rows"`
	NoMinimum   string        `json:"no_minimum,omitempty"`
}

type partJSON struct {
	Row  int           `json:"row"`
	Part record.Number `json:"part"`
}

// MarshalJSON writes status, objective, certificate, minimum and rows, and the text of
// NoMinimum; a number that JSON cannot hold is null.
func (a *Audit) MarshalJSON() ([]byte, error) {
	j := auditJSON{Status: a.Report.status, Objective: record.Number(a.Report.objective), Certificate: a.Report.certificate,
		Minimum: record.Number(a.Minimum), Rows: []partJSON{}}
	for _, p := range a.Rows {
		j.Rows = append(j.Rows, partJSON{p.Row, record.Number(p.Part)})
	}
	if a.NoMinimum != nil {
		j.NoMinimum = a.NoMinimum.Error()
	}
	return json.Marshal(j)
}

// Nothing returns the certificate of the given kind and tolerance that proves nothing.
func Nothing(kind Kind, tol float64) Certificate {
	return Certificate{Kind: kind, Value: math.Inf(1), Tol: tol}
}
