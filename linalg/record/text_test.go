package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
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

type read struct {
	embedded
	Raw   json.RawMessage `json:"raw"`
	List  []float64       `json:"list"`
	Grid  [][]float64     `json:"grid"`
	Parts []readPart      `json:"parts"`
	Next  *read           `json:"next"`
	Own   *record.Packed  `json:"own"`
	Whole int             `json:"whole"`
	Left  int             `json:"-"`
	Words map[string]int  `json:"words"`
	Any   any             `json:"any"`
	Plain string
}

type readPart struct {
	Numbers []record.Number `json:"numbers"`
	On      bool            `json:"on"`
}

// A text is read as encoding/json reads it, whether or not it is one that is read in one pass, and so
// are its errors.
func TestTextIsReadAsJSONReadsIt(t *testing.T) {
	own := record.Packed{1, math.Inf(1)}
	large, err := json.Marshal(read{embedded{[]string{"a]\\\"}", "\"", "{[,"}, 0.5}, json.RawMessage(`{"x":["]",{}],"y":"}"}`), []float64{1, -2.5e-7, 0},
		[][]float64{{}, {3}, nil}, []readPart{{[]record.Number{1, 3.5}, true}, {}}, &read{Plain: "é\\"}, &own, -7, 1, nil, nil, "\\\",]"})
	if err != nil {
		t.Fatal(err)
	}
	var once read
	if err := record.Decode(large, &once); err != nil || &once.Raw[0] != &large[bytes.Index(large, []byte(`{"x"`))] {
		t.Errorf("%s is not read in one pass: %v", large, err)
	}
	texts := []string{string(large), string(large[:len(large)-1]), string(large) + "}", "", "{", "[", "null", "{}", " {} ", `{"whole":1,"whole":2}`, `{"whole":1.5}`,
		`{"WHOLE":3}`, `{"whole":3,"none":4}`, `{"-":3}`, `{"whole" : 3}`, `{"whole":3 }`, `{"whole"}`, `{"whole":}`, `{"whole":3,}`, `{"whole":3,,}`,
		`{"list":null,"grid":null,"parts":null,"next":null,"own":null,"raw":null,"whole":null}`, `{"list":[],"grid":[[]],"parts":[{}],"next":{},"raw":[]}`,
		`{"words":{"a":1},"whole":1}`, `{"any":[1],"whole":1}`, `{"parts":[{"numbers":[1,2]},{"on":true}],"Plain":"\u00e9"}`, `{"parts":[{"off":true}]}`,
		`{"parts":[{}`, `{"parts":[{}]`, `{"own":"x"}`, `{"next":{"next":{"whole":9}}}`, `{"list":{}}`, `{"next":[]}`, `{"list":[1 ,2]}`}
	for _, n := range []string{"-0", "1e5", "1E+2", "0.5", "0e1", "1e400", "0x1", "01", "+1", "inf", "NaN", "-", "", "1,", ",1", "1,,2", "[1]", `"1"`, "null", "1_0", "1.", "1.e5", "-2.", "{}"} {
		texts = append(texts, `{"list":[`+n+`],"whole":1}`, `{"grid":[[0],[`+n+`]]}`)
	}
	for _, raw := range []string{"", "]", "[}", `{"x":]`, `{"x":]}`, `{"x"}`, `{"x",1}`, "[1,]", "[,1]", "[1 2]", "[01]", "[1.]", "nul", "nulls", "truefalse", `"\x"`, `"\u00g0"`, "\"\x01\"", `"é\"\n"`,
		`[[["]"]],{"a":{"b":[-1.5e-7,true,false,null,"x"]}}]`, strings.Repeat("[", 9990) + strings.Repeat("]", 9990), strings.Repeat("[", 10010) + strings.Repeat("]", 10010), strings.Repeat("[", 100000)} {
		texts = append(texts, `{"raw":`+raw+`}`, `{"raw":`+raw+`,"whole":1}`, `{"raw":`+raw, `{"raw":`+raw+`}]`)
	}
	for _, text := range texts {
		var want, got read
		wanted := json.Unmarshal([]byte(text), new(json.RawMessage))
		if wanted == nil {
			d := json.NewDecoder(strings.NewReader(text))
			d.DisallowUnknownFields()
			wanted = d.Decode(&want)
		}
		err := record.Decode([]byte(text), &got)
		if fmt.Sprint(err) != fmt.Sprint(wanted) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nis read as %+v, %v\nwant %+v, %v", text, got, err, want, wanted)
		}
	}
}

// Reading a large record takes the room of its numbers and of one copy of their text, where
// encoding/json took that of seven.
func TestLargeRecordsAreReadInLittleRoom(t *testing.T) {
	long := make([]float64, 300_000)
	for i := range long {
		long[i] = math.Sin(float64(i))
	}
	inner, err := record.Marshal("test/inner", 1, body{long})
	if err != nil {
		t.Fatal(err)
	}
	data, err := record.Marshal("test/outer", 1, read{Raw: inner})
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var outer read
	var got body
	if _, err := record.Unmarshal(data, "test/outer", 1, &outer); err != nil {
		t.Fatal(err)
	}
	if _, err := record.Unmarshal(outer.Raw, "test/inner", 1, &got); err != nil || !slices.Equal(got.Coef, long) {
		t.Fatal(err, len(got.Coef))
	}
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(8*len(long)+5*len(data)/4); took > most {
		t.Errorf("%d bytes for a text of %d and %d numbers", took, len(data), len(long))
	}
}
