package byhand_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/optimize"
	"halfspace/sim/byhand"
)

// grid draws rows of small integers, on which float64 computes without rounding.
func grid(seed uint64, n, p int) (*linalg.Dense, []int) {
	r := rand.New(rand.NewPCG(seed, 12))
	x, y := linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		y[i] = i % 2
		for j := range p {
			x.Set(i, j, float64(r.IntN(7)))
		}
		x.Set(i, 0, x.At(i, 0)+8*float64(y[i]))
	}
	return x, y
}

// The steps by hand are those of the fit: every plane of the perceptron, and how many rows
// it has wrong.
func TestPerceptronStepsAreThoseOfTheFit(t *testing.T) {
	for seed := range uint64(lt.Rounds(10, 500)) {
		x, y := grid(seed, 8, 2)
		p, err := byhand.Perceptron(x, y, 100)
		if err != nil {
			t.Fatal(err)
		}
		var planes []string
		m, err := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{MaxEpochs: 100, EveryUpdate: true, Trace: func(s optimize.Step) error {
			planes = append(planes, fmt.Sprint(s.X, math.Round(s.Certificate*8)))
			return nil
		}})
		if p.Separated != (err == nil) {
			t.Errorf("seed %d: separated %v, the fit says %v", seed, p.Separated, err)
		}
		var steps []string
		for _, s := range p.Steps {
			if s.Moved {
				v := []float64{}
				b, _ := s.Intercept.Float64()
				v = append(v, b)
				for _, c := range s.Beta {
					f, _ := c.Float64()
					v = append(v, f)
				}
				steps = append(steps, fmt.Sprint(v, float64(s.Wrong)))
			}
		}
		if got, want := strings.Join(steps, "\n"), strings.Join(planes[1:], "\n"); got != want || len(steps) != m.Updates() {
			t.Errorf("seed %d:\n%s\nby the fit:\n%s", seed, got, want)
		}
	}
}

// The case that solves the conditions is the hard margin's, with its multipliers; where
// there is none the fit is refused.
func TestMarginCasesEndAtTheFit(t *testing.T) {
	for seed := range uint64(lt.Rounds(10, 300)) {
		x, y := grid(seed, 7, 2)
		if seed%4 == 3 {
			y[0], y[1] = 1, 0
		}
		c, err := byhand.HardMargin(x, y)
		if err != nil {
			t.Fatal(err)
		}
		m, err := hyperplane.FitHardMargin(x, y, nil)
		if c.Solved != (err == nil) {
			t.Errorf("seed %d: solved %v, the fit says %v\n%v", seed, c.Solved, err, c)
			continue
		}
		if !c.Solved {
			continue
		}
		last := c.Cases[len(c.Cases)-1]
		coef, intercept := m.Coef()
		for j, b := range last.Beta {
			v, _ := b.Float64()
			lt.Close(t, fmt.Sprintf("seed %d, β", seed), v, coef.At(0, j), 1e-9)
		}
		v, _ := last.Intercept.Float64()
		lt.Close(t, "β₀", v, intercept[0], 1e-8)
	}
}

// Reweighted least squares ends at the maximum of the likelihood, and Fisher's
// coordinates are those of the fit.
func TestIRLSAndFisherEndAtTheFits(t *testing.T) {
	for seed := range uint64(lt.Rounds(5, 200)) {
		x, y := lt.Normal(seed, 60, 2), make([]int, 60)
		z := lt.Normal(seed+1, 60, 1)
		for i := range y {
			if x.At(i, 0)+1.5*z.Data[i] > 0 {
				y[i] = 1
			}
		}
		l, err := byhand.IRLS(x, y, 12)
		if err != nil {
			t.Fatal(err)
		}
		m, err := logistic.Fit(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		coef, intercept := m.Coef()
		lt.CloseSlice(t, "β", l[len(l)-1].Beta, append(intercept, coef.Row(0)...), 1e-8)
		x, y = lt.LabeledRows(45, 3, 3)
		for i := range x.Data {
			x.Data[i] += 0.1 * lt.Normal(seed+2, 45, 3).Data[i]
		}
		f, err := byhand.Fisher(x, y)
		if err == nil && f.V.Rows != 2 {
			err = fmt.Errorf("%d directions of three classes", f.V.Rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := discriminant.FitReducedRank(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		values := r.Values()
		for l := range 2 {
			if sum := f.Values[l]; !(math.Abs(sum/f.Values[0]-values[l]/values[0]) <= 1e-9) {
				t.Errorf("seed %d: eigenvalues %v, %v", seed, f.Values, values)
			}
			v, w := f.V.Row(l), r.Scaling().Col(nil, l)
			if c := math.Abs(linalg.Dot(v, w)) / linalg.Norm(v) / linalg.Norm(w); math.Abs(c-1) > 1e-9 {
				t.Errorf("seed %d: direction %v, %v", seed, v, w)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	x := lt.Rows(t, []float64{1}, []float64{2}, []float64{3})
	for name, err := range map[string]error{
		"one class":     second(byhand.Perceptron(x, []int{1, 1, 1}, 3)),
		"three classes": second(byhand.HardMargin(x, []int{0, 1, 2})),
		"two labels":    second(byhand.IRLS(x, []int{0, 1}, 3)),
		"one label":     second(byhand.Fisher(x, []int{5, 5, 5})),
		"no rows":       second(byhand.Fisher(new(linalg.Dense), nil)),
		"four labels":   second(byhand.Fisher(x, []int{0, 1, 1, 0})),
		"NaN":           second(byhand.Perceptron(lt.Rows(t, []float64{math.NaN()}, []float64{1}), []int{0, 1}, 3)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "byhand: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rows that are nil, or shorter than they say, are an error with both numbers.
func TestRowsThatAreNotThereAreRefused(t *testing.T) {
	for name, x := range map[string]linalg.Rows{
		"none": nil, "a nil matrix": (*linalg.Dense)(nil), "too short": &linalg.Dense{Rows: 2, Cols: 1, Stride: 1, Data: []float64{1}},
	} {
		y := []int{0, 1}
		_, fisher := byhand.Fisher(x, y)
		_, irls := byhand.IRLS(x, y, 1)
		_, margin := byhand.HardMargin(x, y)
		_, perceptron := byhand.Perceptron(x, y, 1)
		for k, err := range []error{fisher, irls, margin, perceptron} {
			if !errors.As(err, new(*linalg.ShapeError)) {
				t.Errorf("%s, %d: %v", name, k, err)
			}
		}
	}
}

// Labels are any integers, as everywhere, and fewer than no steps are none.
func TestLabelsAndStepsAreAnyIntegers(t *testing.T) {
	x, y := lt.LabeledRows(45, 3, 3)
	f, err := byhand.Fisher(x, y)
	if err != nil {
		t.Fatal(err)
	}
	for i, label := range y {
		y[i] = []int{math.MinInt, -3, math.MaxInt}[label]
	}
	if g, err := byhand.Fisher(x, y); err != nil || g.String() != f.String() {
		t.Errorf("%v, %v; want %v", g, err, f)
	}
	if l, err := byhand.IRLS(lt.Rows(t, []float64{0}, []float64{2}, []float64{1}), []int{0, 1, 1}, -1); err != nil || len(l) != 1 {
		t.Errorf("%d steps, %v", len(l)-1, err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestWriteAll(t *testing.T) {
	var b bytes.Buffer
	if err := byhand.WriteAll(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"solution\n", "M* = M·W^(−1/2)", "step 6: β", "rows wrong", "y·f = "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// Two rows on a line: (0) of class −1 and (2) of class +1.
func Example() {
	x, err := linalg.FromRows([][]float64{{0}, {2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := byhand.HardMargin(x, []int{0, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(m)
	// Output: support rows 1, 2: α = (1/2, 1/2), β = (1), β₀ = -1: solution
}

// A support that holds a row of α = 0 is none, even where its plane is that of the rest.
func TestMarginRowsWithoutWeightAreNoSupport(t *testing.T) {
	x := lt.Rows(t, []float64{0, 0}, []float64{2, 0}, []float64{2, 5}, []float64{1.5, 1})
	c, err := byhand.HardMargin(x, []int{0, 1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range c.Cases {
		if slices.Equal(k.Support, []int{0, 1, 2}) {
			if k.Verdict != "α of row 3 is 0" {
				t.Errorf("rows 1, 2, 3: %s", k.Verdict)
			}
			return
		}
	}
	t.Errorf("rows 1, 2, 3 are no case of\n%v", c)
}

// Two rows at −1 and 1 of each class: at β = 0 all p are ½, W ¼ and z ±2, the deviance is
// 8·log 2; the step is the least squares fit of z, whose means are 0 at −1 and 2 at 1.
func TestFirstStepOfIRLSByHand(t *testing.T) {
	x := lt.Rows(t, []float64{-1}, []float64{-1}, []float64{1}, []float64{1})
	l, err := byhand.IRLS(x, []int{3, 5, 5, 5}, 1)
	if err != nil || len(l) != 2 {
		t.Fatal(l, err)
	}
	lt.CloseSlice(t, "p", l[0].P, []float64{.5, .5, .5, .5}, 0)
	lt.CloseSlice(t, "W", l[0].W, []float64{.25, .25, .25, .25}, 0)
	lt.CloseSlice(t, "z", l[0].Z, []float64{-2, 2, 2, 2}, 1e-15)
	lt.CloseSlice(t, "β", l[1].Beta, []float64{1, 1}, 1e-15)
	lt.Close(t, "deviance", l[0].Deviance, 8*math.Ln2, 1e-15)
	// f is 0 in the first two rows and 2 in the last two.
	lt.Close(t, "deviance after a step", l[1].Deviance, 4*math.Log1p(math.Exp(-2))+4*math.Ln2, 1e-14)
	want := "step 0: β = (0, 0), deviance 5.545177\n  p = (0.5, 0.5, 0.5, 0.5)\n  W = (0.25, 0.25, 0.25, 0.25)\n  z = (-2, 2, 2, 2)\n"
	if got := l[:1].String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l, err = byhand.IRLS(lt.Rows(t, []float64{1}, []float64{1}, []float64{1}), []int{0, 1, 1}, 3)
	if len(l) != 1 || err == nil || !strings.HasPrefix(err.Error(), "byhand: step 1: ") {
		t.Errorf("a constant column: %v, %v", l, err)
	}
}

// Labels need not be in any order, and a third one is none of the two, wherever it stands.
func TestPerceptronByHand(t *testing.T) {
	x := lt.Rows(t, []float64{1}, []float64{-1}, []float64{2})
	p, err := byhand.Perceptron(x, []int{9, -9, 9}, 5)
	if err != nil {
		t.Fatal(err)
	}
	// Row 1 moves to 1 + x, which row 2 lies on: it moves to 0 + 2x, and the second pass moves nothing.
	want := `epoch  row  y·f      moved  β₀, β                 rows wrong
    1    1  0        yes    1, (1)                1
    1    2  0        yes    0, (2)                0
    1    3  4        no     0, (2)                0
    2    1  2        no     0, (2)                0
    2    2  2        no     0, (2)                0
    2    3  4        no     0, (2)                0
`
	if p.String() != want || !p.Separated {
		t.Errorf("%v, want\n%s", p, want)
	}
	p, err = byhand.Perceptron(lt.Rows(t, []float64{0}, []float64{0}), []int{0, 1}, 2)
	if err != nil || len(p.Steps) != 4 || p.Separated || !strings.HasSuffix(p.String(), "not separated\n") {
		t.Errorf("%v, %v", p, err)
	}
	for _, y := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}} {
		if _, err := byhand.Perceptron(x, y, 5); !errors.As(err, new(*linalg.ClassError)) {
			t.Errorf("%v: %v", y, err)
		}
	}
}

// A row inside the slab is named with its margin, and supports end with the first that solves.
func TestMarginCasesByHand(t *testing.T) {
	x := lt.Rows(t, []float64{0}, []float64{3}, []float64{2})
	c, err := byhand.HardMargin(x, []int{0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	want := "support rows 1, 2: α = (2/9, 2/9), β = (2/3), β₀ = -1: row 3 has y·f = 1/3\n" +
		"support rows 1, 3: α = (1/2, 1/2), β = (1), β₀ = -1: solution\n"
	if c.String() != want || !c.Solved {
		t.Errorf("%v, want\n%s", c, want)
	}
	c, err = byhand.HardMargin(lt.Rows(t, []float64{0}, []float64{3}, []float64{2}), []int{0, 1, 0})
	if err != nil || len(c.Cases) != 3 || c.Cases[2].Verdict != "solution" {
		t.Errorf("%v, %v", c, err)
	}
}

// A column without spread within the classes has no M*, and the error names its eigenvalue.
func TestFisherOfASingularCovariance(t *testing.T) {
	x := lt.Rows(t, []float64{0, 1}, []float64{2, 1}, []float64{5, 2}, []float64{9, 2})
	if _, err := byhand.Fisher(x, []int{0, 0, 1, 1}); err == nil || !strings.Contains(err.Error(), "singular: an eigenvalue of 0 beside 5") {
		t.Error(err)
	}
	f, err := byhand.Fisher(lt.Rows(t, []float64{0}, []float64{2}, []float64{5}, []float64{9}), []int{0, 0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "W", f.W.At(0, 0), (1.+1+4+4)/(4-2), 1e-15)
	lt.Close(t, "value", f.Values[0], 9./5, 1e-14) // means 1 and 7 are 3 from theirs: 9/5
	lt.Close(t, "direction", math.Abs(f.V.At(0, 0)), 1/math.Sqrt(5), 1e-15)
}
