package discriminant_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/record"
)

// models fits one of each kind, with options that show in the file.
func models(t testing.TB, x *linalg.Dense, y []int) map[string]any {
	t.Helper()
	costs, _ := linalg.FromRows([][]float64{{0, 1, 2}, {3, 0, 1}, {1, 1, 0}})
	o := &discriminant.Options{Costs: costs, Priors: []float64{.2, .3, .5}, Rank: 1, Softmax: true, Alpha: 0.3, Shrinkage: 0.25}
	m := map[string]any{}
	var err error
	fit := func(name string, model any, e error) {
		m[name] = model
		err = errors.Join(err, e)
	}
	l, e := discriminant.FitLDA(x, y, taken("lda", o))
	fit("lda", l, e)
	q, e := discriminant.FitQDA(x, y, taken("qda", o))
	fit("qda", q, e)
	r, e := discriminant.FitRDA(x, y, taken("rda", o))
	fit("rda", r, e)
	f, e := discriminant.FitReducedRank(x, y, taken("rrlda", o))
	fit("rrlda", f, e)
	i, e := discriminant.FitIndicator(x, y, taken("indicator", o))
	fit("indicator", i, e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestModelsSurviveJSON(t *testing.T) {
	x, y := iris(t)
	for name, m := range models(t, x, y) {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back := reflect.New(reflect.TypeOf(m).Elem()).Interface()
		if err := json.Unmarshal(b, back); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(back, m) {
			t.Errorf("%s: another model came back", name)
		}
		again, _ := json.Marshal(back)
		if string(again) != string(b) {
			t.Errorf("%s: other bytes the second time", name)
		}
		empty := reflect.New(reflect.TypeOf(m).Elem()).Interface()
		if _, err := json.Marshal(empty); err == nil {
			t.Errorf("%s: a model that was not fitted was saved", name)
		}
	}
}

// rewrap changes a body and puts a matching checksum around it, so that only
// validation stands between it and a model.
func rewrap(t testing.TB, file []byte, change func(body map[string]any)) []byte {
	t.Helper()
	var e struct {
		Kind string         `json:"kind"`
		Body map[string]any `json:"body"`
	}
	if err := json.Unmarshal(file, &e); err != nil {
		t.Fatal(err)
	}
	change(e.Body)
	b, err := record.Marshal(e.Kind, 1, e.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDamagedModelsAreRefused(t *testing.T) {
	x, y := iris(t)
	for name, m := range models(t, x, y) {
		file, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		read := func(b []byte) error {
			return json.Unmarshal(b, reflect.New(reflect.TypeOf(m).Elem()).Interface())
		}
		var damage *record.DamageError
		for field := range map[string]bool{"classes": true, "features": true, "origin": true, "coef": true, "intercept": true, "deviations": true,
			"factor": true, "factors": true, "priors": true, "costs": true, "vectors": true, "values": true, "centroids": true, "rank": true, "total": true, "zero": true} {
			present := false
			for _, wrong := range []any{nil, []any{}, 0, []any{1.0}, []any{[]any{1.0}}} {
				b := rewrap(t, file, func(body map[string]any) {
					_, present = body[field]
					body[field] = wrong
				})
				if !present || field == "costs" && wrong == nil {
					break
				}
				if err := read(b); err == nil {
					t.Errorf("%s: read with %s = %v", name, field, wrong)
				}
			}
		}
		flipped := []byte(strings.Replace(string(file), "1", "2", 3))
		if err := read(flipped); err == nil {
			t.Errorf("%s: read with other digits", name)
		}
		swapped := rewrap(t, file, func(body map[string]any) { body["classes"] = []any{2, 1, 0} })
		if err := read(swapped); !errors.As(err, &damage) {
			t.Errorf("%s: descending classes: %v", name, err)
		}
		for field, wrong := range map[string]any{
			"priors": []any{.2, .2, .2}, "alpha": 1.5, "shrinkage": -1, "values": []any{3, -1}, "factors": []any{
				[]any{1e-320, 0, 1, 0, 0, 1, 0, 0, 0, 1}, []any{1, 0, 1, 0, 0, 1, 0, 0, 0, 1}, []any{1, 0, 1, 0, 0, 1, 0, 0, 0, 1}},
		} {
			present := false
			b := rewrap(t, file, func(body map[string]any) {
				_, present = body[field]
				body[field] = wrong
			})
			if err := read(b); present && !errors.As(err, &damage) {
				t.Errorf("%s: %s = %v: %v", name, field, wrong, err)
			}
		}
		newer := strings.Replace(string(file), `"version":1`, `"version":9`, 1)
		var version *record.VersionError
		if err := read([]byte(newer)); !errors.As(err, &version) {
			t.Errorf("%s: newer version: %v", name, err)
		}
		other := strings.Replace(string(file), `"kind":"halfspace/`, `"kind":"elsewhere/`, 1)
		var kind *record.KindError
		if err := read([]byte(other)); !errors.As(err, &kind) || !strings.HasPrefix(err.Error(), "discriminant: ") {
			t.Errorf("%s: another kind: %v", name, err)
		}
		if err := read(file[:len(file)/2]); err == nil {
			t.Errorf("%s: half a file was read", name)
		}
	}
}

func ExampleLDA_MarshalJSON() {
	x, _ := linalg.FromRows([][]float64{{0}, {1}, {4}, {5}})
	m, err := discriminant.FitLDA(x, []int{0, 0, 1, 1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	file, _ := json.Marshal(m)
	var back discriminant.LDA
	if err := json.Unmarshal(file, &back); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(back.Predict([]float64{2.4}), back.Predict([]float64{2.6}))
	// Output: 0 1
}
