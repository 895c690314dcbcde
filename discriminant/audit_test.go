package discriminant_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

// An audit of estimates from elsewhere names how far each is from that of the rows, in the units
// of its equation, and their joint likelihood.
func TestAuditNamesTheEstimateThatIsOff(t *testing.T) {
	x, y := lt.LabeledRows(90, 3, 3)
	for j := range 3 { // of other units
		for i := range x.Rows {
			x.Set(i, j, x.At(i, j)*[]float64{1, 100, 0.03}[j])
		}
	}
	lda, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	qda, err := discriminant.FitQDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, pooled := range []bool{true, false} {
		for _, off := range [][3]float64{{}, {1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}} {
			priors, means, cov, want := qda.Priors(), qda.Means(), []*linalg.Dense{}, off
			for k := range 3 {
				c := qda.Density(k).Cov()
				if pooled {
					c = lda.Cov()
				}
				if k == 1 {
					if means.Set(1, 2, means.At(1, 2)+off[1]*math.Sqrt(c.At(2, 2))); pooled {
						priors = lda.Priors()
					}
				}
				if k == 1 || pooled {
					c.Set(2, 1, c.At(2, 1)+off[2]*math.Sqrt(c.At(1, 1)*c.At(2, 2)))
					c.Set(1, 2, c.At(2, 1))
				}
				cov = append(cov, c)
			}
			want[0] = off[0] / min(priors[0], priors[2])
			priors[0], priors[2] = priors[0]+off[0], priors[2]-off[0]
			audit, value := audited(t, x, y, pooled, priors, means, cov)
			lt.Close(t, "objective", audit.Report.Objective(), value, 1e-10*math.Abs(value))
			for i, e := range audit.Equations {
				lt.Close(t, fmt.Sprint("pooled ", pooled, ", ", e.Name, " off by ", off), e.Residual, want[i], 1e-11)
			}
			if exact := off == [3]float64{}; len(audit.Equations) != 3 || (audit.Report.Err(nil) == nil) != exact {
				t.Errorf("pooled %v, off by %v: %v", pooled, off, audit)
			}
		}
	}
}

// audited returns the audit of estimates, and minus their joint log-likelihood.
func audited(t *testing.T, x *linalg.Dense, y []int, pooled bool, priors []float64, means *linalg.Dense, cov []*linalg.Dense) (a *optimize.Audit, value float64) {
	t.Helper()
	classes, densities := []int{0, 1, 2}, make([]*discriminant.Gaussian, 3)
	for k := range densities {
		g, err := discriminant.NewGaussian(means.Row(k), cov[k])
		if err != nil {
			t.Fatal(err)
		}
		densities[k] = g
	}
	for i, k := range y {
		value -= math.Log(priors[k]) + densities[k].LogDensity(x.Row(i))
	}
	var err error
	if pooled {
		m, failed := discriminant.NewLDA(classes, priors, means, cov[0])
		if failed != nil {
			t.Fatal(failed)
		}
		a, err = m.Audit(x, y, nil)
	} else {
		m, failed := discriminant.NewQDA(classes, priors, densities)
		if failed != nil {
			t.Fatal(failed)
		}
		a, err = m.Audit(x, y, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, value
}

// An audit of a reduced rank sees means that are all off by the same, which leaves the coefficients as they are: the
// functions are those of rows that far away.
func TestAuditOfReducedRanksSeesWhereTheyLie(t *testing.T) {
	x, y := lt.LabeledRows(90, 3, 3)
	lda, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := discriminant.FitReducedRank(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	origin, coef, intercept := fit.CoefAbout()
	for _, off := range []float64{0, 1e-6, 10} {
		means := lda.Means()
		for i := range means.Data {
			means.Data[i] += off
		}
		m, err := discriminant.NewReducedRank(fit.Classes(), fit.Priors(), means, fit.Scaling())
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Audit(x, y, nil)
		if err != nil || len(a.Equations) != 3 {
			t.Fatal(a, err)
		}
		want, height := 0.0, 1.0
		at := m.Scores(nil, origin)
		for k, v := range intercept {
			want, height = max(want, math.Abs(off*linalg.Sum(coef.Row(k)))), max(height, math.Abs(v))
			lt.Close(t, "the function at the origin of the fit", at[k], v-off*linalg.Sum(coef.Row(k)), 1e-11*(1+off))
		}
		lt.Close(t, fmt.Sprint(a.Equations[2].Name, " off by ", off), a.Equations[2].Residual, want/height, 1e-12*(1+off))
		if (a.Report.Err(nil) == nil) != (off == 0) {
			t.Errorf("off by %g: %v", off, a)
		}
	}
}

// Options without an α are judged at the model's by Audit, and at 0 by AuditAt.
func TestAuditAtAnAlphaOf0(t *testing.T) {
	x, y := lt.LabeledRows(90, 3, 3)
	for _, o := range []*discriminant.Options{{}, {Alpha: 0.5}, {Shrinkage: 0.5}, {Alpha: 1}} {
		q, err := discriminant.FitRDA(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		a, err := q.Audit(x, y, nil)
		if err != nil || a.Report.Err(nil) != nil {
			t.Errorf("%+v: %v, %v", o, a, err)
		}
		if a, err = q.AuditAt(x, y, nil); err != nil || (a.Report.Err(nil) == nil) != (o.Alpha == 0 && o.Shrinkage == 0) {
			t.Errorf("%+v, at 0: %v, %v", o, a, err)
		}
		if a, err = q.AuditAt(x, y, o); err != nil || a.Report.Err(nil) != nil {
			t.Errorf("%+v, given: %v, %v", o, a, err)
		}
	}
}

// The trace of the fit that a model is judged by ends its audit.
func TestTraceEndsAnAudit(t *testing.T) {
	x, y := lt.LabeledRows(60, 2, 3)
	stop, calls := errors.New("enough"), 0
	o := &discriminant.Options{Trace: func(optimize.Step) error { calls++; return stop }}
	for name, fit := range fits {
		m, err := fit(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		calls = 0
		a, err := m.(interface {
			Audit(x linalg.Rows, y []int, o *discriminant.Options) (*optimize.Audit, error)
		}).Audit(x, y, o)
		if a != nil || !errors.Is(err, stop) || calls != 1 {
			t.Errorf("%s: after %d calls %v, %v", name, calls, a, err)
		}
	}
}

func TestModelsPrintTheirClasses(t *testing.T) {
	x, y := lt.LabeledRows(60, 2, 3)
	lda, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	qda, err := discriminant.FitQDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	reduced, err := discriminant.FitReducedRank(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	indicator, err := discriminant.FitIndicator(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []fmt.Stringer{lda, qda, reduced, indicator} {
		if s := m.String(); !strings.Contains(s, "of 2 features, classes [0 1 2]") || strings.Contains(s, "not fitted") {
			t.Error(s)
		}
	}
	for _, m := range []fmt.Stringer{new(discriminant.LDA), new(discriminant.QDA), new(discriminant.ReducedRank), new(discriminant.Indicator)} {
		if s := m.String(); !strings.Contains(s, "not fitted") {
			t.Error(s)
		}
	}
}
