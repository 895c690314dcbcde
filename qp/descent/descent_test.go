package descent

import (
	"math"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
)

// drawn is the problem of a soft margin of long rows with few values, some of none, C = price.
func drawn(seed uint64, n, p int, price float64) *Problem {
	x := lt.Thinned(seed, n, p, 0.05)
	d := &Problem{Rows: lt.Sparse(x), Sign: make([]float64, n), Squares: make([]float64, n), Linear: make([]float64, n),
		Lower: make([]float64, n), Upper: make([]float64, n), Passes: 1000}
	for i := range n {
		d.Sign[i], d.Linear[i], d.Upper[i] = float64(2*(i*i%3%2)-1), -1, price
		d.Squares[i] = linalg.Dot(x.Row(i), x.Row(i))
	}
	d.Balance = d.Sign
	return d
}

// evidence returns f at a point, and the gap: for reduced gradients r what they promise, with what
// Σαt ≠ Δ may add.
func (p *Problem) evidence(at *Point) (f, gap float64) {
	n, columns := p.Rows.Dims()
	v := make([]float64, columns)
	for i, a := range at.Alpha {
		p.Rows.AddRow(v, i%n, a*p.Sign[i])
	}
	f = linalg.Dot(v, v)/2 + linalg.Dot(p.Linear, at.Alpha)
	for i, a := range at.Alpha {
		r := p.Sign[i]*p.Rows.Dot(i%n, v) + p.Linear[i]
		if p.Ridge != nil {
			f += p.Ridge[i] * a * a / 2
			r += p.Ridge[i] * a
		}
		if p.Balance != nil {
			r -= at.Multiplier * p.Balance[i]
		}
		way := a - p.Lower[i]
		if r < 0 {
			way = a - p.Upper[i]
		}
		if p.Ridge != nil && p.Ridge[i] > 0 && p.Ridge[i]*math.Abs(way) > math.Abs(r) {
			gap += r * r / (2 * p.Ridge[i])
			continue
		} else if p.Ridge != nil {
			gap -= p.Ridge[i] * way * way / 2
		}
		gap += r * way
	}
	if p.Balance != nil {
		gap += math.Abs(at.Multiplier * (linalg.Dot(p.Balance, at.Alpha) - p.Sum))
	}
	return f, gap
}

// forms are the problems that this package is for, by what makes them of a soft margin.
var forms = map[string]func(*Problem){
	"soft margin":  func(*Problem) {},
	"through zero": func(p *Problem) { p.Balance = nil },
	"deleted rows": func(p *Problem) { p.Upper[0], p.Upper[1], p.Upper[7] = 0, 0, 3 },
	"another sum":  func(p *Problem) { p.Sum, p.Lower[2] = p.Upper[2]/4, -p.Upper[2]/2 },
	"squared slacks": func(p *Problem) {
		p.Ridge = make([]float64, len(p.Upper))
		for i, c := range p.Upper {
			p.Ridge[i], p.Upper[i] = 1/(2*c), math.Inf(1)
		}
	},
	"tube": func(p *Problem) {
		twice := func(v []float64, sign float64) []float64 {
			both := append(linalg.Clone(v), v...)
			linalg.Scale(both[len(v):], sign)
			return both
		}
		y := linalg.Clone(p.Sign)
		p.Sign = twice(linalg.Clone(p.Upper), -1)
		linalg.Scale(p.Sign, 1/p.Upper[0])
		p.Balance, p.Linear, p.Squares = p.Sign, twice(y, -1), twice(p.Squares, 1)
		for i := range p.Linear {
			p.Linear[i] = 0.1 - p.Linear[i]
		}
		p.Lower, p.Upper = twice(p.Lower, 1), twice(p.Upper, 1)
	},
}

// start is the point 0.
func (p *Problem) start() *Point {
	_, columns := p.Rows.Dims()
	return &Point{Alpha: make([]float64, len(p.Sign)), V: make([]float64, columns)}
}

func (p *Problem) run(at *Point, tol float64, good func() bool) (passes int, ok bool) {
	ok = p.Minimize(at, tol, func(float64, float64) bool { passes++; return false }, good)
	return passes, ok
}

func always() bool { return true }

// The point has the gap that it is to have, between its bounds and with its own v.
func TestMinimumOfEveryForm(t *testing.T) {
	for name, change := range forms {
		for seed := range uint64(12) {
			p := drawn(seed, 60, 400, []float64{1e-5, 0.01, 0.1, 1}[seed%4])
			change(p)
			at := p.start()
			if name == "another sum" {
				at.Alpha[2] = p.Lower[2]
				p.Rows.AddRow(at.V, 2, p.Lower[2]*p.Sign[2])
			}
			passes, ok := p.run(at, 1e-9, always)
			if !ok {
				t.Fatalf("%s, seed %d: not after %d passes", name, seed, passes)
			}
			if f, gap := p.evidence(at); gap > 3e-8*math.Abs(f) {
				t.Errorf("%s, seed %d: gap %g of %g", name, seed, gap, f)
			}
			v := p.start().V
			for i, a := range at.Alpha {
				p.Rows.AddRow(v, i%60, a*p.Sign[i])
				if a < p.Lower[i] || a > p.Upper[i] {
					t.Errorf("%s, seed %d: α[%d] = %g", name, seed, i, a)
				}
			}
			lt.CloseSlice(t, "v", at.V, v, 1e-11*(1+linalg.NormInf(at.Alpha)))
		}
	}
}

// Of a point that is not good a tenth of the gap is asked for.
func TestPointThatIsNotGood(t *testing.T) {
	p := drawn(3, 60, 400, 1)
	at, asked := p.start(), 0
	if _, ok := p.run(at, 1e-4, func() bool { asked++; return asked == 6 }); !ok || asked != 6 {
		t.Fatalf("%v after %d", ok, asked)
	}
	if f, gap := p.evidence(at); gap > 1e-8*math.Abs(f) {
		t.Errorf("gap %g of %g", gap, f)
	}
}

// Rows that depend on others at a large price take more than a thousand passes, which is foreseen after a
// tenth of them; rows that do not take some ten. The caller may end it before.
func TestPassesAreForeseen(t *testing.T) {
	p := drawn(5, 400, 40, 1e4)
	if passes, ok := p.run(p.start(), 1e-8, always); ok || passes > 10*outlook {
		t.Errorf("%v after %d passes on dependent rows", ok, passes)
	}
	p = drawn(5, 60, 2000, 1)
	if passes, ok := p.run(p.start(), 1e-8, always); !ok || passes > 4*outlook {
		t.Errorf("%v after %d passes on rows nearly orthogonal", ok, passes)
	}
	shown := 0
	if p.Minimize(p.start(), 1e-8, func(float64, float64) bool { shown++; return shown == 3 }, always) || shown != 3 {
		t.Errorf("went on to pass %d", shown)
	}
}

// Passes are foreseen by the fall of the gap in the last half of them.
func TestForesight(t *testing.T) {
	for _, c := range []struct {
		seen []float64
		want float64
	}{
		{[]float64{1, 1}, 0},
		{[]float64{1, 0.1, 0.01}, 50},
		{[]float64{1e9, 1e8, 1e-1, 1e-2}, 44},
		{[]float64{1, 0.1, 0.1}, math.Inf(1)},
	} {
		lt.Close(t, "passes", foresee(c.seen, 1e-4), c.want, 1e-12*c.want)
	}
}

// What a variable adds to the gap before it moves.
func TestGapOfAVariable(t *testing.T) {
	for _, c := range []struct{ ridge, alpha, up, want float64 }{
		{0, 0, 2, 2},                 // g = −1 over the way to its bound
		{0.5, 0, math.Inf(1), 1},     // g²/2h
		{0.5, 5, math.Inf(1), 26.25}, // g = 6.5 over the way to 0, 6.5·5 − ½·½·5²
	} {
		p := &Problem{Rows: lt.Sparse(linalg.Identity(1)), Sign: []float64{1}, Squares: []float64{1}, Linear: []float64{-1},
			Ridge: []float64{c.ridge}, Lower: []float64{0}, Upper: []float64{c.up}}
		d := &descent{Problem: p, Point: &Point{Alpha: []float64{c.alpha}, V: []float64{c.alpha}}}
		d.begin()
		d.pass()
		lt.Close(t, "gap", d.gap, c.want, 1e-15*c.want)
	}
}

// Variables that stay at a bound are left out of passes.
func TestVariablesAtBoundsAreLeftOut(t *testing.T) {
	for at, p := range map[string]*Problem{"upper": drawn(6, 200, 1000, 0.01), "lower": drawn(6, 400, 20, 1)} {
		d := &descent{Problem: p, Point: p.start()}
		left := 0
		for range 10 {
			d.begin()
			d.pass()
			active := make([]bool, len(d.Alpha))
			for _, i := range d.active {
				active[i] = true
			}
			count := 0
			for i, a := range d.Alpha {
				if !active[i] && a == map[string]float64{"upper": p.Upper[i]}[at] {
					count++
				}
			}
			left = max(left, count)
		}
		if left < 20 {
			t.Errorf("%d of %d variables at their %s bounds left out", left, len(d.Alpha), at)
		}
	}
}

// A pass over long rows of few values.
func BenchmarkDescent(b *testing.B) {
	p := drawn(1, 500, 4000, 10)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := p.run(p.start(), 1e-8, always); !ok {
			b.Fatal("not converged")
		}
	}
}
