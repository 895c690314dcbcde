package discriminant_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
)

// fits are all the fits, for tests of what they have in common.
var fits = map[string]func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error){
	"lda": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitLDA(x, y, o)
	},
	"qda": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitQDA(x, y, o)
	},
	"rda": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitRDA(x, y, o)
	},
	"rrlda": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitReducedRank(x, y, o)
	},
	"indicator": func(x *linalg.Dense, y []int, o *discriminant.Options) (any, error) {
		return discriminant.FitIndicator(x, y, o)
	},
}

func isNil(m any) bool {
	switch v := m.(type) {
	case *discriminant.LDA:
		return v == nil
	case *discriminant.QDA:
		return v == nil
	case *discriminant.ReducedRank:
		return v == nil
	case *discriminant.Indicator:
		return v == nil
	}
	return m == nil
}

// NaN or Inf in x or weights; empty x, p = 0, rows ≠ labels; one class only.
func TestBadInput(t *testing.T) {
	x, y := iris(t)
	with := func(i, j int, v float64) *linalg.Dense {
		c := x.Clone()
		c.Set(i, j, v)
		return c
	}
	ones := func() []float64 { return slices.Repeat([]float64{1}, x.Rows) }
	weights := func(i int, v float64) *discriminant.Options {
		w := ones()
		w[i] = v
		return &discriminant.Options{Weights: w}
	}
	var (
		shape  *linalg.ShapeError
		finite *linalg.NonFiniteError
		class  *linalg.ClassError
		weight *linalg.WeightError
		option *sample.OptionError
	)
	for name, c := range map[string]struct {
		x      *linalg.Dense
		y      []int
		o      *discriminant.Options
		target any
		text   string
	}{
		"NaN in x":              {with(17, 2, math.NaN()), y, nil, &finite, "row 17, column 2"},
		"infinity in x":         {with(149, 0, math.Inf(1)), y, nil, &finite, "row 149, column 0"},
		"-infinity in x":        {with(0, 3, math.Inf(-1)), y, nil, &finite, "row 0, column 3 is -Inf"},
		"NaN at weight 0":       {with(17, 2, math.NaN()), y, weights(17, 0), &finite, "row 17, column 2"},
		"infinity at weight 0":  {with(17, 2, math.Inf(1)), y, weights(17, 0), &finite, "row 17, column 2"},
		"NaN in weights":        {x, y, weights(3, math.NaN()), &finite, "weights: row 3"},
		"infinity in weights":   {x, y, weights(3, math.Inf(1)), &finite, "weights: row 3"},
		"-infinity in weights":  {x, y, weights(3, math.Inf(-1)), &finite, "weights: row 3"},
		"weights that overflow": {x, y, &discriminant.Options{Weights: slices.Repeat([]float64{1e307}, x.Rows)}, &finite, "weights summed up"},
		"negative weight":       {x, y, weights(4, -2), &weight, "row 4 is -2"},
		"weights missing":       {x, y, &discriminant.Options{Weights: ones()[1:]}, &shape, "150 rows but 149 weights"},
		"all weights 0":         {x, y, &discriminant.Options{Weights: make([]float64, x.Rows)}, &shape, "positive weight"},
		"labels missing":        {x, y[1:], nil, &shape, "150 rows but 149 labels"},
		"no rows":               {&linalg.Dense{Cols: 4, Stride: 4}, nil, nil, &shape, "0 rows"},
		"no columns":            {&linalg.Dense{Rows: 150}, y, nil, &shape, "0 columns"},
		"no matrix":             {nil, y, nil, &shape, "0 rows"},
		"one class":             {x, make([]int, x.Rows), nil, &class, "class 0 (150 rows) is the only class"},
		"one class by weights":  {x, y, &discriminant.Options{Weights: append(slices.Repeat([]float64{1}, 50), make([]float64, 100)...)}, &class, "class 0 (50 rows) is the only class"},
		"a class without rows":  {x, y, &discriminant.Options{Classes: []int{0, 1, 2, 3}}, &class, "class 3 (0 rows) has no rows"},
		"a class not listed":    {x, y, &discriminant.Options{Classes: []int{0, 1}}, &class, "class 2 (50 rows) is not in the list"},
		"a class listed twice":  {x, y, &discriminant.Options{Classes: []int{0, 1, 1, 2}}, &class, "twice"},
		"negative Workers":      {x, y, &discriminant.Options{Workers: -1}, &option, "Workers is -1"},
		"too few labels by one": {x.RowRange(0, 149), y, nil, &shape, "149 rows but 150 labels"},
	} {
		for method, fit := range fits {
			m, err := fit(c.x, c.y, c.o)
			if !errors.As(err, c.target) || !strings.Contains(err.Error(), c.text) || !strings.HasPrefix(err.Error(), "discriminant: ") {
				t.Errorf("%s: %s: %v", method, name, err)
			}
			if strings.Count(err.Error(), "discriminant: ") != 1 {
				t.Errorf("%s: %s: wrapped twice: %v", method, name, err)
			}
			if !isNil(m) {
				t.Errorf("%s: %s: a model came with the error", method, name)
			}
		}
	}
	for name, o := range map[string]*discriminant.Options{
		"Priors do not sum to 1": {Priors: []float64{.3, .3, .3}}, "Priors sum to 1.00001": {Priors: []float64{.3, .3, .40001}}, "a prior of 0": {Priors: []float64{0, .5, .5}},
		"NaN prior": {Priors: []float64{math.NaN(), .5, .5}}, "infinite prior": {Priors: []float64{.5, math.Inf(1), .5}}, "infinite ridge": {Ridge: math.Inf(1)}, "negative ridge": {Ridge: -1}, "NaN ridge": {Ridge: math.NaN()},
		"alpha above 1": {Alpha: 1.5}, "NaN alpha": {Alpha: math.NaN()}, "negative shrinkage": {Shrinkage: -0.1}, "negative rank": {Rank: -1},
		"divisor": {Divisor: 7},
	} {
		for _, method := range []string{"lda", "qda", "rda", "rrlda"} {
			if _, err := fits[method](x, y, o); !errors.As(err, &option) {
				t.Errorf("%s: %s: %v", method, name, err)
			}
		}
	}
	if _, err := discriminant.FitLDA(x, y, &discriminant.Options{Priors: []float64{.5, .5}}); !errors.As(err, &shape) {
		t.Errorf("two priors for three classes: %v", err)
	}
	if _, err := discriminant.FitLDA(x, y, &discriminant.Options{Costs: linalg.Zeros(2, 3)}); err == nil {
		t.Error("costs of the wrong shape")
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		costs := linalg.Zeros(3, 3)
		costs.Set(1, 2, v)
		if _, err := discriminant.FitLDA(x, y, &discriminant.Options{Costs: costs}); !errors.As(err, &finite) {
			t.Errorf("%v in costs: %v", v, err)
		}
	}
	if _, err := discriminant.FitReducedRank(x, y, &discriminant.Options{Rank: 3}); !errors.As(err, &option) {
		t.Errorf("rank 3 of 2: %v", err)
	}
}

// Constant or collinear columns.
func TestDegenerateColumns(t *testing.T) {
	x, y := gaussians(9, 90, 4, 3, 1)
	change := func(f func(row []float64, class int)) *linalg.Dense {
		c := x.Clone()
		for i := range c.Rows {
			f(c.Row(i), y[i])
		}
		return c
	}
	for name, c := range map[string]struct {
		x       *linalg.Dense
		rank    int
		columns []int
	}{
		"constant":                       {change(func(r []float64, _ int) { r[2] = 0.1 }), 3, []int{2}},
		"two constant":                   {change(func(r []float64, _ int) { r[0], r[3] = -7, 1e8 }), 2, []int{0, 3}},
		"constant within classes":        {change(func(r []float64, k int) { r[1] = 0.3 * float64(k) }), 3, []int{1}},
		"copy":                           {change(func(r []float64, _ int) { r[3] = r[0] }), 3, []int{3}},
		"sum":                            {change(func(r []float64, _ int) { r[3] = r[0] - 2*r[1] + 5 }), 3, []int{3}},
		"sum on another scale":           {change(func(r []float64, _ int) { r[3] = 1e-12 * (r[0] + r[1]) }), 3, []int{3}},
		"sum far from 0":                 {change(func(r []float64, _ int) { r[0] += 1e8; r[1] += 1e8; r[3] = r[0] + r[1] }), 3, []int{3}},
		"sum within classes":             {change(func(r []float64, k int) { r[2] = r[0] + float64(k*k) }), 3, []int{2}},
		"constant but for its roundings": {change(func(r []float64, k int) { r[2] = 1e8 + 1e-8*math.Copysign(1, r[0]) }), 3, []int{2}},
	} {
		for method, fit := range fits {
			within := strings.Contains(name, "within")
			if method == "indicator" && within {
				continue // its covariance is that of all rows
			}
			_, err := fit(c.x, y, nil)
			var rank *linalg.RankError
			if !errors.As(err, &rank) {
				t.Errorf("%s: %s: %v", method, name, err)
				continue
			}
			if rank.P != 4 || rank.Rank != c.rank || method != "rda" && !slices.Equal(rank.Columns, c.columns) {
				t.Errorf("%s: %s: %v", method, name, err)
			}
			var of *discriminant.ClassRankError
			if quadratic := method == "qda" || method == "rda"; errors.As(err, &of) != quadratic {
				t.Errorf("%s: %s: %v", method, name, err)
			}
		}
		o := &discriminant.Options{Ridge: 1e-3}
		if _, err := discriminant.FitLDA(c.x, y, o); err != nil && !strings.Contains(name, "far") {
			t.Errorf("%s: with a ridge: %v", name, err)
		}
		if _, err := discriminant.FitQDA(c.x, y, o); err != nil && !strings.Contains(name, "far") {
			t.Errorf("%s: with a ridge: %v", name, err)
		}
	}
}

// One class of three has a column that its others determine.
func TestSingularClassCovariance(t *testing.T) {
	x, y := gaussians(15, 90, 4, 3, 1)
	for i := range x.Rows {
		if y[i] == 1 {
			x.Set(i, 2, 3*x.At(i, 0)-x.At(i, 3))
		}
	}
	_, err := discriminant.FitQDA(x, y, nil)
	var of *discriminant.ClassRankError
	if !errors.As(err, &of) || of.Class != 1 || of.Err.Rank != 3 || of.Err.P != 4 || !slices.Equal(of.Err.Columns, []int{3}) {
		t.Fatalf("error %v", err)
	}
	rows := 0
	for _, k := range y {
		if k == 1 {
			rows++
		}
	}
	if want := fmt.Sprintf("class 1 (%d rows)", rows); of.Rows != rows || !strings.Contains(err.Error(), want) {
		t.Errorf("error %q, want %q in it", err, want)
	}
	if _, err := discriminant.FitRDA(x, y, &discriminant.Options{Alpha: 1}); !errors.As(err, &of) {
		t.Errorf("RDA, α = 1: %v", err)
	}
	for name, m := range map[string]*discriminant.QDA{
		"RDA":   must[*discriminant.QDA](t)(discriminant.FitRDA(x, y, &discriminant.Options{Alpha: 0.9})),
		"ridge": must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, &discriminant.Options{Ridge: 1e-3})),
	} {
		if wrong := errorsOf(t, m, x, y); wrong > 20 || !m.Report().Certificate().Holds() {
			t.Errorf("%s: %d errors, %+v", name, wrong, m.Report())
		}
	}
}

// Scores of ±1e4, and of ±1e300.
func TestHugeScores(t *testing.T) {
	x, y := gaussians(16, 90, 2, 3, 0)
	for i := range x.Rows {
		x.Set(i, 0, x.At(i, 0)+150*float64(y[i]))
	}
	for method, fit := range fits {
		m, err := fit(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, ok := m.(interface {
			Scores(dst, row []float64) []float64
			Proba(dst, row []float64) []float64
		})
		if !ok {
			t.Fatalf("%s has no probabilities", method)
		}
		logs, hasLogs := m.(interface {
			LogProba(dst, row []float64) []float64
		})
		for _, row := range [][]float64{x.Row(0), x.Row(1), x.Row(2), {-1e4, 3}, {1e150, -1e150}, {-1e300, 1}, {1e303, 1e303}} {
			p, total := c.Proba(nil, row), 0.0
			for _, v := range p {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s: probabilities %v of %v", method, p, row)
				}
				total += v
			}
			linalgtest.Close(t, method+": sum of probabilities", total, 1, 1e-14)
			if s := c.Scores(nil, row); method != "indicator" && slices.Max(s)-slices.Min(s) < 1e4 && row[0] == x.At(0, 0) {
				t.Errorf("%s: scores %v are no test", method, s)
			}
			if !hasLogs {
				continue
			}
			for k, v := range logs.LogProba(nil, row) {
				if !(v <= 0) || math.IsInf(v, 0) && math.Abs(row[0]) < 1e100 {
					t.Errorf("%s: log-probability %d of %v is %v", method, k, row, v)
				}
			}
		}
	}
}

// n < p, in the whole and within classes; classes of one row.
func TestFewRows(t *testing.T) {
	x, y := gaussians(10, 90, 4, 3, 1)
	y[0], y[1] = 7, 8
	y[1] = y[0]
	y[0] = 0
	// Class 7 has one row: no covariance of its own, but LDA needs none.
	m := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	if !slices.Equal(m.Classes(), []int{0, 1, 2, 7}) {
		t.Errorf("classes %v", m.Classes())
	}
	for _, d := range []discriminant.Divisor{discriminant.Unbiased, discriminant.MLE} {
		_, err := discriminant.FitQDA(x, y, &discriminant.Options{Divisor: d})
		var of *discriminant.ClassRankError
		if !errors.As(err, &of) || of.Class != 7 || of.Rows != 1 || of.Err.Rank != 0 || of.Err.P != 4 {
			t.Errorf("a class of one row: %v", err)
		}
	}
	if _, err := discriminant.FitRDA(x, y, &discriminant.Options{Alpha: 0.9}); err != nil {
		t.Errorf("RDA: %v", err)
	}
	if _, err := discriminant.FitQDA(x, y, &discriminant.Options{Ridge: 0.1}); err != nil {
		t.Errorf("ridge: %v", err)
	}
	// Three rows a class in four dimensions, and fewer rows than columns.
	var rank *linalg.RankError
	few, fy := x.RowRange(2, 11), y[2:11]
	if _, err := discriminant.FitQDA(few, fy, nil); !errors.As(err, &rank) || rank.Rank != 2 {
		t.Errorf("three rows a class: %v", err)
	}
	few, fy = x.RowRange(2, 5), y[2:5]
	for method, fit := range fits {
		if _, err := fit(few, fy, nil); !errors.As(err, &rank) {
			t.Errorf("%s: one row a class: %v", method, err)
		}
	}
	wide, wy := gaussians(11, 20, 50, 2, 1)
	if _, err := discriminant.FitLDA(wide, wy, nil); !errors.As(err, &rank) || rank.Rank != 18 || len(rank.Columns) != 32 {
		t.Errorf("n < p: %v", err)
	}
	if _, err := discriminant.FitLDA(wide, wy, &discriminant.Options{Shrinkage: 0.5}); err != nil {
		t.Errorf("n < p with shrinkage: %v", err)
	}
	same := linalg.Zeros(6, 1)
	for i := range 6 {
		same.Set(i, 0, float64(i/2))
	}
	if _, err := discriminant.FitReducedRank(same, []int{0, 1, 0, 1, 0, 1}, nil); !errors.Is(err, discriminant.ErrCentroids) {
		t.Errorf("equal means: %v", err)
	}
}

// Within the classes on a scale of 1e-7, between them on one of 1; far from 0;
// on scales from 1e-12 to 1e12; at the ends of the range of squares: the answer is
// that of the same data on an even scale.
func TestScalesAndShifts(t *testing.T) {
	x, y := gaussians(12, 300, 3, 3, 0)
	base := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	quad := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))
	for name, c := range map[string]struct {
		scale [3]float64
		shift float64
		tol   float64
	}{
		"scales":      {[3]float64{1e-12, 1, 1e12}, 0, 1e-11},
		"1e-130":      {[3]float64{1e-130, 1e-130, 1e-130}, 0, 1e-11},
		"1e130":       {[3]float64{1e130, 1e130, 1e130}, 0, 1e-11},
		"2²⁷ + x":     {[3]float64{1, 1, 1}, 1 << 27, 1e-6},
		"1e8 + 1e4·x": {[3]float64{1e4, 1e4, 1e4}, 1e8, 1e-10},
	} {
		z := x.Clone()
		for i := range z.Rows {
			for j := range 3 {
				z.Set(i, j, z.At(i, j)*c.scale[j]+c.shift)
			}
		}
		l, err := discriminant.FitLDA(z, y, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		q := must[*discriminant.QDA](t)(discriminant.FitQDA(z, y, nil))
		for i := range x.Rows {
			linalgtest.CloseSlice(t, name, l.LogProba(nil, z.Row(i)), base.LogProba(nil, x.Row(i)), c.tol)
			linalgtest.CloseSlice(t, name, q.LogProba(nil, z.Row(i)), quad.LogProba(nil, x.Row(i)), 10*c.tol)
		}
	}
}

func TestNarrowClasses(t *testing.T) {
	// Multiples of 2⁻⁴⁰ about integers: moving a class is exact, so the covariance
	// must not change by a bit beyond rounding.
	x, y := gaussians(13, 300, 3, 3, 0)
	near, far := x.Clone(), x.Clone()
	for i := range x.Rows {
		for j := range 3 {
			v := math.Round(x.At(i, j)*(1<<17)) / (1 << 40)
			near.Set(i, j, v)
			far.Set(i, j, v+float64(y[i]*(j+1)))
		}
	}
	a := must[*discriminant.LDA](t)(discriminant.FitLDA(near, y, nil)).Cov()
	l := must[*discriminant.LDA](t)(discriminant.FitLDA(far, y, nil))
	b := l.Cov()
	for i, v := range a.Data {
		if math.Abs(v-b.Data[i]) > 1e-13*math.Abs(a.At(i/3, i/3)) {
			t.Errorf("covariance %v, %v apart", v, b.Data[i])
		}
	}
	if wrong := errorsOf(t, l, far, y); wrong != 0 || !l.Report().Certificate().Holds() {
		t.Errorf("%d errors, report %+v", wrong, l.Report())
	}
}

// Columns so nearly dependent that their Gram matrix is singular to rounding: the
// QR factorisation decides, and gives the answer of the well-conditioned basis.
func TestNearlyDependentColumns(t *testing.T) {
	x, y := gaussians(14, 200, 3, 3, 1)
	z := x.Clone()
	const h = 1.0 / (1 << 33)
	for i := range x.Rows {
		for j := range 3 {
			x.Set(i, j, math.Round(x.At(i, j)*(1<<10))/(1<<10)) // sums below are exact
		}
		z.Set(i, 0, x.At(i, 0))
		z.Set(i, 1, x.At(i, 1))
		z.Set(i, 2, x.At(i, 0)+x.At(i, 1)+h*x.At(i, 2))
	}
	want := must[*discriminant.LDA](t)(discriminant.FitLDA(x, y, nil))
	got := must[*discriminant.LDA](t)(discriminant.FitLDA(z, y, nil))
	wantQ := must[*discriminant.QDA](t)(discriminant.FitQDA(x, y, nil))
	gotQ := must[*discriminant.QDA](t)(discriminant.FitQDA(z, y, nil))
	zero := must[*discriminant.QDA](t)(discriminant.FitRDA(z, y, nil))
	one := must[*discriminant.QDA](t)(discriminant.FitRDA(z, y, &discriminant.Options{Alpha: 1}))
	for i := range x.Rows {
		linalgtest.CloseSlice(t, "LDA", got.Proba(nil, z.Row(i)), want.Proba(nil, x.Row(i)), 1e-5)
		linalgtest.CloseSlice(t, "QDA", gotQ.Proba(nil, z.Row(i)), wantQ.Proba(nil, x.Row(i)), 1e-5)
		linalgtest.CloseSlice(t, "RDA, α = 0", zero.Proba(nil, z.Row(i)), want.Proba(nil, x.Row(i)), 1e-5)
		linalgtest.CloseSlice(t, "RDA, α = 1", one.LogProba(nil, z.Row(i)), gotQ.LogProba(nil, z.Row(i)), 1e-12)
	}
	if c := got.Report().Certificate(); !c.Holds() {
		t.Errorf("certificate %+v", c)
	}
}

func TestWrongRowLengthPanics(t *testing.T) {
	x, y := iris(t)
	for method, fit := range fits {
		m, err := fit(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := m.(interface {
			classifier
			Scores(dst, row []float64) []float64
		})
		for name, call := range map[string]func(){
			"Scores": func() { c.Scores(nil, []float64{1, 2, 3}) }, "Proba": func() { c.Proba(nil, nil) }, "Predict": func() { c.Predict(make([]float64, 5)) },
		} {
			func() {
				defer func() {
					if s, ok := recover().(string); !ok || !strings.Contains(s, "the model has 4 features") {
						t.Errorf("%s.%s: panic %v", method, name, s)
					}
				}()
				call()
			}()
		}
		var shape *linalg.ShapeError
		if _, err := c.PredictRows(nil, linalg.Zeros(2, 3)); !errors.As(err, &shape) {
			t.Errorf("%s.PredictRows: %v", method, err)
		}
		if _, err := c.PredictRows(nil, nil); !errors.As(err, &shape) {
			t.Errorf("%s.PredictRows: %v", method, err)
		}
		for _, v := range c.Scores(nil, []float64{1, math.NaN(), 2, 3}) {
			if v == v {
				t.Errorf("%s: a NaN scored %v", method, v)
			}
		}
	}
}
