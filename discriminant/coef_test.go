package discriminant_test

import (
	"math"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
)

// Coefficients of two classes are one row in every model of this package: of the
// function that is positive where the larger label is predicted.
func TestTwoClassesHaveOneRowOfCoefficients(t *testing.T) {
	x := &linalg.Dense{Rows: 8, Cols: 2, Stride: 2, Data: []float64{1, 2, 2, 1, 3, 5, 0, 0.5, 4, 1, 5, 7, 6, 2, 7, 3}}
	y := []int{-1, -1, -1, -1, 4, 4, 4, 4}
	o := &discriminant.Options{Priors: []float64{0.3, 0.7}}
	lda, err := discriminant.FitLDA(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	reduced, err := discriminant.FitReducedRank(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	indicator, err := discriminant.FitIndicator(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]interface {
		Coef() (*linalg.Dense, []float64)
		CoefAbout() ([]float64, *linalg.Dense, []float64)
		Scores(dst, row []float64) []float64
		Predict(row []float64) int
	}{"lda": lda, "reduced": reduced, "indicator": indicator} {
		coef, intercept := m.Coef()
		if coef.Rows != 1 || len(intercept) != 1 {
			t.Fatalf("%s: %d rows of coefficients", name, coef.Rows)
		}
		origin, both, at := m.CoefAbout()
		for i := range x.Rows {
			row := x.Row(i)
			f := intercept[0] + linalg.Dot(coef.Row(0), row)
			s := m.Scores(nil, row)
			if math.Abs(f-(s[1]-s[0])) > 1e-12*(1+math.Abs(f)) || f > 0 != (m.Predict(row) == 4) {
				t.Errorf("%s: f is %g, the scores differ by %g, predicted %d", name, f, s[1]-s[0], m.Predict(row))
			}
			for k := range s {
				own := at[k]
				for j, v := range row {
					own += both.At(k, j) * (v - origin[j])
				}
				if !(math.Abs(own-s[k]) <= 1e-12*(1+math.Abs(own))) {
					t.Errorf("%s: function %d is %g about the origin, the score %g", name, k, own, s[k])
				}
			}
		}
	}
}
