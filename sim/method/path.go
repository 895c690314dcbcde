package method

import (
	"fmt"
	"io"
	"math"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/logistic"
	"halfspace/sim"
	"halfspace/sim/dataset"
)

// PathPoint is one fit of a path, on the scale of the data. The path of rda has
// Alpha, from 0 (LDA) to 1 (QDA), in place of Lambda, and no coefficients; that
// of svc has Lambda = 1/C.
type PathPoint struct {
	Lambda    *record.Number    `json:"lambda,omitempty"`
	Alpha     *record.Number    `json:"alpha,omitempty"`
	DF        record.Number     `json:"df"`        // non-zero coefficients; for ridge regression the trace of the hat matrix
	DevRatio  record.Number     `json:"dev_ratio"` // share of the null deviance explained; R² for regressions
	Objective record.Number     `json:"objective"`
	Intercept []record.Number   `json:"intercept,omitempty"`
	Coef      [][]record.Number `json:"coef,omitempty"`
}

// PathMethods are the names of the methods that have a path.
var PathMethods = []string{"logistic", "lasso", "ridge", "rda", "svc"}

// Path fits a sequence of count models from the most to the least penalised, each
// from the one before. With an error that wraps optimize.ErrNotConverged the
// points before it are returned too.
func (m *Method) Path(d *dataset.Data, o *Options, count int) ([]PathPoint, error) {
	if err := m.suits(d); err != nil {
		return nil, err
	}
	if count < 1 {
		return nil, fmt.Errorf("a path of %d models", count)
	}
	var points []PathPoint
	var err error
	switch m.Name {
	case "logistic":
		points, err = logisticPath(d, o, count)
	case "lasso", "ridge":
		points, err = regressionPath(m.Name, d, o, count)
	case "rda":
		points, err = rdaPath(d, o, count)
	case "svc":
		points, err = m.svcPath(d, o, count)
	default:
		err = fmt.Errorf("%s has no path; there are those of %s", m.Name, PathMethods)
	}
	return points, named(err, d.Schema)
}

// newPoint fills in what all linear paths have.
func newPoint(lambda, df, ratio, objective float64, coef *linalg.Dense, intercept []float64) PathPoint {
	return PathPoint{Lambda: number(lambda), DF: record.Number(df), DevRatio: record.Number(ratio), Objective: record.Number(objective),
		Intercept: record.Numbers(intercept), Coef: matrix(coef)}
}

func number(v float64) *record.Number { return (*record.Number)(&v) }

func logisticPath(d *dataset.Data, o *Options, count int) ([]PathPoint, error) {
	lo, err := o.logistic(d)
	if err != nil {
		return nil, err
	}
	path, err := logistic.FitPath(d.X, d.Labels, &logistic.PathOptions{Options: *lo, Count: count})
	if path == nil {
		return nil, err
	}
	var points []PathPoint
	for _, p := range path.Points {
		coef, intercept := p.Model.Coef()
		points = append(points, newPoint(p.Lambda, float64(p.DF), p.DevRatio, p.Objective, coef, intercept))
	}
	return points, err
}

func regressionPath(name string, d *dataset.Data, o *Options, count int) ([]PathPoint, error) {
	fit, ro := regression.ElasticNetPath, o.lasso(d)
	if name == "ridge" {
		fit, ro = regression.RidgePath, o.regression(d)
	}
	ro.Count = count
	models, err := fit(d.X, d.Y, nil, ro)
	var points []PathPoint
	for _, m := range models {
		coef, intercept := m.Coef()
		points = append(points, newPoint(m.Lambda(), m.DF(), m.R2(), m.Report().Objective(), coef, intercept))
	}
	return points, err
}

func (m *Method) svcPath(d *dataset.Data, o *Options, count int) ([]PathPoint, error) {
	w, err := o.rowWeights(d)
	if err != nil {
		return nil, err
	}
	x, scale, err := m.standardized(d, o)
	if err != nil {
		return nil, err
	}
	cs := make([]float64, count)
	for i := range cs {
		cs[i] = math.Pow(10, -3+6*float64(i)/float64(max(1, count-1)))
	}
	models, err := hyperplane.SVCPath(x, d.Labels, cs, &hyperplane.SVCOptions{
		Weights: w, Multi: o.multi(), NoIntercept: o.NoIntercept, Classes: codes(d), Tol: o.Tol, MaxIter: o.MaxIter, Workers: o.Workers})
	var points []PathPoint
	for _, m := range models {
		coef, intercept := m.Coef()
		if scale != nil {
			coef, intercept = scale.Fold(coef, intercept)
		}
		df := 0
		for _, b := range coef.Data {
			if b != 0 {
				df++
			}
		}
		points = append(points, newPoint(1/m.C(), float64(df), math.NaN(), m.Report().Objective(), coef, intercept))
	}
	return points, err
}

func rdaPath(d *dataset.Data, o *Options, count int) ([]PathPoint, error) {
	part, err := Gather(d, o.Workers)
	if err != nil {
		return nil, err
	}
	var points []PathPoint
	for i := range count {
		do := o.ofMoments(d.Schema)
		do.Alpha = float64(i) / float64(max(1, count-1))
		m, err := discriminant.RDAFromMoments(part.Moments, do)
		if err != nil {
			return points, fmt.Errorf("α = %g: %w", do.Alpha, err)
		}
		points = append(points, PathPoint{Alpha: number(do.Alpha), DF: record.Number(math.NaN()), DevRatio: record.Number(math.NaN()),
			Objective: record.Number(m.Report().Objective())})
	}
	return points, nil
}

// PathReport is what `halfspace path` prints.
type PathReport struct {
	FitSeconds float64     `json:"fit_seconds"`
	Path       []PathPoint `json:"path"`
	Features   []string    `json:"-"`
}

// Write prints a line for each point, with the coefficients if they are those of
// one function of a few features.
func (r *PathReport) Write(w io.Writer, aligned bool) error {
	var first PathPoint
	if len(r.Path) > 0 {
		first = r.Path[0]
	}
	t := sim.Table{Head: []string{"lambda", "df", "dev. ratio", "objective"}}
	if first.Alpha != nil {
		t.Head[0] = "alpha"
	}
	single := len(first.Coef) == 1 && len(r.Features) <= 12
	if single {
		t.Head = append(append(t.Head, "(Intercept)"), r.Features...)
	}
	for _, p := range r.Path {
		at := p.Lambda
		if at == nil {
			at = p.Alpha
		}
		row := []any{float64(*at), fmt.Sprintf("%.4g", float64(p.DF)), float64(p.DevRatio), float64(p.Objective)}
		if single {
			row = append(row, float64(p.Intercept[0]))
			for _, v := range p.Coef[0] {
				row = append(row, float64(v))
			}
		}
		t.Add(row...)
	}
	return t.Write(w, aligned)
}
