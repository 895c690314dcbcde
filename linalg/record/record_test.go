package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"halfspace/linalg/record"
)

type body struct {
	Coef []float64 `json:"coef"`
}

func TestBitForBit(t *testing.T) {
	want := body{[]float64{0.1, math.Copysign(0, -1), 5e-324, math.MaxFloat64, 1.0 / 3, -1e-300}}
	data, err := record.Marshal("test/model", 1, want)
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	for _, form := range [][]byte{data, indented.Bytes()} {
		var got body
		if v, err := record.Unmarshal(form, "test/model", 1, &got); v != 1 || err != nil {
			t.Fatal(v, err)
		}
		for i := range want.Coef {
			if math.Float64bits(got.Coef[i]) != math.Float64bits(want.Coef[i]) {
				t.Errorf("value %d: %v became %v", i, want.Coef[i], got.Coef[i])
			}
		}
	}
}

// Whatever byte of a record is changed, it does not load as other numbers.
func TestAnyChangedByteIsSeen(t *testing.T) {
	want := body{[]float64{1.25, -3}}
	data, err := record.Marshal("test/model", 1, want)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for _, c := range []byte("09e-x ") {
			if data[i] == c {
				continue
			}
			bad := bytes.Clone(data)
			bad[i] = c
			var got body
			if _, err := record.Unmarshal(bad, "test/model", 1, &got); err == nil {
				t.Errorf("%s loads as %v", bad, got)
			}
		}
		var got body
		if _, err := record.Unmarshal(data[:i], "test/model", 1, &got); err == nil {
			t.Errorf("truncated to %d bytes, it loads", i)
		}
	}
}

func TestWrongKindAndVersion(t *testing.T) {
	data, err := record.Marshal("test/model", 3, body{})
	if err != nil {
		t.Fatal(err)
	}
	var (
		kind    *record.KindError
		version *record.VersionError
		got     body
	)
	if _, err := record.Unmarshal(data, "test/other", 3, &got); !errors.As(err, &kind) {
		t.Errorf("kind: %v", err)
	}
	if _, err := record.Unmarshal(data, "test/model", 2, &got); !errors.As(err, &version) || version.Got != 3 {
		t.Errorf("version: %v", err)
	}
	if _, err := record.Unmarshal([]byte(strings.Replace(string(data), `"version":3`, `"version":0`, 1)), "test/model", 3, &got); !errors.As(err, &version) {
		t.Errorf("version 0: %v", err)
	}
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	data, err := record.Marshal("test/model", 1, map[string]any{"coef": []float64{1}, "intercept": 2})
	if err != nil {
		t.Fatal(err)
	}
	var got body
	if _, err := record.Unmarshal(data, "test/model", 1, &got); err == nil || !strings.Contains(err.Error(), "intercept") {
		t.Errorf("a field that the model does not know: %+v, %v", got, err)
	}
}

func TestMarshalRefusesNaN(t *testing.T) {
	if _, err := record.Marshal("test/model", 1, body{[]float64{math.NaN()}}); err == nil {
		t.Error("a model with a NaN was written")
	}
}

func TestNumberIsNullWhereJSONHasNone(t *testing.T) {
	data, err := json.Marshal(record.Numbers([]float64{1.5, math.NaN(), math.Inf(1), math.Inf(-1)}))
	if err != nil || string(data) != "[1.5,null,null,null]" {
		t.Fatalf("%s, %v", data, err)
	}
	var back []record.Number
	if err := json.Unmarshal(data, &back); err != nil || back[0] != 1.5 || !math.IsNaN(float64(back[1])) {
		t.Errorf("%v, %v", back, err)
	}
}

func Example() {
	data, _ := record.Marshal("example/line", 1, body{[]float64{2, -1}})
	var b body
	_, err := record.Unmarshal(data, "example/line", 1, &b)
	fmt.Println(b.Coef, err)
	_, err = record.Unmarshal(bytes.Replace(data, []byte("-1"), []byte("-7"), 1), "example/line", 1, &b)
	var damaged *record.DamageError
	fmt.Println(errors.As(err, &damaged))
	// Output:
	// [2 -1] <nil>
	// true
}
