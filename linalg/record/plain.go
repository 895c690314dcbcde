package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode"
)

// Plain returns the JSON of a result: its exported fields, DevRatio under the name
// "dev_ratio", and null for a number that JSON cannot hold. It does not call a
// MarshalJSON of v itself, only those of its parts, so that it can be one.
func Plain(v any) ([]byte, error) {
	var b bytes.Buffer
	err := write(&b, reflect.ValueOf(v), true)
	return b.Bytes(), err
}

// ReadPlain reads what [Plain] wrote into the value that v points to; null is NaN
// where there is a number. Fields that the value does not have are refused.
func ReadPlain(data []byte, v any) error {
	fresh := reflect.New(reflect.TypeOf(v).Elem())
	if err := read(data, fresh.Elem(), true); err != nil {
		return err
	}
	reflect.ValueOf(v).Elem().Set(fresh.Elem())
	return nil
}

func write(b *bytes.Buffer, v reflect.Value, itself bool) error {
	switch k := v.Kind(); {
	case (k == reflect.Pointer || k == reflect.Slice) && v.IsNil():
		b.WriteString("null")
		return nil
	case !itself && encodesItself(v):
	case k == reflect.Pointer:
		return write(b, v.Elem(), itself)
	case k == reflect.Float64:
		if f := v.Float(); f-f != 0 {
			b.WriteString("null")
			return nil
		}
	case k == reflect.Struct:
		return writeStruct(b, v)
	case k == reflect.Slice, k == reflect.Array:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := write(b, v.Index(i), false); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	one, err := json.Marshal(v.Interface())
	b.Write(one)
	return err
}

func writeStruct(b *bytes.Buffer, v reflect.Value) error {
	between := byte('{')
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.IsExported() || len(f.Index) > 1 {
			continue
		}
		b.WriteByte(between)
		between = ','
		fmt.Fprintf(b, "%q:", fieldName(f.Name))
		if err := write(b, v.FieldByIndex(f.Index), false); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if between == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return nil
}

func read(data []byte, v reflect.Value, itself bool) error {
	null := string(bytes.TrimSpace(data)) == "null"
	switch k := v.Kind(); {
	case k == reflect.Float64 && null:
		v.SetFloat(math.NaN())
		return nil
	case (k == reflect.Pointer || k == reflect.Slice) && null:
		return nil
	case !itself && decodesItself(v):
	case k == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return read(data, v.Elem(), itself)
	case k == reflect.Struct:
		return readStruct(data, v)
	case k == reflect.Slice, k == reflect.Array:
		return readList(data, v)
	}
	return json.Unmarshal(data, v.Addr().Interface())
}

func readStruct(data []byte, v reflect.Value) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.IsExported() || len(f.Index) > 1 {
			continue
		}
		name := fieldName(f.Name)
		if one, ok := members[name]; ok {
			if err := read(one, v.FieldByIndex(f.Index), false); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		delete(members, name)
	}
	for name := range members {
		return fmt.Errorf("json: unknown field %q", name)
	}
	return nil
}

func readList(data []byte, v reflect.Value) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	} else if len(list) != v.Len() {
		return fmt.Errorf("json: %d values for %d", len(list), v.Len())
	}
	for i, one := range list {
		if err := read(one, v.Index(i), false); err != nil {
			return err
		}
	}
	return nil
}

// fieldName writes a field's name as members of JSON are written: NullDF is null_df.
func fieldName(name string) string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		upper := unicode.IsUpper(c)
		afterLower := i > 0 && !unicode.IsUpper(r[i-1])
		beforeLower := i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1])
		if upper && (afterLower || beforeLower) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
