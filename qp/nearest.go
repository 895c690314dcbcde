package qp

import (
	"errors"
	"fmt"
	"math"

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
	Difference []float64  // w = Σ γᵢpᵢ, to rounding
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
		if err := p.check(); err != nil {
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
