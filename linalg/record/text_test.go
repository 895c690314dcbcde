package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"halfspace/linalg/record"
)

type embedded struct {
	Names []string `json:"names"`
	Half  float64  `json:"half,omitempty"`
}

type pieces struct {
	embedded
	Level   level              `json:"level"`
	Pointer *text              `json:"pointer,omitempty"`
	Numbers numbers            `json:"numbers"`
	Parts   []part             `json:"parts"`
	None    []part             `json:"none"`
	Empty   []part             `json:"empty,omitempty"`
	Grid    [][]float64        `json:"grid"`
	Words   map[string]float64 `json:"words,omitempty"`
	Pair    [2]int             `json:"pair,omitempty"`
	Off     bool               `json:"off,omitempty"`
	Next    *pieces            `json:"next,omitempty"`
	Any     any                `json:"any"`
	Left    int                `json:"-"`
	Plain   inner
	private int
}

type part struct {
	List []float64  `json:"list"`
	Note *byAddress `json:"note"`
	Own  byAddress  `json:"own"`
}

// byAddress encodes itself where it has an address.
type byAddress struct{ V int }

func (x *byAddress) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"<%d>"`, x.V), nil }

// Text in pieces is the text of encoding/json, of a record too.
func TestTextInPiecesIsThatOfJSON(t *testing.T) {
	long := make([]float64, 5000) // longer than a buffer
	for i := range long {
		long[i] = math.Pow(-1.7, float64(i%90-40))
	}
	nested := &pieces{embedded: embedded{Half: 0.5}, Parts: []part{}, Any: inner{2}, private: 1}
	for k, body := range []any{nested, *nested, []part(nil), []int{1, 2}, 3.5, (*pieces)(nil), struct{}{},
		&pieces{Level: 2, Pointer: &text{"a<b\""}, Numbers: numbers{[]int{1}}, Parts: []part{{long, nil, byAddress{1}}, {nil, &byAddress{2}, byAddress{3}}},
			Grid: [][]float64{{1, 2}, nil}, Words: map[string]float64{"b": 1, "a": 2}, Off: true, Next: nested, Left: 4}} {
		want, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := record.Write(&got, body); err != nil || got.String() != string(want) {
			t.Errorf("%d: %.500s\nwant %.500s; %v", k, got.String(), want, err)
		}
		whole, err := record.Marshal("test/pieces", 2, body)
		if err != nil {
			t.Fatal(err)
		}
		r := record.NewText("test/pieces", 2, true, func() any { return body })
		for range 2 { // the checksum is there the second time
			got.Reset()
			if err := r.WriteJSON(&got); err != nil || got.String() != string(whole) {
				t.Errorf("%d, a record: %.500s\nwant %.500s; %v", k, got.String(), whole, err)
			}
		}
	}
}

// full has room for some bytes.
type full int

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, errors.New("full")
	}
	return len(b), nil
}

func TestTextsThatCannotBeWritten(t *testing.T) {
	body := pieces{Parts: []part{{List: []float64{1}}, {}}}
	var b bytes.Buffer
	if err := record.Write(&b, body); err != nil {
		t.Fatal(err)
	}
	for room := range b.Len() {
		if f := full(room); record.Write(&f, body) == nil {
			t.Errorf("no error with room for %d bytes of %d", room, b.Len())
		}
	}
	body.Parts[1].List = []float64{1, math.NaN()}
	r := record.NewText("test/pieces", 2, true, func() any { return body })
	if err := r.WriteJSON(&b); !errors.As(err, new(*json.UnsupportedValueError)) {
		t.Errorf("NaN: %v", err)
	}
	if err := record.NewText("test/pieces", 2, false, nil).WriteJSON(&b); !errors.Is(err, record.ErrUnfitted) {
		t.Error(err)
	}
}
