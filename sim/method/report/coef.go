package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"halfspace/linalg/record"
	"halfspace/sim"
)

// Coef are the coefficients of a linear model, a row for each function. In JSON they are a list
// of rows, or, of more than manyFeatures features, an object with the number of features and
// the coefficients of each row that are not 0.
type Coef [][]float64

// manyFeatures is the number of features up to which coefficients are listed.
const manyFeatures = 10_000

type sparseCoef struct {
	P    int         `json:"p"`
	Rows []sparseRow `json:"rows"`
}

type sparseRow struct {
	Index []int           `json:"index"`
	Value []record.Number `json:"value"`
}

// MarshalJSON writes the coefficients.
func (c Coef) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := c.WriteJSON(&b)
	return b.Bytes(), err
}

// WriteJSON writes the text of MarshalJSON in pieces: of many features there can be millions.
func (c Coef) WriteJSON(w io.Writer) error {
	b := bufio.NewWriter(w)
	many := len(c) > 0 && len(c[0]) > manyFeatures
	if many {
		fmt.Fprintf(b, `{"p":%d,"rows":`, len(c[0]))
	}
	b.WriteByte('[')
	for k, row := range c {
		if k > 0 {
			b.WriteByte(',')
		}
		if !many {
			writeEach(b, row, false, func(text []byte, j int) []byte { return record.Number(row[j]).Append(text) })
			continue
		}
		b.WriteString(`{"index":`)
		writeEach(b, row, true, func(text []byte, j int) []byte { return strconv.AppendInt(text, int64(j), 10) })
		b.WriteString(`,"value":`)
		writeEach(b, row, true, func(text []byte, j int) []byte { return record.Number(row[j]).Append(text) })
		b.WriteByte('}')
	}
	b.WriteByte(']')
	if many {
		b.WriteByte('}')
	}
	return b.Flush()
}

// writeEach writes a list of the texts of the places of a row, or of those that are not 0.
func writeEach(b *bufio.Writer, row []float64, stored bool, text func(b []byte, j int) []byte) {
	between := byte('[')
	for j, v := range row {
		if stored && v == 0 {
			continue
		}
		b.WriteByte(between)
		b.Write(text(b.AvailableBuffer(), j))
		between = ','
	}
	if between == '[' {
		b.WriteByte(between)
	}
	b.WriteByte(']')
}

// mostRead bounds the features that UnmarshalJSON makes room for.
const mostRead = 1 << 28

// UnmarshalJSON reads both forms.
func (c *Coef) UnmarshalJSON(b []byte) error {
	*c = nil
	if len(b) > 0 && b[0] != '{' {
		var rows [][]record.Number
		err := json.Unmarshal(b, &rows)
		for _, numbers := range rows {
			row := make([]float64, len(numbers))
			for j, v := range numbers {
				row[j] = float64(v)
			}
			*c = append(*c, row)
		}
		return err
	}
	var s sparseCoef
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if s.P < 0 || s.P > mostRead/max(1, len(s.Rows)) {
		return fmt.Errorf("coefficients of %d features", s.P)
	}
	for _, r := range s.Rows {
		row := make([]float64, s.P)
		for k, j := range r.Index {
			if j < 0 || j >= s.P || k >= len(r.Value) {
				return fmt.Errorf("coefficient %d of %d", j, s.P)
			}
			row[j] = float64(r.Value[k])
		}
		*c = append(*c, row)
	}
	return nil
}

// telling is how many features are shown of each class where they are too many for a table.
const telling = 12

// mostTelling is the table of the features with the largest coefficients for each class: for
// two classes those of the smaller label have the least.
func (s *Summary) mostTelling() *sim.Table {
	t := &sim.Table{Title: "Most telling features", Head: []string{"class", "features"}}
	for k, row := range s.Coef {
		if len(s.functions) == 1 && len(s.Classes) == 2 {
			t.Add(s.Classes[0], s.largest(row, -1))
		}
		name := "estimate"
		if k < len(s.functions) {
			name = s.functions[k]
		}
		t.Add(name, s.largest(row, 1))
		if falling := s.largest(row, -1); s.Classes == nil && falling != "" {
			t.Add("", falling)
		}
	}
	return t
}

// largest lists the features whose coefficients times sign are largest and positive.
func (s *Summary) largest(row []float64, sign float64) string {
	var order []int
	for j, v := range row {
		if sign*v > 0 {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Abs(row[b]), math.Abs(row[a])), a-b)
	})
	text := ""
	for i, j := range order[:min(telling, len(order))] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %.3g", s.Features[j], row[j])
	}
	return text
}
