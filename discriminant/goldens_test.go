package discriminant_test

import (
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

type irisGolden struct {
	Means             [][]float64
	Scaling           [][]float64
	LDAClass          []int       `json:"lda_class"`
	LDAPosterior      [][]float64 `json:"lda_posterior"`
	LDAPriorPosterior [][]float64 `json:"lda_prior_posterior"`
	LDAMLEPosterior   [][]float64 `json:"lda_mle_posterior"`
	QDAClass          []int       `json:"qda_class"`
	QDAPosterior      [][]float64 `json:"qda_posterior"`
}

// checkPosteriors compares classes and posteriors with goldens, to tol.
func checkPosteriors(t *testing.T, what string, m classifier, x *linalg.Dense, class []int, posterior [][]float64, tol float64) {
	t.Helper()
	rows, err := m.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		linalgtest.CloseSlice(t, what, m.Proba(nil, x.Row(i)), posterior[i], tol)
		if class != nil && (m.Predict(x.Row(i)) != class[i] || rows[i] != class[i]) {
			t.Errorf("%s: row %d is of class %d and %d, want %d", what, i, m.Predict(x.Row(i)), rows[i], class[i])
		}
	}
}

func TestIrisLDA(t *testing.T) {
	var g irisGolden
	linalgtest.Golden(t, "testdata/iris.json", &g)
	x, y := iris(t)
	m, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkPosteriors(t, "LDA", m, x, g.LDAClass, g.LDAPosterior, 1e-10)
	if wrong := errorsOf(t, m, x, y); wrong != 3 {
		t.Errorf("%d training errors, want 3", wrong)
	}
	for k, mean := range g.Means {
		linalgtest.CloseSlice(t, "mean", m.Means().Row(k), mean, 1e-13)
	}
	// With R's scaling S, Σ⁻¹(μₖ−μₗ) = SSᵀ(μₖ−μₗ): the differences lie in the
	// span of the discriminant coordinates.
	coef, _ := m.Coef()
	for k := range 3 {
		for l := range k {
			d := make([]float64, 2)
			for r := range d {
				for j := range 4 {
					d[r] += g.Scaling[j][r] * (g.Means[k][j] - g.Means[l][j])
				}
			}
			for j := range 4 {
				want := g.Scaling[j][0]*d[0] + g.Scaling[j][1]*d[1]
				linalgtest.Close(t, "coefficient", coef.At(k, j)-coef.At(l, j), want, 1e-10)
			}
		}
	}
	if r := m.Report(); !r.Certificate().Holds() || r.Certificate().Value > 1e-13 {
		t.Errorf("report %+v", r)
	}
	p, err := discriminant.FitLDA(x, y, &discriminant.Options{Priors: []float64{.5, .3, .2}})
	if err != nil {
		t.Fatal(err)
	}
	checkPosteriors(t, "LDA with priors", p, x, nil, g.LDAPriorPosterior, 1e-10)
	mle, err := discriminant.FitLDA(x, y, &discriminant.Options{Divisor: discriminant.MLE})
	if err != nil {
		t.Fatal(err)
	}
	checkPosteriors(t, "LDA by maximum likelihood", mle, x, nil, g.LDAMLEPosterior, 1e-10)
}

func TestIrisQDA(t *testing.T) {
	var g irisGolden
	linalgtest.Golden(t, "testdata/iris.json", &g)
	x, y := iris(t)
	m, err := discriminant.FitQDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkPosteriors(t, "QDA", m, x, g.QDAClass, g.QDAPosterior, 1e-10)
	if wrong := errorsOf(t, m, x, y); wrong != 3 {
		t.Errorf("%d training errors, want 3", wrong)
	}
	if r := m.Report(); !r.Certificate().Holds() || r.Certificate().Value > 1e-13 {
		t.Errorf("report %+v", r)
	}
}

type massSet struct {
	Name          string
	Scale, Shift  float64
	Step          int // posteriors and coordinates of every Step-th row
	Svd           []float64
	Scaling       [][]float64
	Class         []int
	Posterior     [][]float64
	X             [][]float64
	Posterior1    [][]float64
	QDAClass      []int       `json:"qda_class"`
	QDAPosterior  [][]float64 `json:"qda_posterior"`
	training, new *linalg.Dense
	y             []int
}

// load reads the data of a set and moves them as the script did.
func (s *massSet) load(t *testing.T) {
	files := map[string][3]string{
		"iris":  {"iris.csv", "iris.csv", "species"},
		"crabs": {"crabs.csv", "crabs.csv", "sp"},
		"pima":  {"Pima-tr.csv", "Pima-te.csv", "type"},
		"fgl":   {"fgl.csv", "fgl.csv", "type"},
	}[s.Name]
	var labels []string
	s.training, labels, _ = linalgtest.Table(t, files[0], files[2])
	s.new, _, _ = linalgtest.Table(t, files[1], files[2])
	s.y, _ = linalgtest.Codes(labels)
	for _, x := range []*linalg.Dense{s.training, s.new} {
		for i := range x.Data {
			x.Data[i] = x.Data[i]*s.Scale + s.Shift
		}
	}
}

// closeUpToSign compares a column with its golden, both times the unit.
func closeUpToSign(t *testing.T, what string, got, want []float64, unit, tol float64) {
	t.Helper()
	sign := 1.0
	if linalg.Dot(got, want) < 0 {
		sign = -1
	}
	for i := range got {
		linalgtest.Close(t, what, sign*got[i]*unit, want[i]*unit, tol)
	}
}

func column(rows [][]float64, j int) []float64 {
	c := make([]float64, len(rows))
	for i := range c {
		c[i] = rows[i][j]
	}
	return c
}

func TestAgainstMASS(t *testing.T) {
	var g struct{ Sets []massSet }
	linalgtest.Golden(t, "testdata/mass.json", &g)
	for _, s := range g.Sets {
		name := s.Name
		if s.Scale != 1 {
			name += " ×1e6"
		}
		if s.Shift != 0 {
			name += " +1e8"
		}
		t.Run(name, func(t *testing.T) {
			s.load(t)
			s.checkLinear(t)
			if s.QDAClass != nil {
				s.checkQuadratic(t)
			}
		})
	}
}

func (s *massSet) checkLinear(t *testing.T) {
	l, err := discriminant.FitLDA(s.training, s.y, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := discriminant.FitReducedRank(s.training, s.y, nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err := discriminant.FitReducedRank(s.training, s.y, &discriminant.Options{Rank: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.check(t, "LDA", l, s.Class, s.Posterior)
	s.check(t, "reduced-rank LDA", r, s.Class, s.Posterior)
	s.check(t, "LDA of rank 1", one, nil, s.Posterior1)
	linalgtest.CloseSlice(t, "svd", r.SingularValues(), s.Svd, 1e-9)
	v := r.Scaling()
	if v.Cols != len(s.Svd) {
		t.Fatalf("%d coordinates, want %d", v.Cols, len(s.Svd))
	}
	for i := range v.Cols {
		closeUpToSign(t, "scaling", v.Col(nil, i), column(s.Scaling, i), s.Scale, 1e-9)
		z := make([]float64, len(s.X))
		for k := range z {
			z[k] = r.Project(nil, s.new.Row(k*s.Step))[i]
		}
		closeUpToSign(t, "coordinate", z, column(s.X, i), 1, 1e-9)
	}
	for name, c := range map[string]float64{
		"LDA": l.Report().Certificate().Value, "reduced-rank LDA": r.Report().Certificate().Value,
	} {
		if !(c <= 1e-13) {
			t.Errorf("%s: certificate %g", name, c)
		}
	}
}

func (s *massSet) checkQuadratic(t *testing.T) {
	q, err := discriminant.FitQDA(s.training, s.y, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.check(t, "QDA", q, s.QDAClass, s.QDAPosterior)
	if c := q.Report().Certificate().Value; !(c <= 1e-13) {
		t.Errorf("QDA: certificate %g", c)
	}
}

func (s *massSet) check(t *testing.T, what string, m classifier, class []int, posterior [][]float64) {
	t.Helper()
	for i, want := range posterior {
		linalgtest.CloseSlice(t, what, m.Proba(nil, s.new.Row(i*s.Step)), want, 1e-9)
	}
	got, err := m.PredictRows(nil, s.new)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range class {
		if got[i] != c || m.Predict(s.new.Row(i)) != c {
			t.Errorf("%s: row %d is of class %d, want %d", what, i, got[i], c)
		}
	}
}

// scikit-learn's eigen solver shrinks as (4.14) does.
func TestShrinkageAgainstScikitLearn(t *testing.T) {
	var g struct {
		Sets []struct {
			Shrinkage float64
			Posterior [][]float64
		}
	}
	linalgtest.Golden(t, "testdata/shrinkage.json", &g)
	x, y := iris(t)
	for _, s := range g.Sets {
		o := &discriminant.Options{Shrinkage: s.Shrinkage, Divisor: discriminant.MLE, Priors: []float64{.2, .3, .5}}
		// scikit-learn weights the class covariances by the priors, not the counts.
		o.Weights = make([]float64, x.Rows)
		for i, k := range y {
			o.Weights[i] = o.Priors[k]
		}
		l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, o))
		for i, want := range s.Posterior {
			linalgtest.CloseSlice(t, "posterior", l.Proba(nil, x.Row(3*i)), want, 1e-9)
		}
	}
}

// Posteriors of regularised discriminant analysis by its formulas, in R's arithmetic.
func TestRDAGoldens(t *testing.T) {
	var g struct {
		Sets []struct {
			Alpha, Shrinkage float64
			Posterior        [][]float64
		}
	}
	linalgtest.Golden(t, "testdata/rda.json", &g)
	x, labels, _ := linalgtest.Table(t, "fgl.csv", "type")
	y, _ := linalgtest.Codes(labels)
	if len(g.Sets) != 4 {
		t.Fatalf("%d sets", len(g.Sets))
	}
	for _, s := range g.Sets {
		m := must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, &discriminant.Options{Alpha: s.Alpha, Shrinkage: s.Shrinkage}))
		for i, want := range s.Posterior {
			linalgtest.CloseSlice(t, "posterior", m.Proba(nil, x.Row(11*i)), want, 1e-9)
		}
	}
}
