package dataset_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"halfspace/linalg"
	"halfspace/sim/dataset"
)

// table writes a CSV table of so many rows, with numbers, levels, quoted line breaks, blank
// lines, weights, and cells that are missing in some rows.
func mixedTable(rows int) string {
	r := rand.New(rand.NewPCG(1, 18))
	var b strings.Builder
	b.WriteString("x,color,w,note,z,class\n\n")
	for i := range rows {
		color := []string{"red", "green", "blue", `"dark ""red"""`}[r.IntN(4)]
		x := fmt.Sprint(r.NormFloat64())
		if r.IntN(50) == 0 {
			x = "NA"
		}
		fmt.Fprintf(&b, "%s,%s,%d,\"a\nb%d\",%d,%s\n", x, color, r.IntN(4), i, r.IntN(3), []string{"no", "yes", "perhaps"}[r.IntN(3)])
		if r.IntN(20) == 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func svmTable(rows, p int) string {
	r := rand.New(rand.NewPCG(2, 18))
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%d", r.IntN(2))
		for j := 1 + r.IntN(p/2); j <= p; j += 1 + r.IntN(p/2) {
			fmt.Fprintf(&b, " %d:%v", j, r.Float64())
		}
		b.WriteString("\n")
		if i%700 == 3 {
			b.WriteString("# a remark\n")
		}
	}
	return b.String()
}

// array is a .npy of so many rows of four values, the last one of few.
func array(rows int, descr string, order binary.ByteOrder, value func(float64) any) string {
	r := rand.New(rand.NewPCG(3, 18))
	b := []byte(npy(descr, fmt.Sprintf("(%d, 4)", rows), []byte{}))
	for range rows {
		for j := range 4 {
			v := 100 * r.NormFloat64()
			if j == 3 {
				v = float64(r.IntN(3))
			}
			b, _ = binary.Append(b, order, value(v))
		}
	}
	return string(b)
}

func doubles(rows int) string {
	return array(rows, "<f8", binary.LittleEndian, func(v float64) any { return v })
}

func save(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sameRows compares rows lo ≤ i < hi of two storages.
func sameRows(t *testing.T, what string, got, want linalg.Rows, lo, hi int) {
	t.Helper()
	_, p := want.Dims()
	all, err := linalg.ToDense(want)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, p)
	err = linalg.Pass(got, lo, hi, func(b *linalg.Block) error {
		for i := range b.Len() {
			b.CopyRow(row, i)
			for j, v := range row {
				if v != all.At(b.At+i, j) {
					return fmt.Errorf("row %d, column %d: %v, want %v", b.At+i, j, v, all.At(b.At+i, j))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: rows %d to %d: %v", what, lo, hi, err)
	}
}

func TestStreamsHaveTheRowsOfTables(t *testing.T) {
	mixed, numbers := mixedTable(3000), "a;b;y\n"
	for i := range 1000 {
		numbers += fmt.Sprintf("%d,5;%d;%d\n", i, i%7, i%2)
	}
	for _, c := range []struct {
		name, text string
		o          dataset.Options
	}{
		{"mixed.csv", mixed, dataset.Options{Missing: dataset.LeaveOut, Weights: "w", Drop: []string{"note"}, Categorical: []string{"z"}}},
		{"mixed.csv", "\xef\xbb\xbf" + strings.ReplaceAll(mixed, "NA", "1e3"), dataset.Options{Drop: []string{"note", "w"}}},
		{"numbers.csv", numbers, dataset.Options{Numeric: true}},
		{"headless.csv", strings.TrimPrefix(numbers, "a;b;y\n"), dataset.Options{NoHeader: true, Label: "x1", Numeric: true}},
		{"unlabeled.csv", numbers, dataset.Options{NoLabels: true}},
		{"few.csv", "a,y\n1,u\n2,v\n", dataset.Options{}},
		{"last left out.csv", "a,b,y\n1,2,u\n2,1,v\n3,1,\n", dataset.Options{Missing: dataset.LeaveOut}},
		{"sparse.svm", svmTable(2000, 60), dataset.Options{}},
		{"dense.svm", svmTable(500, 4), dataset.Options{Numeric: true}},
		{"doubles.npy", doubles(20000), dataset.Options{}},
		{"response.npy", doubles(300), dataset.Options{Numeric: true}},
		{"unlabeled.npy", doubles(1), dataset.Options{NoLabels: true}},
		{"floats.npy", array(700, ">f4", binary.BigEndian, func(v float64) any { return float32(v) }), dataset.Options{}},
		{"integers.npy", array(5000, "<i2", binary.LittleEndian, func(v float64) any { return int16(v) }), dataset.Options{}},
	} {
		path := save(t, c.name, c.text)
		want, err := dataset.Load(path, &c.o)
		if err != nil {
			t.Fatal(c.name, err)
		}
		c.o.Stream = true
		got, err := dataset.Load(path, &c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		n, p := want.Dims()
		if gn, gp := got.Dims(); gn != n || gp != p || fmt.Sprint(got.Labels, got.Y, got.Weights, got.Names, got.Features(), got.LeftOut) != fmt.Sprint(want.Labels, want.Y, want.Weights, want.Names, want.Features(), want.LeftOut) || got.Schema.String() != want.Schema.String() {
			t.Errorf("%s: %d×%d, want %d×%d; or labels, weights or names differ", c.name, gn, gp, n, p)
		}
		for _, r := range [][2]int{{0, n}, {n / 3, n / 2}, {n - 1, n}, {n / 2, n / 2}} {
			sameRows(t, c.name, got.Rows(), want.Rows(), r[0], r[1])
		}
		for _, step := range []int{1, 7, 131, n, n + 5} {
			thin, err := linalg.EveryRow(got.Rows(), step)
			if err != nil {
				t.Errorf("%s: every row of %d: %v", c.name, step, err)
				continue
			}
			wanted, err := linalg.EveryRow(want.Rows(), step)
			if err != nil {
				t.Fatal(err)
			}
			m, _ := wanted.Dims()
			if gm, _ := thin.Dims(); gm != m {
				t.Errorf("%s: every row of %d: %d rows, want %d", c.name, step, gm, m)
			}
			sameRows(t, fmt.Sprint(c.name, ", every row of ", step), thin, wanted, 0, m)
		}
		var all sync.WaitGroup
		for k := range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				sameRows(t, c.name+", several at once", got.Rows(), want.Rows(), k*n/4, (k+1)*n/4)
			}()
		}
		all.Wait()
		again, err := want.Schema.Load(path, &dataset.Options{Stream: true, NoHeader: c.o.NoHeader, NoLabels: c.o.NoLabels, Missing: c.o.Missing, Label: c.o.Label})
		if err != nil {
			t.Errorf("%s by its schema: %v", c.name, err)
			continue
		}
		sameRows(t, c.name+" by its schema", again.Rows(), want.Rows(), 0, n)
		stop := errors.New("enough")
		if err := got.Rows().Pass(0, n, func(*linalg.Block) error { return stop }); err != stop {
			t.Errorf("%s: a visit that stops: %v", c.name, err)
		}
		if err := got.Stream.Close(); err != nil {
			t.Error(err)
		}
		if err := got.Rows().Pass(0, n, func(*linalg.Block) error { return nil }); err == nil {
			t.Errorf("%s: a pass over a closed file", c.name)
		}
	}
}

// A file that is another one than at first ends the pass, however it was changed.
func TestStreamsTellOfChanges(t *testing.T) {
	text := mixedTable(2000)
	text = strings.ReplaceAll(text, "NA", "12")
	read := func(x linalg.Rows) error {
		n, _ := x.Dims()
		return linalg.Pass(x, 0, n, func(*linalg.Block) error { return nil })
	}
	at := strings.Index(text[len(text)/2:], "green") + len(text)/2
	for name, change := range map[string]func(path string) error{
		"a number":  func(path string) error { return os.WriteFile(path, []byte(text[:at]+"greed"+text[at+5:]), 0o600) },
		"longer":    func(path string) error { return os.WriteFile(path, []byte(text+"1,red,1,a,1,no\n"), 0o600) },
		"truncated": func(path string) error { return os.Truncate(path, int64(at)) },
	} {
		path := save(t, "t.csv", text)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.Load(path, &dataset.Options{Stream: true, Drop: []string{"note"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := read(d.Rows()); err != nil {
			t.Errorf("%s, before: %v", name, err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		// The time of the file is no proof: the bytes are looked at too.
		if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if err := read(d.Rows()); !errors.Is(err, dataset.ErrChanged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, info.ModTime().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if err := read(d.Rows()); !errors.Is(err, dataset.ErrChanged) {
			t.Errorf("%s, another time: %v", name, err)
		}
	}
}

func TestStreamsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv.gz": "\x1f\x8b\x08", "b.csv": "\x1f\x8b\x08", "c.npz": "PK\x03\x04", "d.csv": "", "e.csv": "a,y\n1,u\nx,v\n", "f.csv": "a,y\n",
		"g.svm": "1 2:x\n", "h.csv": "\xff\xfea", "i.npy": doubles(200)[:5000], "j.npy": doubles(9) + doubles(9)[70:], "k.npy": doubles(0),
		"l.npy": strings.Replace(doubles(9), "False", "True ", 1), "m.npy": strings.Replace(doubles(9), "<f8", "<U2", 1), "n.npy": "\x93NUMPY", "o.npy": strings.Replace(doubles(9), "4)", "0)", 1),
	} {
		path := save(t, name, text)
		if _, err := dataset.Load(path, &dataset.Options{Stream: true}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := save(t, "t.csv", "a,b,y\n1,2,u\n2,NA,v\n")
	for what, o := range map[string]*dataset.Options{"documents": {Stream: true, Text: "a"}, "filled": {Stream: true, Missing: dataset.Keep}} {
		if _, err := dataset.Load(path, o); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := dataset.Load(t.TempDir(), &dataset.Options{Stream: true}); err == nil {
		t.Error("a directory was opened")
	}
	if _, err := dataset.Read("t.csv", strings.NewReader("a,y\n1,u\n"), &dataset.Options{Stream: true}); err == nil || !strings.Contains(err.Error(), "t.csv") {
		t.Errorf("a reader: %v", err)
	}
	d, err := dataset.Load(save(t, "big.csv", "a,y\n"+strings.Repeat("1,u\n2,v\n", 1000)), &dataset.Options{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	var size *linalg.SizeError
	if err := linalg.CheckCopy(d.Rows(), 1<<24, 100); !errors.As(err, &size) || size.Limit != d.Stream.MaxCopy() {
		t.Errorf("a copy of a large file: %v", err)
	}
}

// Memory of a pass that a visit ends goes to other passes when its reader has ended too.
func TestPassesThatEndEarlyLeaveOthersAlone(t *testing.T) {
	const n = 25_000
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%.17f,%d\n", i, 1/float64(i+1), i%2)
	}
	d, err := dataset.Load(save(t, "t.csv", b.String()), &dataset.Options{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Stream.Close()
	enough := errors.New("enough")
	var ending sync.WaitGroup
	ending.Add(1)
	go func() {
		defer ending.Done()
		for range 30 {
			if err := d.Stream.Pass(0, n, func(*linalg.Block) error { return enough }); err != enough {
				t.Error(err)
			}
		}
	}()
	for range 20 {
		err := d.Stream.Pass(0, n/2, func(b *linalg.Block) error {
			for i := range b.Len() {
				if v := b.Cell(i, 0); v != float64(b.At+i) {
					return fmt.Errorf("row %d holds %g", b.At+i, v)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
			break
		}
	}
	ending.Wait()
}

// Text that is read at a time may have no row, or none of those that are asked for, in sparse text as in other.
func TestRunsWithoutRows(t *testing.T) {
	const p = 420
	var bodies [7]string
	for k := range bodies {
		for j := 1 + k%3; j <= p; j += 3 {
			bodies[k] += fmt.Sprintf(" %d:0.%d%09d", j, 1+k, j)
		}
	}
	var b strings.Builder
	for i := range 760 {
		fmt.Fprintf(&b, "%d%s\n", i%2, bodies[i%len(bodies)])
		if i == 400 {
			b.WriteString(strings.Repeat("# a remark"+strings.Repeat(" that is long", 100)+"\n", 600))
		}
	}
	path := save(t, "t.svm", b.String())
	want, err := dataset.Load(path, nil)
	if err != nil || want.Sparse == nil {
		t.Fatal(want, err)
	}
	got, err := dataset.Load(path, &dataset.Options{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Stream.Close()
	sameRows(t, "all", got.Rows(), want.Sparse, 0, 760)
	thin, err := linalg.EveryRow(got.Rows(), 251)
	if err != nil {
		t.Fatal(err)
	}
	some, err := linalg.EveryRow(want.Sparse, 251)
	if err != nil {
		t.Fatal(err)
	}
	sameRows(t, "every row of 251", thin, some, 0, 4)
}
