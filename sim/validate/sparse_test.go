package validate_test

import (
	"slices"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/validate"
)

// unfilled is a classifier that is not to be asked for scores of sparse rows with their zeros.
type unfilled struct {
	*hyperplane.SVC
	t *testing.T
}

func (m unfilled) Scores(dst, row []float64) []float64 {
	m.t.Error("a sparse row is filled with its zeros")
	return m.SVC.Scores(dst, row)
}

// Calibrated models and thresholds score and predict sparse rows as their model does, by the values that are
// stored, and as they do dense ones.
func TestWrappedModelsScoreSparseRows(t *testing.T) {
	x := linalgtest.Thinned(1, 80, 6, 0.4)
	sparse, y := linalgtest.Sparse(x), make([]int, x.Rows)
	for i := range y {
		y[i] = (i + i/7) % 2
	}
	svc, err := hyperplane.FitSVC(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := unfilled{svc, t}
	c, err := validate.Calibrate(m, sparse, y)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]sim.Classifier{
		"calibrated": {c, &validate.Calibrated[*hyperplane.SVC]{Model: svc, Maps: c.Maps}},
		"threshold":  {&validate.Threshold[unfilled]{Model: m, At: 0.25}, &validate.Threshold[*hyperplane.SVC]{Model: svc, At: 0.25}},
	} {
		got, err := validate.Evaluate(pair[0], sparse, y)
		if err != nil {
			t.Fatal(err)
		}
		want, err := validate.Evaluate(pair[1], x, y)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.CloseSlice(t, name, []float64{got.Error, got.LogLoss, got.Brier, got.AUC}, []float64{want.Error, want.LogLoss, want.Brier, want.AUC}, 1e-12)
	}
}

// A model that takes no sparse rows scores dense copies of them.
func TestWrappedModelsFillRowsForOthers(t *testing.T) {
	x := linalgtest.Thinned(2, 80, 6, 0.4)
	sparse, y := linalgtest.Sparse(x), make([]int, x.Rows)
	for i := range y {
		y[i] = (i + i/7) % 2
	}
	lda, err := discriminant.FitLDA(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := validate.Calibrate(lda, x, y)
	if err != nil {
		t.Fatal(err)
	}
	at, err := validate.AtThreshold(lda, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	for i := range y {
		index, value := sparse.Row(i)
		if got, want := c.ProbaSparse([]float64{7}, index, value), c.Proba([]float64{7}, x.Row(i)); !slices.Equal(got, want) {
			t.Errorf("row %d: probabilities %v, want %v", i, got, want)
		}
		if got, want := at.ScoresSparse(nil, index, value), at.Scores(nil, x.Row(i)); !slices.Equal(got, want) || at.PredictSparse(index, value) != at.Predict(x.Row(i)) {
			t.Errorf("row %d: scores %v, want %v", i, got, want)
		}
	}
}
