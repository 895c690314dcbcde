package qp_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// columns are the rows of a matrix, seen as the columns of least squares.
type columns struct{ *linalg.Dense }

func (c columns) Len() int { return c.Cols }

func (c columns) Column(dst []float64, j int) { copy(dst, c.Row(j)) }

func (c columns) Steepest(r []float64) (j int, product float64) {
	j, product = -1, math.Inf(-1)
	for i := range c.Rows {
		if v := linalg.Dot(c.Row(i), r); v > product {
			j, product = i, v
		}
	}
	return j, product
}

// left returns t − Σ aⱼzⱼ, summed anew.
func left(z columns, t []float64, c *qp.Combination) []float64 {
	r := append([]float64(nil), t...)
	for k, j := range c.Columns {
		linalg.Axpy(r, -c.Factors[k], z.Row(j))
	}
	return r
}

// checkNonNegative recomputes the conditions of the minimum from the published
// combination alone.
func checkNonNegative(t *testing.T, what string, z columns, target []float64, c *qp.Combination) {
	t.Helper()
	size := linalg.Norm(target)
	r := left(z, target, c)
	lt.CloseSlice(t, what+": residual", r, c.Residual, 1e-12*max(1, size))
	lt.Close(t, what+": objective", c.Report.Objective(), linalg.Dot(r, r)/2, 1e-12*max(1, size*size))
	for k, a := range c.Factors {
		if !(a > 0) || k > 0 && c.Columns[k] <= c.Columns[k-1] {
			t.Errorf("%s: columns %v, factors %v", what, c.Columns, c.Factors)
		}
	}
	in := make(map[int]bool)
	for _, j := range c.Columns {
		in[j] = true
	}
	for j := range z.Rows {
		v, room := linalg.Dot(z.Row(j), r), 1e-9*size*linalg.Norm(z.Row(j))
		if v > room || in[j] && v < -room {
			t.Errorf("%s: column %d, in the combination %v, has zᵀr = %g", what, j, in[j], v)
		}
	}
}

// On paper: of (1,0) and (1,1) the target (2,−1) would have 3 and −1; without the
// second column the best is 2·(1,0), which leaves (0,−1).
func TestNonNegativeOnPaper(t *testing.T) {
	z, target := columns{lt.Rows(t, []float64{1, 0}, []float64{1, 1})}, []float64{2, -1}
	c, err := qp.NonNegative(z, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(c.Columns, c.Factors, c.Residual, c.Report.Objective()) != "[0] [2] [0 -1] 0.5" {
		t.Errorf("%+v", c)
	}
	checkNonNegative(t, "on paper", z, target, c)
}

// least returns the minimum of ½‖t − Za‖² over a ≥ 0 by trying every set of columns.
func least(t *testing.T, z columns, target []float64) float64 {
	t.Helper()
	best := linalg.Dot(target, target) / 2
	for set := 1; set < 1<<z.Rows; set++ {
		var in []int
		for j := range z.Rows {
			if set>>j&1 == 1 {
				in = append(in, j)
			}
		}
		if len(in) > z.Cols {
			continue
		}
		a := linalg.Zeros(z.Cols, len(in))
		for k, j := range in {
			for i, v := range z.Row(j) {
				a.Set(i, k, v)
			}
		}
		qr, err := linalg.NewQR(a)
		if err != nil || qr.Rank() < len(in) {
			continue
		}
		c := &qp.Combination{Columns: in, Factors: make([]float64, len(in))}
		qr.Solve(c.Factors, target)
		negative := false
		for _, v := range c.Factors {
			negative = negative || v < 0
		}
		if r := left(z, target, c); !negative {
			best = min(best, linalg.Dot(r, r)/2)
		}
	}
	return best
}

// A set of columns of each size, columns that others determine and columns twice:
// no set of columns does better.
func TestNonNegativeAgainstEverySet(t *testing.T) {
	inside := 0
	for seed := range uint64(300) {
		d, n := 1+int(seed%5), 1+int(seed/5%9)
		z := columns{lt.Normal(seed, n, d)}
		if seed%3 == 0 && n > 2 {
			copy(z.Row(1), z.Row(0))
			linalg.Axpy(z.Row(2), 1, z.Row(0))
		}
		target := lt.Normal(seed+1000, 1, d).Data
		c, err := qp.NonNegative(z, target, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		what := fmt.Sprintf("seed %d, %d columns of %d", seed, n, d)
		checkNonNegative(t, what, z, target, c)
		lt.Close(t, what, c.Report.Objective(), least(t, z, target), 1e-12)
		if linalg.Norm(c.Residual) < 1e-12 {
			inside++
		}
	}
	if inside < 50 || inside > 250 {
		t.Errorf("%d of 300 targets inside the cone", inside)
	}
}

// Many columns in more dimensions enter and leave; the certificate is the largest
// zᵀr/‖r‖.
func TestNonNegativeWithManyColumns(t *testing.T) {
	z, target := columns{lt.Normal(5, 300, 60)}, lt.Normal(6, 1, 60).Data
	for i := range z.Rows {
		z.Row(i)[0] = 1 + math.Abs(z.Row(i)[0])
	}
	target[0] = 0.5
	c, err := qp.NonNegative(z, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkNonNegative(t, "many", z, target, c)
	if len(c.Columns) < 10 || c.Report.Iterations() <= len(c.Columns) {
		t.Errorf("%d columns in %d steps: none left on the way", len(c.Columns), c.Report.Iterations())
	}
	_, steepest := z.Steepest(c.Residual)
	if v := c.Report.Certificate().Value; v != max(0, steepest)/linalg.Norm(c.Residual) {
		t.Errorf("certificate %g", v)
	}
}

// A residual no longer than Noise is none.
func TestNonNegativeNoise(t *testing.T) {
	z, target := columns{lt.Rows(t, []float64{1, 0}, []float64{0, 1})}, []float64{3, 1e-3}
	for noise, columns := range map[float64]int{0: 2, 1e-2: 1} {
		c, err := qp.NonNegative(z, target, &qp.NonNegativeOptions{Noise: noise})
		if err != nil || len(c.Columns) != columns || c.Report.Status() != optimize.Converged || c.Report.Certificate().Value != 0 {
			t.Errorf("noise %g: %+v, %v", noise, c, err)
		}
	}
}

func TestNonNegativeEndsEarly(t *testing.T) {
	z, target := columns{lt.Normal(7, 50, 20)}, lt.Normal(8, 1, 20).Data
	c, err := qp.NonNegative(z, target, &qp.NonNegativeOptions{MaxIter: 3})
	if c == nil || !errors.Is(err, optimize.ErrNotConverged) || c.Report.Status() != optimize.MaxIterations || c.Report.Iterations() != 3 || len(c.Columns) != 3 {
		t.Errorf("cap: %+v, %v", c, err)
	}
	enough, last := errors.New("enough"), math.Inf(1)
	c, err = qp.NonNegative(z, target, &qp.NonNegativeOptions{Trace: func(s optimize.Step) error {
		if s.Objective >= last || s.Objective != linalg.Dot(s.X, s.X)/2 {
			t.Errorf("step %d: objective %g after %g", s.Iteration, s.Objective, last)
		}
		if last = s.Objective; s.Iteration == 2 {
			return enough
		}
		return nil
	}})
	if c == nil || !errors.Is(err, enough) || !errors.Is(err, optimize.ErrNotConverged) || c.Report.Status() != optimize.Stopped {
		t.Errorf("trace: %+v, %v", c, err)
	}
}

// stubborn always names its first column, whatever is left.
type stubborn struct{ columns }

func (s stubborn) Steepest(r []float64) (j int, product float64) { return 0, linalg.Norm(r) }

// A column that cannot enter ends the steps where they are; it is no step.
func TestNonNegativeWithoutAWayOn(t *testing.T) {
	z := stubborn{columns{lt.Rows(t, []float64{1, 0}, []float64{0, 1})}}
	c, err := qp.NonNegative(z, []float64{2, 3}, nil)
	if c == nil || !errors.Is(err, optimize.ErrNotConverged) || c.Report.Status() != optimize.LineSearch || c.Report.Iterations() != 1 || c.Report.Objective() != 4.5 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestNonNegativeRefuses(t *testing.T) {
	z := columns{lt.Rows(t, []float64{1, 0})}
	for what, c := range map[string]struct {
		target []float64
		o      qp.NonNegativeOptions
		as     any
	}{
		"a short target":     {[]float64{1}, qp.NonNegativeOptions{}, new(*linalg.ShapeError)},
		"a NaN":              {[]float64{1, math.NaN()}, qp.NonNegativeOptions{}, new(*linalg.NonFiniteError)},
		"a negative Tol":     {[]float64{1, 1}, qp.NonNegativeOptions{Tol: -1}, new(*sample.OptionError)},
		"a negative Noise":   {[]float64{1, 1}, qp.NonNegativeOptions{Noise: -1}, new(*sample.OptionError)},
		"a negative MaxIter": {[]float64{1, 1}, qp.NonNegativeOptions{MaxIter: -1}, new(*sample.OptionError)},
	} {
		if got, err := qp.NonNegative(z, c.target, &c.o); got != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	none := columns{&linalg.Dense{Cols: 2, Stride: 2}}
	if c, err := qp.NonNegative(none, []float64{1, 2}, nil); err != nil || len(c.Columns) != 0 || c.Report.Objective() != 2.5 {
		t.Errorf("no columns: %+v, %v", c, err)
	}
}

// misled names its second column once nothing is left along the first, although it leads away from the target.
type misled struct{ columns }

func (m misled) Steepest(r []float64) (j int, product float64) {
	if r[0] == 0 {
		j = 1
	}
	return j, linalg.Norm(r)
}

// A column whose product is above 0 by rounding alone leaves at once, and ends the steps.
func TestNonNegativeOfAColumnThatLeavesAtOnce(t *testing.T) {
	z := misled{columns{lt.Rows(t, []float64{1, 0}, []float64{1, -1})}}
	c, err := qp.NonNegative(z, []float64{2, 3}, nil)
	if c == nil || !errors.Is(err, optimize.ErrNotConverged) || c.Report.Status() != optimize.LineSearch || c.Report.Iterations() != 1 || fmt.Sprint(c.Columns, c.Factors, c.Residual) != "[0] [2] [0 3]" {
		t.Errorf("%+v, %v", c, err)
	}
}
