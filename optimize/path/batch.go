package path

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
)

// batches fits a path of one score by batches of several λ that share their passes
// over the rows and one Hessian.
//
// A batch begins at the fit of the last λ, with its gradient. The minimisers of the
// quadratic model there foretell the fits of the next λ; one pass makes the exact
// gradients at all of them; each is corrected by the minimiser of its own model, and so
// on until the certificate, which looks at all features, holds.
//
// The models are on a working set. A pass also evaluates the features closest to
// entering. One whose gradient clearly exceeds its penalty joins the set. When all fits
// of the batch satisfy the conditions there, one last pass checks the remaining
// features, except those that bounds prove inactive.
type batches struct {
	*walk
	working
	past []*candidate // the last fits

	residuals *linalg.Dense // of the candidates, by row
	foretold  *linalg.Dense // their gradients by feature, as bounds have them
	spare     [][]float64   // vectors of forgotten fits
	idle      []*batchSums

	constant bool // the Hessian is the same everywhere

	size   int // λ in the next batch
	rounds int // evaluations of a λ before it is left to the general solver
}

const (
	longestBatch = 8   // λ: a tile of the products' kernel
	batchRatio   = 0.4 // least ratio of the λ at its ends
	mostRounds   = 40
	manyShare    = 120
	usualRounds  = 3 // a batch that takes more is followed by a shorter one
)

// candidate is the fit of one λ on its way.
type candidate struct {
	lambda    float64
	scale     []float64 // sizes of derivatives
	theta, g  []float64
	r         []float64 // residuals of the rows, where theta was last evaluated
	value     float64   // of the objective without penalty
	curvature float64   // sum of the rows'
	cert      float64
	run       *optimize.Progress // counts the evaluations
	stalls    int                // corrections that did not lower the certificate
	exhausted bool               // rounding is all that is left
	holds     bool               // the certificate, as far as the features looked at go
	done      bool               // it holds for all
	far       float64            // of the residuals from those of the bounds
	known     []float64          // the gradient where derivatives are small, or bounds on it
	whole     float64            // the objective
	gap       float64            // the duality gap, where it was asked for, else NaN
	proven    optimize.Certificate
	finer     float64           // share of the usual derivatives that a gap has shown to be needed
	abandoned bool              // left to the general solver
	face      optimize.NearFace // that preconditions its models, of the fit before at first
}

// newCandidate begins the fit of one λ.
func (b *batches) newCandidate(lambda float64, r []float64) (*candidate, error) {
	run, err := optimize.Begin(b.Objective, b.Null(), &optimize.Control{Tol: b.tol}, optimize.Defaults{Kind: b.kind(), MaxIter: b.rounds})
	return &candidate{lambda: lambda, finer: 1, scale: b.scale(lambda), theta: b.vector(), g: b.vector(), known: b.vector(), r: r, run: run, face: b.last().face}, err
}

// newBatches prepares a path from the fit without penalised features on.
func newBatches(w *walk) (*batches, error) {
	f, err := newColumns(w.Objective)
	if err != nil {
		return nil, err
	}
	first := &candidate{lambda: w.LambdaMax(), theta: w.Null(), g: w.nullGradient(), known: make([]float64, w.Parameters())}
	b := &batches{walk: w, working: working{f: f, in: make([]bool, w.Parameters())}, past: []*candidate{first}, constant: w.ConstantHessian(), size: longestBatch, rounds: mostRounds,
		residuals: linalg.Zeros(longestBatch, w.N), foretold: linalg.Zeros(longestBatch, w.P)}
	if b.widest = widestSet; b.wide() {
		b.widest = min(b.widest, b.N)
	}
	if w.s.MaxIter > 0 {
		b.rounds = min(b.rounds, w.s.MaxIter)
	}
	return b, nil
}

func (b *batches) last() *candidate { return b.past[len(b.past)-1] }

// vector returns one by all coordinates, with any values.
func (b *batches) vector() []float64 {
	k := len(b.spare) - 1
	if k < 0 {
		return make([]float64, b.Parameters())
	}
	v := b.spare[k]
	b.spare = b.spare[:k]
	return v
}

// mobile returns the coordinates that may move before the given λ is reached, one at
// least, for a design has a column, and the features that may if they stray farther than
// is usual: by their gradients continued along the path (cf. the strong rule of
// Tibshirani et al., J. R. Stat. Soc. B 74, 2012). Where most of many
// features may move it is all: that costs less than the fits again that features cost which
// join later.
func (b *batches) mobile(end float64) (set, near []int) {
	last, far := b.last(), b.past[0]
	t, slack := 0.0, setSlack
	if b.N < b.P {
		slack = 0
	}
	if far.lambda > last.lambda {
		t = (last.lambda - end) / (far.lambda - last.lambda)
	}
	floor, low := end-slack*(last.lambda-end), end-nearSlack*(last.lambda-end)
	first, top := b.Intercept, 0.0
	pen := b.elasticNet(1)
	least := pen.LeastL1()
	for j, g := range last.g {
		l1 := least * pen.Factor(j)
		a := math.Abs(g + t*(g-far.g[j]))
		switch {
		case b.factors[j] == 0 || l1 == 0 || last.theta[j] != 0 || a >= l1*floor:
			set = append(set, j)
			continue
		case a >= l1*low:
			near = append(near, j-b.Intercept)
		}
		if a > top {
			first, top = j, a
		}
	}
	if len(set) > b.P/2 && b.manyFeatures() {
		return linalg.Sequence(b.Parameters()), nil
	}
	if len(set) == b.Intercept {
		set = append(set, first)
		near = slices.DeleteFunc(near, func(j int) bool { return j == first-b.Intercept })
	}
	return set, near
}

// manyFeatures reports whether a factor by all features, p³/6 multiplications for a constant
// Hessian, costs more than a pass over the rows, which waits for memory: it did at 2000 × 2000, where
// paths take a third of the time if fits go one after the other, and not at 5000 × 500, where they
// take twice as long.
func (b *batches) manyFeatures() bool {
	return b.constant && b.Parameters() <= widestSet && b.P*b.P > manyShare*b.N
}

// batchSums are one goroutine's sums over a piece of the rows, for several points.
type batchSums struct {
	values, curvatures, ones []float64
	g, f, r                  *linalg.Dense // gradients by feature; scores and residuals of a block, by point
	v                        []float64
}

func (q *batchSums) reset() {
	clear(q.values)
	clear(q.curvatures)
	clear(q.ones)
	clear(q.g.Data)
}
