package record_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg/record"
)

func TestNumbersAreWrittenAsJSONWritesThem(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		v := math.Float64frombits(r.Uint64())
		if i%2 == 0 {
			v = r.NormFloat64() * math.Pow(10, float64(r.IntN(60)-30))
		}
		if i < 50 {
			v = math.Pow(10, float64(i-25))
		}
		want, err := json.Marshal(v)
		if err != nil {
			want = []byte("null")
		}
		if got := record.Number(v).Append([]byte("x")); string(got) != "x"+string(want) {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

func TestPackedComesBack(t *testing.T) {
	want := record.Packed{0.1, math.Copysign(0, -1), math.Inf(-1), 5e-324, math.NaN()}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got record.Packed
	if err := json.Unmarshal(data, &got); err != nil || len(got) != len(want) {
		t.Fatalf("%s: %v, %v", data, got, err)
	}
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Errorf("value %d: %v became %v", i, want[i], got[i])
		}
	}
	for _, text := range []string{`3`, `"*"`, `"AAAA"`} { // no text, no base64, three bytes
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
}

// The scores of rows of numbers up to 2⁶⁰ about the origin are within 2¹⁰²².
func TestScoresThatLeaveTheRange(t *testing.T) {
	for _, c := range []struct {
		coef, origin []float64
		intercept    float64
		damaged      bool
	}{
		{nil, nil, 0x1p1021, false},
		{nil, nil, -0x1p1022, true},
		{[]float64{-0x1p961, 0x1p960}, nil, 0, false},
		{[]float64{-0x1p961, 0x1p961}, nil, 0, true},
		{[]float64{0x1p961}, []float64{0}, 0, false},
		{[]float64{0x1p961}, []float64{-0x1p60}, 0, true},
		{[]float64{0x1p960}, []float64{0x1p60}, 0, false},
		{[]float64{math.NaN()}, nil, 0, true},
	} {
		if err := record.CheckAffine(c.coef, c.origin, c.intercept); errors.As(err, new(*record.DamageError)) != c.damaged {
			t.Errorf("%g, origin %g, intercept %g: %v", c.coef, c.origin, c.intercept, err)
		}
	}
}
