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

// text reads itself as text alone, and is kept by pointer.
type text struct{ s string }

func (x text) MarshalText() ([]byte, error)     { return []byte(x.s), nil }
func (x *text) UnmarshalText(data []byte) error { x.s = string(data); return nil }

// numbers reads itself as JSON alone.
type numbers struct{ v []int }

func (x numbers) MarshalJSON() ([]byte, error)     { return json.Marshal(x.v) }
func (x *numbers) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &x.v) }

// hidden is embedded: its fields are its own.
type hidden struct{ Depth int }

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

func TestPlainLeavesValuesThatEncodeThemselves(t *testing.T) {
	type pointers struct {
		Text          *text
		Numbers       *numbers
		Lists         numbers
		BICOfAModelQ2 float64
	}
	want := pointers{&text{"a b"}, &numbers{[]int{1, 2}}, numbers{[]int{3}}, 4}
	data, err := record.Plain(want)
	if err != nil {
		t.Fatal(err)
	}
	if text := `{"text":"a b","numbers":[1,2],"lists":[3],"bic_of_a_model_q2":4}`; string(data) != text {
		t.Errorf("%s\nwant %s", data, text)
	}
	var back pointers
	if err := record.ReadPlain(data, &back); err != nil || !reflect.DeepEqual(back, want) {
		t.Errorf("%+v, %v", back, err)
	}
	type outer struct {
		hidden
		Own    int
		nobody int
	}
	var o outer
	if err := record.ReadPlain([]byte(`{"own":2,"depth":3}`), &o); err == nil || o.Depth != 0 || o.nobody != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}
