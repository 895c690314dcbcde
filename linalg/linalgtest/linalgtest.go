package linalgtest

import (
	"embed"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"halfspace/linalg"
)

// tables holds the CSV files of testdata; testdata/README.md says where they are from.
//
//go:embed testdata/*.csv
var tables embed.FS

// DataFile writes the table with that name to a folder of the test and returns its path.
func DataFile(t testing.TB, name string) string {
	t.Helper()
	text, err := tables.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Table reads one of the tables of testdata. Column label becomes labels; of the
// others, numeric ones are columns of x and the rest is treatment-coded against
// its first level in byte order.
func Table(t testing.TB, name, label string) (x *linalg.Dense, labels, columns []string) {
	t.Helper()
	f, err := tables.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head, records := records[0], records[1:]
	var cols [][]float64
	for j, h := range head {
		cells := make([]string, len(records))
		for i, r := range records {
			cells[i] = r[j]
		}
		if h == label {
			labels = cells
			continue
		}
		if v, ok := numbers(cells); ok {
			cols, columns = append(cols, v), append(columns, h)
			continue
		}
		for _, level := range levels(cells)[1:] {
			v := make([]float64, len(cells))
			for i, c := range cells {
				if c == level {
					v[i] = 1
				}
			}
			cols, columns = append(cols, v), append(columns, h+"="+level)
		}
	}
	x = linalg.Zeros(len(records), len(cols))
	for j, c := range cols {
		for i, v := range c {
			x.Set(i, j, v)
		}
	}
	if labels == nil {
		t.Fatalf("%s has no column %q", name, label)
	}
	return x, labels, columns
}

func numbers(cells []string) ([]float64, bool) {
	v := make([]float64, len(cells))
	for i, c := range cells {
		var err error
		if v[i], err = strconv.ParseFloat(c, 64); err != nil {
			return nil, false
		}
	}
	return v, true
}

func levels(cells []string) []string {
	s := slices.Clone(cells)
	slices.Sort(s)
	return slices.Compact(s)
}

// Codes replaces each label by its position among the distinct labels in byte
// order.
func Codes(labels []string) (y []int, names []string) {
	names = levels(labels)
	y = make([]int, len(labels))
	for i, l := range labels {
		y[i] = slices.Index(names, l)
	}
	return y, names
}

// Select returns the rows of x and y for which keep is true, copied.
func Select(x *linalg.Dense, y []int, keep func(i int) bool) (*linalg.Dense, []int) {
	var rows [][]float64
	var ys []int
	for i := range x.Rows {
		if keep(i) {
			rows, ys = append(rows, x.Row(i)), append(ys, y[i])
		}
	}
	d, err := linalg.FromRows(rows)
	if err != nil {
		panic(err)
	}
	return d, ys
}

// Golden reads the JSON file at path (usually testdata/NAME.json, whose script
// stands beside it) into v.
func Golden(t testing.TB, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Diff returns |got−want|/max(1, |want|), +Inf where one of them is NaN and the
// other is not.
func Diff(got, want float64) float64 {
	if got == want || got != got && want != want {
		return 0
	}
	d := math.Abs(got-want) / math.Max(1, math.Abs(want))
	if d != d {
		return math.Inf(1)
	}
	return d
}

// Close fails the test if got and want differ by more than tol, relative to
// max(1, |want|).
func Close(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if d := Diff(got, want); d > tol {
		t.Errorf("%s: got %v, want %v: differ by %.2g > %.2g", what, got, want, d, tol)
	}
}

// CloseSlice is Close for each element.
func CloseSlice(t testing.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if d := Diff(got[i], want[i]); d > tol {
			t.Errorf("%s[%d]: got %v, want %v: differ by %.2g > %.2g", what, i, got[i], want[i], d, tol)
		}
	}
}

// Normal returns an n×p matrix of standard normal values.
func Normal(seed uint64, n, p int) *linalg.Dense {
	r := rand.New(rand.NewPCG(seed, 0))
	x := linalg.Zeros(n, p)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	return x
}

// LabeledRows returns n rows of p normal features of which the first ten tell the label,
// one of k.
func LabeledRows(n, p, k int) (*linalg.Dense, []int) {
	x, noise := Normal(8, n, p), Normal(9, n, k)
	y := make([]int, n)
	for i := range y {
		f := noise.Row(i)
		for c := range f {
			for j := range min(10, p) {
				f[c] += x.At(i, j) * math.Sin(float64(3*j+7*c)) / 2
			}
		}
		y[i] = linalg.ArgMax(f)
	}
	return x, y
}

// Rows returns the matrix of the given rows.
func Rows(t testing.TB, rows ...[]float64) *linalg.Dense {
	t.Helper()
	x, err := linalg.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Rounds returns how many cases a test of random cases draws: few in short tests, all where
// the environment variable HALFSPACE_LONG is set, otherwise a fiftieth of all, and no fewer
// than in short tests. Short tests draw a quarter where programs run slowly.
func Rounds(short, all int) int {
	switch {
	case Slow():
		return (short + 3) / 4
	case testing.Short():
		return short
	case os.Getenv("HALFSPACE_LONG") != "":
		return all
	}
	return max(short, all/50)
}

// Slow reports whether short tests are to be few: programs are slower by ten times under the race
// detector, or where the environment variable HALFSPACE_SLOW says so: on an emulated processor,
// or where another build of the same tests is only to be seen working.
func Slow() bool { return testing.Short() && (Race || os.Getenv("HALFSPACE_SLOW") != "") }

// SkipSlow leaves a test that takes seconds out of short tests where programs run slowly.
func SkipSlow(t testing.TB) {
	t.Helper()
	if Slow() {
		t.Skip("a long test where programs run slowly")
	}
}

// SkipEmulated leaves a test of goroutines that takes seconds out of short tests where
// programs run slowly, but for the race detector, which such tests are for.
func SkipEmulated(t testing.TB) {
	t.Helper()
	if Slow() && !Race {
		t.Skip("a long test of goroutines where programs run slowly")
	}
}

// Derivative returns f′(0) for a function of one variable with several values, which may
// be one slice each time: central differences in steps of 1/16, 1/32, 1/64 and 1/128,
// extrapolated (Richardson's scheme). The error is that of f times some 100, and
// f⁽⁹⁾·10⁻¹⁸ at most.
func Derivative(f func(t float64) []float64) []float64 {
	var table [][]float64
	h := 1. / 16
	for range 4 {
		d := append([]float64(nil), f(h)...)
		linalg.Axpy(d, -1, f(-h))
		linalg.Scale(d, 0.5/h)
		factor := 1.0
		for k, before := range table { // Neville's scheme in h²
			factor *= 4
			next := append([]float64(nil), d...)
			linalg.Axpy(next, -1, before)
			linalg.Scale(next, 1/(factor-1))
			linalg.Axpy(next, 1, d)
			table[k], d = d, next
		}
		table = append(table, d)
		h /= 2
	}
	return table[len(table)-1]
}
