package design_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
)

// indicators returns rows with a 1 in one of the columns of each field, of which the last are rare.
func indicators(n, fields, levels int, seed uint64) *linalg.CSR {
	r := rand.New(rand.NewPCG(seed, 34))
	start, index := []int{0}, []int32{}
	for range n {
		for f := range fields {
			index = append(index, int32(f*levels+int(float64(levels)*math.Pow(r.Float64(), 1.5))))
		}
		start = append(start, len(index))
	}
	return must(linalg.NewCSR(n, fields*levels, start, index, slices.Repeat([]float64{1}, len(index))))
}

// The columns named are those of a factorisation: of each field the last, and with no intercept all but of the
// first field; the last of those looked at; none of independent ones.
func TestDependentIndicators(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, fields, levels = 3000, 4, 90
	x := indicators(n, fields, levels, 1)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 4)
	}
	some := make([]int, 0, fields*levels)
	for j := range fields * levels {
		if j != 5 {
			some = append(some, j)
		}
	}
	for _, c := range []struct {
		name     string
		settings design.Settings
		features []int
		want     []int
	}{
		{"all", design.Settings{}, nil, []int{89, 179, 269, 359}},
		{"weights", design.Settings{Weights: w, Workers: 3}, nil, []int{89, 179, 269, 359}},
		{"no intercept", design.Settings{NoIntercept: true}, nil, []int{179, 269, 359}},
		{"some", design.Settings{}, some, []int{179, 269, 359}},
	} {
		d := must(design.New(x, n, "rows", c.settings))
		var got, want *linalg.RankError
		if err := d.Dependent(c.features); !errors.As(err, &got) || !slices.Equal(got.Columns, c.want) || got.Left > 1e-10 {
			t.Errorf("%s: %v, want columns %v", c.name, err, c.want)
			continue
		}
		if c.settings.Weights == nil {
			continue
		}
		dense := must(d.Columns(c.features))
		if err := linalg.CheckRank(dense, c.settings.Weights, !c.settings.NoIntercept, 1); !errors.As(err, &want) || want.Rank != got.Rank || want.P != got.P {
			t.Errorf("%s: %v, of dense columns %v", c.name, got, want)
		}
	}
}

// Independent columns, one that others determine but for 1e-9, and a constant one.
func TestDependentFindsNothingElse(t *testing.T) {
	const n, p = 2000, 320
	r := rand.New(rand.NewPCG(3, 34))
	x := linalg.Zeros(n, p)
	for range n * p / 50 {
		x.Set(r.IntN(n), r.IntN(p), 1+r.Float64())
	}
	for _, c := range []struct {
		name   string
		column func(row []float64) float64
		want   []int
	}{
		{"independent", func(row []float64) float64 { return row[7] }, nil},
		{"nearly dependent", func(row []float64) float64 { return (row[8] + row[9]) * (1 + 1e-9*r.Float64()) }, nil},
		{"dependent", func(row []float64) float64 { return row[6] - row[5] }, []int{7}},
		{"constant", func([]float64) float64 { return 0 }, []int{7}},
	} {
		for i := range n {
			x.Set(i, 7, c.column(x.Row(i)))
		}
		d := must(design.New(linalgtest.Sparse(x), n, "rows", design.Settings{}))
		var e *linalg.RankError
		if err := d.Dependent(nil); err != nil != (c.want != nil) || err != nil && (!errors.As(err, &e) || !slices.Equal(e.Columns, c.want)) {
			t.Errorf("%s: %v, want columns %v", c.name, err, c.want)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
