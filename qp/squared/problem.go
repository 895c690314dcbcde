package squared

import (
	"errors"
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/qp"
	"halfspace/qp/descent"
)

// Problem is the rows s(x−o), whose signs are those of Rows, and their prices c ≥ 0.
type Problem struct {
	Rows    *qp.Linear // of a [linalg.Table]
	Price   []float64
	NoLevel bool // b is 0
}

// check returns an error where lengths do not fit, or a number is none.
func (p *Problem) check(start []float64) error {
	if p == nil || p.Rows == nil {
		return errors.New("a problem without rows")
	}
	if err := p.Rows.Check(); err != nil {
		return err
	}
	if _, table := p.Rows.X.(linalg.Table); !table {
		return fmt.Errorf("rows stored as a %T, not in memory", p.Rows.X)
	}
	n, _ := p.Rows.X.Dims()
	if start == nil {
		start = p.Price
	}
	for _, v := range []struct {
		name string
		v    []float64
	}{{"signs", p.Rows.Sign}, {"prices", p.Price}, {"start values", start}} {
		if len(v.v) != n {
			return &linalg.ShapeError{Want: n, WantOf: "rows", Got: len(v.v), GotOf: v.name}
		}
	}
	for i, c := range p.Price {
		if s := p.Rows.Sign[i]; s != 1 && s != -1 {
			return &sample.OptionError{Name: fmt.Sprintf("Sign[%d]", i), Value: s, Want: "1 or −1"}
		}
		if !(c >= 0 && c <= math.MaxFloat64) {
			return sample.NonNegative(fmt.Sprintf("Price[%d]", i), c)
		}
	}
	return linalg.CheckFinite("start", start)
}

// point is a place and what F is there.
type point struct {
	beta  []float64
	level float64
	slack []float64 // ξ, negative ones too
	value float64
}

// minimizer is the state of Newton's method.
type minimizer struct {
	*Problem
	point
	tol       float64
	n, p      int
	radius    float64   // the largest ‖x−o‖ of a row with a price
	squares   []float64 // ‖x−o‖²
	alpha     []float64 // 2cξ of the active rows, or the multipliers of solved equations
	active    []int
	former    []int     // memory for the next active rows
	other     point     // memory for the next solution of the equations,
	priced    []float64 // and for its multipliers
	back      []float64 // Σαs(x−o)
	excess    float64   // the bound on F − min F
	left      float64   // Σαs
	made      int       // products of active rows alone
	products  products  // of columns
	byColumn  *ended    // the end by the columns, once rows have their turn although columns are fewer; nil before
	conjugate bool      // conjugate gradients have solved the equations so far
	share     float64   // by which they lower the residual
	searched  int       // solutions that lay higher than where they were looked for
	risen     bool      // rising prices have had their turn
	pointed   bool      // nearest points have had theirs
	dir       direction

	dual    *descent.Problem // nil where coordinate descent has no turn,
	at      descent.Point    // how far it has come,
	turns   int              // and how often it has had one
	maxIter int              // the caller's cap
}

// direction is a step and what it adds to the rows.
type direction struct {
	beta  []float64
	level float64
	rows  []float64 // s((x−o)·β + b), by which ξ falls
}

func newMinimizer(p *Problem, tol float64) *minimizer {
	n, d := p.Rows.Len(), p.Rows.Rank()
	vec := func(n int) []float64 { return make([]float64, n) }
	m := &minimizer{Problem: p, tol: tol, n: n, p: d, alpha: vec(n), back: vec(d), conjugate: true, share: firstShare,
		squares: vec(n), point: point{beta: vec(d), slack: vec(n)}, other: point{beta: vec(d), slack: vec(n)}, dir: direction{beta: vec(d), rows: vec(n)}}
	p.Rows.Diag(m.squares)
	for i, c := range p.Price {
		if c > 0 {
			m.radius = max(m.radius, math.Sqrt(m.squares[i]))
		}
	}
	return m
}

// evaluate sets slack and value of a place. O(np).
func (m *minimizer) evaluate(at *point) {
	m.Rows.Apply(at.slack, at.beta)
	for i, s := range m.Rows.Sign {
		at.slack[i] = 1 - (at.slack[i] + s*at.level)
	}
	at.value = m.valueOf(at)
}

// valueOf returns F at a place whose slack is set.
func (p *Problem) valueOf(at *point) float64 {
	f := linalg.Dot(at.beta, at.beta) / 2
	for i, c := range p.Price {
		if v := at.slack[i]; v > 0 {
			f += c * v * v
		}
	}
	return f
}
