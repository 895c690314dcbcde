package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/method"
)

// Path is the report that `halfspace path` prints.
type Path struct {
	Method     string      `json:"method"`
	Features   []string    `json:"features"`
	Classes    []string    `json:"classes,omitempty"`
	FitSeconds float64     `json:"fit_seconds"`
	Points     []PathPoint `json:"path"`
}

// PathPoint is one fit of a path, on the scale of the data: of rda it has an alpha
// in place of a lambda, and no coefficients. Those of more than manyFeatures features, of
// which a path stores few, are made as they are written.
type PathPoint struct {
	Lambda    *record.Number  `json:"lambda,omitempty"`
	Alpha     *record.Number  `json:"alpha,omitempty"`
	DF        record.Number   `json:"df"`
	DevRatio  record.Number   `json:"dev_ratio"`
	Objective record.Number   `json:"objective"`
	Intercept []record.Number `json:"intercept,omitempty"`
	Coef      Coef            `json:"coef,omitempty"`

	// Of a fit that did not converge: how it ended, and how far from it.
	Status      string       `json:"status,omitempty"`
	Certificate *Certificate `json:"certificate,omitempty"`

	model *method.Model // nil once its coefficients are here
}

// OfPath describes a path that m took in the given time.
func OfPath(m *method.Method, p *method.Path, seconds float64) *Path {
	r := &Path{Method: m.Name, FitSeconds: seconds}
	for _, point := range p.Points {
		if r.Features == nil {
			r.Features, r.Classes = point.Model.FeatureNames(), point.Model.Schema.Names
		}
		penalty := record.Number(point.Penalty)
		q := PathPoint{DF: record.Number(point.DF), DevRatio: record.Number(point.DevRatio), Objective: record.Number(point.Report.Objective())}
		if p.Parameter == "alpha" {
			q.Alpha = &penalty
		} else {
			q.Lambda = &penalty
		}
		if c := point.Report.Certificate(); !c.Holds() {
			far := certificate(c)
			q.Status, q.Certificate = point.Report.Status().String(), &far
		}
		if q.model = point.Model; len(r.Features) <= manyFeatures {
			q.unpack()
		}
		r.Points = append(r.Points, q)
	}
	return r
}

// unpack sets the coefficients to those of the model.
func (p *PathPoint) unpack() {
	if p.model == nil {
		return
	}
	if coef, intercept, ok := p.model.CoefRows(); ok {
		p.Coef, p.Intercept = coef, record.Numbers(intercept)
	}
	p.model = nil
}

// MarshalJSON writes an object.
func (p PathPoint) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := p.WriteJSON(&b)
	return b.Bytes(), err
}

// WriteJSON writes the text of MarshalJSON in pieces.
func (p PathPoint) WriteJSON(w io.Writer) error {
	type members PathPoint // without these methods
	p.unpack()
	return record.Write(w, members(p))
}

// Write prints a line for each point, with the numbers that there are, and the coefficients
// if they are those of one function of a few features.
func (r *Path) Write(w io.Writer, aligned bool) error {
	var first PathPoint
	if len(r.Points) > 0 {
		first = r.Points[0]
	}
	t := sim.Table{Head: []string{"lambda", "df", "dev. ratio", "objective"}}
	if first.Alpha != nil {
		t.Head[0] = "alpha"
	}
	single := len(first.Coef) == 1 && len(r.Features) <= 12
	if single {
		t.Head = append(append(t.Head, "(Intercept)"), r.Features...)
	}
	t.Head = append(t.Head, "")
	for _, p := range r.Points {
		row := []any{float64(*cmp.Or(p.Lambda, p.Alpha)), fmt.Sprintf("%.4g", float64(p.DF)), float64(p.DevRatio), float64(p.Objective)}
		if single {
			row = append(row, float64(p.Intercept[0]))
			for _, v := range p.Coef[0] {
				row = append(row, v)
			}
		}
		t.Add(append(row, p.remark())...)
	}
	t.Prune()
	return t.Write(w, aligned)
}

// remark says how far a fit is from converged, if it did not.
func (p *PathPoint) remark() string {
	c := p.Certificate
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s, %s %.2g (tolerance %.2g)", p.Status, c.Kind, float64(c.Value), float64(c.Tol))
}
