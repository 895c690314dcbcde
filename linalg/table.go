package linalg

// Table is rows in memory, which can be read one by one and in any order: a [*Dense] or a
// [*CSR].
type Table interface {
	Rows
	Indexed

	// Entries returns the values of row i that are stored and their columns, ascending; nil
	// columns are all of them. They are not copies.
	Entries(i int) (columns []int32, values []float64)

	// Select returns a copy of the rows named, in their order.
	Select(rows []int) Table
}

// InMemory returns rows that can be read in any order: a [Table] as it is, and a copy of
// another storage, which is sparse where its blocks are.
//
// Errors: those of [EveryRow].
func InMemory(x Rows) (Table, error) {
	if a, ok := x.(Table); ok {
		return a, nil
	}
	if x == nil {
		return (*Dense)(nil), nil
	}
	a, err := EveryRow(x, 1)
	if err != nil {
		return nil, err
	}
	return a.(Table), nil
}
