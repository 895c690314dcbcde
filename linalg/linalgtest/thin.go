package linalgtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"halfspace/linalg"
)

// Labeled is a table with labels 0 … K−1, each of which some row has.
type Labeled struct {
	Name string // the family, with the difference of the near-copies
	X    *linalg.Dense
	Y    []int
	K    int
}

// thinFamilies are the columns of [Thin].
var thinFamilies = []struct {
	name string
	fill func(r *rand.Rand, row []float64, difference float64)
}{
	{"near-copies", func(r *rand.Rand, row []float64, difference float64) {
		normal(r, row)
		row[len(row)-1] = row[0] + difference*r.NormFloat64()
	}},
	{"dyadic", func(r *rand.Rand, row []float64, difference float64) {
		for j := range row {
			row[j] = float64(r.IntN(64)-32) / 8
		}
		row[len(row)-1] = row[0] + float64(r.IntN(5)-2)*math.Exp2(math.Round(math.Log2(difference)))
	}},
	{"units", func(r *rand.Rand, row []float64, _ float64) {
		normal(r, row)
		row[0] = math.Round(1.7e12 + 1e10*row[0])
		row[len(row)-1] = float64(r.IntN(2))
	}},
	{"integer", func(r *rand.Rand, row []float64, _ float64) {
		for j := range row {
			row[j] = float64(r.IntN(4))
		}
	}},
	{"normal", func(r *rand.Rand, row []float64, _ float64) { normal(r, row) }},
}

func normal(r *rand.Rand, row []float64) {
	for j := range row {
		row[j] = r.NormFloat64()
	}
}

// Thin draws a small table of two or three classes on which rounding decides whether a
// hyperplane separates them, unless it is kept out: columns that are nearly copies, by a
// difference from 2⁻¹⁰ to 1e-13, columns of 1e12 beside flags, integers, and dyadic numbers
// with ties; labels by planes that pass rows at distances from 1e-15 on, some of them wrong.
func Thin(r *rand.Rand) Labeled {
	difference := []float64{0x1p-10, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13}[r.IntN(7)]
	family := thinFamilies[r.IntN(len(thinFamilies))]
	n, p, k := 6+r.IntN(25), 2+r.IntN(3), 2+r.IntN(2)
	t := Labeled{family.name, linalg.Zeros(n, p), make([]int, n), k}
	if family.name == "near-copies" || family.name == "dyadic" {
		t.Name = fmt.Sprintf("%s %.0e", t.Name, difference)
	}
	for i := range n {
		family.fill(r, t.X.Row(i), difference)
	}
	label(r, t, difference)
	return t
}

// label gives the rows the class of the largest of k functions of the columns, in the
// coordinates in which these are no copies, with noise from none to that of the functions;
// the first rows get a class each.
func label(r *rand.Rand, t Labeled, difference float64) {
	b := Normal(r.Uint64(), t.K, t.X.Cols+1)
	noise := []float64{0, 0, 1e-15, 1e-10, 1e-4, 0.3}[r.IntN(6)]
	z := make([]float64, t.X.Cols)
	for i := range t.Y {
		copy(z, t.X.Row(i))
		switch last := len(z) - 1; {
		case math.Abs(z[0]) > 1e9:
			z[0] = (z[0] - 1.7e12) / 1e10
		case math.Abs(z[last]-z[0]) < 1e-2:
			z[last] = (z[last] - z[0]) / difference
		}
		best := math.Inf(-1)
		for c := range t.K {
			if f := b.At(c, 0) + linalg.Dot(b.Row(c)[1:], z) + noise*r.NormFloat64(); f > best {
				best, t.Y[i] = f, c
			}
		}
	}
	for c := range t.K {
		t.Y[c] = c
	}
}
