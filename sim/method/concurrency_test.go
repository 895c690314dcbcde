package method_test

import (
	"bytes"
	"math"
	"sync"
	"testing"

	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/method/report"
	"halfspace/sim/validate"
)

// goroutines is how many use one model at a time.
const goroutines = 64

// One model predicts, is saved, summarised and cross-validated with the same data
// and options by many goroutines; under the race detector that shows that none
// writes to what another reads.
func TestOneModelManyGoroutines(t *testing.T) {
	for _, m := range method.All() {
		o := methodtest.Options(m)
		o.Standardize, o.Epsilon = m.Takes("standardize"), 0.1
		d := methodtest.Clouds(m, 1, 60, 3)
		model := methodtest.Must(t, m, d, o)
		want := methodtest.Predictions(model, d.X)
		var file bytes.Buffer
		if err := model.Save(&file); err != nil {
			t.Fatal(err)
		}
		before := snapshot(d, o)
		folds, err := foldsOf(d)
		if err != nil {
			t.Fatal(err)
		}
		var loss [goroutines]float64
		var wait sync.WaitGroup
		for g := range goroutines {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for i, v := range methodtest.Predictions(model, d.X) {
					if math.Float64bits(v) != math.Float64bits(want[i]) {
						t.Errorf("%s: value %d: %v, alone %v", m.Name, i, v, want[i])
						return
					}
				}
				var b bytes.Buffer
				if err := model.Save(&b); err != nil || !bytes.Equal(b.Bytes(), file.Bytes()) {
					t.Errorf("%s: saved as something else: %v", m.Name, err)
				}
				model.Coef()
				report.Summarize(model, d.X.Rows, 0)
				if g%8 != 0 {
					return // a fit costs more than a prediction
				}
				cv, err := m.CrossValidate(d, o, [][]method.Setting{nil}, [][]int{folds}, &validate.Options{Workers: 2})
				if err != nil {
					t.Errorf("%s: %v", m.Name, err)
					return
				}
				loss[g] = cv.Loss.Mean[0]
			}()
		}
		wait.Wait()
		for g := 8; g < goroutines; g += 8 {
			if math.Float64bits(loss[g]) != math.Float64bits(loss[0]) {
				t.Errorf("%s: cross-validated losses %v and %v", m.Name, loss[0], loss[g])
			}
		}
		if after := snapshot(d, o); after != before {
			t.Errorf("%s wrote to its input", m.Name)
		}
	}
}

func foldsOf(d *dataset.Data) ([]int, error) {
	if d.Labels != nil {
		return validate.StratifiedFolds(d.Labels, 4, 1)
	}
	return validate.Folds(d.X.Rows, 4, 1)
}

// What is fitted does not depend on how many goroutines fit it: small tables, and
// ones large enough to be shared out.
func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	sizes := [][2]int{{60, 3}, {3000, 12}, {40, 60}}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, m := range method.All() {
		for _, o := range methodtest.Ways(m) {
			for _, size := range sizes {
				d := methodtest.Clouds(m, 1, size[0], size[1])
				d.X.Data[0] *= 1.5
				var first []byte
				var failed string
				for _, workers := range []int{1, 2, 3, 16} {
					own := *o
					own.Workers = workers
					if !m.Takes("workers") {
						t.Fatalf("%s takes no workers", m.Name)
					}
					model, err := m.Fit(d, &own)
					var b bytes.Buffer
					text := "nil"
					if err != nil {
						text = err.Error()
					}
					if model != nil {
						if err := model.Save(&b); err != nil {
							t.Fatal(err)
						}
					}
					if workers == 1 {
						first, failed = b.Bytes(), text
					} else if !bytes.Equal(b.Bytes(), first) || text != failed {
						t.Errorf("%s on %d × %d: %d workers change the model (%s; %s)", m.Name, size[0], size[1], workers, failed, text)
					}
				}
			}
		}
	}
}

// Two fits of the same table are the same file.
func TestSameBitsEveryTime(t *testing.T) {
	for _, m := range method.All() {
		o := methodtest.Options(m)
		if m.Takes("seed") {
			o.Seed = 7
		}
		var files [2]bytes.Buffer
		for i := range files {
			if err := methodtest.Must(t, m, methodtest.Clouds(m, 1, 60, 3), o).Save(&files[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
			t.Errorf("%s: two fits differ", m.Name)
		}
	}
}
