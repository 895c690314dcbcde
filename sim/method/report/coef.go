package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"halfspace/linalg/record"
	"halfspace/sim"
)

// Coef are the coefficients of a linear model, a row for each function. In JSON they are a list
// of rows, or, of more than manyFeatures features, an object with the number of features and
// the coefficients of each row that are not 0.
type Coef [][]record.Number

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

// MarshalJSON writes the coefficients. Of many features there can be millions, so their text is
// put together in one piece.
func (c Coef) MarshalJSON() ([]byte, error) {
	if len(c) == 0 || len(c[0]) <= manyFeatures {
		return json.Marshal([][]record.Number(c))
	}
	const digits = 28 // of a place and its number, with commas
	stored := 0
	for _, row := range c {
		for _, v := range row {
			if v != 0 {
				stored++
			}
		}
	}
	b := fmt.Appendf(make([]byte, 0, digits*(stored+len(c)+1)), `{"p":%d,"rows":`, len(c[0]))
	for k, row := range c {
		b = append(b, "[,"[min(k, 1)])
		b = appendEach(append(b, `{"index":`...), row, func(b []byte, j int) []byte { return strconv.AppendInt(b, int64(j), 10) })
		b = appendEach(append(b, `,"value":`...), row, func(b []byte, j int) []byte { return row[j].Append(b) })
		b = append(b, '}')
	}
	return append(b, "]}"...), nil
}

// appendEach appends a list of the texts of the places where a row is not 0.
func appendEach(b []byte, row []record.Number, text func(b []byte, j int) []byte) []byte {
	b = append(b, '[')
	first := len(b)
	for j, v := range row {
		if v == 0 {
			continue
		}
		if len(b) > first {
			b = append(b, ',')
		}
		b = text(b, j)
	}
	return append(b, ']')
}

// mostRead bounds the features that UnmarshalJSON makes room for.
const mostRead = 1 << 28

// UnmarshalJSON reads both forms.
func (c *Coef) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '{' {
		return json.Unmarshal(b, (*[][]record.Number)(c))
	}
	var s sparseCoef
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if s.P < 0 || s.P*max(1, len(s.Rows)) > mostRead {
		return fmt.Errorf("coefficients of %d features", s.P)
	}
	*c = nil
	for _, r := range s.Rows {
		row := make([]record.Number, s.P)
		for k, j := range r.Index {
			if j < 0 || j >= s.P || k >= len(r.Value) {
				return fmt.Errorf("coefficient %d of %d", j, s.P)
			}
			row[j] = r.Value[k]
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
		if s.Classes == nil {
			t.Add("", s.largest(row, -1))
		}
	}
	return t
}

// largest lists the features whose coefficients times sign are largest and positive.
func (s *Summary) largest(row []record.Number, sign float64) string {
	var order []int
	for j, v := range row {
		if sign*float64(v) > 0 {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Abs(float64(row[b])), math.Abs(float64(row[a]))), a-b)
	})
	text := ""
	for i, j := range order[:min(telling, len(order))] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %.3g", s.Features[j], float64(row[j]))
	}
	return text
}
