//go:build js

package main

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"syscall/js"

	"halfspace/cmd/lab/engine"
)

// main gives the worker the function lab and waits for its calls.
func main() {
	js.Global().Set("lab", js.FuncOf(func(_ js.Value, args []js.Value) any { return ask(args[0].String(), args[1]) }))
	select {}
}

// ask takes a query as JSON and the bytes of a Float64Array: all coordinates, then all
// labels. It returns the answer as JSON and the bytes of its scores and table.
func ask(query string, packed js.Value) any {
	b := make([]byte, packed.Length())
	js.CopyBytesToGo(b, packed)
	points := make([]float64, len(b)/8)
	for i := range points {
		points[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	y := make([]int, len(points)/3)
	for i := range y {
		y[i] = int(points[2*len(y)+i])
	}
	var q engine.Query
	if err := json.Unmarshal([]byte(query), &q); err != nil {
		return err.Error()
	}
	a := engine.Ask(&q, points[:2*len(y)], y)
	text, err := json.Marshal(a)
	if err != nil {
		return err.Error()
	}
	return map[string]any{"answer": string(text), "scores": toJS(a.Scores), "table": toJS(a.Table)}
}

func toJS(v []float64) js.Value {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}
