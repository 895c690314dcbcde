package engine_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"halfspace/cmd/lab/engine"
	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// points draws those of a preset.
func points(t *testing.T, preset string, n int, seed uint64) (xy []float64, y []int) {
	t.Helper()
	a := engine.Ask(&engine.Query{Population: populations[preset], Draw: n, Seed: seed}, nil, nil)
	if a.Error != "" {
		t.Fatal(preset, a.Error)
	}
	for row := range slices.Chunk(a.Table, engine.Columns) {
		xy, y = append(xy, row[0], row[1]), append(y, int(row[2]))
	}
	if d := len(y) - n; d < -2 || d > 0 {
		t.Fatalf("%s: %d points, want about %d", preset, len(y), n)
	}
	return xy, y
}

// ask asks for all of an answer on a small grid, and checks that it is JSON.
func ask(t *testing.T, q engine.Query, xy []float64, y []int) *engine.Answer {
	t.Helper()
	q.Final, q.Grid.X, q.Grid.Y, q.Grid.Step, q.Grid.Cols, q.Grid.Rows = true, -3, -2, 1, 7, 5
	a := engine.Ask(&q, xy, y)
	if _, err := json.Marshal(a); err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return a
}

// populations are some of the page's.
var populations = map[string]engine.Population{
	"overlap":   {Heaps: 1, Means: [][]float64{{-0.5, 0}, {0.5, 0.3}}, Covs: [][][]float64{{{1.4, 0.6}, {0.6, 1}}, {{1, -0.5}, {-0.5, 1.2}}}},
	"separable": {Heaps: 1, Means: [][]float64{{-1.7, -1}, {1.7, 1}}, Covs: [][][]float64{{{0.35, 0}, {0, 0.35}}}},
	"line":      {Heaps: 1, Means: [][]float64{{-3, -3}, {0, 0}, {3, 3}}, Covs: [][][]float64{{{1, 0}, {0, 1}}}},
	"xor":       {Heaps: 2, Means: [][]float64{{-1.5, -1.5}, {1.5, 1.5}, {-1.5, 1.5}, {1.5, -1.5}}, Covs: [][][]float64{{{0.35, 0}, {0, 0.35}}}},
}

// The page fits as the command does, which fits by sim/method.
func TestFitsAreThoseOfTheMethods(t *testing.T) {
	for _, c := range []struct {
		query   engine.Query
		method  string
		options method.Options
	}{
		{engine.Query{Method: "indicator"}, "indicator", method.Options{}},
		{engine.Query{Method: "lda"}, "lda", method.Options{}},
		{engine.Query{Method: "qda"}, "qda", method.Options{}},
		{engine.Query{Method: "rda", Discriminant: discriminant.Options{Alpha: 0.3}}, "rda", method.Options{Alpha: 0.3}},
		{engine.Query{Method: "rrlda", Discriminant: discriminant.Options{Rank: 1}}, "rrlda", method.Options{Rank: 1}},
		{engine.Query{Method: "logistic", Logistic: logistic.Options{Lambda: 2}}, "logistic", method.Options{Lambda: 2}},
		{engine.Query{Method: "logistic", Logistic: logistic.Options{Lambda: 3, L1Ratio: 0.5}}, "logistic", method.Options{Lambda: 3, L1Ratio: 0.5}},
		{engine.Query{Method: "svc", SVC: hyperplane.SVCOptions{C: 0.3, Multi: hyperplane.OneVsRest}}, "svc", method.Options{C: 0.3, Multi: "ovr"}},
	} {
		for preset := range populations {
			xy, y := points(t, preset, 60, 3)
			a := ask(t, c.query, xy, y)
			m, err := method.Named(c.method)
			if err != nil {
				t.Fatal(err)
			}
			x, err := linalg.NewDense(len(y), 2, xy)
			if err != nil {
				t.Fatal(err)
			}
			model, err := m.Fit(&dataset.Data{X: x, Labels: y}, &c.options)
			if err != nil || a.Error != "" {
				t.Fatalf("%s, %s: %v, in the page %q", c.method, preset, err, a.Error)
			}
			if got, want := a.Report.Objective(), model.Report().Objective(); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("%s, %s: objective %v, the method has %v", c.method, preset, got, want)
			}
			if !a.Report.Certificate().Holds() {
				t.Errorf("%s, %s: %v", c.method, preset, a.Report.Certificate())
			}
			k, g := len(a.Labels), 0
			for i := range 5 {
				for j := range 7 {
					want := model.Classifier().Scores(nil, []float64{float64(j - 3), float64(i - 2)})
					for l, v := range a.Scores[g : g+k] {
						if !(math.Abs(v-want[l]) <= 1e-9*(1+math.Abs(want[l]))) {
							t.Fatalf("%s, %s: score %d at %d, %d is %v, of the method %v", c.method, preset, l, i, j, v, want[l])
						}
					}
					g += k
				}
			}
		}
	}
}

// Points have the margins and losses of the model: their sum is in the objective.
func TestTableAddsUpToTheObjective(t *testing.T) {
	for seed := range uint64(linalgtest.Rounds(3, 30)) {
		xy, y := points(t, "overlap", 80, seed+1)
		for _, q := range []engine.Query{{Method: "logistic", Logistic: logistic.Options{Lambda: 1.5}}, {Method: "svc", SVC: hyperplane.SVCOptions{C: 0.7}}, {Method: "leastsquares"}} {
			a := ask(t, q, xy, y)
			sum := 0.0
			for row := range slices.Chunk(a.Table, engine.Columns) {
				switch q.Method {
				case "svc":
					sum += max(0, 1-row[0])
				case "leastsquares":
					sum += (1 - row[0]) * (1 - row[0]) / 2
				default:
					sum += row[1]
				}
			}
			b := a.Coef[0]
			norm := b[1]*b[1] + b[2]*b[2]
			want := map[string]float64{"logistic": sum + q.Logistic.Lambda/2*norm, "svc": norm/2 + q.SVC.C*sum, "leastsquares": sum}[q.Method]
			if got := a.Report.Objective(); !(math.Abs(got-want) <= 1e-9*want) {
				t.Errorf("%s: objective %v, the points have %v", q.Method, got, want)
			}
			if q.Method == "leastsquares" {
				continue
			}
			end := a.Walk[len(a.Walk)-1] // multipliers of an SVC say nothing of the intercept
			if d := math.Hypot(end[1]-b[1], end[2]-b[2]); len(a.Walk) < 3 || d > 1e-4 {
				t.Errorf("%s: a walk of %d steps ends %v from the coefficients", q.Method, len(a.Walk), d)
			}
		}
	}
}

// Classes that a line separates have the direction, classes that none separates the
// combinations that coincide.
func TestEvidenceIsShown(t *testing.T) {
	xy, y := points(t, "separable", 40, 1)
	a := ask(t, engine.Query{Method: "logistic"}, xy, y)
	if !a.Separated || !a.Holds || a.Error == "" {
		t.Fatalf("separated %t, holds %t, error %q", a.Separated, a.Holds, a.Error)
	}
	for row := range slices.Chunk(a.Table, engine.Columns) {
		if row[0] < 0 {
			t.Fatalf("a point has margin %v along the direction", row[0])
		}
	}
	for seed := range uint64(8) {
		c := []engine.Query{{Method: "hardmargin"}, {Method: "perceptron", Perceptron: hyperplane.PerceptronOptions{MaxEpochs: 20}}}[seed%2]
		xy, y = points(t, "overlap", 40, seed)
		a = ask(t, c, xy, y)
		var sum [2]float64
		var at [2][2]float64
		for i, k := range y {
			w := a.Weights[i]
			sum[k] += w
			at[k][0] += w * xy[2*i]
			at[k][1] += w * xy[2*i+1]
		}
		for k := range sum {
			if math.Abs(sum[k]-1) > 1e-12 || math.Hypot(at[k][0]-at[0][0], at[k][1]-at[0][1]) > 1e-12 || !a.Holds {
				t.Errorf("%s: the combination of class %d has weight %v and lies at %v, the other at %v; holds %t", c.Method, k, sum[k], at[k], at[0], a.Holds)
			}
		}
	}
}

// While points are dragged, nothing is multiplied out, and nothing is said to hold.
func TestEvidenceHoldsInTheEndAlone(t *testing.T) {
	for preset, method := range map[string]string{"separable": "logistic", "overlap": "hardmargin"} {
		xy, y := points(t, preset, 40, 1)
		if a := engine.Ask(&engine.Query{Method: method}, xy, y); a.Error == "" || a.Holds {
			t.Errorf("%s on the way: error %q, holds %t", method, a.Error, a.Holds)
		}
		if a := ask(t, engine.Query{Method: method}, xy, y); !a.Holds {
			t.Errorf("%s in the end does not hold: %s", method, a.Error)
		}
	}
}

func TestBayesIsTheLeastError(t *testing.T) {
	for preset := range populations {
		xy, y := points(t, preset, 90, 3)
		bayes, lda := ask(t, engine.Query{Method: "bayes", Population: populations[preset]}, xy, y), ask(t, engine.Query{Method: "lda", Population: populations[preset]}, xy, y)
		if bayes.Error != "" || math.Abs(bayes.Test-bayes.Bayes) > 4*bayes.TestSE+1e-3 || lda.Test < bayes.Test-1e-3 {
			t.Errorf("%s: Bayes rule %v (%v ± %v), LDA %v %s", preset, bayes.Bayes, bayes.Test, bayes.TestSE, lda.Test, bayes.Error)
		}
	}
}

func TestWrongQuestionsAreErrors(t *testing.T) {
	xy, y := points(t, "overlap", 10, 1)
	for _, q := range []engine.Query{{Method: "cart"}, {Method: "bayes"}, {Draw: 9}, {Method: "svc", SVC: hyperplane.SVCOptions{C: -1}}, {Method: "qda", Degree: -1}} {
		if a := engine.Ask(&q, xy, y); (a.Error == "") != (q.Method == "qda") {
			t.Errorf("%+v: error %q", q, a.Error)
		}
	}
	if a := engine.Ask(&engine.Query{Method: "lda"}, xy, make([]int, len(y))); a.Error == "" || a.Scores != nil {
		t.Errorf("one class: error %q, %d scores", a.Error, len(a.Scores))
	}
}

// Scores are those at the points of the grid, row after row from its corner, whatever its step;
// of three classes there is no walk.
func TestGridsOfAnyStep(t *testing.T) {
	for preset, k := range map[string]int{"overlap": 2, "line": 3} {
		xy, y := points(t, preset, 60, 2)
		q := engine.Query{Method: "logistic", Logistic: logistic.Options{Lambda: 1}, Final: true}
		q.Grid.X, q.Grid.Y, q.Grid.Step, q.Grid.Cols, q.Grid.Rows = -1, 2, 0.25, 4, 3
		a := engine.Ask(&q, xy, y)
		if a.Error != "" || len(a.Scores) != 12*k || (len(a.Walk) > 0) != (k == 2) {
			t.Fatalf("%s: %q, %d scores, a walk of %d", preset, a.Error, len(a.Scores), len(a.Walk))
		}
		for i := range 12 {
			at := []float64{1, -1 + 0.25*float64(i%4), 2 + 0.25*float64(i/4)}
			for c, b := range a.Coef {
				got := a.Scores[i*k+c]
				if k == 2 {
					got = a.Scores[2*i+1] - a.Scores[2*i]
				}
				linalgtest.Close(t, preset, got, linalg.Dot(b, at), 1e-9)
			}
		}
	}
}

// Where the Bayes error is known, the test error is it and what the draws tell beyond it, and not
// below it.
func TestErrorsBesideTheExactBayesError(t *testing.T) {
	xy, y := points(t, "separable", 90, 3)
	a := ask(t, engine.Query{Method: "lda", Population: populations["separable"]}, xy, y)
	// Half the distance of the means in deviations is √(1.7² + 1²)/√0.35.
	want := math.Erfc(math.Sqrt((1.7*1.7+1)/0.35)/math.Sqrt2) / 2
	linalgtest.Close(t, "Bayes error", a.Bayes, want, 1e-9)
	if a.Test < a.Bayes || a.Test > a.Bayes+0.01 {
		t.Errorf("LDA errs in %g, the Bayes rule in %g", a.Test, a.Bayes)
	}
}

// Figures of a machine and of a perceptron are those of its conditions and its updates.
func TestFiguresOfMachines(t *testing.T) {
	xy, y := points(t, "overlap", 60, 2)
	a := ask(t, engine.Query{Method: "svc", SVC: hyperplane.SVCOptions{C: 1}}, xy, y)
	if v, ok := a.Figures["objective, dual"]; !ok || math.Abs(v-a.Report.Objective()) > 1e-4*v || len(a.Figures) != 4 {
		t.Errorf("%v", a.Figures)
	}
	xy, y = points(t, "line", 60, 2)
	if a := ask(t, engine.Query{Method: "svc", SVC: hyperplane.SVCOptions{C: 1, Multi: hyperplane.OneVsRest}}, xy, y); a.Figures != nil {
		t.Errorf("of three classes: %v", a.Figures)
	}
}
