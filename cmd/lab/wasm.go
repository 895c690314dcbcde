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
	js.Global().Set("lab", js.FuncOf(ask))
	select {}
}

// ask is called with a query as JSON and the bytes of a Float64Array: all coordinates, then
// all labels. It returns the answer as JSON, with the bytes of its scores and table.
func ask(_ js.Value, args []js.Value) any {
	var q engine.Query
	if err := json.Unmarshal([]byte(args[0].String()), &q); err != nil {
		return err.Error()
	}
	b := make([]byte, args[1].Length())
	js.CopyBytesToGo(b, args[1])
	points := make([]float64, len(b)/8)
	for i := range points {
		points[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	y := make([]int, len(points)/3)
	for i := range y {
		y[i] = int(points[2*len(y)+i])
	}
	a := engine.Ask(&q, points[:2*len(y)], y)
	text, err := json.Marshal(a)
	if err != nil {
		return err.Error()
	}
	return map[string]any{"answer": string(text), "scores": bytes(a.Scores), "table": bytes(a.Table)}
}

// bytes returns those of a Float64Array with the values.
func bytes(v []float64) js.Value {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}
