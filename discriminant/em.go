package discriminant

import (
	"fmt"
	"math"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// UnlabeledOptions are the settings of [FitLDAUnlabeled]. The zero value and nil are
// the defaults.
type UnlabeledOptions struct {
	Classes []int     // ascending; nil is the distinct labels; each needs a labelled row
	Weights []float64 // of the labelled rows, as repeated rows; nil is all ones
	Tol     float64   // of the certificate; 0 is 1e-8
	MaxIter int       // cap on iterations; 0 is 10,000
	Workers int       // goroutines; 0 is GOMAXPROCS

	// ClassWeights multiply the weights of the labelled rows of each class; nil is 1 for all.
	ClassWeights []float64

	// Trace is called at the start and after each iteration. X holds the K×p means row by
	// row, Objective is minus the log-likelihood, Certificate the length of the next step.
	Trace func(optimize.Step) error
}

// FitLDAUnlabeled fits linear discriminant analysis to labelled rows (x, y) and to rows
// without a label. It maximises the likelihood of all that was observed,
//
//	Σ log πₖ φ(xᵢ; μₖ, Σ)  +  Σ log Σₖ πₖ φ(uᵢ; μₖ, Σ)
//	labelled rows, k = yᵢ     unlabelled rows uᵢ
//
// by the EM algorithm (Dempster, Laird and Rubin 1977; O'Neill 1978; ESL §8.5) from the fit to
// the labelled rows alone: each unlabelled row counts for class k with the weight P(k | uᵢ), and
// the moments of all rows, divided by N, make the next parameters, which never lower the
// likelihood. Unlabelled rows help where the classes are Gaussian; where they are not, they
// can do harm.
//
// The likelihood is not concave. The certificate is of the kind stationary: the largest of the
// differences between the parameters and those that they would give way to, in standard
// deviations for the means, relative to Σ for the covariance, plain for π. They are the
// derivatives of the log-likelihood per row, so they vanish where it is stationary. O(mKp²) an
// iteration for m unlabelled rows, O(np²) once for the labelled.
//
// Errors: those of [FitLDA] with the divisor N, and for unlabelled rows of another length. With
// [optimize.ErrNotConverged] the model is not nil.
func FitLDAUnlabeled(x linalg.Rows, y []int, unlabeled linalg.Rows, o *UnlabeledOptions) (*LDA, error) {
	if o == nil {
		o = new(UnlabeledOptions)
	}
	e, err := newEM(x, y, unlabeled, o)
	if err != nil {
		return nil, wrap(err)
	}
	l, err := e.run(o)
	return l, wrap(err)
}

// leastShare is the smallest share of a row in a class that counts: with more than that, moments take rows of any
// numbers in range, without another pass to check them. What is left out of a class is at most 1e-18 of the unlabelled
// rows: less than rounding where its labelled rows have weights of about 1, and 1e-8 of weights of 1e-10.
const leastShare = 0x1p-60

// em is the state of a fit.
type em struct {
	u       *linalg.Dense
	labeled *moments.ByClass
	rows    *problem    // of the labelled rows
	o       Options     // of the fits to moments
	share   [][]float64 // P(k | uᵢ), a class a row
	label   []int       // room for one label for all unlabelled rows
}

func newEM(x linalg.Rows, y []int, unlabeled linalg.Rows, o *UnlabeledOptions) (*em, error) {
	e := &em{o: Options{Classes: o.Classes, Divisor: MLE, Workers: o.Workers}}
	labeled, err := linalg.ToDense(x)
	if err != nil {
		return nil, err
	}
	if e.u, err = linalg.ToDense(unlabeled); err != nil {
		return nil, err
	}
	with := &Options{Classes: o.Classes, Weights: o.Weights, ClassWeights: o.ClassWeights, Workers: o.Workers}
	if with, err = with.weighed(labeled, y); err != nil {
		return nil, err
	}
	if err := e.u.Check(); err != nil {
		return nil, fmt.Errorf("unlabelled rows: %w", err)
	}
	if e.u.Cols != labeled.Cols {
		return nil, &linalg.ShapeError{Want: labeled.Cols, WantOf: "columns in the labelled rows", Got: e.u.Cols, GotOf: "in the unlabelled"}
	}
	if err := sample.Range(e.u, nil, nil); err != nil {
		return nil, fmt.Errorf("unlabelled rows: %w", err)
	}
	if e.labeled, err = momentsOf(labeled, y, with, true); err != nil {
		return nil, err
	}
	e.label = make([]int, e.u.Rows)
	e.rows, err = newProblem(e.labeled, nil, nil, &e.o)
	return e, err
}

// run iterates from the fit to the labelled rows.
func (e *em) run(o *UnlabeledOptions) (*LDA, error) {
	now, err := lda(e.rows)
	if now == nil {
		return nil, err
	}
	means := func(l *LDA) []float64 { return l.Means().Data }
	p, err := optimize.Begin(nil, means(now), &optimize.Control{Tol: o.Tol, MaxIter: o.MaxIter, Trace: o.Trace},
		optimize.Defaults{Kind: optimize.KindStationary, Tol: 1e-8, MaxIter: 10_000})
	if err != nil {
		return nil, err
	}
	length := 0.0
	for {
		value := e.expect(now)
		next, err := e.maximize(now.classes)
		if next == nil {
			return nil, err
		}
		step := difference(now, next)
		if p.Done(means(now), value, step, length) {
			now.report = p.Report()
			return now, now.report.Err(p.Cause())
		}
		now, length = next, step
	}
}

// expect sets the shares of the unlabelled rows, and returns minus the log-likelihood.
func (e *em) expect(l *LDA) float64 {
	b := l.Bayes()
	if e.share == nil {
		e.share = make([][]float64, len(l.classes))
		for k := range e.share {
			e.share[k] = make([]float64, e.u.Rows)
		}
	}
	marginal := make([]float64, e.u.Rows)
	linalg.For(e.u.Rows, 256, e.o.Workers, func(lo, hi int) {
		v := make([]float64, len(l.classes))
		for i := lo; i < hi; i++ {
			b.discriminants(v, e.u.Row(i))
			marginal[i] = linalg.LogSumExp(v)
			for k := range v {
				if e.share[k][i] = math.Exp(v[k] - marginal[i]); e.share[k][i] < leastShare {
					e.share[k][i] = 0
				}
			}
		}
	})
	return l.gaussians().joint(e.rows) - sum(marginal)
}

// maximize fits the moments of all rows with their shares.
func (e *em) maximize(classes []int) (*LDA, error) {
	m := e.labeled.Clone()
	for k, label := range classes {
		for i := range e.label {
			e.label[i] = label
		}
		if err := m.AddRows(e.u, e.label, e.share[k], e.o.Workers); err != nil {
			return nil, err
		}
	}
	return fitMoments(m, nil, nil, &e.o, lda)
}

// difference returns how far the parameters of b are from those of a, in a's units.
func difference(a, b *LDA) float64 {
	worst := 0.0
	from, to := a.Means(), b.Means()
	for k := range a.classes {
		d := to.Row(k)
		linalg.Axpy(d, -1, from.Row(k))
		linalg.SolveLower(a.chol.L(), d)
		worst = max(worst, math.Abs(b.priors[k]-a.priors[k]), linalg.Norm(d))
	}
	was := a.Cov()
	return covarianceApart(worst, b.Cov(), was, standardDeviations(was))
}
