package moments_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
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
}

// Files whose sums would leave the range of floating point, or that no rows make, are damaged.
func TestDamagedMoments(t *testing.T) {
	var back moments.ByClass
	file := func(origin, square float64, rows int, weight, deviation float64) []byte {
		b, err := record.Marshal("halfspace/moments", 1, map[string]any{
			"features": 1, "pooled": true, "origin": []float64{origin}, "within": []float64{square},
			"classes": []map[string]any{{"label": 0, "rows": rows, "weight": weight, "deviation": []float64{deviation}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if err := json.Unmarshal(file(-1e152, 1e303, 1, 0.1, 1e152), &back); err != nil || back.Within().At(0, 0) != 1e303 {
		t.Errorf("a file of large squares: %v", err)
	}
	shape := func(pooled bool, features int, labels ...int) []byte {
		classes := []map[string]any{}
		for _, l := range labels {
			classes = append(classes, map[string]any{"label": l, "rows": 1, "weight": 1, "deviation": make([]float64, features)})
		}
		b, err := record.Marshal("halfspace/moments", 1, map[string]any{"features": features, "pooled": pooled,
			"origin": make([]float64, max(0, features)), "within": make([]float64, max(0, features*(features+1)/2)), "classes": classes})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if err := json.Unmarshal(shape(true, 2, -1, 3), &back); err != nil || !slices.Equal(back.Classes(), []int{-1, 3}) {
		t.Errorf("two classes: %v", err)
	}
	for name, bad := range map[string][]byte{
		"no features":     shape(false, 0),
		"fewer than none": shape(false, -1),
		"label twice":     shape(true, 1, 3, 3),
		"labels fall":     shape(true, 1, 3, 2),
		"origin":          file(1.1e152, 1, 2, 2, 0),
		"negative square": file(0, -1, 2, 2, 0),
		"large square":    file(0, 1e305, 2, 2, 0),
		"no rows":         file(0, 1, 0, 2, 0),
		"no weight":       file(0, 1, 2, 0, 0),
		"deviation":       file(0, 1, 2, 2, -1.1e152),
	} {
		var damage *record.DamageError
		if err := json.Unmarshal(bad, &back); !errors.As(err, &damage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
