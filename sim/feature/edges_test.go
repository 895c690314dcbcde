package feature_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/sim/feature"
)

// Words are runs of two or more letters, numbers and underscores: the ends of each range of them,
// and none of what lies beside the ranges.
func TestWordsHaveTheEndsOfTheirRanges(t *testing.T) {
	text, err := feature.FitText([]string{"az AZ 09 __ a`{ @A[ /0: ä9 ¹² x\xff\xffy"}, nil, feature.TextSettings{Counts: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"09", "__", "az", "¹²", "ä9"}; !slices.Equal(text.Names(), want) {
		t.Errorf("%q, want %q", text.Names(), want)
	}
	if _, err := feature.FitText([]string{"one two"}, nil, feature.TextSettings{HashBits: 3, MinDocs: 1}); err != nil {
		t.Error(err)
	}
	if _, err := feature.FitText([]string{"one two"}, nil, feature.TextSettings{HashBits: 3, MinDocs: 2}); err == nil {
		t.Error("a hash that counts documents of terms")
	}
}

// Rows of weight 0 neither make a constant column vary nor a varying one constant.
func TestConstantColumnsAreThoseOfTheWeightedRows(t *testing.T) {
	x := linalgtest.Rows(t, []float64{0.1, 5}, []float64{0.1, 6}, []float64{0.3, 7}, []float64{0.1, 7}, []float64{7, 7})
	s, err := feature.FitStandardizer(x, []float64{1, 2, 0, 3, 0})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "mean", s.Mean(), []float64{0.1, 19. / 3}, 1e-15)
	linalgtest.CloseSlice(t, "sd", s.SD(), []float64{0, math.Sqrt(5. / 9)}, 1e-15)
	if s.SD()[0] != 0 || s.Mean()[0] != 0.1 {
		t.Errorf("a constant column has mean %g and sd %g", s.Mean()[0], s.SD()[0])
	}
	s, err = feature.FitStandardizer(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "sd", s.SD()[1], 0.8, 1e-15)
}

func TestStandardizersOfNumbersFromElsewhere(t *testing.T) {
	if _, err := feature.NewStandardizer([]float64{1, 2}, []float64{1}); !errors.As(err, new(*linalg.ShapeError)) {
		t.Error(err)
	}
	if _, err := feature.NewStandardizer([]float64{-0x1p1000}, []float64{0}); err != nil {
		t.Error(err)
	}
	for name, c := range map[string][2]float64{"a negative deviation": {0, -1}, "one that is not finite": {0, math.Inf(1)},
		"a mean that is not": {math.NaN(), 1}, "a small deviation": {0, 0x1p-962}, "a far negative mean": {-0x1p1000, 0x1p-30}} {
		if s, err := feature.NewStandardizer([]float64{c[0]}, []float64{c[1]}); s != nil || !errors.As(err, new(*record.DamageError)) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

// An infinite cell is named by its row and its feature.
func TestImputersNameTheInfiniteCell(t *testing.T) {
	x := linalgtest.Rows(t, []float64{1, 0, 1, 3}, []float64{2, 1, math.Inf(-1), 4})
	var cell *linalg.NonFiniteError
	if _, err := (feature.Impute{}).Fit(&feature.Sample{X: x, Levels: []int{0, 3, 0}}); !errors.As(err, &cell) || cell.Row != 1 || cell.Col != 2 {
		t.Error(err)
	}
}

// Medians and quantiles pass over values of weight 0, at either end.
func TestQuantilesPassOverValuesWithoutWeight(t *testing.T) {
	x, w := linalgtest.Rows(t, []float64{-9}, []float64{1}, []float64{3}, []float64{2}, []float64{9}), []float64{0, 1, 1, 1, 0}
	q, err := feature.FitQuantiles(x, w, 3)
	if err != nil || !slices.Equal(q.Knots(0), []float64{1, 2, 3}) {
		t.Errorf("%v, %v", q, err)
	}
}

// Quantiles between equal values are that value, however many there are: such transforms come
// back, and the value goes to the middle of its places.
func TestQuantilesBetweenEqualValuesAreThatValue(t *testing.T) {
	x, w := linalg.Zeros(150, 1), slices.Repeat([]float64{1}, 150)
	for i := range x.Data {
		x.Data[i] = 0.1 * float64(i/50)
	}
	for _, w := range [][]float64{nil, w} {
		q, err := feature.FitQuantiles(x, w, 100)
		if err != nil {
			t.Fatal(err)
		}
		b, err := q.MarshalJSON()
		if err == nil {
			err = new(feature.Quantiles).UnmarshalJSON(b)
		}
		if at := q.Apply(nil, []float64{0.1})[0]; err != nil || at != 0.5 {
			t.Errorf("weights %v: %v; 0.1 goes to %v", w != nil, err, at)
		}
	}
}

// Of equally frequent values the smallest fills gaps, whatever weight they all have.
func TestFrequenciesOfEqualWeightsAreEqual(t *testing.T) {
	x := linalgtest.Rows(t, []float64{5}, []float64{4}, []float64{3}, []float64{2}, []float64{1}, []float64{0})
	m, err := feature.Impute{By: feature.MostFrequent}.Fit(&feature.Sample{X: x, Weights: slices.Repeat([]float64{0.1}, 6)})
	if err != nil || m.(*feature.Imputer).Fill()[0] != 0 {
		t.Errorf("%v, %v", m, err)
	}
}

// A chain in a chain is its transforms: both come back.
func TestChainsOfChainsComeBack(t *testing.T) {
	x := linalgtest.Normal(1, 20, 2)
	both := feature.StepFunc(func(s *feature.Sample) (feature.Transform, error) {
		c, _, err := feature.FitSteps(s, feature.Impute{}, feature.Standardize{})
		return c, err
	})
	fitted, z, err := feature.FitSteps(&feature.Sample{X: x}, both, feature.Expand{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := feature.NewChain(fitted[:2:2], fitted[2])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []feature.Chain{fitted, made} {
		b, err := c.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := feature.Unmarshal(b)
		if err != nil || !slices.Equal(back.Apply(nil, x.Row(3)), z.Row(3)) {
			t.Errorf("%v: %v, %v", c, back, err)
		}
	}
}

// With their products without squares, 1447 features are 1,047,628 and 1448 more than 2²⁰, which
// is refused.
func TestExpansionsUpToTheBound(t *testing.T) {
	for p, want := range map[int]int{1447: 1447 + 1447*1446/2, 1448: 0} {
		e, err := feature.NewPolynomial(p, 2, true)
		if want == 0 {
			if !errors.As(err, new(*linalg.SizeError)) {
				t.Errorf("%d features: %v", p, err)
			}
		} else if err != nil || e.Outputs() != want {
			t.Errorf("%d features: %v", p, err)
		}
	}
}

// A chain that is damaged leaves what it was read into.
func TestDamagedChainsLeaveTheChain(t *testing.T) {
	s, err := feature.NewStandardizer([]float64{1}, []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	c, err := feature.NewChain(s)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back feature.Chain
	if err := json.Unmarshal(data, &back); err != nil || back.Features() != 1 || back.String() != c.String() {
		t.Errorf("%v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"kind":"halfspace/chain","version":7}`), &back); err == nil || len(back) != 1 {
		t.Errorf("%v, %v", back, err)
	}
}

// Sparse rows that are only divided stay sparse; their deviations are those of dense rows, zeros
// that are not stored included.
func TestScalesOfSparseRows(t *testing.T) {
	dense := linalgtest.Thinned(1, 300, 5, 0.3)
	for i := range dense.Rows {
		dense.Set(i, 1, 1e5)                 // constant
		dense.Set(i, 2, 1e-9*dense.At(i, 2)) // of another unit
	}
	w := make([]float64, dense.Rows)
	for i := range w {
		w[i] = float64(i % 3)
	}
	x := linalgtest.Sparse(dense)
	s, err := feature.FitScale(x, w)
	if err != nil {
		t.Fatal(err)
	}
	want, err := feature.FitStandardizer(dense, w)
	if err != nil {
		t.Fatal(err)
	}
	for j, sd := range s.SD() {
		linalgtest.Close(t, "sd", sd, want.SD()[j], 1e-13*want.SD()[j])
	}
	z, err := feature.View(feature.Chain{s}, x)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	err = z.Pass(0, dense.Rows, func(b *linalg.Block) error {
		if b.CSR == nil {
			t.Error("a view of sparse rows is not sparse")
		}
		image := b.AsDense()
		for i := range image.Rows {
			linalgtest.CloseSlice(t, "image", image.Row(i), s.Apply(nil, dense.Row(at)), 0)
			at++
		}
		return nil
	})
	if err != nil || at != dense.Rows {
		t.Errorf("%d rows, %v", at, err)
	}
	index, value := x.Row(7)
	if _, want := feature.ApplySparse(s, x).Row(7); !slices.Equal(s.ApplyStored(nil, index, value), want) {
		t.Errorf("images of %v are not %v", value, want)
	}
	if feature.ApplySparse(want, x) != nil {
		t.Error("centered rows are sparse")
	}
	if _, err := feature.FitScale(x, w[1:]); !errors.As(err, new(*linalg.ShapeError)) {
		t.Errorf("too few weights: %v", err)
	}
}

// Images of rows that are not in memory are not copied there either.
func TestViewsOfRemoteRowsAreRemote(t *testing.T) {
	x := linalgtest.Normal(1, 20, 2)
	s, err := feature.FitStandardizer(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []linalg.Rows{x, linalgtest.Remote{Rows: x}} {
		z, err := feature.View(s, rows)
		if err != nil {
			t.Fatal(err)
		}
		_, far := rows.(linalg.Remote)
		if _, err := linalg.ToDense(z); errors.Is(err, linalg.ErrRemote) != far {
			t.Errorf("%T: %v", rows, err)
		}
	}
}

// Means of gaps are finite where values are.
func TestGapsAmongHugeValues(t *testing.T) {
	x := linalgtest.Rows(t, []float64{1.5e308}, []float64{-1.5e308}, []float64{1.5e308}, []float64{-1.5e308}, []float64{math.NaN()})
	m, err := feature.Impute{}.Fit(&feature.Sample{X: x})
	if err != nil {
		t.Fatal(err)
	}
	if fill := m.(*feature.Imputer).Fill()[0]; !(math.Abs(fill) < 1e293) {
		t.Errorf("the mean is %g", fill)
	}
}

// A chain without a transform takes no rows, which is an error wherever it is given.
func TestChainsWithoutTransforms(t *testing.T) {
	x := linalgtest.Normal(1, 20, 2)
	none := feature.StepFunc(func(*feature.Sample) (feature.Transform, error) { return feature.Chain{}, nil })
	_, _, steps := feature.FitSteps(&feature.Sample{X: x}, none)
	_, rows := feature.ApplyRows(feature.Chain{}, x)
	_, view := feature.View(feature.Chain(nil), x)
	for _, err := range []error{steps, rows, view} {
		if !errors.As(err, new(*linalg.ShapeError)) {
			t.Error(err)
		}
	}
}

// Sparse rows of other columns than a scale's are none that it applies to.
func TestScalesOfOtherRows(t *testing.T) {
	s, err := feature.NewStandardizer(make([]float64, 3), []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for p := 2; p <= 4; p++ {
		x := linalgtest.Sparse(linalgtest.Thinned(1, 20, p, 0.5))
		if image := feature.ApplySparse(s, x); (image != nil) != (p == 3) {
			t.Errorf("%d columns: %v", p, image)
		}
	}
}

// A fit makes no scale that could not be read from its file.
func TestScalesOfTinyValues(t *testing.T) {
	for _, size := range []float64{1e-280, 1e-288, 1e-289, 1e-290, 1e-295, 1e-300} {
		x := linalgtest.Rows(t, []float64{1, 0}, []float64{2, size}, []float64{4, -size})
		dense, err := feature.FitStandardizer(x, nil)
		sparse, errSparse := feature.FitScale(linalgtest.Sparse(x), nil)
		for i, s := range []*feature.Standardizer{dense, sparse} {
			err := []error{err, errSparse}[i]
			var out *linalg.RangeError
			if err == nil {
				err = new(feature.Standardizer).UnmarshalJSON(mustJSON(t, s))
			} else if errors.As(err, &out) && s == nil && out.Column == 1 {
				err = nil
			}
			if err != nil {
				t.Errorf("%g, %d: %v", size, i, err)
			}
		}
		if (err == nil) != (size >= 1e-289) {
			t.Errorf("%g: %v", size, err)
		}
	}
}

// Behind a step that does more than fill gaps there are numbers alone, though it keeps the number of
// features: the codes of levels are not whole.
func TestLevelsBehindOtherStepsAreNumbers(t *testing.T) {
	x := linalg.Zeros(10, 2) // a, b, and eight times c
	x.Set(1, 0, 1)
	for i := 2; i < 10; i++ {
		x.Set(i, 1, 1)
	}
	s := &feature.Sample{X: x, Levels: []int{3}}
	c, _, err := feature.FitSteps(s, feature.Standardize{}, feature.Impute{})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "filled with", c.Apply(nil, []float64{math.NaN(), math.NaN()}), []float64{0, 0}, 1e-15)
	if c, _, err = feature.FitSteps(s, feature.Impute{}, feature.Impute{}); err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "filled with", c[1:].Apply(nil, []float64{math.NaN(), math.NaN()}), []float64{0, 1}, 0)
}

// Features that are not those of a level are named, where their row counts.
func TestImputersRefuseWhatIsNoLevel(t *testing.T) {
	for _, bad := range [][]float64{{0.5, 0}, {1, 1}, {-1, 0}, {0, 2}} {
		s := &feature.Sample{X: linalgtest.Rows(t, []float64{3, 1, 0}, append([]float64{4}, bad...), []float64{5, 0, 1}), Levels: []int{0, 3}}
		var option *sample.OptionError
		if _, err := (feature.Impute{}).Fit(s); !errors.As(err, &option) || option.Name != "Levels" || !strings.Contains(option.Want, "features 1 to 2 of row 1") {
			t.Errorf("%v: %v", bad, err)
		}
		s.Weights = []float64{1, 0, 1}
		if _, err := (feature.Impute{}).Fit(s); err != nil {
			t.Errorf("%v, of weight 0: %v", bad, err)
		}
	}
}

// Weights of 1/n mean ones. Others count as so many rows, parts of rows and huge numbers too.
func TestQuantilesOfAnyWeights(t *testing.T) {
	x := linalgtest.Normal(4, 30, 1)
	for _, m := range []int{3, 7, 0} {
		want, err := feature.FitQuantiles(x, nil, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []float64{0.1, 1. / 30, 1e-300, 0x1p-1074} {
			q, err := feature.FitQuantiles(x, slices.Repeat([]float64{w}, 30), m)
			if err != nil {
				t.Errorf("weights %g: %v", w, err)
				continue
			}
			linalgtest.CloseSlice(t, "quantiles", q.Knots(0), want.Knots(0), 1e-14)
		}
	}
	for _, c := range []struct{ w, want []float64 }{
		{[]float64{1e20, 1e20, 1e20}, []float64{1, 2, 3}},
		{[]float64{1.5, 1, 1}, []float64{1, 1.75, 3}},
		{[]float64{1e300, 1e-300, 2e300}, []float64{1, 3, 3}},
		{[]float64{0.5, 1, 0.5}, []float64{1, 2, 3}},
	} {
		q, err := feature.FitQuantiles(linalgtest.Rows(t, []float64{1}, []float64{2}, []float64{3}), c.w, 3)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(q.Knots(0), c.want) {
			t.Errorf("weights %g: %v, want %v", c.w, q.Knots(0), c.want)
		}
	}
	gap := linalgtest.Rows(t, []float64{1}, []float64{2}, []float64{3}, []float64{4}, []float64{math.NaN()}, []float64{100})
	for _, w := range [][]float64{{0.2, 0.2, 0.2, 0.2, 0.2, 0}, {1, 1, 1, 1, 1, 1e-6}, {0.5, 0.5, 0.5, 0.5, 0.5, 1e-6}} { // one that weighs next to nothing changes next to nothing
		m, err := feature.Impute{By: feature.Median}.Fit(&feature.Sample{X: gap, Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "median", m.(*feature.Imputer).Fill()[0], 2.5, 1e-5)
	}
}
