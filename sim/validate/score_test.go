package validate

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

type scoresGolden struct {
	Truth, A, B       []int
	Proba             [][]float64
	Score, Y, F       []float64
	Confusion         [][]int
	Recall, Precision []float64
	Error, Brier, AUC float64
	LogLoss           float64 `json:"log_loss"`
	MSE, R2           float64
	McNemarP          float64 `json:"mcnemar_p"`
	McNemarStatistic  float64 `json:"mcnemar_statistic"`
	McNemarBigP       float64 `json:"mcnemar_big_p"`
}

// table is a model that looks its probabilities up: row i of x holds i.
type table struct{ proba [][]float64 }

func (m table) Classes() []int {
	classes := make([]int, len(m.proba[0]))
	for k := range classes {
		classes[k] = k
	}
	return classes
}
func (m table) Features() int           { return 1 }
func (m table) Report() optimize.Report { return optimize.Report{} }
func (m table) Proba(dst, row []float64) []float64 {
	return append(dst, m.proba[int(row[0])]...)
}
func (m table) Scores(dst, row []float64) []float64 { return m.Proba(dst, row) }
func (m table) Predict(row []float64) int {
	p := m.proba[int(row[0])]
	return slices.Index(p, slices.Max(p))
}
func (m table) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	return sample.PredictRows(dst, x, 1, m)
}

func indexRows(n int) *linalg.Dense {
	x := linalg.Zeros(n, 1)
	for i := range n {
		x.Set(i, 0, float64(i))
	}
	return x
}

func TestScoresEqualScikitLearn(t *testing.T) {
	var g scoresGolden
	linalgtest.Golden(t, "testdata/scores.json", &g)
	e, err := Evaluate(table{g.Proba}, indexRows(len(g.Truth)), g.Truth)
	if err != nil {
		t.Fatal(err)
	}
	const tol = 1e-14
	linalgtest.Close(t, "error", e.Error, g.Error, tol)
	linalgtest.Close(t, "standard error", e.SE, math.Sqrt(g.Error*(1-g.Error)/60), tol)
	linalgtest.Close(t, "log-loss", e.LogLoss, g.LogLoss, tol)
	linalgtest.Close(t, "Brier score", e.Brier, g.Brier, tol)
	if m, err := MultiAUC(table{g.Proba}, indexRows(len(g.Truth)), g.Truth); err != nil || e.AUC != m {
		t.Errorf("AUC %v, Hand and Till's %v, %v", e.AUC, m, err)
	}
	if !reflect.DeepEqual(e.Confusion.Count, g.Confusion) {
		t.Errorf("confusion %v, want %v", e.Confusion.Count, g.Confusion)
	}
	for k := range g.Recall {
		linalgtest.Close(t, "recall", e.Confusion.Recall(k), g.Recall[k], tol)
		linalgtest.Close(t, "precision", e.Confusion.Precision(k), g.Precision[k], tol)
	}
	linalgtest.Close(t, "error rate", ErrorRate(g.A, g.Truth), g.Error, tol)
	positive := make([]bool, len(g.Truth))
	for i, v := range g.Truth {
		positive[i] = v > 0
	}
	linalgtest.Close(t, "AUC with ties", AUC(g.Score, positive), g.AUC, tol)
	linalgtest.Close(t, "mse", MSE(g.F, g.Y), g.MSE, tol)
	linalgtest.Close(t, "r2", R2(g.F, g.Y), g.R2, tol)
	m, err := McNemar(g.A, g.B, g.Truth)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "McNemar p", m.P, g.McNemarP, 1e-13)
	linalgtest.Close(t, "McNemar statistic", m.Statistic, g.McNemarStatistic, 1e-13)
	linalgtest.Close(t, "McNemar p of 700 against 810", 2*binomialHalf(700, 1510), g.McNemarBigP, 1e-12)
}

func TestEvaluateTwoClasses(t *testing.T) {
	m := table{[][]float64{{.9, .1}, {.4, .6}, {.2, .8}, {.7, .3}}}
	e, err := Evaluate(m, indexRows(4), []int{0, 0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if e.AUC != .75 || e.Error != .5 {
		t.Errorf("AUC %v, error %v; want 0.75, 0.5", e.AUC, e.Error)
	}
	linalgtest.Close(t, "Brier score", e.Brier, (.01+.36+.04+.49)/4, 1e-15)
	m.proba[2] = []float64{1, 0}
	if e, _ = Evaluate(m, indexRows(4), []int{0, 0, 1, 1}); !math.IsInf(e.LogLoss, 1) {
		t.Errorf("log-loss %v of a true class of probability 0", e.LogLoss)
	}
}

func TestScoreErrors(t *testing.T) {
	m := table{[][]float64{{.9, .1}}}
	var shape *linalg.ShapeError
	var class *linalg.ClassError
	if _, err := Evaluate(m, indexRows(1), []int{0, 1}); !errors.As(err, &shape) || err.Error() != "validate: 1 rows but 2 labels" {
		t.Error(err)
	}
	if _, err := Evaluate(m, indexRows(1), []int{7}); !errors.As(err, &class) || class.Class != 7 {
		t.Error(err)
	}
	if _, err := McNemar([]int{1}, []int{1, 2}, []int{1, 2}); !errors.As(err, &shape) {
		t.Error(err)
	}
	if _, err := NewConfusion([]int{0, 1}, nil, nil); !errors.As(err, &shape) {
		t.Error(err)
	}
}

func TestScoresOfDegenerateInput(t *testing.T) {
	for what, v := range map[string]float64{
		"AUC of one class":      AUC([]float64{1, 2}, []bool{true, true}),
		"AUC with NaN":          AUC([]float64{1, math.NaN()}, []bool{true, false}),
		"error of no rows":      ErrorRate(nil, nil),
		"r2 of equal responses": R2([]float64{1, 2}, []float64{3, 3}),
		"r2 of equal responses, whose sum is rounded": R2(slices.Repeat([]float64{0.2}, 6), slices.Repeat([]float64{0.1}, 6)),
	} {
		if v == v {
			t.Errorf("%s is %v", what, v)
		}
	}
	if a := AUC([]float64{1, 1, 1}, []bool{true, false, true}); a != .5 {
		t.Errorf("AUC of ties is %v", a)
	}
	m, err := McNemar([]int{1, 2}, []int{1, 2}, []int{1, 1})
	if err != nil || m.P != 1 || m.Statistic != 0 {
		t.Errorf("equal predictions: %+v, %v", m, err)
	}
	mean, se := MeanSE([]float64{1, 2, 3, 6})
	linalgtest.Close(t, "mean", mean, 3, 1e-15)
	linalgtest.Close(t, "standard error", se, math.Sqrt(14./3/4), 1e-15)
}
