package linalg_test

import (
	"fmt"
	"log"

	"halfspace/linalg"
)

// general has the fields of gonum's blas64.General, which RawMatrix of a *mat.Dense
// returns and SetRawMatrix takes.
type general struct {
	Rows, Cols int
	Data       []float64
	Stride     int
}

// A matrix of gonum is a Dense field by field, in both directions and without a copy; a
// flat slice is one with the number of its rows and columns. Rows of slices are copied.
func ExampleDense() {
	raw := general{Rows: 2, Cols: 3, Data: []float64{1, 2, 3, 4, 5, 6}, Stride: 3} // m.RawMatrix()
	x := &linalg.Dense{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride, Data: raw.Data}
	back := general{Rows: x.Rows, Cols: x.Cols, Data: x.Data, Stride: x.Stride}

	flat, err := linalg.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	if err != nil {
		log.Fatal(err)
	}
	rows, err := linalg.FromRows([][]float64{{1, 2, 3}, {4, 5, 6}})
	if err != nil {
		log.Fatal(err)
	}
	raw.Data[0] = 7 // the matrices share it
	fmt.Println(x.Row(0), back.Data[:3], flat.Row(0), rows.Row(0))
	// Output: [7 2 3] [7 2 3] [1 2 3] [1 2 3]
}
