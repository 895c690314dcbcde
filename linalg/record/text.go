package record

import (
	"bufio"
	"encoding"
	"encoding/json"
	"fmt"
	"hash/crc64"
	"io"
	"reflect"
	"strings"
)

// Streamer writes its JSON in pieces, the text that encoding/json would make of it.
type Streamer interface{ WriteJSON(w io.Writer) error }

// Write writes the JSON of v, the text of encoding/json, but a struct member by member, and a list
// of structs or of numbers element by element: the text of a large model is longer than the model,
// and nobody holds it as a whole.
func Write(w io.Writer, v any) error {
	if s, ok := v.(Streamer); ok {
		return s.WriteJSON(w)
	}
	if r := reflect.ValueOf(v); r.IsValid() && !encodesItself(r) {
		switch r = reflect.Indirect(r); {
		case r.Kind() == reflect.Struct:
			return writeMembers(w, r)
		case r.Kind() != reflect.Slice || r.IsNil():
		case r.Type().Elem().Kind() == reflect.Struct:
			return writeElements(w, r)
		case r.Type() == reflect.TypeFor[[]float64]():
			return writeNumbers(w, r.Interface().([]float64))
		}
	}
	b, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// writeMembers writes a struct, with the members of those embedded in it.
func writeMembers(w io.Writer, v reflect.Value) error {
	before := "{"
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := v.FieldByIndex(f.Index)
		if name == "-" || option == "omitempty" && isEmpty(value) {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if _, err := fmt.Fprintf(w, "%s%q:", before, name); err != nil {
			return err
		}
		if err := Write(w, pointed(value)); err != nil {
			return err
		}
		before = ","
	}
	_, err := io.WriteString(w, strings.TrimPrefix(before, ",")+"}")
	return err
}

// isEmpty reports whether encoding/json leaves out a member that is omitted if empty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	}
	return v.Kind() != reflect.Struct && v.IsZero()
}

// writeElements writes a list.
func writeElements(w io.Writer, v reflect.Value) error {
	before := "["
	for k := range v.Len() {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if err := Write(w, pointed(v.Index(k))); err != nil {
			return err
		}
		before = ","
	}
	_, err := io.WriteString(w, strings.TrimPrefix(before, ",")+"]")
	return err
}

// pointed returns v, by a pointer if it has an address, whose methods encoding/json knows too.
func pointed(v reflect.Value) any {
	if k := v.Kind(); v.CanAddr() && k != reflect.Interface && k != reflect.Pointer {
		return v.Addr().Interface()
	}
	return v.Interface()
}

// writeNumbers writes a list of numbers. Error: that of encoding/json for one that is not finite.
func writeNumbers(w io.Writer, v []float64) error {
	b := bufio.NewWriter(w)
	b.WriteByte('[')
	for k, x := range v {
		if k > 0 {
			b.WriteByte(',')
		}
		if x-x != 0 {
			_, err := json.Marshal(x)
			return err
		}
		b.Write(Number(x).Append(b.AvailableBuffer()))
	}
	b.WriteByte(']')
	return b.Flush()
}

// Text is the record of a model that can be written in pieces.
type Text struct {
	kind    string
	version int
	fitted  bool
	body    func() any
	sum     string // "" before it is asked for
}

// NewText returns the record of the given kind and version of a model with a body. That of one that is
// not fitted has no text but [ErrUnfitted].
func NewText(kind string, version int, fitted bool, body func() any) *Text {
	return &Text{kind: kind, version: version, fitted: fitted, body: body}
}

// MarshalJSON returns the text of [MarshalFitted].
func (t *Text) MarshalJSON() ([]byte, error) {
	return MarshalFitted(t.kind, t.version, t.fitted, t.body)
}

// WriteJSON writes the body once for its checksum, unless that has been done, and once more. It is
// not for several goroutines.
func (t *Text) WriteJSON(w io.Writer) error {
	if !t.fitted {
		_, err := t.MarshalJSON()
		return err
	}
	body := t.body()
	if t.sum == "" {
		sum := crc64.New(crc64.MakeTable(crc64.ECMA))
		if err := Write(sum, body); err != nil {
			return err
		}
		t.sum = digits(sum.Sum64())
	}
	return Write(w, struct {
		Kind    string `json:"kind"`
		Version int    `json:"version"`
		CRC64   string `json:"crc64"`
		Body    any    `json:"body"`
	}{t.kind, t.version, t.sum, body})
}

// encodesItself reports whether encoding/json would call a method of v.
func encodesItself(v reflect.Value) bool {
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	}
	return false
}
