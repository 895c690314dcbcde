package zeroone_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/hyperplane"
	"halfspace/hyperplane/zeroone"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// trying every division of the rows, and asking in exact arithmetic whether a plane makes
// it, finds the same least number of errors: on grids, where rows coincide and many lie on
// a line or a plane, and on numbers whose differences round.
func TestMinimumOfAllDivisions(t *testing.T) {
	for seed := range uint64(lt.Rounds(30, 1500)) {
		r := rand.New(rand.NewPCG(seed, 3))
		n, p := 4+r.IntN(5), 1+int(seed%3)
		x, y, w := linalg.Zeros(n, p), make([]int, n), make([]float64, n)
		for i := range n {
			y[i], w[i] = r.IntN(2), float64(1+r.IntN(3))
			for j := range p {
				switch seed % 4 {
				case 0:
					x.Set(i, j, r.NormFloat64())
				case 1:
					x.Set(i, j, 0.1*float64(r.IntN(3))+0.7)
				default:
					x.Set(i, j, float64(r.IntN(3)))
				}
			}
		}
		y[0], y[1] = 0, 1
		if seed%2 == 0 {
			w = nil
		}
		m, err := zeroone.Minimize(x, y, &zeroone.Options{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		if want := leastOfAll(t, x, y, w); m.Errors != want {
			t.Errorf("seed %d, %d×%d: %v, the least is %g\n%v %v %v", seed, n, p, m, want, x, y, w)
		}
		weight := 0.0
		for _, i := range m.Wrong {
			weight += at(w, i)
		}
		if weight != m.Errors {
			t.Errorf("seed %d: rows %v weigh %g, not %g", seed, m.Wrong, weight, m.Errors)
		}
		if m.Plane == nil {
			t.Errorf("seed %d: no plane", seed)
			continue
		}
		g, err := m.Plane.Margins(x, y, nil)
		if err != nil || g.Misclassified != len(m.Wrong) {
			t.Errorf("seed %d: the plane has %d rows wrong, not %d (%v)", seed, g.Misclassified, len(m.Wrong), err)
		}
	}
}

func at(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

func leastOfAll(t *testing.T, x *linalg.Dense, y []int, w []float64) float64 {
	least := math.Inf(1)
	n := len(y)
	for code := range 1 << n {
		sides, errs := make([]int, n), 0.0
		for i := range n {
			sides[i] = code >> i & 1
			if sides[i] != y[i] {
				errs += at(w, i)
			}
		}
		if errs >= least {
			continue
		}
		if code != 0 && code != 1<<n-1 {
			_, err := hyperplane.FitHardMargin(x, sides, nil)
			var none *hyperplane.InfeasibleError
			if errors.As(err, &none) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
		}
		least = errs
	}
	return least
}

// On larger sets nothing that minimises a surrogate has fewer errors, and no row or line
// of a thousand drawn at random.
func TestNoPlaneHasFewerErrors(t *testing.T) {
	for seed := range uint64(lt.Rounds(2, 40)) {
		p := 2 + int(seed%2)
		n := 120 - 40*(p-2)
		x, y := lt.Normal(seed, n, p), make([]int, n)
		r := rand.New(rand.NewPCG(seed, 4))
		for i := range y {
			if x.At(i, 0)+0.8*r.NormFloat64() > 0 {
				y[i] = 1
			}
		}
		m, err := zeroone.Minimize(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		least := n
		try := func(plane *hyperplane.Plane) {
			g, err := plane.Margins(x, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, g.Misclassified)
		}
		for _, c := range []float64{0.01, 1, 100} {
			svc, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: c})
			if err != nil {
				t.Fatal(err)
			}
			try(svc.Machines()[0].Plane)
		}
		pocket, _ := hyperplane.FitPerceptron(x, y, &hyperplane.PerceptronOptions{Pocket: true, MaxEpochs: 200})
		try(pocket.Plane())
		for range 1000 {
			normal := m.Plane.Normal()
			for j := range normal {
				normal[j] += 0.1 * m.Plane.Norm() * r.NormFloat64()
			}
			plane, err := hyperplane.NewPlane(normal, m.Plane.Intercept()+0.1*m.Plane.Norm()*r.NormFloat64())
			if err != nil {
				t.Fatal(err)
			}
			try(plane)
		}
		if int(m.Errors) > least || m.Plane == nil {
			t.Errorf("seed %d: %v, a plane has %d", seed, m, least)
		}
	}
}

func TestRefusals(t *testing.T) {
	x := linalg.Zeros(4, 4)
	var shape *linalg.ShapeError
	if _, err := zeroone.Minimize(x, []int{0, 1, 0, 1}, nil); !errors.As(err, &shape) {
		t.Errorf("four columns: %v", err)
	}
	var class *linalg.ClassError
	if _, err := zeroone.Minimize(linalg.Zeros(3, 2), []int{1, 1, 1}, nil); !errors.As(err, &class) {
		t.Errorf("one class: %v", err)
	}
}

// Exclusive or: no line has fewer than one of the four corners wrong.
func Example() {
	x, err := linalg.FromRows([][]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := zeroone.Minimize(x, []int{0, 0, 1, 1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Errors, len(m.Wrong))
	// Output: 1 1
}

// Rows on one line of space are divided by where they are on it, whichever features tell.
func TestRowsOnOneLine(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 5))
		line, x, y := linalg.Zeros(8, 1), linalg.Zeros(8, 3), make([]int, 8)
		for i := range y {
			at := float64(r.IntN(9) - 4)
			line.Set(i, 0, at)
			for j := range 3 {
				x.Set(i, j, 5+at*float64((int(seed)+j)%3)) // the same in one feature
			}
			y[i] = r.IntN(2)
		}
		y[0], y[1] = 0, 1
		want, err := zeroone.Minimize(line, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := zeroone.Minimize(x, y, nil)
		if err != nil || got.Errors != want.Errors {
			t.Errorf("seed %d: %v and %v, on the line itself %v", seed, got, err, want)
		}
	}
}

// Where rows are neighbours in float64, no plane of float64 may divide them as the least error
// does: then there is none, rather than one with more rows wrong.
func TestNoPlaneRatherThanAWorseOne(t *testing.T) {
	without := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		x, y := linalg.Zeros(4, 1+r.IntN(2)), []int{0, 1, 0, 1}
		for i := range y {
			for j := range x.Cols {
				v := math.Ldexp(1+r.Float64(), r.IntN(3))
				if i > 0 && r.IntN(2) == 0 {
					v = x.At(i-1, j)
				}
				for range r.IntN(3) {
					v = math.Nextafter(v, 9)
				}
				x.Set(i, j, v)
			}
		}
		m, err := zeroone.Minimize(x, y, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		if m.Plane == nil {
			without++
			continue
		}
		if g, err := m.Plane.Margins(x, y, nil); err != nil || float64(g.Misclassified) != m.Errors {
			t.Errorf("seed %d: %v has %d rows wrong (%v)", seed, m, g.Misclassified, err)
		}
	}
	if without == 0 {
		t.Error("every division has a plane")
	}
}

// Where the least error has all rows on one side, the plane is beside them, however near 0 they are.
func TestAllRowsOnOneSide(t *testing.T) {
	for _, size := range []float64{0, 0.1, 0.4, 1, 1e6} {
		for side := range 2 {
			x, err := linalg.FromRows([][]float64{{-size, size}, {-size, size}, {-size, size}})
			if err != nil {
				t.Fatal(err)
			}
			m, err := zeroone.Minimize(x, []int{side, 1 - side, side}, nil)
			if err != nil || m.Errors != 1 || len(m.Wrong) != 1 || m.Wrong[0] != 1 {
				t.Fatalf("size %g: %v, %v", size, m, err)
			}
			if f := m.Plane.Value(x.Row(0)); (f > 0) != (side == 1) {
				t.Errorf("size %g: class %d has f = %g", size, side, f)
			}
		}
	}
}

// A row of weight 0 is on no wrong side.
func TestRowOfNoWeight(t *testing.T) {
	x, err := linalg.FromRows([][]float64{{0}, {1}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	for weight, want := range map[float64]int{0: 0, 0.5: 1} {
		m, err := zeroone.Minimize(x, []int{0, 1, 0}, &zeroone.Options{Weights: []float64{1, 1, weight}})
		if err != nil || m.Errors != weight || len(m.Wrong) != want {
			t.Errorf("weight %g: %v, %v", weight, m, err)
		}
	}
}

// A row of weight 0 is deleted: it is in the way of no plane, and out of range where it likes.
func TestPlaneWithoutRowsOfNoWeight(t *testing.T) {
	for _, far := range []float64{1.5, 1e200} {
		x := &linalg.Dense{Rows: 5, Cols: 1, Stride: 1, Data: []float64{far, 0, 1, 2, 3}}
		m, err := zeroone.Minimize(x, []int{0, 0, 0, 1, 0}, &zeroone.Options{Weights: []float64{0, 1, 1, 1, 0.5}})
		if err != nil || m.Errors != 0.5 || len(m.Wrong) != 1 || m.Wrong[0] != 4 {
			t.Fatalf("%v, %v", m, err)
		}
		lt.CloseSlice(t, "plane", append(m.Plane.Normal(), m.Plane.Intercept()), []float64{2, -3}, 1e-9)
	}
}

// A constant column is none: the plane is that of the others, for their work.
func TestConstantColumnsAreLeftOut(t *testing.T) {
	beside, y := lt.Normal(3, 60, 3), make([]int, 60)
	x := linalg.Zeros(60, 2)
	for i := range y {
		y[i] = i % 2
		copy(x.Row(i), []float64{beside.At(i, 0), beside.At(i, 2)})
		beside.Set(i, 1, 0.1)
	}
	want, err := zeroone.Minimize(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := zeroone.Minimize(beside, y, nil)
	if err != nil || m.Errors != want.Errors || m.Plane == nil {
		t.Fatalf("%v, %v", m, err)
	}
	normal := want.Plane.Normal()
	lt.CloseSlice(t, "normal", m.Plane.Normal(), []float64{normal[0], 0, normal[1]}, 1e-6)
	work := func(x linalg.Rows) float64 {
		return testing.AllocsPerRun(1, func() { _, _ = zeroone.Minimize(x, y, nil) })
	}
	if alone, with := work(x), work(beside); with > 2*alone { // integers of determinants that are 0
		t.Errorf("%g allocations, without the column %g", with, alone)
	}
}

func TestNoRowsAreRefused(t *testing.T) {
	var shape *linalg.ShapeError
	if _, err := zeroone.Minimize(nil, []int{0, 1}, nil); !errors.As(err, &shape) {
		t.Error(err)
	}
}
