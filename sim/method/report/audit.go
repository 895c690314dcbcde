package report

import (
	"fmt"
	"io"
	"strings"

	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// Audit is the judgment of a model on data, see [optimize.Audit]: the objective, the certificate,
// bounds of the minimum and of the excess above it, and the rows with the largest part in
// that, numbered from 0 as they stand in the data.
type Audit struct {
	Method      string          `json:"method"`
	N           int             `json:"n"`
	Bias        float64         `json:"bias,omitempty"` // of LIBLINEAR's objective; 0 is our own
	Status      optimize.Status `json:"status"`
	Objective   record.Number   `json:"objective"`
	Certificate Certificate     `json:"certificate"`
	Own         Certificate     `json:"own"`     // of the coefficients by themselves
	Minimum     record.Number   `json:"minimum"` // at least
	Excess      record.Number   `json:"excess"`  // at most
	Equations   []Equation      `json:"equations,omitempty"`
	Rows        []AuditedRow    `json:"rows"`
	NoMinimum   string          `json:"no_minimum,omitempty"`
	Failure     *Failure        `json:"failure,omitempty"` // the proof of NoMinimum, if there is one

	certificate, own optimize.Certificate
}

// Equation is the relative residual of an equation that defines the coefficients.
type Equation struct {
	Name     string        `json:"name"`
	Residual record.Number `json:"residual"`
}

// AuditedRow is a row and by how much it violates its optimality conditions: its part of the
// excess.
type AuditedRow struct {
	Row   int           `json:"row"`
	Label string        `json:"label,omitempty"`
	Part  record.Number `json:"part"`
}

// NewAudit returns the report of an audit of m on d, by LIBLINEAR's objective with that bias or
// by our own, 0.
func NewAudit(m *method.Model, d *dataset.Data, a *optimize.Audit, bias float64) *Audit {
	if coded, err := m.Coded(d); err == nil { // as the audit has found
		d = coded
	}
	r := &Audit{Method: m.Method.Name, N: d.Len(), Bias: bias, Status: a.Report.Status(), Objective: record.Number(a.Report.Objective()),
		Certificate: certificate(a.Report.Certificate()), Minimum: record.Number(a.Minimum), Excess: record.Number(a.Excess()),
		Own: certificate(a.Own), Rows: []AuditedRow{}, certificate: a.Report.Certificate(), own: a.Own}
	for _, e := range a.Equations {
		r.Equations = append(r.Equations, Equation{e.Name, record.Number(e.Residual)})
	}
	for _, p := range a.Rows {
		row := AuditedRow{Row: p.Row, Part: record.Number(p.Part)}
		if names := m.Schema.Names; p.Row < len(d.Labels) && uint(d.Labels[p.Row]) < uint(len(names)) {
			row.Label = names[d.Labels[p.Row]]
		}
		r.Rows = append(r.Rows, row)
	}
	if a.NoMinimum != nil {
		r.NoMinimum, r.Failure = a.NoMinimum.Error(), Fail(m.Method.Name, d, a.NoMinimum)
	}
	return r
}

// Write writes the audit in words.
func (r *Audit) Write(w io.Writer, aligned bool) error {
	var b strings.Builder
	of := r.Method
	if r.Bias != 0 {
		of += fmt.Sprintf(" by LIBLINEAR's objective, bias %g,", r.Bias)
	}
	fmt.Fprintf(&b, "%s on %s: %v, %v\n", of, sim.Count(r.N, "row"), r.Status, r.certificate)
	if r.own.Value > r.certificate.Value {
		fmt.Fprintf(&b, "by the coefficients alone: %v\n", r.own)
	}
	for _, e := range r.Equations {
		fmt.Fprintf(&b, "%s: off by %.3g\n", e.Name, float64(e.Residual))
	}
	if r.NoMinimum != "" {
		fmt.Fprintf(&b, "there is no solution: %s\n", sim.OneLine(r.NoMinimum))
	}
	if v := float64(r.Objective); v == v {
		fmt.Fprintf(&b, "objective %.12g", v)
		if least := float64(r.Minimum); r.NoMinimum == "" && least == least {
			fmt.Fprintf(&b, ", the minimum is at least %.12g: an excess of at most %.3g", least, float64(r.Excess))
		}
		b.WriteByte('\n')
	}
	t := &sim.Table{Head: []string{"row", "label", "part of the excess"}}
	for _, row := range r.Rows {
		t.Add(fmt.Sprint(row.Row), row.Label, float64(row.Part))
	}
	if t.Rows != nil {
		t.Write(&b, aligned)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
