package logistic_test

import (
	"encoding/json"
	"errors"
	"testing"

	"halfspace/linalg/record"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

// A model comes back bit for bit.
func TestJSON(t *testing.T) {
	x, y := lt.IrisPair(t)
	for i := range x.Data {
		x.Data[i] += 1e6 // so that there is an origin
	}
	m := lt.MustFit(t, x, y, &logistic.Options{Lambda: 0.5})
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back logistic.Model
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(&back)
	if string(again) != string(b) {
		t.Errorf("%s\n%s", b, again)
	}
	for i := range x.Rows {
		f, g := m.LogOdds(x.Row(i)), back.LogOdds(x.Row(i))
		if f != g {
			t.Fatalf("row %d: %v, after loading %v", i, f, g)
		}
	}
}

// edited reads a model back whose file has other members, with their checksum.
func edited(t testing.TB, m *logistic.Model, members map[string]any) (*logistic.Model, error) {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if _, err := record.Unmarshal(b, "halfspace/logistic", 1, &body); err != nil {
		t.Fatal(err)
	}
	for name, v := range members {
		body[name] = v
	}
	if b, err = record.Marshal("halfspace/logistic", 1, body); err != nil {
		t.Fatal(err)
	}
	back := new(logistic.Model)
	return back, json.Unmarshal(b, back)
}

// Numbers that describe no model are damage, whatever their checksum.
func TestNumbersOfNoModel(t *testing.T) {
	x, y := lt.IrisPair(t)
	m := lt.MustFit(t, lt.First(x, 2), y, &logistic.Options{Lambda: 1})
	if _, err := edited(t, m, map[string]any{"classes": []int{3, 5}, "coef": []float64{1, 2}, "intercept": []float64{3}, "origin": []float64{1, 1}}); err != nil {
		t.Fatal(err)
	}
	for name, members := range map[string]map[string]any{
		"one class":             {"classes": []int{1}},
		"order":                 {"classes": []int{1, 0}},
		"twice":                 {"classes": []int{1, 1}},
		"coefficients":          {"coef": []float64{1}},
		"no features":           {"features": 0, "coef": nil},
		"intercepts":            {"intercept": []float64{1, 2}},
		"functions":             {"classes": []int{0, 1, 2}},
		"origin":                {"origin": []float64{1}},
		"method":                {"method": "magic"},
		"an infinite intercept": {"coef": []float64{1e200, 1}, "origin": []float64{1e200, 1}},
	} {
		var e *record.DamageError
		if _, err := edited(t, m, members); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := edited(t, m, map[string]any{"intercept": []json.Number{"1e999"}}); err == nil {
		t.Error("an intercept of 1e999 was read")
	}
	if err := json.Unmarshal([]byte(`{"kind":"other"}`), new(logistic.Model)); err == nil {
		t.Error("another kind was read")
	}
	if _, err := json.Marshal(new(logistic.Model)); err == nil {
		t.Error("a model that was not fitted was written")
	}
}
