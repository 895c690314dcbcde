package record

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Decode decodes a JSON text as encoding/json does, refusing unknown fields. What [Write] wrote it
// reads in one pass, without a copy of the text.
func Decode(text []byte, v any) error {
	to := reflect.ValueOf(v).Elem()
	before := reflect.New(to.Type()).Elem()
	before.Set(to)
	if rest, ok := readValue(text, to); ok && len(rest) == 0 {
		return nil
	}
	to.Set(before) // encoding/json has another look, or the error
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil { // what follows the value too
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// readValue sets v to the value at the beginning of a compact text, and returns the rest. It reports
// false for one that is best left to encoding/json.
func readValue(text []byte, v reflect.Value) (rest []byte, ok bool) {
	raw := v.Type() == reflect.TypeFor[json.RawMessage]()
	itself := decodesItself(v)
	switch k := v.Kind(); {
	case raw || itself && k != reflect.Pointer:
	case bytes.HasPrefix(text, []byte("null")):
		v.SetZero()
		return text[4:], reflect.Interface <= k && k <= reflect.Slice // a map or a pointer too
	case k == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return readValue(text, v.Elem())
	case k == reflect.Struct:
		return readMembers(text, v)
	case v.Type() == reflect.TypeFor[[]float64]():
		numbers, rest, ok := readNumbers(text)
		v.Set(reflect.ValueOf(numbers))
		return rest, ok
	case k == reflect.Slice:
		return readElements(text, v)
	case k >= reflect.Array && k != reflect.String:
		return nil, false
	}
	rest, ok = skip(text, 0)
	n := len(text) - len(rest)
	part := text[:n:n]
	if !ok {
		return nil, false
	}
	if raw {
		v.SetBytes(part)
		return rest, true
	}
	if u, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		return rest, u.UnmarshalJSON(part) == nil
	}
	return rest, json.Unmarshal(part, v.Addr().Interface()) == nil
}

// readMembers reads a struct, with the members of those embedded in it.
func readMembers(text []byte, v reflect.Value) (rest []byte, ok bool) {
	fields := reflect.VisibleFields(v.Type())
	return inBrackets(text, '{', func(text []byte) ([]byte, bool) {
		name, rest, _ := bytes.Cut(text, []byte(`":`))
		for _, f := range fields {
			own, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if own == "" {
				own = f.Name
			}
			if string(name) == `"`+own && own != "-" && f.IsExported() && !f.Anonymous {
				return readValue(rest, v.FieldByIndex(f.Index))
			}
		}
		return nil, false
	})
}

// readElements reads a list.
func readElements(text []byte, v reflect.Value) (rest []byte, ok bool) {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return inBrackets(text, '[', func(text []byte) ([]byte, bool) {
		k := v.Len()
		v.Grow(1)
		v.SetLen(k + 1)
		return readValue(text, v.Index(k))
	})
}

// readNumbers reads a list of numbers.
func readNumbers(text []byte) (list []float64, rest []byte, ok bool) {
	end := bytes.IndexByte(text, ']')
	if end < 1 || text[0] != '[' {
		return nil, nil, false
	}
	list = make([]float64, 0, 1+bytes.Count(text[:end], []byte(",")))
	all, one := string(text[1:end]), ""
	for more := all != ""; more; {
		one, all, more = strings.Cut(all, ",")
		if one == "" || numberEnd([]byte(one)) != len(one) {
			return nil, nil, false // what ParseFloat reads beside: infinity, NaN, hexadecimals, 01, 1_0 and 1.
		}
		x, err := strconv.ParseFloat(one, 64)
		if err != nil {
			return nil, nil, false
		}
		list = append(list, x)
	}
	return list, text[end+1:], true
}

// inBrackets reads what stands between brackets, with commas between, and returns what is behind them.
func inBrackets(text []byte, open byte, each func([]byte) ([]byte, bool)) (rest []byte, ok bool) {
	if len(text) < 2 || text[0] != open {
		return nil, false
	}
	end := open + 2 // of { and of [
	if text[1] == end {
		return text[2:], true
	}
	for ok = true; ok; {
		if text, ok = each(text[1:]); !ok || len(text) == 0 {
			return nil, false
		}
		if text[0] == end {
			return text[1:], true
		}
		ok = text[0] == ','
	}
	return nil, false
}

// maxDepth is how deep lists and objects lie in each other at most, as in encoding/json.
const maxDepth = 10000

// skip returns what is behind the valid value at the beginning of a compact text.
func skip(text []byte, depth int) (rest []byte, ok bool) {
	inner := func(text []byte) ([]byte, bool) { return skip(text, depth+1) }
	switch {
	case len(text) == 0 || depth > maxDepth:
		return nil, false
	case text[0] == '[':
		return inBrackets(text, '[', inner)
	case text[0] == '{':
		return inBrackets(text, '{', func(text []byte) ([]byte, bool) {
			n := stringEnd(text)
			if n == 0 || n == len(text) || text[n] != ':' {
				return nil, false
			}
			return inner(text[n+1:])
		})
	}
	n := max(stringEnd(text), numberEnd(text))
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(text, []byte(word)) {
			n = len(word)
		}
	}
	return text[n:], n > 0
}

// stringEnd returns the length of the string at the beginning of a text, 0 if there is none.
func stringEnd(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return 0
	}
	escaped := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return 0
		case c != '"':
		case escaped && !json.Valid(text[:i+1]):
			return 0
		default:
			return i + 1
		}
	}
	return 0
}

// numberEnd returns the length of the number at the beginning of a text, 0 if there is none.
func numberEnd(text []byte) int {
	i := 0
	digits := func() bool {
		from := i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if !digits() {
		return 0
	}
	if i < len(text) && text[i] == '.' {
		if i++; !digits() {
			return 0
		}
	}
	if i < len(text) && text[i]|' ' == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !digits() {
			return 0
		}
	}
	return i
}

// decodesItself reports whether encoding/json would call a method of v's address, or
// of the pointer that v is.
func decodesItself(v reflect.Value) bool {
	t := v.Type()
	if t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	return t.Implements(reflect.TypeFor[json.Unmarshaler]()) || t.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
