package report

import (
	"bufio"
	"io"

	"halfspace/linalg/record"
	"halfspace/optimize"
	"halfspace/sim"
)

// Report is a result that marshals to JSON and prints itself: aligned for a
// reader, with tabs for a pipe.
type Report interface {
	Write(w io.Writer, aligned bool) error
}

// WriteJSON writes the JSON of a report and a line end. The text of very many coefficients is written
// as it is made.
func WriteJSON(w io.Writer, r Report) error {
	b := bufio.NewWriter(w)
	if err := record.Write(b, r); err != nil {
		return err
	}
	b.WriteByte('\n')
	return b.Flush()
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

// line returns the cells of a table's row: a name and numbers.
func line(name string, v []record.Number) []string {
	row := []string{name}
	for _, x := range v {
		row = append(row, sim.Number(float64(x)))
	}
	return row
}
