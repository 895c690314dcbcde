package report

import (
	"io"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/sim"
)

// Report is a result that marshals to JSON and prints itself: aligned for a
// reader, with tabs for a pipe.
type Report interface {
	Write(w io.Writer, aligned bool) error
}

// Certificate is an [optimize.Certificate] as it stands in JSON.
type Certificate struct {
	Kind  optimize.Kind `json:"kind"`
	Value record.Number `json:"value"`
	Tol   record.Number `json:"tol"`
}

func certificate(c optimize.Certificate) Certificate {
	return Certificate{c.Kind, record.Number(c.Value), record.Number(c.Tol)}
}

func matrix(d *linalg.Dense) [][]record.Number {
	out := make([][]record.Number, d.Rows)
	for i := range out {
		out[i] = record.Numbers(d.Row(i))
	}
	return out
}

// line returns the cells of a table's row: a name and numbers.
func line(name string, v []record.Number) []string {
	row := []string{name}
	for _, x := range v {
		row = append(row, sim.Number(float64(x)))
	}
	return row
}
