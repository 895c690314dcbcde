package qp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Points are m points pᵢ of p coordinates, seen by products. [Linear] is one.
type Points interface {
	Len() int  // m
	Rank() int // p
	// Apply sets dst (length m) to the products pᵢ·v.
	Apply(dst, v []float64)
	// ApplyT sets dst (length p) to Σ rᵢpᵢ.
	ApplyT(dst, r []float64)
	// AddRow adds f·pᵢ to dst (length p).
	AddRow(dst []float64, i int, f float64)
}

// Hulls are the convex hulls of two groups of points, those of the second with
// their signs changed, so that the difference of a point of either hull is a sum:
//
//	Σ γᵢpᵢ,  γ ≥ 0,  Σγ = 1 over each group.
//
// The rows sᵢxᵢ of a [Linear] are in this form. Without signs all points are one
// group, whose hull is compared with 0.
type Hulls struct {
	Points Points
	Sign   []float64 // +1 for the first group, −1 for the second; nil: one group
	Weight []float64 // a point of weight 0 is left out; nil: all count
}

// HullOptions are the settings of [NearestPoints] and [Kozinec]. The zero value and nil
// are the defaults.
type HullOptions struct {
	Tol     float64                   // of the certificate; 0 is the solver's default
	MaxIter int                       // cap on the steps; 0 is the solver's default
	Trace   func(optimize.Step) error // Objective is ‖w‖, Certificate that of the solver
}

// Nearest are the nearest points of two hulls, or the point of one that is nearest
// to 0, as far as a solver found them.
type Nearest struct {
	Points     []int      // i with γᵢ > 0, ascending
	Weights    []float64  // their γᵢ, of sum 1 over each group
	Difference []float64  // w = Σ γᵢpᵢ, to rounding; by prices, to the square root of the certificate
	Reach      [2]float64 // the least w·pᵢ, over the second group or the only one, and over the first
	Meet       bool       // the nearest points coincide, and Difference is Σ γᵢpᵢ summed anew
	Distance   float64    // ‖w‖ relative to the largest point that the solver met
	Report     optimize.Report
}

// Separation returns the sum of the reaches: the hulls are Separation/‖w‖ apart at
// least, measured along w, if it is positive.
func (n *Nearest) Separation() float64 { return n.Reach[0] + n.Reach[1] }

// touching is the distance of the nearest points, relative to the largest point met,
// at which they coincide.
const touching = 1e-10

// check returns an error where the lengths do not fit or a group has no points.
func (h *Hulls) check() error {
	if h == nil || h.Points == nil {
		return errors.New("hulls without points")
	}
	if p, ok := h.Points.(checked); ok {
		if err := p.Check(); err != nil {
			return err
		}
	}
	m := h.Points.Len()
	for _, v := range []struct {
		name string
		v    []float64
	}{{"signs", h.Sign}, {"weights", h.Weight}} {
		if v.v != nil && len(v.v) != m {
			return &linalg.ShapeError{Want: m, WantOf: "points", Got: len(v.v), GotOf: v.name}
		}
	}
	for i, s := range h.Sign {
		if s != 1 && s != -1 {
			return &sample.OptionError{Name: fmt.Sprintf("Sign[%d]", i), Value: s, Want: "1 or −1"}
		}
	}
	count := h.count()
	if count[0] == 0 || h.Sign != nil && count[1] == 0 {
		return &linalg.ShapeError{Want: 1, WantOf: "point of each hull needed", Got: 0, GotOf: "points of positive weight"}
	}
	return nil
}

// begin checks the options and makes the bookkeeping of a solver with these defaults.
func (o *HullOptions) begin(points int, tol float64, maxIter int) (*optimize.Progress, error) {
	var own HullOptions
	if o != nil {
		own = *o
	}
	d := optimize.Defaults{Kind: optimize.KindGap, Idle: -1}
	var err error
	if d.Tol, err = sample.Positive("Tol", own.Tol, tol); err != nil {
		return nil, err
	}
	if d.MaxIter, err = sample.Count("MaxIter", own.MaxIter, maxIter); err != nil {
		return nil, err
	}
	return optimize.Begin(nil, make([]float64, points), &optimize.Control{Trace: own.Trace}, d)
}

// group returns the position of point i's group in a pair: 1 for the first group,
// 0 for the second or the only one.
func (h *Hulls) group(i int) int {
	if h.Sign != nil && h.Sign[i] > 0 {
		return 1
	}
	return 0
}

func (h *Hulls) leftOut(i int) bool { return h.Weight != nil && h.Weight[i] == 0 }

// count returns the number of points of each group.
func (h *Hulls) count() (count [2]float64) {
	for i := range h.Points.Len() {
		if !h.leftOut(i) {
			count[h.group(i)]++
		}
	}
	return count
}

// lowest returns the point of each group with the smallest f, −1 for a group without
// points.
func (h *Hulls) lowest(f []float64) [2]int {
	best := [2]int{-1, -1}
	for i, v := range f {
		if g := h.group(i); !h.leftOut(i) && (best[g] < 0 || v < f[best[g]]) {
			best[g] = i
		}
	}
	return best
}

// reach returns the least f of each group, 0 for a group without points.
func (h *Hulls) reach(f []float64) (reach [2]float64) {
	for g, i := range h.lowest(f) {
		if i >= 0 {
			reach[g] = f[i]
		}
	}
	return reach
}

// coincident returns the nearest points of hulls that meet: the combination itself
// is the evidence.
func (h *Hulls) coincident(points []int, weights []float64, radius float64, r optimize.Report) *Nearest {
	n := &Nearest{Points: points, Weights: weights, Difference: make([]float64, h.Points.Rank()), Meet: true}
	for k, i := range points {
		h.Points.AddRow(n.Difference, i, weights[k])
	}
	norm := linalg.Norm(n.Difference)
	n.Distance = norm / max(radius, math.SmallestNonzeroFloat64)
	n.Report = r.Certify(norm, optimize.Certificate{Kind: optimize.KindGap, Value: n.Distance, Tol: touching})
	return n
}

// apart returns the nearest points of hulls that do not meet, without a report. f
// are the products w·pᵢ.
func (h *Hulls) apart(points []int, weights, w, f []float64, radius float64) *Nearest {
	return &Nearest{Points: points, Weights: weights, Difference: w, Reach: h.reach(f),
		Distance: linalg.Norm(w) / max(radius, math.SmallestNonzeroFloat64)}
}

// certify states the report with the gap of the squared distances relative to ‖w‖², of which rounding has a share.
func (n *Nearest) certify(r optimize.Report, square, rounding float64) {
	c := r.Certificate()
	c.Value = 1
	if m := n.Separation(); m > 0 {
		c.Value = max(0, (1-m/square)*(1+m/square)) + rounding
	}
	n.Report = r.Certify(math.Sqrt(square), c)
}

const (
	mostPrice   = 1e10  // a price of slack, in units of a moderate one, below which all are
	corralWork  = 2e9   // multiplications of a step in Wolfe's algorithm, a second, beyond which it has no turn
	smallestGap = 1e-14 // to which the soft margin is fitted
)

// priced finds the nearest points of hulls of sparse rows of many columns by the soft margin
// with prices of slack that no multiplier reaches: min ½‖Aᵀα‖² − Σα for α ≥ 0, of equal sums
// over the groups, is at γ/‖w‖² times a constant, with γ the weights of the nearest points. Nil for
// other hulls; and where multipliers reach every price, which proves nothing, or steps come to no such point, nil if that
// is left to Wolfe's algorithm.
func (h *Hulls) priced(o *HullOptions, tol float64) (*Nearest, error) {
	l, ok := h.Points.(*Linear)
	if !ok || l.rows().sparse == nil || l.Rank() <= measured.alwaysThin || h.Sign != nil && !slices.Equal(h.Sign, l.Sign) {
		return nil, nil
	}
	p := &Problem{Q: l, Linear: slices.Repeat([]float64{-1}, l.Len()), Sign: h.Sign, Upper: make([]float64, l.Len())}
	own := &Options{Tol: tol}
	if o != nil {
		own.MaxIter, own.Trace = o.MaxIter, h.show(o.Trace)
	}
	for i := range p.Upper {
		if !h.leftOut(i) {
			p.Upper[i] = 1
		}
	}
	c, err := newChain(p, own, measured)
	if err != nil {
		return nil, err
	}
	moderate, _ := c.moderatePrice()
	linalg.Scale(c.up, mostPrice*moderate)
	if c.hulls() {
		if r := c.nearestPoints(); r.res != nil {
			if n := h.balanced(c.at(r.res)); c.ended(r) || n.Report.Certificate().Holds() {
				return n, n.Report.Err(c.progress.Cause())
			}
		}
	}
	var near *Nearest
	e := c.rise(moderate, mostPrice*moderate, smallestGap/moderate, func(st *state, _ float64) bool {
		n := h.balanced(st)
		if near == nil || n.Report.Certificate().Value < near.Report.Certificate().Value {
			near = n
		}
		return n.Report.Certificate().Value <= tol
	})
	rank := float64(l.Rank())
	few := min(rank, float64(l.Len()))
	if !e.ended && rank*few*few <= corralWork && (near == nil || !near.Report.Certificate().Holds()) {
		return nil, nil
	}
	if near == nil {
		near = h.balanced(e.at)
	}
	return near, near.Report.Err(c.progress.Cause())
}

// show returns a trace of multipliers that shows the difference of their points.
func (h *Hulls) show(trace func(optimize.Step) error) func(optimize.Step) error {
	if trace == nil {
		return nil
	}
	return func(s optimize.Step) error {
		gamma := h.shares(s.X)
		s.X = make([]float64, h.Points.Rank())
		h.Points.ApplyT(s.X, gamma)
		s.Objective = linalg.Norm(s.X)
		return trace(s)
	}
}

// shares returns multipliers divided by their sum over each group, those of its mean where
// they are all 0, as they can be on the way.
func (h *Hulls) shares(alpha []float64) []float64 {
	var sum [2]float64
	for i, a := range alpha {
		sum[h.group(i)] += a
	}
	count, gamma := h.count(), make([]float64, len(alpha))
	for i, a := range alpha {
		switch g := h.group(i); {
		case sum[g] > 0:
			gamma[i] = a / sum[g]
		case !h.leftOut(i):
			gamma[i] = 1 / count[g]
		}
	}
	return gamma
}

// balanced states the points that the multipliers of a soft margin weigh, with the normal of
// its plane for their difference: along that the hulls are farther apart, by the square of
// the error of either.
func (h *Hulls) balanced(st *state) *Nearest {
	gamma, w, f := h.shares(st.alpha), make([]float64, h.Points.Rank()), make([]float64, len(st.alpha))
	h.Points.ApplyT(w, gamma)
	most := linalg.Dot(w, w)
	if norm := linalg.Norm(st.v); norm > 0 {
		copy(w, st.v)
		linalg.Scale(w, math.Sqrt(most)/norm)
	}
	h.Points.Apply(f, w)
	var points []int
	var weights []float64
	reach := 0.0
	for i, g := range gamma {
		if g > 0 {
			points, weights, reach = append(points, i), append(weights, g), max(reach, st.diag[i])
		}
	}
	n := h.apart(points, weights, w, f, math.Sqrt(reach))
	n.certify(st.progress.Report(), most, 0x1p-50*math.Sqrt(reach/most))
	return n
}

const (
	// hullShare are the multiplications, in units of mp², that Wolfe's algorithm may take for a soft margin: a twentieth of
	// those of the interior point, each three times as dear. Where classes are apart it took 0.02 to 0.4 for images and
	// embeddings of 2000 rows and nearly 800 columns, a third to a tenth of the time of other methods, and up to 0.23 for
	// normal clouds of 20 to 150 columns.
	hullShare = 0.5

	// fewValues are those of the rows below which no method takes more than a millisecond.
	fewValues = 10_000

	// idlePasses are the multiplications of steps, in units of mp, after which a point has to have left: of normal clouds of
	// 2000 × 800, where as many points as half of the columns carry the plane, and of 300 × 5000 all that joined stay, and other
	// methods are twice as fast.
	idlePasses = 2

	// mostCarry is the share of the columns up to which points carry the plane of sparse rows: each step takes them as dense.
	// Of images it was 0.3, of 20,000 × 500 indicators of 10 factors 0.9, on which other methods are as fast.
	mostCarry = 0.5

	// mostWrong is the share of the points that may be on the wrong side of the plane between the nearest points, times the
	// looks at all of them so far. Where classes are apart it was 1.1 at most: 0.85, 0.41, 0.37, 0.26, 0.14 … of images; where
	// they overlap 0.31 and more at all looks as a rule.
	mostWrong = 1.2
)

// errLeft ends a search for nearest points that is not worth more steps.
var errLeft = errors.New("other methods have their turn")

// hulls reports whether the problem is the soft margin min ½‖Aᵀα‖² − cΣα, of equal sums over the groups, of rows in
// memory, sparse ones of few columns only, for the points that carry a plane are held as dense. Where no multiplier reaches
// its price the solution is that of the hard margin: the weights of the nearest points of the hulls, times c and the
// number of groups over ‖w‖².
func (c *chain) hulls() bool {
	l, ok := c.q.(*Linear)
	if !ok || l.table() == nil || float64(c.m)*float64(l.Rank()) < fewValues || l.rows().sparse != nil && l.Rank() > min(c.m/2, c.widestThin) {
		return false
	}
	another := func(v float64) bool { return v != c.lin[0] }
	bound := func(v float64) bool { return v != 0 }
	return c.bounded && !c.started && c.sum == 0 && !slices.ContainsFunc(c.lo, bound) && c.lin[0] < 0 && !slices.ContainsFunc(c.lin, another) &&
		(c.s == nil || slices.Equal(c.s, l.Sign))
}

// nearestPoints takes the multipliers from Wolfe's algorithm, and gives up where most reach their prices, the
// classes overlap, or many points carry the plane.
func (c *chain) nearestPoints() outcome {
	w := &wolfe{Hulls: &Hulls{Points: c.f, Sign: c.s, Weight: c.up}}
	st, looks, ended, p, pass := c.clone(), 0.0, false, float64(c.f.Rank()), float64(c.m)*float64(c.f.Rank())
	w.enough = func() bool {
		looks++
		carry := len(w.corral)
		return looks*pass+w.multiplied > hullShare*pass*p || 2*w.multipliers(st) > carry || w.wrong()*looks > mostWrong ||
			c.sparse() != nil && float64(carry) > mostCarry*p
	}
	st.progress.Allow(cmp.Or(c.maxIter, math.MaxInt))
	own := &HullOptions{Trace: func(s optimize.Step) error {
		allStay := len(w.corral) > s.Iteration
		if w.multiplied > hullShare*pass*p || allStay && w.multiplied > idlePasses*pass {
			return errLeft
		}
		if st.progress.Traced() {
			w.multipliers(st)
		}
		if ended = st.progress.Show(st.alpha, st.objective(), s.Certificate, 0) || st.progress.Spent(); ended {
			return errLeft
		}
		st.progress.Count()
		return nil
	}}
	var err error
	if w.progress, err = own.begin(c.m, c.tol, math.MaxInt); err != nil || w.check() != nil {
		return outcome{}
	}
	status := w.run()
	if reach := w.multipliers(st); !ended && (status != optimize.Converged || w.coincide() || reach > 0) {
		return outcome{}
	}
	if st.refresh(); ended {
		return st.finish(st.multiplier())
	}
	st.progress.End(optimize.Converged)
	return newPolisher(st, st.multiplier()).run()
}

// wrong returns the share of the points that are on the other group's side of the plane half-way between the nearest points.
func (s *wolfe) wrong() float64 {
	level, half, wrong := s.levels(), linalg.Dot(s.w, s.w)/2, 0
	for i, f := range s.f {
		if f < level[s.group(i)]-half && !s.leftOut(i) {
			wrong++
		}
	}
	return float64(wrong) / float64(len(s.f))
}

// multipliers sets α to the multipliers of a soft margin by the weights of the corral, shortened to those within their
// prices, and v to Aᵀα, and returns how many reach their price.
func (s *wolfe) multipliers(st *state) (reach int) {
	full := -st.lin[0] / linalg.Dot(s.w, s.w)
	if s.Sign != nil {
		full *= 2
	}
	scale := full
	for k, i := range s.corral {
		if !(full*s.gamma[k] < st.up[i]) {
			reach++
			scale = min(scale, st.up[i]/s.gamma[k])
		}
	}
	clear(st.alpha)
	for k, i := range s.corral {
		st.alpha[i] = min(scale*s.gamma[k], st.up[i])
	}
	copy(st.v, s.w)
	linalg.Scale(st.v, scale)
	return reach
}
