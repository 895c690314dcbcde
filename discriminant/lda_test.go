package discriminant_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/moments"
)

func TestBoundaries(t *testing.T) {
	x, y := iris(t)
	for i := range x.Rows {
		for j := range 4 {
			x.Set(i, j, x.At(i, j)+1e3)
		}
	}
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	q := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))
	normal, offset, err := l.Boundary(2, 0)
	if err != nil {
		t.Fatal(err)
	}
	quadric := must[*discriminant.Quadric](t)(q.Boundary(2, 0))
	for i := range x.Rows {
		row := x.Row(i)
		s := l.Scores(nil, row)
		linalgtest.Close(t, "plane", linalg.Dot(normal, row)+offset, s[2]-s[0], 1e-10)
		linalgtest.Close(t, "log-odds", must[float64](t)(l.LogOdds(row, 2, 0)), s[2]-s[0], 1e-14)
		s = q.Scores(nil, row)
		linalgtest.Close(t, "quadric", quadric.Value(row), s[2]-s[0], 1e-12)
		linalgtest.Close(t, "log-odds", must[float64](t)(q.LogOdds(row, 2, 0)), s[2]-s[0], 1e-14)
		coef, intercept := l.Coef()
		origin, about, at := l.CoefAbout()
		s = l.Scores(nil, row)
		for k := range 3 {
			d := slices.Clone(row)
			linalg.Axpy(d, -1, origin)
			linalgtest.Close(t, "plain coefficients", linalg.Dot(coef.Row(k), row)+intercept[k], s[k], 1e-10)
			linalgtest.Close(t, "coefficients about the origin", linalg.Dot(about.Row(k), d)+at[k], s[k], 1e-13)
		}
	}
	c, b := q.Parameters()
	if c != 30 || b != 30 {
		t.Errorf("QDA has %d and %d parameters", c, b)
	}
	if c, b = l.Parameters(); c != 10 || b != 10 {
		t.Errorf("LDA has %d and %d parameters", c, b)
	}
}

func TestSphering(t *testing.T) {
	x, y := iris(t)
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, &discriminant.Options{Uniform: true}))
	s := must[*discriminant.Sphering](t)(l.Sphering())
	z := linalg.Zeros(x.Rows, 4)
	for i := range x.Rows {
		s.Transform(z.Row(i)[:0], x.Row(i))
	}
	sphered := must[*discriminant.LDA](t)(discriminant.FitLDA(z, y, &discriminant.Options{Uniform: true}))
	cov, means := sphered.Cov(), sphered.Means()
	for i := range 4 {
		for j := range 4 {
			want := 0.0
			if i == j {
				want = 1
			}
			linalgtest.Close(t, "sphered covariance", cov.At(i, j), want, 1e-12)
		}
	}
	// With equal priors the nearest centroid decides.
	for i := range x.Rows {
		best, least := 0, math.Inf(1)
		for k := range 3 {
			d := slices.Clone(z.Row(i))
			linalg.Axpy(d, -1, means.Row(k))
			if n := linalg.Norm(d); n < least {
				best, least = k, n
			}
		}
		if l.Predict(x.Row(i)) != best {
			t.Errorf("row %d: class %d, nearest centroid %d", i, l.Predict(x.Row(i)), best)
		}
	}
}

// The sphered covariance is the identity whatever the units are, and the map is
// D^−½Uᵀ with the eigenvectors of Σ.
func TestSpheringOnScales(t *testing.T) {
	x, y := iris(t)
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	e, err := linalg.SymEigen(l.Cov())
	if err != nil {
		t.Fatal(err)
	}
	m := must[*discriminant.Sphering](t)(l.Sphering()).Matrix()
	for i := range 4 {
		want := e.Vectors.Row(3 - i)
		linalg.Scale(want, 1/math.Sqrt(e.Values[3-i]))
		closeUpToSign(t, "D^−½Uᵀ", m.Row(i), want, 1, 1e-12)
	}
	for i := range x.Rows {
		for j, s := range []float64{1e-12, 1, 1e12, 1e3} {
			x.Set(i, j, s*x.At(i, j))
		}
	}
	s := must[*discriminant.Sphering](t)(must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil)).Sphering())
	z := linalg.Zeros(x.Rows, 4)
	for i := range x.Rows {
		s.Transform(z.Row(i)[:0], x.Row(i))
	}
	cov := must[*discriminant.LDA](t)(discriminant.FitLDA(z, y, nil)).Cov()
	linalgtest.CloseSlice(t, "sphered covariance", cov.Data, linalg.Identity(4).Data, 1e-12)
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
	means, center := l.Means(), make([]float64, 4)
	for k, pi := range o.Priors {
		linalg.Axpy(center, pi, means.Row(k))
	}
	b, between := linalg.Zeros(4, 4), linalg.Zeros(4, 4)
	for k, pi := range o.Priors {
		d := means.Row(k)
		linalg.Axpy(d, -1, center)
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

func TestTotalIsWithinPlusBetween(t *testing.T) {
	x, y := iris(t)
	for i := range y {
		y[i] = i % 3 * (i % 2) // unequal classes
	}
	m, _ := moments.New(4, false)
	if err := m.AddRows(x, y, nil, 0); err != nil {
		t.Fatal(err)
	}
	total, within, between, err := discriminant.Decompose(m)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := moments.New(4, false)
	if err := all.AddRows(x, make([]int, x.Rows), nil, 0); err != nil {
		t.Fatal(err)
	}
	direct := all.Within()
	linalg.Scale(direct.Data, 1/float64(x.Rows))
	linalgtest.CloseSlice(t, "T", total.Data, direct.Data, 1e-14)
	for i, v := range direct.Data {
		linalgtest.Close(t, "W + B", within.Data[i]+between.Data[i], v, 1e-14)
	}
}

func TestAccessors(t *testing.T) {
	x, y := iris(t)
	o := &discriminant.Options{Priors: []float64{.2, .3, .5}, Rank: 1}
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, taken("lda", o)))
	q := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, taken("qda", o)))
	r := must[*discriminant.ReducedRank](t)(discriminant.FitReducedRank(x, y, taken("rrlda", o)))
	f := must[*discriminant.Indicator](t)(discriminant.FitIndicator(x, y, taken("indicator", o)))
	linalgtest.CloseSlice(t, "means", q.Means().Data, l.Means().Data, 1e-14)
	for _, p := range [][]float64{l.Priors(), q.Priors(), r.Priors()} {
		linalgtest.CloseSlice(t, "priors", p, o.Priors, 1e-15)
	}
	if r.Rank() != 1 || len(r.Values()) != 2 {
		t.Errorf("rank %d of %d", r.Rank(), len(r.Values()))
	}
	normal, offset, err := r.Boundary(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		row := x.Row(i)
		for name, m := range map[string]interface {
			scorer
			Coef() (*linalg.Dense, []float64)
		}{"lda": l, "rrlda": r, "indicator": f} {
			coef, intercept := m.Coef()
			for k, s := range m.Scores(nil, row) {
				linalgtest.Close(t, name, linalg.Dot(coef.Row(k), row)+intercept[k], s, 1e-11)
			}
		}
		s := r.Scores(nil, row)
		linalgtest.Close(t, "boundary", linalg.Dot(normal, row)+offset, s[2]-s[1], 1e-11)
		linalgtest.Close(t, "log-posterior", r.LogProba(nil, row)[1], math.Log(r.Proba(nil, row)[1]), 1e-11)
	}
	var class *linalg.ClassError
	for name, f := range map[string]func() error{
		"boundary of LDA":          func() error { _, _, err := l.Boundary(1, 9); return err },
		"boundary of QDA":          func() error { _, err := q.Boundary(9, 1); return err },
		"boundary of reduced rank": func() error { _, _, err := r.Boundary(-1, 1); return err },
		"log-odds of LDA":          func() error { _, err := l.LogOdds(x.Row(0), 9, 0); return err },
		"log-odds of QDA":          func() error { _, err := q.LogOdds(x.Row(0), 0, 9); return err },
	} {
		if err := f(); !errors.As(err, &class) || strings.Count(err.Error(), "discriminant: ") != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
