package moments_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"halfspace/linalg/moments"
	"halfspace/linalg/record"
)

func TestJSON(t *testing.T) {
	x, y, w := labeled(7, 50, 3, 3, 1, 1e8)
	for _, pooled := range []bool{false, true} {
		m := addRows(t, x, y, w, pooled, 0)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back moments.ByClass
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(&back, m) {
			t.Errorf("pooled %v: other moments came back", pooled)
		}
	}
	empty, _ := moments.New(2, true)
	b, err := json.Marshal(empty)
	if err != nil {
		t.Fatal(err)
	}
	var back moments.ByClass
	if err := json.Unmarshal(b, &back); err != nil || back.Features() != 2 {
		t.Errorf("moments of nothing: %v", err)
	}
	if err := json.Unmarshal([]byte(`{"kind":"halfspace/moments","version":2,"crc64":"","body":{}}`), &back); err == nil {
		t.Error("a newer version was read")
	}
	file := func(square float64) []byte {
		b, err := record.Marshal("halfspace/moments", 1, map[string]any{
			"features": 1, "pooled": true, "origin": []float64{0}, "within": []float64{square},
			"classes": []map[string]any{{"label": 0, "rows": 2, "weight": 2, "deviation": []float64{0}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if err := json.Unmarshal(file(1e303), &back); err != nil || back.Within().At(0, 0) != 1e303 {
		t.Errorf("a file of large squares: %v", err)
	}
	var damage *record.DamageError
	far, err := record.Marshal("halfspace/moments", 1, map[string]any{
		"features": 1, "pooled": true, "origin": []float64{1e200}, "within": []float64{1},
		"classes": []map[string]any{{"label": 0, "rows": 2, "weight": 2, "deviation": []float64{0}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(far, &back); !errors.As(err, &damage) {
		t.Errorf("an origin of 1e200: %v", err)
	}
	for _, v := range []float64{-1, 1e305} {
		if err := json.Unmarshal(file(v), &back); !errors.As(err, &damage) {
			t.Errorf("a sum of squares of %g: %v", v, err)
		}
	}
}
