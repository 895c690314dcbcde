package path

import (
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
	holds     bool               // the certificate, as far as the features looked at go
	done      bool               // it holds for all
	known     []float64          // the gradient of a fit that is done
	abandoned bool               // left to the general solver
}

// newCandidate begins the fit of one λ.
func (b *batches) newCandidate(lambda float64, r []float64) (*candidate, error) {
	run, err := optimize.Begin(b.Objective, b.null, &optimize.Control{Tol: b.tol}, optimize.Defaults{Kind: optimize.KindKKT, MaxIter: b.rounds})
	return &candidate{lambda: lambda, scale: b.scale(lambda), theta: b.vector(), g: b.vector(), r: r, run: run}, err
}

// newBatches prepares a path from the fit without penalised features on.
func newBatches(w *walk) (*batches, error) {
	f, err := newColumns(w.Objective)
	if err != nil {
		return nil, err
	}
	first := &candidate{lambda: w.LambdaMax(), theta: slices.Clone(w.null), g: slices.Clone(w.g)}
	b := &batches{walk: w, working: working{f: f, in: make([]bool, len(w.null))}, past: []*candidate{first}, constant: w.ConstantHessian(), size: longestBatch, rounds: mostRounds,
		residuals: linalg.Zeros(longestBatch, w.N), foretold: linalg.Zeros(longestBatch, w.P)}
	if w.s.MaxIter > 0 {
		b.rounds = min(b.rounds, w.s.MaxIter)
	}
	return b, nil
}

func (b *batches) last() *candidate { return b.past[len(b.past)-1] }

// run fits one batch after the other and reports whether the path ends with them; λ
// that need the general solver are left.
func (b *batches) run() (end bool, err error) {
	for len(b.lambdas) > 0 {
		fits, err := b.solve(b.lambdas[:b.length()])
		if err != nil {
			return true, err
		}
		done, end, err := b.publish(fits)
		if end || err != nil || done < len(fits) || done == 0 {
			return end, err
		}
		b.keep(fits)
	}
	return true, nil
}

// length returns how many λ the next batch has.
func (b *batches) length() int {
	size := 1
	for size < min(b.size, len(b.lambdas)) && b.lambdas[size] >= batchRatio*min(b.last().lambda, b.lambdas[0]) {
		size++
	}
	return size
}

// publish hands the fits to the path, in order, up to one that is not done, and returns
// how many.
func (b *batches) publish(fits []*candidate) (done int, end bool, err error) {
	slowest := 0
	for _, t := range fits {
		if !t.done {
			return done, false, nil
		}
		report := t.run.Report()
		f := b.fit(t.lambda, t.theta, report)
		f.Value, f.Gradient = t.value, t.known
		if end, err := b.add(f); end || err != nil {
			return done, true, err
		}
		done++
		slowest = max(slowest, report.Iterations())
	}
	if slowest > usualRounds+1 {
		b.size = max(1, b.size/2)
	} else if slowest <= usualRounds {
		b.size = min(longestBatch, 2*b.size)
	}
	return done, false, nil
}

// keep makes the candidates the last fits; the memory of those that are forgotten is
// used again.
func (b *batches) keep(fits []*candidate) {
	b.past = append(b.past, fits...)
	old := max(0, len(b.past)-longestBatch-1)
	for _, t := range b.past[:old] {
		b.spare = append(b.spare, t.theta, t.g)
	}
	b.past = b.past[old:]
}

// vector returns one by all coordinates, with any values.
func (b *batches) vector() []float64 {
	k := len(b.spare) - 1
	if k < 0 {
		return make([]float64, len(b.null))
	}
	v := b.spare[k]
	b.spare = b.spare[:k]
	return v
}

// solve fits the given λ as far as it gets; nil fits are a working set that is too
// wide.
func (b *batches) solve(lambdas []float64) ([]*candidate, error) {
	b.choose(b.mobile(lambdas[len(lambdas)-1]))
	if !b.grow(b.last().theta) {
		return nil, nil
	}
	fits, err := b.foresee(lambdas)
	if err != nil {
		return nil, err
	}
	for {
		open, full := b.open(fits)
		if len(open) == 0 {
			return fits, nil
		}
		open = b.certify(open, b.evaluateNear(open, full), full)
		if !b.grow(b.last().theta) {
			return fits, nil
		}
		b.correct(fits, open)
	}
}

// open returns the unfinished candidates; full is true if all of them hold on the near
// features, if these are at least half of all, or if it is the last look at one.
func (b *batches) open(fits []*candidate) (open []*candidate, full bool) {
	full, last := true, false
	for _, t := range fits {
		if !t.done && !t.abandoned {
			open = append(open, t)
			full = full && t.holds
			last = last || t.run.Report().Iterations() >= b.rounds-1
		}
	}
	if full || last || 2*b.near >= b.P {
		return open, true
	}
	return slices.DeleteFunc(open, func(t *candidate) bool { return t.holds }), false
}
