package path

import (
	"math"

	"halfspace/linalg"
)

// gap returns the objective of the fit at λ and how far it is at most above the minimum;
// +Inf where nothing is proven. It makes four passes over the rows, three where no
// coordinate lacks a penalty.
//
// Errors: those of the storage.
func (p *Problem) gap(lambda float64, theta []float64) (value, gap float64, err error) {
	g, d := make([]float64, len(theta)), make([]float64, len(theta))
	value = p.Grad(g, theta)
	if !p.center(g, d, theta) {
		return value + p.value(lambda, theta), math.Inf(1), p.Err()
	}
	lost, err := p.lostInGap(lambda, value, theta, d)
	if err != nil {
		return 0, 0, err
	}
	share, cost := p.dual(lambda, theta, g)
	divergence, err := p.Divergence(theta, d, share)
	return value + p.value(lambda, theta), divergence + cost + lost, err
}

// free returns the coordinates without a penalty, of several classes but the last, whose
// derivatives are minus the sums of the others'.
func (p *Problem) free() []int {
	var free []int
	for j, f := range p.factors[:max(1, p.Scores()-1)*p.Dim()] {
		if f == 0 {
			free = append(free, j)
		}
	}
	return free
}

// center sets d to the Newton step by the coordinates without a penalty and subtracts Hd
// from the gradient g, which makes it 0 by these; false where their Hessian is singular.
func (p *Problem) center(g, d, theta []float64) bool {
	free := p.free()
	if free == nil {
		return p.Err() == nil
	}
	h, step := linalg.Zeros(len(free), len(free)), make([]float64, len(free))
	p.SubHess(h, theta, free, nil)
	for i, j := range free {
		step[i] = g[j]
	}
	factor, pivot := linalg.NewCholesky(h)
	if pivot != nil || p.Err() != nil {
		return false
	}
	factor.Solve(step)
	for i, j := range free {
		d[j] = step[i]
	}
	hd := make([]float64, len(g))
	p.HessVec(hd, theta, d)
	linalg.Axpy(g, -1, hd)
	return p.Err() == nil
}

// dual returns the share of the residuals of which derivatives g are kept, and the sum of
// what Fenchel's and Young's inequality leaves of the penalty there: the lesser of those with
// all of them and with as many as the lasso's weight holds.
func (p *Problem) dual(lambda float64, theta, g []float64) (share, cost float64) {
	share = 1.0
	terms := p.terms(lambda, theta, g)
	for _, t := range terms {
		share = min(share, t.held())
	}
	all := 0.0
	for _, t := range terms {
		all += t.cost(1)
		cost += t.cost(share)
	}
	if all <= cost {
		return 1, all
	}
	return share, cost
}

// term is a coefficient, or those of a feature in a lasso of whole features, beside its
// penalty and derivative.
type term struct{ theta, g, along, l1, l2 float64 }

// terms returns those of all penalised coordinates: of groups their lengths, and gᵀθ.
func (p *Problem) terms(lambda float64, theta, g []float64) []term {
	var terms []term
	if !p.grouped() {
		pen := p.elasticNet(lambda)
		for j, f := range p.factors {
			if f == 0 {
				continue
			}
			l1, l2 := pen.Weights(j)
			terms = append(terms, term{math.Abs(theta[j]), math.Abs(g[j]), theta[j] * g[j], l1, l2})
		}
		return terms
	}
	pen := p.groupLasso(lambda)
	for i, group := range pen.Groups {
		t := term{l1: lambda * pen.Weights[i]}
		for _, j := range group {
			t.theta, t.g, t.along = math.Hypot(t.theta, theta[j]), math.Hypot(t.g, g[j]), t.along+theta[j]*g[j]
		}
		terms = append(terms, t)
	}
	return terms
}

// held returns the share of the derivative that the lasso's weight holds.
func (t term) held() float64 {
	if t.g > t.l1 {
		return t.l1 / t.g
	}
	return 1
}

// cost returns h(θ) + h*(−sg) + s·gθ for h = l1·|θ| + l2·θ²/2, a sum of two terms that are
// not negative; +Inf where h* is.
func (t term) cost(share float64) float64 {
	g, along := share*t.g, share*t.along
	if g <= t.l1*(1+0x1p-50) {
		return max(0, t.l1*t.theta+along) + t.l2*t.theta*t.theta/2
	}
	if t.l2 == 0 {
		return math.Inf(1)
	}
	held := t.l1 / g // of the derivative; the rest is that of the ridge at another θ
	other := (1 - held) * g / t.l2
	apart := t.theta*t.theta + other*other + 2*(1-held)*along/t.l2
	return max(0, t.l1*t.theta+held*along) + t.l2*max(0, apart)/2
}

// lostInGap bounds what rounding changes: of the derivatives' sums, and of the penalty.
func (p *Problem) lostInGap(lambda, value float64, theta, d []float64) (float64, error) {
	sizes, err := p.Sizes()
	if err != nil {
		return 0, err
	}
	relative, total, dim := float64(p.SumLength(p.Scores())+p.Scores()+8)*0x1p-53, 0x1p-50*p.value(lambda, theta), p.Dim()
	size := 1.0
	if p.ConstantHessian() {
		size = math.Sqrt(2 * value)
	}
	for j := range theta {
		total += relative * size * sizes[j%dim] * (math.Abs(theta[j]) + math.Abs(d[j]))
	}
	return total, nil
}
