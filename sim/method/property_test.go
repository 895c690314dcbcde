package method_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/validate"
)

// clouds draws rows that suit a method: normal classes that overlap, or are apart
// for the methods that need it; a noisy plane for regressions.
func clouds(m *method.Method, seed uint64, n, p int) *dataset.Data {
	r := rand.New(rand.NewPCG(seed, 1))
	k, apart := 3, 1.5
	if m.Name == "perceptron" || m.Name == "hardmargin" {
		k, apart = 2, 12
	}
	d := &dataset.Data{X: linalg.Zeros(n, p), Schema: &dataset.Schema{Label: "y"}}
	for j := range p {
		d.Schema.Columns = append(d.Schema.Columns, dataset.Column{Name: string(rune('a' + j))})
	}
	d.Features = d.Schema.Features()
	for i := range n {
		row, noise := d.X.Row(i), r.NormFloat64()
		for j := range row {
			row[j] = r.NormFloat64()
		}
		if m.Regression {
			y := 3 + noise
			for j, v := range row {
				y += float64(j-1) * v
			}
			d.Y = append(d.Y, y)
			continue
		}
		class := i % k
		row[class%p] += apart
		d.Labels = append(d.Labels, class)
	}
	if !m.Regression {
		d.Schema.Names = []string{"u", "v", "w"}[:k]
		d.Names = d.Schema.Names
	}
	return d
}

// changed returns a copy of d with other rows.
func changed(d *dataset.Data, change func(row []float64)) *dataset.Data {
	c := *d
	c.X = d.X.Clone()
	for i := range c.X.Rows {
		change(c.X.Row(i))
	}
	return &c
}

// pick returns the given rows of d, in that order.
func pick(d *dataset.Data, rows []int) *dataset.Data {
	c := *d
	c.X, c.Labels, c.Y = validate.TakeRows(d.X, rows), validate.Take(d.Labels, rows), validate.Take(d.Y, rows)
	return &c
}

// answers is what the model says about the row, free of what is arbitrary: the
// prediction of a regression, else scores less their mean.
func answers(m *method.Model, row []float64) []float64 {
	if r := m.Regressor(); r != nil {
		return []float64{r.Predict(row)}
	}
	s := m.Classifier().Scores(nil, row)
	mean := 0.0
	for _, v := range s {
		mean += v / float64(len(s))
	}
	for k := range s {
		s[k] -= mean
	}
	return s
}

// agree compares two models on the rows of x and what change makes of them. order
// says where the classes of a are in b; nil is where they were.
func agree(t *testing.T, what string, a, b *method.Model, x *linalg.Dense, change func(row []float64), order []int) {
	t.Helper()
	for i := range x.Rows {
		u := answers(a, x.Row(i))
		row := slices.Clone(x.Row(i))
		if change != nil {
			change(row)
		}
		v := answers(b, row)
		for k := range u {
			at := k
			if order != nil {
				at = order[k]
			}
			if d := math.Abs(u[k] - v[at]); !(d <= 2e-6*(1+math.Abs(u[k]))) {
				t.Errorf("%s: %s: row %d: %v became %v", a.Method.Name, what, i, u, v)
				return
			}
		}
	}
}

// must fits or fails.
func must(t *testing.T, m *method.Method, d *dataset.Data, o *method.Options) *method.Model {
	t.Helper()
	model, err := m.Fit(d, o)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return model
}

// ways are the options under which properties are tried: as they come, and with
// standardised columns and the other way with several classes.
func ways(m *method.Method) []*method.Options {
	list := []*method.Options{options(m)}
	if m.Takes("standardize") {
		o := options(m)
		o.Standardize = true
		if m.Takes("multi") {
			o.Multi = "ovr"
		}
		if m.Takes("l1-ratio") {
			o.L1Ratio = 0.5
		}
		list = append(list, o)
	}
	if m.Takes("l1-ratio") {
		list = append(list, new(method.Options)) // maximum likelihood
	}
	for _, o := range list {
		o.Epsilon = 0.1
	}
	return list
}

// each runs a property on every method but the exceptions.
func each(t *testing.T, except []string, property func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand)) {
	t.Helper()
	seeds := 3
	if testing.Short() {
		seeds = 1
	}
	cases := 0
	for _, m := range method.All() {
		if slices.Contains(except, m.Name) {
			continue
		}
		for _, o := range ways(m) {
			for s := range seeds {
				property(t, m, o, clouds(m, uint64(s), 60, 3), rand.New(rand.NewPCG(uint64(s), 2)))
				cases++
			}
		}
	}
	t.Logf("%d cases", cases)
}

// Order matters to a perceptron.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	each(t, []string{"perceptron"}, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		agree(t, "rows permuted", must(t, m, d, o), must(t, m, pick(d, r.Perm(d.X.Rows)), o), d.X, nil, nil)
	})
}

// Votes for classes that tie are decided by names.
func TestNamesOfClassesDoNotMatter(t *testing.T) {
	each(t, nil, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		if m.Regression {
			return
		}
		order := r.Perm(len(d.Names))
		if len(order) == 2 {
			order = []int{1, 0}
		}
		c := *d
		c.Labels = make([]int, len(d.Labels))
		for i, k := range d.Labels {
			c.Labels[i] = order[k]
		}
		agree(t, "classes renamed", must(t, m, d, o), must(t, m, &c, o), d.X, nil, order)
	})
}

func TestFlippedLabelsFlipTheSigns(t *testing.T) {
	each(t, nil, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		if !m.Regression && len(d.Names) == 3 {
			d = twoOf(d)
		}
		c := *d
		if m.Regression {
			c.Y = make([]float64, len(d.Y))
			for i, v := range d.Y {
				c.Y[i] = -v
			}
		} else {
			c.Labels = make([]int, len(d.Labels))
			for i, k := range d.Labels {
				c.Labels[i] = 1 - k
			}
		}
		a, b := must(t, m, d, o), must(t, m, &c, o)
		for i := range d.X.Rows {
			u, v := answers(a, d.X.Row(i)), answers(b, d.X.Row(i))
			if math.Abs(u[0]+v[0]) > 2e-6*(1+math.Abs(u[0])) {
				t.Errorf("%s: row %d: %v and %v", m.Name, i, u, v)
				return
			}
		}
	})
}

// twoOf returns the rows of the first two classes.
func twoOf(d *dataset.Data) *dataset.Data {
	var rows []int
	for i, k := range d.Labels {
		if k < 2 {
			rows = append(rows, i)
		}
	}
	c := pick(d, rows)
	s := *d.Schema
	s.Names = s.Names[:2]
	c.Schema, c.Names = &s, s.Names
	return c
}

// free reports whether the fit is indifferent to the scale of a feature: penalties
// and margins are not, unless columns are standardised first; nor is a covariance
// that is shrunk towards a sphere.
func free(m *method.Method, o *method.Options) bool {
	switch m.Name {
	case "indicator", "lda", "qda", "rda", "rrlda", "ols":
		return true
	case "logistic":
		return o.Lambda == 0 || o.Standardize
	}
	return o.Standardize
}

// A perceptron starts at a plane through 0 and walks by lengths; where columns are
// standardised, one rounding can send it another way.
func TestShiftedAndScaledFeatures(t *testing.T) {
	each(t, []string{"perceptron"}, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		scale, shift := []float64{1, 1, 1}, []float64{5, -30, 100}
		if free(m, o) {
			scale = []float64{1e-3, -7, 1e4}
		}
		move := func(row []float64) {
			for j := range row {
				row[j] = scale[j]*row[j] + shift[j]
			}
		}
		a, b := must(t, m, d, o), must(t, m, changed(d, move), o)
		agree(t, "shifted and scaled", a, b, d.X, move, nil)
		ca, _, ok := a.Coef()
		if !ok {
			return
		}
		cb, _, _ := b.Coef()
		for k := range ca.Rows {
			for j, v := range ca.Row(k) {
				if got := cb.At(k, j) * scale[j]; math.Abs(got-v) > 1e-5*(1+math.Abs(v)) {
					t.Errorf("%s: coefficient %d of %d: %v, scaled back %v", m.Name, j, k, v, got)
				}
			}
		}
	})
}

// rotation is a product of three plane rotations.
func rotation(r *rand.Rand) *linalg.Dense {
	q := linalg.Zeros(3, 3)
	for j := range 3 {
		q.Set(j, j, 1)
	}
	for _, pair := range [][2]int{{0, 1}, {1, 2}, {0, 2}} {
		sin, cos := math.Sincos(r.Float64() * 6)
		for i := range 3 {
			a, b := q.At(i, pair[0]), q.At(i, pair[1])
			q.Set(i, pair[0], cos*a-sin*b)
			q.Set(i, pair[1], sin*a+cos*b)
		}
	}
	return q
}

// The lasso knows the axes, and so does whatever standardises columns; one
// rounding can send a perceptron another way.
func TestRotatedRows(t *testing.T) {
	each(t, []string{"lasso", "perceptron"}, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		if o.Standardize || o.L1Ratio > 0 {
			return
		}
		q := rotation(r)
		turn := func(row []float64) {
			old := slices.Clone(row)
			for j := range row {
				row[j] = 0
				for i, v := range old {
					row[j] += v * q.At(i, j)
				}
			}
		}
		a, b := must(t, m, d, o), must(t, m, changed(d, turn), o)
		agree(t, "rotated", a, b, d.X, turn, nil)
		ca, ia, ok := a.Coef()
		if !ok {
			return
		}
		cb, ib, _ := b.Coef()
		for k := range ca.Rows {
			row := slices.Clone(ca.Row(k))
			turn(row)
			for j, v := range append(row, ia[k]) {
				if got := append(slices.Clone(cb.Row(k)), ib[k])[j]; math.Abs(got-v) > 1e-5*(1+math.Abs(v)) {
					t.Errorf("%s: coefficient %d of %d: %v, rotated %v", m.Name, j, k, got, v)
				}
			}
		}
	})
}

// A perceptron takes no weights. A hard margin takes them for rows to leave out.
func TestWeightsAreRepeatedRows(t *testing.T) {
	each(t, []string{"perceptron"}, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		var rows []int
		w := *d
		for i := range d.X.Rows {
			n := r.IntN(4)
			w.Weights = append(w.Weights, float64(n))
			for range n {
				rows = append(rows, i)
			}
		}
		agree(t, "rows repeated", must(t, m, &w, o), must(t, m, pick(d, rows), o), d.X, nil, nil)
	})
}

func TestRowsOfWeightZeroChangeNothing(t *testing.T) {
	each(t, []string{"perceptron"}, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		all := make([]int, d.X.Rows+2)
		for i := range d.X.Rows {
			all[i] = i
		}
		w := pick(d, all)
		w.Weights = slices.Repeat([]float64{1}, len(all))
		for i := d.X.Rows; i < len(all); i++ {
			w.Weights[i] = 0
			for j := range w.X.Row(i) {
				w.X.Row(i)[j] = 1e6
			}
		}
		agree(t, "with rows of weight 0", must(t, m, d, o), must(t, m, w, o), d.X, nil, nil)
	})
}

// Every classifier predicts the class of its largest score, whatever way it is
// asked, and probabilities are such.
func TestPredictionsAreConsistent(t *testing.T) {
	each(t, nil, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		model := must(t, m, d, o)
		x := linalg.Zeros(200, 3)
		for i := range x.Data {
			x.Data[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(8)-2))
		}
		if g := model.Regressor(); g != nil {
			all, err := g.PredictRows(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range all {
				if got := g.Predict(x.Row(i)); math.Float64bits(v) != math.Float64bits(got) {
					t.Fatalf("%s: row %d: %v among others, %v alone", m.Name, i, v, got)
				}
			}
			return
		}
		c := model.Classifier()
		all, err := c.PredictRows(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			s := c.Scores(nil, x.Row(i))
			best := 0
			for k, v := range s {
				if v > s[best] {
					best = k
				}
			}
			if got := c.Predict(x.Row(i)); got != c.Classes()[best] || all[i] != got {
				t.Fatalf("%s: row %d: scores %v, predicted %d alone and %d among others", m.Name, i, s, got, all[i])
			}
			if !model.HasProba() {
				continue
			}
			total := 0.0
			for _, v := range c.(sim.Prober).Proba(nil, x.Row(i)) {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("%s: row %d: probability %v", m.Name, i, v)
				}
				total += v
			}
			if math.Abs(total-1) > 1e-12 {
				t.Fatalf("%s: row %d: probabilities sum to %v", m.Name, i, total)
			}
		}
	})
}

func TestPredictingAllocatesNothing(t *testing.T) {
	if linalgtest.Race {
		t.Skip("the race detector lets pools forget")
	}
	for _, m := range method.All() {
		for _, o := range ways(m) {
			model := must(t, m, clouds(m, 1, 60, 3), o)
			row, dst := []float64{1, 2, 3}, make([]float64, 0, 8)
			calls := map[string]func(){}
			if r := model.Regressor(); r != nil {
				calls["Predict"] = func() { r.Predict(row) }
			} else {
				c := model.Classifier()
				calls["Predict"] = func() { c.Predict(row) }
				calls["Scores"] = func() { c.Scores(dst, row) }
				if p, ok := c.(sim.Prober); ok && model.HasProba() {
					calls["Proba"] = func() { p.Proba(dst, row) }
				}
			}
			for name, call := range calls {
				// The garbage collector may empty a pool between two runs.
				if n := testing.AllocsPerRun(100, call); n > 0 {
					t.Errorf("%s: %s allocates %v times a row (standardise %v)", m.Name, name, n, o.Standardize)
				}
			}
		}
	}
}

// A row of the wrong length is the caller's bug: it panics in Predict, and is an
// error in PredictRows. A NaN in a row makes NaN scores.
func TestRowsOfTheWrongLength(t *testing.T) {
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return
	}
	for _, m := range method.All() {
		for _, o := range ways(m) {
			model := must(t, m, clouds(m, 1, 60, 3), o)
			short, bad := []float64{1, 2}, []float64{1, math.NaN(), 3}
			x := linalg.Zeros(4, 2)
			var shape *linalg.ShapeError
			if r := model.Regressor(); r != nil {
				if !panics(func() { r.Predict(short) }) {
					t.Errorf("%s: Predict takes 2 of 3 values", m.Name)
				}
				if _, err := r.PredictRows(nil, x); !errors.As(err, &shape) {
					t.Errorf("%s: PredictRows: %v", m.Name, err)
				}
				if v := r.Predict(bad); v == v {
					t.Errorf("%s: f of a NaN is %v", m.Name, v)
				}
				continue
			}
			c := model.Classifier()
			if !panics(func() { c.Predict(short) }) || !panics(func() { c.Scores(nil, short) }) {
				t.Errorf("%s: Predict or Scores takes 2 of 3 values", m.Name)
			}
			if _, err := c.PredictRows(nil, x); !errors.As(err, &shape) {
				t.Errorf("%s: PredictRows: %v", m.Name, err)
			}
			for _, v := range c.Scores(nil, bad) {
				if v == v {
					t.Errorf("%s: the scores of a NaN are %v", m.Name, c.Scores(nil, bad))
					break
				}
			}
			if k := c.Predict(bad); !slices.Contains(c.Classes(), k) {
				t.Errorf("%s: a NaN is of class %d", m.Name, k)
			}
		}
	}
}
