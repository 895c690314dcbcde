package glm_test

import (
	"encoding/json"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// setting is one way to make an objective of rows.
type setting struct {
	name     string
	loss     func(d *design.Design, y []float64, ridge []float64) *glm.Objective
	response func(i int) float64
	scores   int
}

func single(l loss.Smooth) func(*design.Design, []float64, []float64) *glm.Objective {
	return func(d *design.Design, y, ridge []float64) *glm.Objective { return glm.New(d, y, l, ridge) }
}

func several(contrast *linalg.Dense) func(*design.Design, []float64, []float64) *glm.Objective {
	return func(d *design.Design, y, ridge []float64) *glm.Objective {
		return glm.NewMulti(d, y, loss.Softmax{K: 3}, contrast, ridge)
	}
}

// own is softmax as a loss that the package does not know.
type own struct{ loss.Softmax }

func user(d *design.Design, y, ridge []float64) *glm.Objective {
	return glm.NewMulti(d, y, own{loss.Softmax{K: 3}}, nil, ridge)
}

// many has so many classes that its Hessian is one sum of outer products.
func many(contrast *linalg.Dense) func(*design.Design, []float64, []float64) *glm.Objective {
	return func(d *design.Design, y, ridge []float64) *glm.Objective {
		return glm.NewMulti(d, y, loss.Softmax{K: manyClasses}, contrast, ridge)
	}
}

const manyClasses = 17

func class(i int) float64 { return float64(i * i % 3) }

func manyLabels(i int) float64 { return float64(i * i % manyClasses) }

var settings = []setting{
	{"logistic", single(loss.Logistic{}), func(i int) float64 { return float64(i*i%3*2 - 1) }, 1},
	{"logistic, grouped", single(loss.Logistic{}), func(i int) float64 { return float64(i%11)/5 - 1 }, 1},
	{"squared", single(loss.Squared{}), func(i int) float64 { return 3 * math.Sin(float64(i)) }, 1},
	{"Poisson", single(poisson{}), func(i int) float64 { return float64(i * i % 5) }, 1},
	{"softmax", several(nil), class, 3},
	{"softmax, Helmert's contrasts", several(glm.Contrasts(3)), class, 3},
	{"softmax, against the last", several(glm.Against(3, 2)), class, 3},
	{"softmax, against the first", several(glm.Against(3, 0)), class, 3},
	{"a user's own loss of three scores", user, class, 3},
	{"many classes", many(nil), manyLabels, manyClasses},
	{"many classes, Helmert's contrasts", many(glm.Contrasts(manyClasses)), manyLabels, manyClasses},
	{"many classes, against the second", many(glm.Against(manyClasses, 1)), manyLabels, manyClasses},
}

// variant is a design of rows with some properties.
type variant uint8

const (
	far         variant = 1 << iota // means of 1e8
	noIntercept                     // f = β·x
	weighted                        // weights, 0 among them
	offsets                         // an offset for each score
	ridged                          // a ridge that differs from feature to feature
	odd                             // a storage that is not dense
)

func (v variant) has(p variant) bool { return v&p != 0 }

func (v variant) String() string {
	var words []string
	for k, word := range []string{"far", "no intercept", "weights", "offsets", "ridge", "odd blocks"} {
		if v.has(1 << k) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// variants are all with an even number of properties: any two of them meet.
func variants() []variant {
	var all []variant
	for v := range variant(1 << 6) {
		if bits.OnesCount8(uint8(v))%2 == 0 {
			all = append(all, v)
		}
	}
	return all
}

const fewRows, fewColumns = 300, 3

// rows returns the data of a variant: far columns have means of 1e8.
func (v variant) rows() *linalg.Dense {
	x := linalgtest.Normal(21, fewRows, fewColumns)
	for i := range x.Rows {
		x.Row(i)[1] = 40*x.At(i, 1) + 3
		if v.has(far) {
			for j := range x.Cols {
				x.Row(i)[j] = math.Round(64*x.At(i, j))/64 + 1e8
			}
		}
	}
	return x
}

// objective makes the objective of a setting on the rows of a variant.
func (v variant) objective(t *testing.T, s setting) (*glm.Objective, *linalg.Dense) {
	t.Helper()
	x := v.rows()
	y, o := make([]float64, x.Rows), design.Settings{NoIntercept: v.has(noIntercept)}
	for i := range y {
		y[i] = s.response(i)
		if v.has(weighted) {
			o.Weights = append(o.Weights, float64(i%4)/2)
		}
		for c := range s.scores {
			if v.has(offsets) {
				o.Offset = append(o.Offset, math.Cos(float64(3*i+c))/2)
			}
		}
	}
	var rows linalg.Rows = x
	if v.has(odd) {
		rows = linalgtest.OddBlocks{X: x}
	}
	d, err := design.New(rows, len(y), "responses", o)
	if err != nil {
		t.Fatal(err)
	}
	var ridge []float64
	if v.has(ridged) {
		for j := range d.Dim() {
			ridge = append(ridge, 5*float64(j+1-d.Intercept))
		}
	}
	return s.loss(d, y, ridge), x
}

// point is one with scores of size 1.
func point(o *glm.Objective) []float64 {
	theta := make([]float64, o.Parameters())
	for j := range theta {
		theta[j] = 0.4 * math.Sin(float64(2*j+1))
	}
	return theta
}

// plainValue is the objective by its formula, in plain loops.
func plainValue(o *glm.Objective, x *linalg.Dense, theta []float64, value func(i int, f []float64) float64) float64 {
	total, functions := 0.0, o.FunctionsOf(theta)
	for i := range x.Rows {
		f := make([]float64, len(functions))
		for c, function := range functions {
			f[c] = o.OffsetOf(i, c)
			if o.Intercept == 1 {
				f[c] += function[0]
			}
			for j, v := range x.Row(i) {
				f[c] += function[j+o.Intercept] * ((v - o.Origin[j]) / o.Unit[j])
			}
		}
		total += o.Weight(i) * value(i, f)
	}
	for j, b := range theta {
		if o.Ridge != nil {
			total += o.Ridge[j%o.Dim()] / 2 * b * b
		}
	}
	return total
}

// rowValue returns the loss of row i by its formula.
func rowValue(s setting, i int, f []float64) float64 {
	y := s.response(i)
	switch s.name {
	case "squared":
		return (y - f[0]) * (y - f[0]) / 2
	case "Poisson":
		return poisson{}.Value(y, f[0])
	}
	if s.scores == 1 {
		return math.Log1p(math.Exp(f[0])) - (1+y)/2*f[0]
	}
	return linalg.LogSumExp(f) - f[int(y)]
}

// everywhere calls check with all settings on all variants for which applies is true. Short
// runs take a quarter of the variants, another for each setting.
func everywhere(t *testing.T, applies func(s setting, o *glm.Objective) bool, check func(t *testing.T, s setting, o *glm.Objective, x *linalg.Dense)) {
	for k, s := range settings {
		for i, v := range variants() {
			if testing.Short() && (i+i/4+i/16+k)%4 != 0 {
				continue
			}
			o, x := v.objective(t, s)
			if !applies(s, o) {
				continue
			}
			t.Run(s.name+", "+v.String(), func(t *testing.T) { check(t, s, o, x) })
		}
	}
}

func always(setting, *glm.Objective) bool { return true }

// ofScores tells whether the parameters are those of the scores, without contrasts.
func ofScores(s setting, o *glm.Objective) bool { return o.Functions() == s.scores }

// ofScoresOrDifferences tells whether they are that, or differences to the scores of a reference.
func ofScoresOrDifferences(s setting, o *glm.Objective) bool {
	return ofScores(s, o) || o.Reference() >= 0
}

// hasProducts tells whether products with the Hessian can be had: of one score, or softmax.
func hasProducts(s setting, o *glm.Objective) bool {
	_, softmax := o.Loss().(loss.Softmax)
	return s.scores == 1 || softmax
}

// The value is that of the formula.
func TestValue(t *testing.T) {
	everywhere(t, always, func(t *testing.T, s setting, o *glm.Objective, x *linalg.Dense) {
		theta := point(o)
		want := plainValue(o, x, theta, func(i int, f []float64) float64 { return rowValue(s, i, f) })
		linalgtest.Close(t, "value", o.Value(theta)/want, 1, 1e-13)
		linalgtest.Close(t, "value in twice the precision", o.InTwicePrecision().Value(theta)/want, 1, 1e-12)
	})
}

// The gradient is that of the value, and the Hessian that of the gradient.
func TestDerivatives(t *testing.T) {
	everywhere(t, always, func(t *testing.T, _ setting, o *glm.Objective, _ *linalg.Dense) {
		theta := point(o)
		n := len(theta)
		h, g, g1 := linalg.Zeros(n, n), make([]float64, n), make([]float64, n)
		value := o.Hess(h, g, theta)
		if v := o.Own().Grad(g1, theta); v != value || !slices.Equal(g, g1) {
			t.Errorf("Grad says %v, %v, Hess %v, %v", v, g1, value, g)
		}
		size := 0.0
		for j := range n {
			size = max(size, h.At(j, j))
		}
		at, scratch, product := make([]float64, n), make([]float64, n), make([]float64, n)
		directions := linalgtest.Normal(uint64(n), 2, n) // each has a part of every element
		for k := range directions.Rows {
			u := directions.Row(k)
			linalg.Scale(u, 1/linalg.Norm(u))
			move := func(t float64) []float64 { copy(at, theta); linalg.Axpy(at, t, u); return at }
			by := linalgtest.Derivative(func(t float64) []float64 { return []float64{o.Value(move(t))} })
			linalgtest.Close(t, "gradient", linalg.Dot(g, u)/size, by[0]/size, 1e-11)
			by = linalgtest.Derivative(func(t float64) []float64 { o.Grad(scratch, move(t)); return scratch })
			linalg.MulVec(product, h, u, 1)
			linalg.Scale(by, 1/size)
			linalg.Scale(product, 1/size)
			linalgtest.CloseSlice(t, "Hessian", product, by, 1e-11)
		}
	})
}

// Elements of the Hessian are those of the whole, without the ridge.
func TestSubHess(t *testing.T) {
	everywhere(t, ofScoresOrDifferences, func(t *testing.T, _ setting, o *glm.Objective, _ *linalg.Dense) {
		theta := point(o)
		n := len(theta)
		h, g := linalg.Zeros(n, n), make([]float64, n)
		loss := o.Own()
		loss.Ridge = nil
		loss.Hess(h, g, theta)
		size := linalg.NormInf(h.Data)
		var firsts []int // of each function, its intercept where it has one
		for j := 0; j < n; j += o.Dim() {
			firsts = append(firsts, j)
		}
		for _, c := range []struct{ rows, cols []int }{
			{[]int{0}, nil}, {[]int{n - 1, 0, 1}, nil}, {[]int{1}, []int{2, 0}}, {[]int{2, n - 1}, []int{0, n - 1, 1}},
			{[]int{2, 1, 0}, []int{1}}, {firsts, nil}, {firsts, []int{0}}, {[]int{0}, []int{0, 1}}, {[]int{1}, firsts},
		} {
			cols := c.cols
			if cols == nil {
				cols = c.rows
			}
			part := linalg.Zeros(len(c.rows), len(cols))
			for i := range part.Data {
				part.Data[i] = math.NaN() // all is set
			}
			o.SubHess(part, theta, c.rows, c.cols)
			for i, row := range c.rows {
				for j, col := range cols {
					if c.cols == nil && part.At(i, j) != part.At(j, i) {
						t.Errorf("elements %d, %d are not symmetric", i, j)
					}
					linalgtest.Close(t, "element", part.At(i, j)/size, h.At(row, col)/size, 1e-13)
				}
			}
		}
	})
}

// A product with the Hessian is that, of one score and of softmax.
func TestHessVec(t *testing.T) {
	everywhere(t, hasProducts, func(t *testing.T, s setting, o *glm.Objective, _ *linalg.Dense) {
		theta := point(o)
		n := len(theta)
		h, g, u, dst := linalg.Zeros(n, n), make([]float64, n), make([]float64, n), make([]float64, n)
		o.Hess(h, g, theta)
		for j := range u {
			u[j], dst[j] = float64(2*j-1), math.NaN()
		}
		o.HessVec(dst, theta, u)
		want, size := make([]float64, n), linalg.NormInf(h.Data)
		for i := range want {
			want[i] = linalg.Dot(h.Row(i), u) / size
		}
		linalg.Scale(dst, 1/size)
		tol := 1e-13
		if s.scores > 1 { // the curvatures of a row are differences
			tol = 1e-12
		}
		linalgtest.CloseSlice(t, "product", dst, want, tol)
	})
}

// Sums come back from JSON, and each number or list that does not fit the others is refused.
func TestSumsThatDoNotFitTogetherAreRefused(t *testing.T) {
	whole := func() glm.Sums {
		return glm.Sums{Rows: 5, Value: 3, Gradient: []float64{1, 2}, Hessian: linalgtest.Rows(t, []float64{4, 1}, []float64{1, 4}), Floor: 0.1, Sizes: []float64{5, 6}, LeastWeight: 1, Length: 8}
	}
	for name, c := range map[string]struct {
		damage func(s *glm.Sums)
		ok     bool
	}{
		"whole":            {func(*glm.Sums) {}, true},
		"offsets":          {func(s *glm.Sums) { s.Offsets = 2 }, true},
		"no rows":          {func(s *glm.Sums) { s.Rows = 0 }, false},
		"no additions":     {func(s *glm.Sums) { s.Length = 0 }, false},
		"a weight of 0":    {func(s *glm.Sums) { s.LeastWeight = 0 }, false},
		"offsets below 0":  {func(s *glm.Sums) { s.Offsets = -1 }, false},
		"cancelled":        {func(s *glm.Sums) { s.Cancelled = 1e9 }, true},
		"less than none":   {func(s *glm.Sums) { s.Cancelled = -1 }, false},
		"no sizes":         {func(s *glm.Sums) { s.Sizes = nil }, false},
		"sizes of others":  {func(s *glm.Sums) { s.Sizes = []float64{1, 2, 3} }, false},
		"another gradient": {func(s *glm.Sums) { s.Gradient = []float64{1, 2, 3, 4} }, false},
	} {
		s, back := whole(), glm.Sums{}
		c.damage(&s)
		b, err := json.Marshal(&s)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := json.Unmarshal(b, &back); (err == nil) != c.ok || c.ok && !reflect.DeepEqual(back, s) {
			t.Errorf("%s: %+v, %v", name, back, err)
		}
		if !c.ok {
			continue
		}
		for _, list := range []string{"value", "floor"} { // a list of one number
			var j map[string]json.RawMessage
			if err := json.Unmarshal(b, &j); err != nil {
				t.Fatal(err)
			}
			j[list] = j["gradient"]
			bad, _ := json.Marshal(j)
			if err := json.Unmarshal(bad, &back); err == nil {
				t.Errorf("%s: two numbers of %s", name, list)
			}
		}
	}
}

// A loss of one's own has no dual function that is known: its bound proves nothing, with a ridge or without.
func TestOwnLossesHaveNoBound(t *testing.T) {
	x, y := linalgtest.Normal(21, fewRows, fewColumns), make([]float64, fewRows)
	for i := range y {
		y[i] = float64(i * i % 5)
	}
	for _, ridge := range [][]float64{nil, slices.Repeat([]float64{1}, fewColumns+1)} {
		d, err := design.New(x, len(y), "counts", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		o := glm.New(d, y, poisson{}, ridge)
		theta, _, err := o.Minimize(glm.Problem{})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := o.Bound(theta, 1e-9); err != nil || b.Exists || !math.IsInf(b.Gap, 1) {
			t.Errorf("ridge %v: %+v, %v", ridge, b, err)
		}
	}
}
