package report

import (
	"fmt"
	"io"
	"strings"

	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/method"
)

// CV is what `halfspace cv` prints. Best and OneSE are positions in Points.
type CV struct {
	Method  string    `json:"method"`
	N       int       `json:"n"`
	Folds   int       `json:"folds"`
	Repeats int       `json:"repeats"`
	Loss    string    `json:"loss"`
	Points  []CVPoint `json:"points"`
	Best    int       `json:"best"`
	OneSE   int       `json:"one_se"`
}

// CVPoint is the cross-validated loss at one point of the grid.
type CVPoint struct {
	Options   map[string]string `json:"options"`
	Loss      record.Number     `json:"loss"`
	SE        record.Number     `json:"se"`
	LogLoss   record.Number     `json:"log_loss"`
	LogLossSE record.Number     `json:"log_loss_se"`
	Error     string            `json:"error,omitempty"`
	label     string
}

// CrossValidation describes a cross-validation of m on n rows.
func CrossValidation(cv *method.CV, m *method.Method, n, folds, repeats int) *CV {
	r := &CV{Method: m.Name, N: n, Folds: folds, Repeats: repeats, Loss: "error", Best: cv.Loss.Best(), OneSE: cv.Loss.OneSE()}
	if m.Regression {
		r.Loss = "mse"
	}
	for g, settings := range cv.Points {
		p := CVPoint{Options: map[string]string{}, Loss: record.Number(cv.Loss.Mean[g]), SE: record.Number(cv.Loss.SE[g]),
			LogLoss: record.Number(cv.LogLoss.Mean[g]), LogLossSE: record.Number(cv.LogLoss.SE[g]), label: m.Name}
		var label []string
		for _, s := range settings {
			p.Options[s.Name] = s.Value
			label = append(label, s.Name+"="+s.Value)
		}
		if label != nil {
			p.label = strings.Join(label, " ")
		}
		if err := cv.Failed[g]; err != nil {
			p.Error = err.Error()
		}
		r.Points = append(r.Points, p)
	}
	return r
}

// Write prints a line for each point of the grid.
func (r *CV) Write(w io.Writer, aligned bool) error {
	t := sim.Table{Title: fmt.Sprintf("%s: %d rows, %d folds, repeats: %d", r.Method, r.N, r.Folds, r.Repeats),
		Head: []string{"", r.Loss, "se", "log-loss", "se", ""}}
	for i, p := range r.Points {
		mark := p.Error
		if i == r.Best {
			mark = "best"
		}
		if i == r.OneSE && r.OneSE != r.Best {
			mark = "first within one se"
		}
		t.Add(p.label, float64(p.Loss), float64(p.SE), float64(p.LogLoss), float64(p.LogLossSE), mark)
	}
	return t.Write(w, aligned)
}
