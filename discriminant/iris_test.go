package discriminant_test

import (
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func iris(t testing.TB) (*linalg.Dense, []int) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	return x, y
}

type irisGolden struct {
	Means             [][]float64
	Scaling           [][]float64
	Svd               []float64
	LDAClass          []int       `json:"lda_class"`
	LDAPosterior      [][]float64 `json:"lda_posterior"`
	LDAPriorPosterior [][]float64 `json:"lda_prior_posterior"`
	LDAMLEPosterior   [][]float64 `json:"lda_mle_posterior"`
	LDAX              [][]float64 `json:"lda_x"`
	QDAClass          []int       `json:"qda_class"`
	QDAPosterior      [][]float64 `json:"qda_posterior"`
	QDALogDet         []float64   `json:"qda_ldet"`
}

type classifier interface {
	Predict(row []float64) int
	Proba(dst, row []float64) []float64
	PredictRows(dst []int, x *linalg.Dense) ([]int, error)
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

func errorsOf(t *testing.T, m classifier, x *linalg.Dense, y []int) int {
	t.Helper()
	got, err := m.PredictRows(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, c := range got {
		if c != y[i] {
			wrong++
		}
	}
	return wrong
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
