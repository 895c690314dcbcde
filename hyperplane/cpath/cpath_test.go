package cpath_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"halfspace/hyperplane"
	"halfspace/hyperplane/cpath"
	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
)

// clouds draws two classes that overlap; on a grid, where rows coincide and elbows are
// crowded, for every third seed.
func clouds(seed uint64) (*linalg.Dense, []int) {
	r := rand.New(rand.NewPCG(seed, 9))
	n, p := 10+r.IntN(30), 1+int(seed%4)
	x, y := linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		y[i] = r.IntN(2)
		for j := range p {
			x.Set(i, j, r.NormFloat64()+float64(y[i]))
			if seed%3 == 2 {
				x.Set(i, j, float64(r.IntN(4)+y[i]))
			}
		}
	}
	y[0], y[1] = 0, 1
	return x, y
}

// Anywhere on the path, the line between two breakpoints is the fit there; every piece is
// certified; and between breakpoints the slope is one, at them it changes.
func TestPathIsTheFitEverywhere(t *testing.T) {
	events := 0
	for seed := range uint64(lt.Rounds(9, 300)) {
		x, y := clouds(seed)
		p, err := cpath.Fit(x, y, &cpath.Options{MinC: 0.01, MaxC: 30})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if !p.Complete || p.Gap > 1e-9 {
			t.Errorf("seed %d: %v", seed, p)
		}
		events += len(p.Points)
		r := rand.New(rand.NewPCG(seed, 10))
		for range 8 {
			c := 0.01 * math.Pow(3000, r.Float64())
			plane, err := p.At(c)
			if err != nil {
				t.Fatal(err)
			}
			m, err := hyperplane.FitSVC(x, y, &hyperplane.SVCOptions{C: c, Tol: 1e-12})
			if m == nil {
				t.Fatal(err)
			}
			coef, _ := m.Coef()
			// ½‖β − β*‖² is at most the gap, here 1e-12 of the objective for the fit.
			near := 1e-9 + math.Sqrt(2e-12*m.Report().Objective()) + math.Sqrt(2*p.Gap*m.Report().Objective())
			lt.CloseSlice(t, fmt.Sprintf("seed %d, β at C = %g", seed, c), plane.Normal(), coef.Row(0), near)
			value := 0.0
			for i := range y {
				value += c * math.Max(0, 1-float64(2*y[i]-1)*plane.Value(x.Row(i)))
			}
			value += linalg.Dot(plane.Normal(), plane.Normal()) / 2
			lt.Close(t, "objective", value, m.Report().Objective(), 1e-9*value)
		}
	}
	if events < 20 {
		t.Errorf("%d breakpoints in all", events)
	}
}

func TestPathThatIsEnded(t *testing.T) {
	x, y := clouds(1)
	p, err := cpath.Fit(x, y, &cpath.Options{MaxEvents: 2})
	if err != nil || p.Complete || len(p.Points) != 2 {
		t.Errorf("%v, %v", p, err)
	}
	var option *sample.OptionError
	if _, err := cpath.Fit(x, y, &cpath.Options{MinC: 2, MaxC: 1}); !errors.As(err, &option) {
		t.Errorf("%v", err)
	}
	if _, err := p.At(1e9); !errors.As(err, &option) {
		t.Errorf("beyond the path: %v", err)
	}
}

// Two rows of each class on a line: at first all are inside, then the inner ones are left.
func ExampleFit() {
	x, err := linalg.FromRows([][]float64{{-3}, {-1}, {1}, {3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := cpath.Fit(x, []int{0, 0, 1, 1}, &cpath.Options{MinC: 0.01, MaxC: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range p.Points {
		fmt.Printf("C %.4f: β %.4f, %d inside\n", k.C, k.Beta[0], k.Inside)
	}
	// Output:
	// C 0.0100: β 0.0800, 4 inside
	// C 0.0417: β 0.3333, 2 inside
	// C 0.1667: β 0.3333, 2 inside
	// C 0.5000: β 1.0000, 0 inside
	// C 10.0000: β 1.0000, 0 inside
}

// The path begins and ends where it was asked to, by default at 1e-3 and 1e3; each point is
// the plane there, with what is on the margin and inside it.
func TestPointsAreWhatTheySay(t *testing.T) {
	for seed := range uint64(lt.Rounds(12, 60)) { // the last has multipliers that are not unique
		x, y := clouds(seed)
		p, err := cpath.Fit(x, y, nil)
		if err != nil {
			t.Fatal(seed, err)
		}
		if last := p.Points[len(p.Points)-1]; p.Points[0].C != 1e-3 || last.C != 1e3 || !p.Complete {
			t.Errorf("seed %d: from %g to %g", seed, p.Points[0].C, last.C)
		}
		worst := 0.0
		for k, point := range p.Points {
			plane, err := p.At(point.C)
			if err != nil {
				t.Fatal(err)
			}
			size := 1 + linalg.Norm(point.Beta) + math.Abs(point.Intercept)
			lt.CloseSlice(t, "β", plane.Normal(), point.Beta, 1e-9*size)
			lt.Close(t, "β₀", plane.Intercept(), point.Intercept, 1e-9*size)
			worst = max(worst, point.Gap)
			if k > 0 && !(point.C > p.Points[k-1].C) || !sort.IntsAreSorted(point.Elbow) {
				t.Errorf("seed %d: %g after %g, elbow %v", seed, point.C, p.Points[k-1].C, point.Elbow)
			}
			balance, beta, inside := 0.0, make([]float64, x.Cols), 0
			for i, a := range point.Alpha {
				s := float64(2*y[i] - 1)
				balance += s * a
				linalg.Axpy(beta, s*a, x.Row(i))
				if a < 0 || a > point.C {
					t.Errorf("seed %d: multiplier %g of %g", seed, a, point.C)
				}
			}
			near := 1e-8 * (1 + point.C)
			lt.Close(t, "Σαy", balance, 0, near)
			lt.CloseSlice(t, "Σαyx", beta, point.Beta, near)
			if k+1 == len(p.Points) {
				continue
			}
			mid, err := p.At((point.C + p.Points[k+1].C) / 2)
			if err != nil {
				t.Fatal(err)
			}
			for i := range y {
				margin := float64(2*y[i]-1) * mid.Value(x.Row(i))
				if slices.Contains(point.Elbow, i) {
					lt.Close(t, "on the margin", margin, 1, 1e-7*size)
				} else if margin < 1-1e-7*size {
					inside++
				}
			}
			if inside > point.Inside || inside < point.Inside-len(y)/2 {
				t.Errorf("seed %d, C %g: %d inside, %d counted", seed, point.C, point.Inside, inside)
			}
		}
		lt.Close(t, "the largest gap", p.Gap, worst, 0)
	}
	x, y := clouds(1)
	p, err := cpath.Fit(x, y, &cpath.Options{MinC: 0.5, MaxC: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []float64{0.5 - 1e-9, 2 + 1e-9, math.NaN()} {
		if _, err := p.At(c); err == nil {
			t.Errorf("C = %v is on the path", c)
		}
	}
	for _, o := range []*cpath.Options{{MinC: 1, MaxC: 1}, {MinC: -1}, {MaxC: -1}, {MaxEvents: -1}, {MinC: 2e3}} {
		if _, err := cpath.Fit(x, y, o); !errors.As(err, new(*sample.OptionError)) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if one := (&cpath.Path{Points: p.Points[:1]}); p.String() == one.String() {
		t.Error(p)
	} else if _, err := one.At(0.5); err == nil {
		t.Error("a path of one point has pieces")
	}
}

// In other units of x the path is the same one: for x/s it is at s²C and has sβ.
func TestPathInOtherUnits(t *testing.T) {
	for _, s := range []float64{0x1p-16, 0x1p16} {
		x, y := clouds(3)
		want, err := cpath.Fit(x, y, &cpath.Options{MinC: 0.01, MaxC: 30})
		if err != nil {
			t.Fatal(err)
		}
		linalg.Scale(x.Data, 1/s)
		got, err := cpath.Fit(x, y, &cpath.Options{MinC: 0.01 * s * s, MaxC: 30 * s * s})
		if err != nil || len(got.Points) != len(want.Points) {
			t.Fatal(got, err)
		}
		for k, w := range want.Points {
			g := got.Points[k]
			lt.Close(t, "cost", g.C/s/s, w.C, 1e-9*w.C)
			linalg.Scale(g.Beta, 1/s)
			lt.CloseSlice(t, "β", g.Beta, w.Beta, 1e-8*(1+linalg.Norm(w.Beta)))
			lt.Close(t, "β₀", g.Intercept, w.Intercept, 1e-8*(1+math.Abs(w.Intercept)))
		}
	}
}

// A path may end just beyond one of its own breakpoints, nearer than the fits that tell the next piece.
func TestPathThatEndsJustBeyondABreakpoint(t *testing.T) {
	ends := 0
	for seed := range uint64(4) {
		x, y := clouds(seed)
		all, err := cpath.Fit(x, y, &cpath.Options{MinC: 0.01, MaxC: 30})
		if err != nil {
			t.Fatal(seed, err)
		}
		for _, at := range all.Points[1 : len(all.Points)-1] {
			for _, beyond := range []float64{5e-8, 2e-12, 1e-13} {
				most := at.C * (1 + beyond)
				p, err := cpath.Fit(x, y, &cpath.Options{MinC: at.C / 2, MaxC: most})
				if err != nil {
					t.Errorf("seed %d, to %v beyond %v: %v", seed, most, at.C, err)
					continue
				}
				if last := p.Points[len(p.Points)-1]; last.C != most || !p.Complete || p.Gap > 1e-9 || slices.Min(last.Alpha) < 0 || slices.Max(last.Alpha) > most {
					t.Errorf("seed %d, to %v: %v", seed, most, p)
				}
				ends++
			}
		}
	}
	if ends < 60 {
		t.Errorf("%d ends in all", ends)
	}
}
