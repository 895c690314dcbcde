package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"halfspace/linalg/record"
	"halfspace/sim"
	"halfspace/sim/method"
)

// CV is the report that `halfspace cv` prints. Best and OneSE are positions in
// Points.
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
	DF        *record.Number    `json:"df,omitempty"` // of a path
	Error     string            `json:"error,omitempty"`
	// NotConverged is left out where all fits converged.
	NotConverged *NotConverged `json:"not_converged,omitempty"`

	label string
}

// NotConverged says how many fits did not converge, and how far the farthest is
// from it.
type NotConverged struct {
	Fits        int         `json:"fits"`
	Of          int         `json:"of"`
	Certificate Certificate `json:"certificate"`
}

func (n *NotConverged) String() string {
	c := n.Certificate
	return fmt.Sprintf("%d of %d fits did not converge, %s up to %.2g (tolerance %.2g)", n.Fits, n.Of, c.Kind, float64(c.Value), float64(c.Tol))
}

// CrossValidation describes a cross-validation of m on n rows.
func CrossValidation(cv *method.CV, m *method.Method, n, folds, repeats int) *CV {
	r := &CV{Method: m.Name, N: n, Folds: folds, Repeats: repeats, Loss: "error", Best: cv.Best(), OneSE: cv.OneSE()}
	if m.Regression {
		r.Loss = "mse"
	}
	for g, settings := range cv.Points {
		p := CVPoint{Options: map[string]string{}, Loss: record.Number(cv.Loss.Mean[g]), SE: record.Number(cv.Loss.SE[g]),
			LogLoss: record.Number(cv.LogLoss.Mean[g]), LogLossSE: record.Number(cv.LogLoss.SE[g]), label: cmp.Or(method.Label(settings), m.Name)}
		for _, s := range settings {
			p.Options[s.Name] = s.Value
		}
		if u := cv.Unconverged[g]; u.Fits > 0 {
			p.NotConverged = &NotConverged{u.Fits, u.Of, certificate(u.Worst)}
		}
		if err := cv.Failed[g]; err != nil {
			p.Error = err.Error()
		}
		r.Points = append(r.Points, p)
	}
	return r
}

// CrossValidatedPath describes a cross-validated path of m on n rows, whose loss is that
// of [method.Method.CrossValidatePath].
func CrossValidatedPath(c *method.Choice, m *method.Method, n, folds int) *CV {
	r := &CV{Method: m.Name, N: n, Folds: folds, Repeats: 1, Loss: "error", Best: c.CV.Best(), OneSE: c.CV.OneSE()}
	switch {
	case m.Regression:
		r.Loss = "mse"
	case len(c.Path.Points) > 0 && c.Path.Points[0].Model.HasProba():
		r.Loss = "log_loss"
	}
	for g, q := range c.Path.Points {
		value := strconv.FormatFloat(q.Penalty, 'g', -1, 64)
		p := CVPoint{Options: map[string]string{c.Path.Parameter: value}, Loss: record.Number(c.CV.Mean[g]), SE: record.Number(c.CV.SE[g]),
			LogLoss: record.Number(math.NaN()), LogLossSE: record.Number(math.NaN()), label: fmt.Sprintf("%s=%s", c.Path.Parameter, sim.Number(q.Penalty))}
		if df := record.Number(q.DF); q.DF == q.DF {
			p.DF = &df
		}
		r.Points = append(r.Points, p)
	}
	return r
}

// Write prints a line for each point of the grid, with the columns that there are.
func (r *CV) Write(w io.Writer, aligned bool) error {
	t := sim.Table{Title: fmt.Sprintf("%s: %d rows, %d folds, repeats: %d", r.Method, r.N, r.Folds, r.Repeats),
		Head: []string{"", strings.ReplaceAll(r.Loss, "_", "-"), "se", "log-loss", "se", "df", ""}}
	for i, p := range r.Points {
		df := ""
		if p.DF != nil {
			df = fmt.Sprintf("%.4g", float64(*p.DF))
		}
		t.Add(p.label, float64(p.Loss), float64(p.SE), float64(p.LogLoss), float64(p.LogLossSE), df, r.remark(i))
	}
	t.Prune()
	return t.Write(w, aligned)
}

// remark returns the text beside the losses of point i: whether it is chosen, the
// error of a fold, the fits that did not converge.
func (r *CV) remark(i int) string {
	var words []string
	switch p := r.Points[i]; {
	case i == r.Best:
		words = append(words, "best")
	case i == r.OneSE:
		words = append(words, "simplest within one se")
	case p.Error != "":
		words = append(words, p.Error)
	}
	if n := r.Points[i].NotConverged; n != nil {
		words = append(words, n.String())
	}
	return strings.Join(words, "; ")
}
