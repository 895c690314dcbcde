package method_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// chatter returns records of documents with a number, a weight and a label beside them, and a
// header. Some words are in few documents, so that folds lack them.
func chatter(n int) [][]string {
	r := rand.New(rand.NewPCG(5, 7))
	records := [][]string{{"said", "stars", "times", "mood"}}
	for i := range n {
		label := i % 3
		words := []string{fmt.Sprintf("own%d", i), fmt.Sprintf("pair%d", i/2)}
		for range 2 + r.IntN(9) {
			k := r.ExpFloat64() * 6
			if r.IntN(3) == 0 {
				k += 4 * float64(label)
			}
			words = append(words, fmt.Sprintf("w%.0f", k))
		}
		records = append(records, []string{strings.Join(words, " "), fmt.Sprint(r.IntN(5)), fmt.Sprint(1 + i%2), "label" + fmt.Sprint(label)})
	}
	return records
}

// without returns the header and the records outside a fold, or those in it.
func without(records [][]string, folds []int, fold int, in bool) [][]string {
	part := records[:1:1]
	for i, f := range folds {
		if (f == fold) == in {
			part = append(part, records[i+1])
		}
	}
	return part
}

// spoken returns the table of records with documents.
func spoken(t *testing.T, records [][]string, s feature.TextSettings) *dataset.Data {
	t.Helper()
	d, err := dataset.FromRecords(records, &dataset.Options{Text: "said", TextSettings: s, Weights: "times"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A word that only the rows of a fold have is no feature of the fit without them, nor do they
// count for how rare words are: each fold's losses are those of a model that was fitted to a
// table of the other rows alone. So it is along a path.
func TestTermsAreThoseOfTheTrainingRows(t *testing.T) {
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	records := chatter(90)
	settings := []feature.TextSettings{{NGrams: 2, MinDocs: 2, Counts: true}, {}, {HashBits: 7}, {Sublinear: true, MinDocs: 3}}
	for _, s := range settings[:linalgtest.Rounds(4, 4)] {
		d := spoken(t, records, s)
		folds, err := method.Folds(d, 3, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		cv, err := m.CrossValidate(d, &method.Options{Lambda: 0.3}, [][]method.Setting{nil}, folds, nil)
		if err != nil {
			t.Fatal(err)
		}
		choice, err := m.CrossValidatePath(d, &method.Options{L1Ratio: 0.5, Tol: 1e-8}, 3, folds[0])
		if err != nil {
			t.Fatal(err)
		}
		lambda := choice.Path.Points[2].Penalty
		var loss, onPath, weight float64
		for fold := range 3 {
			train := spoken(t, without(records, folds[0], fold, false), s)
			w, rows := losses(t, m, train, without(records, folds[0], fold, true), &method.Options{Lambda: 0.3})
			for i, l := range rows {
				loss += w[i] * l
			}
			w, rows = losses(t, m, train, without(records, folds[0], fold, true), &method.Options{L1Ratio: 0.5, Lambda: lambda, Tol: 1e-8})
			for i, l := range rows {
				onPath, weight = onPath+w[i]*l, weight+w[i]
			}
		}
		linalgtest.Close(t, fmt.Sprintf("%+v: log-loss", s), cv.LogLoss.Mean[0], loss/weight, 1e-9)
		linalgtest.Close(t, fmt.Sprintf("%+v: log-loss on a path", s), choice.CV.Mean[2], onPath/weight, 1e-5)
	}
}

// Documents that are not one a row are refused.
func TestDocumentsOfOtherRows(t *testing.T) {
	m, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	d := spoken(t, chatter(12), feature.TextSettings{})
	d.Documents = d.Documents[1:]
	var shape *linalg.ShapeError
	if _, err := m.CrossValidate(d, nil, [][]method.Setting{nil}, [][]int{make([]int, 12)}, nil); !errors.As(err, &shape) || shape.Got != 11 {
		t.Errorf("11 documents of 12 rows: %v", err)
	}
}

// losses fits to a table and returns the weights and the log-losses of other records.
func losses(t *testing.T, m *method.Method, train *dataset.Data, others [][]string, o *method.Options) (weights, losses []float64) {
	t.Helper()
	model, err := m.Fit(train, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := model.Schema.FromRecords(others, &dataset.Options{Weights: "times"})
	if err != nil {
		t.Fatal(err)
	}
	losses, err = validate.LogLosses(model.Classifier().(sim.Prober), d.Rows(), d.Labels)
	if err != nil {
		t.Fatal(err)
	}
	return d.Weights, losses
}
