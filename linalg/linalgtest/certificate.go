package linalgtest

import (
	"math"
	"math/big"

	"halfspace/linalg"
)

// Affine are functions fₖ(x) = Atₖ + Coefₖ·(x − Origin); a nil Origin is 0.
type Affine struct {
	Coef   *linalg.Dense
	At     []float64
	Origin []float64
}

func (f Affine) origin(j int) float64 {
	if f.Origin == nil {
		return 0
	}
	return f.Origin[j]
}

// at returns fₖ(row).
func (f Affine) at(k int, row []float64) *big.Float {
	var s sum
	s.add(f.At[k])
	for j, b := range f.Coef.Row(k) {
		s.addBig(minus(number(row[j]), number(f.origin(j))), b)
	}
	return s.value()
}

// rounding bounds the error of evaluating fₖ(row) in floating point.
func (f Affine) rounding(k int, row []float64) *big.Float {
	var s sum
	s.add(roundings, math.Abs(f.At[k]))
	for j, b := range f.Coef.Row(k) {
		s.addBig(abs(minus(number(row[j]), number(f.origin(j)))), roundings, math.Abs(b))
	}
	return s.value()
}

// roundings bounds the relative error of sums of some ten terms.
const roundings = 64 * 0x1p-52

// Fit holds the data and options of a penalised fit.
type Fit struct {
	X           *linalg.Dense
	W           []float64 // nil is 1
	Offset      []float64 // nil is 0
	Lambda      float64
	L1Ratio     float64
	Standardize bool
	NoIntercept bool
}

func (d Fit) offset(i int) float64 {
	if d.Offset == nil {
		return 0
	}
	return d.Offset[i]
}

// LogisticGradient is the largest |gⱼ|/Σw|xⱼ−cⱼ| (for the intercept 1 in place of
// x−c) of Σ −w·log p(y) + λ(α‖uβ‖₁ + (1−α)/2‖uβ‖²), with the distance from the
// subdifferential where there is a lasso; code are class numbers, and a single
// function is the log-odds of class 1. Offsets are for two classes.
func LogisticGradient(d Fit, code []int, f Affine) float64 {
	n, p, k := d.X.Rows, d.X.Cols, f.Coef.Rows
	unit := units(d.X, d.W, d.Standardize)
	grad, size, total := make([]sum, k*(p+1)), make([]sum, p), sum{}
	for i := range n {
		w := weight(d.W, i)
		if w == 0 {
			continue
		}
		row := d.X.Row(i)
		scores := make([]float64, k)
		for c := range scores {
			s := f.at(c, row)
			scores[c], _ = s.Add(s, number(d.offset(i))).Float64()
		}
		total.add(w)
		dev := make([]*big.Float, p)
		for j, v := range row {
			dev[j] = minus(number(v), number(f.origin(j)))
			size[j].addBig(abs(dev[j]), w)
		}
		for c, r := range missing(scores, code[i]) {
			grad[c*(p+1)].add(w, r)
			for j := range dev {
				grad[c*(p+1)+1+j].addBig(dev[j], w, r)
			}
		}
	}
	worst := 0.0
	for c := range k {
		if !d.NoIntercept {
			worst = max(worst, relative(grad[c*(p+1)].value(), total.value()))
		}
		for j, b := range f.Coef.Row(c) {
			g := d.distance(grad[c*(p+1)+1+j].value(), b, unit[j])
			worst = max(worst, relative(g, size[j].value()))
		}
	}
	return worst
}

// missing returns p − 1[y = k] for each function.
func missing(scores []float64, y int) []float64 {
	if len(scores) == 1 {
		if y == 1 {
			return []float64{-1 / (1 + math.Exp(scores[0]))}
		}
		return []float64{1 / (1 + math.Exp(-scores[0]))}
	}
	top, total := math.Inf(-1), 0.0
	for _, s := range scores {
		top = max(top, s)
	}
	r := make([]float64, len(scores))
	for k, s := range scores {
		r[k] = math.Exp(s - top)
		total += r[k]
	}
	others := 0.0
	for k := range r {
		r[k] /= total
		if k != y {
			others += r[k]
		}
	}
	r[y] = -others
	return r
}

// distance returns the distance of 0 from g + ∂penalty at a coefficient b of unit u.
func (d Fit) distance(g *big.Float, b, u float64) *big.Float {
	var s sum
	s.addBig(g, 1)
	s.add(d.Lambda, 1-d.L1Ratio, u, u, b)
	switch kink := times(times(number(d.Lambda), number(d.L1Ratio)), number(u)); {
	case b > 0:
		return s.v.Add(s.value(), kink)
	case b < 0:
		return s.v.Sub(s.value(), kink)
	default:
		if short := minus(abs(s.value()), kink); short.Sign() > 0 {
			return short
		}
		return number(0)
	}
}

// NormalEquations is the largest |Σw·r·(xⱼ−x̄ⱼ) − λuⱼ²βⱼ| of a least squares or
// ridge fit to z = y − offset, relative to ‖xⱼ−x̄ⱼ‖·(‖z‖ + Σ‖xₖ−x̄ₖ‖|βₖ|) +
// λuⱼ‖uβ‖, and |Σw·r| relative to √Σw times the same bracket. Without an
// intercept x̄ is 0.
func NormalEquations(d Fit, y []float64, f Affine) float64 {
	p := d.X.Cols
	c := zeros(p)
	if !d.NoIntercept {
		c = center(d.X, d.W)
	}
	norm, all := norms(d.X, d.W, c)
	unit := units(d.X, d.W, d.Standardize)
	r, z := d.residuals(y, f)
	beta := f.Coef.Row(0)
	var zz, size, penalty sum
	for i := range r {
		zz.addBig(times(z[i], z[i]), weight(d.W, i))
	}
	size.addBig(squareRoot(zz.value()), 1)
	for j, b := range beta {
		size.addBig(norm[j], math.Abs(b))
		penalty.add(unit[j], unit[j], b, b)
	}
	// The means are published to a few roundings, which moves f by so much.
	var blur sum
	for j, b := range beta {
		blur.addBig(abs(c[j]), roundings, math.Abs(b))
	}
	lost := times(blur.value(), squareRoot(all))
	worst := 0.0
	for j, b := range beta {
		if norm[j].Cmp(times(times(number(roundings), abs(c[j])), squareRoot(all))) < 0 {
			continue // constant but for rounding: its standard deviation is noise
		}
		var g, s sum
		for i := range r {
			g.addBig(times(r[i], minus(number(d.X.At(i, j)), c[j])), weight(d.W, i))
		}
		g.add(-d.Lambda, unit[j], unit[j], b)
		s.addProduct(norm[j], size.value())
		s.addBig(squareRoot(penalty.value()), d.Lambda, unit[j])
		worst = max(worst, beyondLoss(g.value(), times(norm[j], lost), s.value()))
	}
	if !d.NoIntercept {
		var g sum
		for i := range r {
			g.addBig(r[i], weight(d.W, i))
		}
		worst = max(worst, beyondLoss(g.value(), times(squareRoot(all), lost), times(squareRoot(all), size.value())))
	}
	return worst
}

// beyondLoss returns |g| less the rounding lost, relative to size; 0 if lost is more.
func beyondLoss(g, lost, size *big.Float) float64 {
	if size.Cmp(number(0x1p-1000)) < 0 {
		return 0 // such products have lost their digits
	}
	if left := minus(abs(g), lost); left.Sign() > 0 {
		return relative(left, size)
	}
	return 0
}

// residuals returns z − f and z = y − offset, 0 in rows of weight 0.
func (d Fit) residuals(y []float64, f Affine) (r, z []*big.Float) {
	r, z = zeros(len(y)), zeros(len(y))
	for i, v := range y {
		if weight(d.W, i) != 0 {
			z[i] = minus(number(v), number(d.offset(i)))
			r[i] = minus(z[i], f.at(0, d.X.Row(i)))
		}
	}
	return r, z
}

// ridge returns λ(1−α).
func (d Fit) ridge() *big.Float { return times(number(d.Lambda), minus(number(1), number(d.L1Ratio))) }
