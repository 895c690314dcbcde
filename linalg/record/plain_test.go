package record_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"halfspace/linalg/record"
)

type level uint8

func (l level) MarshalText() ([]byte, error)     { return []byte{'a' + byte(l)}, nil }
func (l *level) UnmarshalText(text []byte) error { *l = level(text[0] - 'a'); return nil }

type inner struct{ NullDF float64 }

type result struct {
	LogLoss float64
	AUC     *float64
	Level   level
	Parts   []inner
	Pair    [2]int
	Grid    [][]float64
	Names   []string
	Next    *result
	private int
}

func (r result) MarshalJSON() ([]byte, error)     { return record.Plain(r) }
func (r *result) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }

func TestPlainComesBack(t *testing.T) {
	half := 0.5
	want := result{LogLoss: 0.1, AUC: &half, Level: 2, Parts: []inner{{3}}, Pair: [2]int{1, -2}, Grid: [][]float64{{1, 2}, nil},
		Names: []string{"a\"b", ""}, Next: &result{Names: []string{}}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"log_loss":0.1,"auc":0.5,"level":"c","parts":[{"null_df":3}],"pair":[1,-2],"grid":[[1,2],null],"names":["a\"b",""],` +
		`"next":{"log_loss":0,"auc":null,"level":"a","parts":null,"pair":[0,0],"grid":null,"names":[],"next":null}}`
	if string(data) != text {
		t.Errorf("%s\nwant %s", data, text)
	}
	var back result
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, want) {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestPlainNumbersThatJSONCannotHoldAreNull(t *testing.T) {
	data, err := json.Marshal(result{LogLoss: math.Inf(1), Parts: []inner{{math.NaN()}}})
	if err != nil {
		t.Fatal(err)
	}
	var back result
	if err := json.Unmarshal(data, &back); err != nil || !math.IsNaN(back.LogLoss) || !math.IsNaN(back.Parts[0].NullDF) {
		t.Errorf("%s: %+v, %v", data, back, err)
	}
}

func TestPlainRefusesOtherObjects(t *testing.T) {
	for _, text := range []string{`{"log_los":1}`, `{"pair":[1]}`, `{"level":3}`, `[]`, `{"grid":[1]}`} {
		kept := result{LogLoss: 7}
		if err := json.Unmarshal([]byte(text), &kept); err == nil || kept.LogLoss != 7 {
			t.Errorf("%s was read as %+v, %v", text, kept, err)
		}
	}
}
