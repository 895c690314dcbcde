package discriminant_test

import (
	"math"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

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

// Rank K−1 is LDA, and the recipe of section 4.3.3 — sphere, then the principal
// axes of the weighted centroids — gives the same coordinates as Bv = λWv.
func TestReducedRankIsLDAAndTheSpheringRecipe(t *testing.T) {
	x, y := iris(t)
	o := &discriminant.Options{Priors: []float64{.5, .3, .2}}
	l, err := discriminant.FitLDA(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := discriminant.FitReducedRank(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		linalgtest.CloseSlice(t, "posterior", r.Proba(nil, x.Row(i)), l.Proba(nil, x.Row(i)), 1e-12)
	}
	// W^−½ from the eigenvectors of W; M* = MW^−½; eigenvectors of its covariance.
	e, err := linalg.SymEigen(l.Cov())
	if err != nil {
		t.Fatal(err)
	}
	root := linalg.Zeros(4, 4)
	for k, v := range e.Values {
		u := e.Vectors.Row(k)
		for j := range u {
			linalg.Axpy(root.Row(j), u[j]/math.Sqrt(v), u)
		}
	}
	means, centre := l.Means(), make([]float64, 4)
	for k, pi := range o.Priors {
		linalg.Axpy(centre, pi, means.Row(k))
	}
	b, between := linalg.Zeros(4, 4), linalg.Zeros(4, 4)
	for k, pi := range o.Priors {
		d := means.Row(k)
		linalg.Axpy(d, -1, centre)
		star := make([]float64, 4)
		linalg.MulVec(star, root, d, 1)
		for j := range 4 {
			linalg.Axpy(b.Row(j), pi*star[j], star)
			linalg.Axpy(between.Row(j), pi*d[j], d)
		}
	}
	star, err := linalg.SymEigen(b)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := linalg.SymDefEigen(between, l.Cov())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Values() {
		linalgtest.Close(t, "λ by the recipe", star.Values[3-i], v, 1e-11)
		linalgtest.Close(t, "λ of the pair", pair.Values[3-i], v, 1e-11)
		u := make([]float64, 4)
		linalg.MulVec(u, root, star.Vectors.Row(3-i), 1)
		closeUpToSign(t, "vector by the recipe", u, r.Scaling().Col(nil, i), 1, 1e-11)
		closeUpToSign(t, "vector of the pair", pair.Vectors.Row(3-i), r.Scaling().Col(nil, i), 1, 1e-11)
	}
	linalgtest.Close(t, "proportion of trace", r.Proportion()[0]+r.Proportion()[1], 1, 1e-15)
	for k := range 3 {
		linalgtest.CloseSlice(t, "centroid", r.Project(nil, l.Means().Row(k)), r.Centroids().Row(k), 1e-12)
	}
}
