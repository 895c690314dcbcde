package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// benchmarkRead reads text on one goroutine, and on all.
func benchmarkRead(b *testing.B, name string, text []byte, o Options) {
	for _, o.Workers = range []int{1, 0} {
		b.Run(fmt.Sprintf("workers=%d", o.Workers), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(name, bytes.NewReader(text), &o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCSV(b *testing.B) {
	text, _ := bigCSV(60_000)
	benchmarkRead(b, "t.csv", text, Options{})
}

// BenchmarkColumns reads tables of so many columns of numbers and of texts, and a class.
func BenchmarkColumns(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	normal := func() string { return fmt.Sprint(r.NormFloat64()) }
	digit := func() string { return fmt.Sprint(r.IntN(10)) }
	for _, c := range []struct {
		name           string
		numbers, texts int
		number         func() string
		sep, quote     string
		o              Options
	}{
		{"numbers", 50, 0, normal, ",", "", Options{}},
		{"digits", 500, 0, digit, ",", "", Options{}},
		{"texts", 50, 10, normal, ",", "", Options{}},
		{"narrow", 5, 5, normal, ",", "", Options{}},
		{"short", 2, 0, digit, ",", "", Options{}},
		{"quotes", 25, 5, normal, ",", `"`, Options{}},
		{"spaces", 50, 0, normal, ", ", "", Options{}},
		{"commas", 50, 0, func() string { return strings.Replace(normal(), ".", ",", 1) }, ";", "", Options{}},
		{"gaps", 50, 0, func() string { return strings.Repeat(normal(), min(1, r.IntN(10))) }, ",", "", Options{Missing: Keep}},
	} {
		var text []byte
		for len(text) < 1<<23 {
			for j := range c.numbers + c.texts {
				cell := fmt.Sprintf("x%d", j)
				switch {
				case text == nil || len(text) > 0 && bytes.IndexByte(text, '\n') < 0:
				case j < c.numbers:
					cell = c.number()
				default:
					cell = []string{"north", "south", "east", "west", "upper middle", "ab"}[r.IntN(2+j%5)]
				}
				text = append(text, c.quote+cell+c.quote+c.sep...)
			}
			text = append(text, []string{"0\n", "1\n"}[r.IntN(2)]...)
		}
		b.Run(c.name, func(b *testing.B) { benchmarkRead(b, "t.csv", text, c.o) })
	}
}

// BenchmarkLIBSVM reads full rows, and rows of a few ones.
func BenchmarkLIBSVM(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		name        string
		pairs, gaps int
		value       func() string
	}{
		{"full", 50, 1, func() string { return fmt.Sprint(r.NormFloat64()) }},
		{"sparse", 75, 1000, func() string { return fmt.Sprint(r.Float64()) }},
		{"ones", 14, 9, func() string { return "1" }},
		{"digits", 150, 9, func() string { return fmt.Sprint(1 + r.IntN(255)) }},
	} {
		var text []byte
		for len(text) < 1<<23 {
			text = append(text, byte('0'+r.IntN(2)))
			at := 0
			for range c.pairs {
				at += 1 + r.IntN(c.gaps)
				text = fmt.Appendf(text, " %d:%s", at, c.value())
			}
			text = append(text, '\n')
		}
		b.Run(c.name, func(b *testing.B) { benchmarkRead(b, "t.svm", text, Options{}) })
	}
}
