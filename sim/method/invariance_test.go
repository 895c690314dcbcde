package method_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// changed returns a copy of d with other rows.
func changed(d *dataset.Data, change func(row []float64)) *dataset.Data {
	c := *d
	c.X = d.X.Clone()
	for i := range c.X.Rows {
		change(c.X.Row(i))
	}
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
		for _, o := range methodtest.Ways(m) {
			for s := range seeds {
				property(t, m, o, methodtest.Clouds(m, uint64(s), 60, 3), rand.New(rand.NewPCG(uint64(s), 2)))
				cases++
			}
		}
	}
	t.Logf("%d cases", cases)
}

// Order matters to a perceptron.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	each(t, []string{"perceptron"}, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		agree(t, "rows permuted", methodtest.Must(t, m, d, o), methodtest.Must(t, m, methodtest.Rows(d, r.Perm(d.X.Rows)), o), d.X, nil, nil)
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
		agree(t, "classes renamed", methodtest.Must(t, m, d, o), methodtest.Must(t, m, &c, o), d.X, nil, order)
	})
}

func TestFlippedLabelsFlipTheSigns(t *testing.T) {
	each(t, nil, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		if !m.Regression && len(d.Names) == 3 {
			d = methodtest.TwoClasses(d)
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
		a, b := methodtest.Must(t, m, d, o), methodtest.Must(t, m, &c, o)
		for i := range d.X.Rows {
			u, v := answers(a, d.X.Row(i)), answers(b, d.X.Row(i))
			if !(math.Abs(u[0]+v[0]) <= 2e-6*(1+math.Abs(u[0]))) {
				t.Errorf("%s: row %d: %v and %v", m.Name, i, u, v)
				return
			}
		}
	})
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
		a, b := methodtest.Must(t, m, d, o), methodtest.Must(t, m, changed(d, move), o)
		agree(t, "shifted and scaled", a, b, d.X, move, nil)
		ca, _, ok := a.Coef()
		if !ok {
			return
		}
		cb, _, _ := b.Coef()
		for k := range ca.Rows {
			for j, v := range ca.Row(k) {
				if got := cb.At(k, j) * scale[j]; !(math.Abs(got-v) <= 1e-5*(1+math.Abs(v))) {
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
		a, b := methodtest.Must(t, m, d, o), methodtest.Must(t, m, changed(d, turn), o)
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
				if got := append(slices.Clone(cb.Row(k)), ib[k])[j]; !(math.Abs(got-v) <= 1e-5*(1+math.Abs(v))) {
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
		agree(t, "rows repeated", methodtest.Must(t, m, &w, o), methodtest.Must(t, m, methodtest.Rows(d, rows), o), d.X, nil, nil)
	})
}

func TestRowsOfWeightZeroChangeNothing(t *testing.T) {
	each(t, []string{"perceptron"}, func(t *testing.T, m *method.Method, o *method.Options, d *dataset.Data, r *rand.Rand) {
		all := make([]int, d.X.Rows+2)
		for i := range d.X.Rows {
			all[i] = i
		}
		w := methodtest.Rows(d, all)
		w.Weights = slices.Repeat([]float64{1}, len(all))
		for i := d.X.Rows; i < len(all); i++ {
			w.Weights[i] = 0
			for j := range w.X.Row(i) {
				w.X.Row(i)[j] = 1e6
			}
		}
		agree(t, "with rows of weight 0", methodtest.Must(t, m, d, o), methodtest.Must(t, m, w, o), d.X, nil, nil)
	})
}
