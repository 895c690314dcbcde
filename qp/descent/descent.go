// Package descent minimises the dual problems of sparse rows by coordinate descent,
//
//	min f(α) = ½‖v‖² + ½Σ hᵢαᵢ² + qᵀα,  v = Σ αᵢsᵢxᵢ,  s.t.  tᵀα = Δ,  l ≤ α ≤ u:
//
// those of the soft margin (h = 0, q = −1, t = s) and of its squared slacks (h = 1/2c, u = ∞), and tubes.
//
// One multiplier at a time goes to its minimum or to a bound, which costs the stored values of
// its row, as v is carried along (Hsieh, Chang, Lin, Keerthi & Sundararajan, A dual coordinate
// descent method for large-scale linear SVM, ICML 2008). Alone it could not move under the
// equality. That has a multiplier b and a square beside it, the augmented Lagrangian
// f(α) − b(tᵀα − Δ) + (σ/2)(tᵀα − Δ)², and after each pass over the variables b falls by σ(tᵀα − Δ).
//
// Rows that are nearly orthogonal, as long rows of few values are, take some ten passes. Where
// rows are more than columns some depend on others, and passes go by the thousand, as they do where rows
// without values have large prices: their multipliers move by 1/σ a pass.
package descent

import (
	"math"
	"math/rand/v2"

	"halfspace/linalg"
)

// Problem is the problem of the package comment. Variable i is of row i mod n.
type Problem struct {
	Rows         *linalg.CSR
	Sign         []float64 // s
	Squares      []float64 // ‖xᵢ‖², one a variable
	Linear       []float64 // q
	Ridge        []float64 // h; nil is 0
	Lower, Upper []float64 // infinite upper bounds need h > 0
	Balance      []float64 // t, each ±1; nil: no equality
	Sum          float64   // Δ
	Passes       int       // after which another method is as fast: it ends where more are foreseen
}

// Point is multipliers between their bounds, v and b.
type Point struct {
	Alpha, V   []float64
	Multiplier float64
}

const (
	// stiffness is σ in units of 1/Σ 1/cᵢ, with which the free variables of curvatures c resist a move of tᵀα. From 4 to 64 it is much the same for texts; 16 takes twice the passes of 4, and
	// thrice those of 1, for dense columns; 1 takes up to ten times those of 4 for texts.
	stiffness = 8

	leastSquare = 1e-3 // of the mean ‖x‖² is the least that counts of a row: it can be empty

	stricter = 0.1 // by which the gap has to be smaller where it was not good
	outlook  = 10  // passes from one foresight to the next
)

// descent is the state of a [Problem.Minimize].
type descent struct {
	*Problem
	*Point
	sigma, excess float64 // σ, tᵀα − Δ
	mean          float64 // of ‖x‖²
	compliance    float64 // Σ 1/c for the curvatures c of the variables between their bounds after the last pass
	active        []int
	above, below  float64 // reduced gradients beyond which a variable at a bound is left out
	most, least   float64 // those of this pass
	gap, partial  float64 // estimates of the gap and of f of the active variables, by the gradients met on the way
	objective     float64 // that of f at the last pass over all
}

// Serves reports whether rows are so few for their columns that descent is likely to be the fastest.
// On texts, C from 0.01 to 100, it took a twentieth to a half of the time of an augmented Lagrangian
// for up to 20,000 rows of 50,000 columns, and from less than that to twice as long for 48,000.
func Serves(x *linalg.CSR) bool {
	n, p := x.Dims()
	return n <= p/2
}

// Minimize makes passes from a point until the duality gap, as the last pass over all variables met
// it, is at most tol·|f| and good agrees; if that does not, a tenth of it. It reports whether it came
// to that: it ends early where it foresees too many passes, or where show, which sees f and the
// gap after each, says so. A pass costs the stored values twice.
func (p *Problem) Minimize(at *Point, tol float64, show func(f, gap float64) (stop bool), good func() bool) bool {
	d := &descent{Problem: p, Point: at}
	d.mean = linalg.Sum(p.Squares) / float64(len(at.Alpha))
	for i := range at.Alpha {
		d.count(i)
	}
	order := rand.New(rand.NewPCG(1, 2))
	best, seen := math.Inf(1), []float64(nil)
	for pass := 1; ; pass++ {
		whole := d.begin()
		order.Shuffle(len(d.active), func(i, j int) { d.active[i], d.active[j] = d.active[j], d.active[i] })
		if d.pass(); whole {
			d.objective = d.partial
		}
		if show(d.objective, d.gap) {
			return false
		}
		enough := tol * math.Abs(d.objective)
		if whole {
			best = min(best, d.gap)
		}
		if d.gap <= enough {
			if whole && good() {
				return true
			} else if whole {
				tol *= stricter
			}
			d.active = d.active[:0]
		}
		if pass%outlook == 0 {
			if seen = append(seen, best); !(max(float64(pass), foresee(seen, enough)) < float64(p.Passes)) {
				return false
			}
			d.active = d.active[:0]
		}
	}
}

// foresee returns the passes in all until the gap is small enough, if it goes on to fall as it has in the
// last half of those so far; seen are the least gaps after each [outlook] of them. Of the first two,
// in which b goes its way, nothing is foreseen.
func foresee(seen []float64, enough float64) float64 {
	last := len(seen) - 1
	if last < 2 {
		return 0
	}
	half := last / 2
	rate := math.Log(seen[half]/seen[last]) / float64(last-half)
	return outlook * (float64(len(seen)) + math.Log(seen[last]/enough)/rate)
}

// begin begins a pass, with all variables where none are left, and reports whether it is over all.
func (d *descent) begin() bool {
	if len(d.active) == 0 {
		for i := range d.Alpha {
			d.active = append(d.active, i)
		}
		d.above, d.below = math.Inf(1), math.Inf(-1)
	}
	d.gap, d.partial, d.most, d.least = 0, 0, 0, 0
	if d.Balance != nil {
		d.excess = linalg.Dot(d.Balance, d.Alpha) - d.Sum
		d.stiffen()
	}
	return len(d.active) == len(d.Alpha)
}

// stiffen sets σ by the free variables. Where none is free tᵀα stays as it is until b has gone the way of
// reduced gradients, which are as large as q.
func (d *descent) stiffen() {
	switch {
	case d.compliance > 0:
		d.sigma = stiffness / d.compliance
	case d.excess != 0:
		d.sigma = linalg.NormInf(d.Linear) / math.Abs(d.excess)
	}
	d.compliance = 0
}

// pass visits the active variables, and keeps those that are not likely to stay at a bound.
func (d *descent) pass() {
	kept := d.active[:0]
	for _, i := range d.active {
		if d.visit(i) {
			kept = append(kept, i)
		}
	}
	d.active = kept
	d.above, d.below = d.most, d.least
	d.Multiplier -= d.sigma * d.excess
	d.gap += math.Abs(d.Multiplier * d.excess)
}

// visit moves variable i to its minimum, and reports whether it is to be visited again.
func (d *descent) visit(i int) bool {
	n, _ := d.Rows.Dims()
	a, lo, up, row := d.Alpha[i], d.Lower[i], d.Upper[i], i%n
	g := d.Sign[i]*d.Rows.Dot(row, d.V) + d.Linear[i]
	if d.Ridge != nil {
		g += d.Ridge[i] * a
	}
	d.partial += a * (g + d.Linear[i]) / 2
	if d.Balance != nil {
		g += d.Balance[i] * (d.sigma*d.excess - d.Multiplier)
	}
	switch {
	case g >= 0 && a == lo:
		return g <= d.above
	case g <= 0 && a == up:
		return g >= d.below
	}
	d.most, d.least = max(d.most, g), min(d.least, g)
	d.gap += d.gapOf(i, g)
	to := a
	if g != 0 {
		to = min(max(a-g/d.curvature(i), lo), up)
		d.Alpha[i] = to
		d.Rows.AddRow(d.V, row, (to-a)*d.Sign[i])
	}
	if d.Balance != nil {
		d.excess += (to - a) * d.Balance[i]
	}
	if lo < to && to < up {
		d.count(i)
	}
	return true
}

// gapOf returns what variable i adds to the gap by its reduced gradient: the most by which gw − hw²/2 can
// be above 0 for a way w down to its lower bound, or up.
func (d *descent) gapOf(i int, g float64) float64 {
	way, h := d.Alpha[i]-d.Lower[i], 0.0
	if g < 0 {
		way = d.Upper[i] - d.Alpha[i]
	}
	g = math.Abs(g)
	if d.Ridge != nil && d.Ridge[i] > 0 {
		h = d.Ridge[i]
		way = min(way, g/h)
	}
	return way * (g - h*way/2)
}

// count counts a free variable.
func (d *descent) count(i int) {
	d.compliance += 1 / max(d.Problem.curvature(i), leastSquare*d.mean)
}

// curvature is that of f in a variable, and σ.
func (d *descent) curvature(i int) float64 { return d.Problem.curvature(i) + d.sigma }

func (p *Problem) curvature(i int) float64 {
	if p.Ridge != nil {
		return p.Squares[i] + p.Ridge[i]
	}
	return p.Squares[i]
}
