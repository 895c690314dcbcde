package validate_test

import (
	"errors"
	"math"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/validate"
)

// line is the model of two classes on one feature with log-odds f(x) = x.
type line struct{}

func (line) Classes() []int                      { return []int{0, 1} }
func (line) Features() int                       { return 1 }
func (line) Report() optimize.Report             { return optimize.Report{} }
func (line) Scores(dst, row []float64) []float64 { return append(dst, 0, row[0]) }
func (line) Proba(dst, row []float64) []float64 {
	return append(dst, linalg.Sigmoid(-row[0]), linalg.Sigmoid(row[0]))
}
func (line) LogProba(dst, row []float64) []float64 {
	return append(dst, -linalg.Log1pExp(row[0]), -linalg.Log1pExp(-row[0]))
}
func (line) Predict(row []float64) int {
	if row[0] > 0 {
		return 1
	}
	return 0
}
func (m line) PredictRows(dst []int, x linalg.Rows) ([]int, error) {
	return sample.PredictRows(dst, x, 1, m)
}

func column(v ...float64) *linalg.Dense {
	return &linalg.Dense{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

// byHand are four rows with probabilities 3/4, 1/4, 3/4 and 1/2 of class 1.
func byHand() (x *linalg.Dense, y []int) {
	l := math.Log(3)
	return column(l, -l, l, 0), []int{1, 0, 0, 1}
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func TestProbabilityScoresByHand(t *testing.T) {
	x, y := byHand()
	loss, err := validate.LogLoss(line{}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "log-loss", loss, -(2*math.Log(0.75)+math.Log(0.25)+math.Log(0.5))/4, 1e-15)
	brier, err := validate.Brier(line{}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "Brier", brier, (2.0/16+9.0/16+4.0/16)/4, 1e-15)
	e, err := validate.Evaluate(line{}, x, y)
	if err != nil || e.LogLoss != loss || e.Brier != brier {
		t.Errorf("evaluated %+v, %v; want log-loss %v and Brier score %v", e, err, loss, brier)
	}
	if _, err := validate.LogLoss(line{}, x, y[1:]); !as[*linalg.ShapeError](err) {
		t.Errorf("labels: %v", err)
	}
	if _, err := validate.Brier(line{}, linalg.Zeros(4, 2), y); !as[*linalg.ShapeError](err) {
		t.Errorf("columns: %v", err)
	}
	if l, _ := validate.LogLoss(line{}, x, []int{7, 0, 0, 0}); !math.IsInf(l, 1) {
		t.Errorf("log-loss of an unknown label: %g", l)
	}
	if b, _ := validate.Brier(line{}, column(math.Log(3)), []int{-1}); !(math.Abs(b-5.0/16) <= 1e-15) {
		t.Errorf("Brier score of an unknown label: %g", b)
	}
}

// TestLogLossAllocatesNothingPerRow scores four rows and a thousand.
func TestLogLossAllocatesNothingPerRow(t *testing.T) {
	of := func(n int) float64 {
		x, y := linalg.Zeros(n, 1), make([]int, n)
		return testing.AllocsPerRun(10, func() { validate.LogLoss(line{}, x, y) })
	}
	if few, many := of(4), of(1000); few > 12 || many != few {
		t.Errorf("%v allocations for 4 rows, %v for 1000", few, many)
	}
}

func TestLogLossOfThreeClassesIsTheObjective(t *testing.T) {
	d := dataset.Iris()
	width := column(d.X.Col(nil, 1)...) // of the sepals: it separates no class
	m, err := logistic.Fit(width, d.Labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	loss, err := validate.LogLoss(m, width, d.Labels)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "log-loss of three", loss*float64(len(d.Labels)), m.Report().Objective(), 1e-12)
}

// The log-loss of a row far on the wrong side is its distance, not infinite.
func TestLogLossOfFarRows(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{0}, {1}, {2}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := logistic.Fit(x, []int{0, 1, 0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	far := &linalg.Dense{Rows: 1, Cols: 1, Stride: 1, Data: []float64{1e4}}
	e, err := validate.Evaluate(m, far, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	want := m.LogOdds(far.Row(0))
	if p := m.Proba(nil, far.Row(0))[0]; p != 0 || math.IsInf(want, 0) {
		t.Fatalf("probability %v, log-odds %v: the row is not far enough", p, want)
	}
	linalgtest.Close(t, "log-loss", e.LogLoss, want, 1e-15)
}

// Of many rows at a time the probabilities are those of one after the other, and the log-loss is that of either.
func TestLogProbaOfRowsIsThatOfEach(t *testing.T) {
	x, y := linalgtest.Normal(3, 300, 20), make([]int, 300)
	for i := range y {
		y[i] = i % 3
		linalg.Axpy(x.Row(i)[:3], float64(y[i]), []float64{1, 2, -1})
	}
	q, err := discriminant.FitRDA(x, y, &discriminant.Options{Alpha: .5})
	if err != nil {
		t.Fatal(err)
	}
	all, want := linalg.Zeros(300, 3), 0.0
	q.LogProbaRows(all, x)
	for i := range y {
		one := q.LogProba(nil, x.Row(i))
		linalgtest.CloseSlice(t, "log-probabilities", all.Row(i), one, 1e-11)
		want -= one[y[i]] / 300
	}
	got, err := validate.LogLoss(q, x, y)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "log-loss", got, want, 1e-12)
}
