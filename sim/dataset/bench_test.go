package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkCSV(b *testing.B) {
	text, _ := bigCSV(60_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("t.csv", bytes.NewReader(text), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLIBSVM(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	var text []byte
	for i := range 10_000 {
		text = append(text, byte('0'+i%2))
		for j := range 50 {
			text = fmt.Appendf(text, " %d:%v", j+1, r.NormFloat64())
		}
		text = append(text, '\n')
	}
	for _, workers := range []int{1, 0} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read("t.svm", bytes.NewReader(text), &Options{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
