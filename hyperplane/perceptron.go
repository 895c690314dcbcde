package hyperplane

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp/separation"
)

// PerceptronOrder says which misclassified rows move the plane, and when.
type PerceptronOrder uint8

const (
	Cyclic   PerceptronOrder = iota // row by row in the order given
	Shuffled                        // row by row in an order drawn anew each epoch
	Worst                           // one step an epoch: the row with the least y·f
	Batch                           // one step an epoch: the sum over all misclassified rows
)

// String returns the name of the order: "cyclic".
func (o PerceptronOrder) String() string {
	if names := []string{"cyclic", "shuffled", "worst", "batch"}; int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("PerceptronOrder(%d)", uint8(o))
}

// PerceptronOptions are the settings of [FitPerceptron]. The zero value and nil are the
// defaults.
type PerceptronOptions struct {
	Rate      float64         // ρ; 0 is 1. From a zero start it only scales f
	Order     PerceptronOrder // which rows move the plane
	Start     *Plane          // where to start; nil is β = 0, β₀ = 0
	Random    bool            // start from standard normal coefficients drawn with Seed
	Seed      uint64          // of Shuffled and Random
	MaxEpochs int             // cap on passes over the rows; 0 is 1000
	Pocket    bool            // publish the best plane met instead of the last; every plane is judged
	Average   bool            // publish the mean of the planes over all visits of a row

	// ClassWeights multiply ρ and the share in D of the rows of each class, in the order of the
	// classes: those of a class of weight 2 move the plane twice as far. nil is 1 for both.
	ClassWeights []float64

	NoIntercept bool  // leave β₀ as it starts: a plane through the origin
	Classes     []int // the two labels, ascending; nil is those of y
	Workers     int   // goroutines for passes that move nothing; 0 is GOMAXPROCS

	// Trace is called with the start and after each epoch. X is (β₀, β),
	// Objective the criterion D, Certificate the share of rows misclassified.
	Trace func(optimize.Step) error

	// EveryUpdate has Trace called after each step of the plane too, O(np) a step. Iteration
	// counts epochs as before, Length is ρ.
	EveryUpdate bool
}

// Perceptron is a plane found by Rosenblatt's rule.
type Perceptron struct {
	TwoClasses
	updates, misclassified, cycle int
	evidence                      *separation.Evidence
}

// Updates returns how many steps the plane took.
func (m *Perceptron) Updates() int { return m.updates }

// Misclassified returns the number of training rows with y·f ≤ 0.
func (m *Perceptron) Misclassified() int { return m.misclassified }

// Cycle returns the number of epochs after which the plane was back where it had
// been, or 0 where that was not seen. From then on the epochs repeat: these rows
// in this order are never separated. Only orders without chance can be told. Classes that a
// plane separates have none: where there the plane repeats, rounding has swallowed its steps.
func (m *Perceptron) Cycle() int { return m.cycle }

// Evidence proves that the plane separates the classes or, where it does not, tells whether any
// does. Nil where the trace ended the fit or β₀ ≠ 0 had to stay, and in a model from JSON.
func (m *Perceptron) Evidence() *separation.Evidence { return m.evidence }

// FitPerceptron looks for a plane that separates two classes by Rosenblatt's
// rule: a misclassified row, y·f(x) ≤ 0, moves the plane by
//
//	β ← β + ρ·y·x,  β₀ ← β₀ + ρ·y,
//
// which is stochastic gradient descent on D(β, β₀) = −Σ_M y·f(x) over the
// misclassified rows M (ESL 4.41 to 4.44), each times the weight of its class, as ρ is. If the classes can be separated it
// ends after a finite number of steps (see [UpdateBound], which class weights multiply by
// the square of their ratio) at one of many
// separating planes, which one depending on start and order. The fit is not
// indifferent to the scale of a feature.
//
// The certificate is the share of rows that the published plane misclassifies,
// with tolerance 0; the objective is D there. At the cap the error wraps
// [optimize.ErrNotConverged] and the model says how many rows are wrong,
// whether the planes went in a circle, and whether a plane separates the classes at all. Pocket judges
// the start and the plane after every step, and publishes the first of those with the fewest rows wrong, by the weights of their classes
// (Gallant 1990, whose ratchet judges fewer). Average is Freund and
// Schapire's (1999); it stops when the mean itself separates.
//
// O(np) an epoch, for each of which the rows are read once (twice with Trace); O(n + p) memory.
// Of sparse rows np is the number of stored values; other storage than a *[linalg.Dense] or
// *[linalg.CSR] is copied. With
// Pocket O(np) for every step: 0.1 ms for 20,000 rows of 20 features, for a few thousand steps an epoch. Of one feature
// it is O(log n).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError]
// (three classes are one too many), *[sample.OptionError].
func FitPerceptron(x linalg.Rows, y []int, o *PerceptronOptions) (*Perceptron, error) {
	rows, err := linalg.InMemory(x)
	if err != nil {
		return nil, wrap(err)
	}
	if o == nil {
		o = &PerceptronOptions{}
	}
	s, err := newPerceptron(rows, y, o)
	if err != nil {
		return nil, wrap(err)
	}
	s.run()
	m, err := s.model()
	cause := s.progress.Cause()
	switch {
	case err != nil:
		return nil, wrap(err)
	case m.report.Status() == optimize.NotFinite:
		cause = errors.New("scores overflow")
	case m.cycle > 0 && cause == nil:
		cause = fmt.Errorf("the planes repeat every %d epochs", m.cycle)
	}
	if err := m.report.Err(cause); err != nil {
		return m, fmt.Errorf("hyperplane: perceptron: %d of %d rows misclassified%s: %w", m.misclassified, len(y), prospect(m.evidence), err)
	}
	return m, nil
}

// perceptron is the state of a fit.
type perceptron struct {
	o       *PerceptronOptions
	x       linalg.Table
	all     *design.Design // x, for passes
	sign    []float64      // y = ±1
	weights []float64      // of the rows, those of their classes; nil is ones
	pair    [2]int
	rate    float64
	one     float64 // the input of β₀: 1, or 0 without intercept
	workers int
	rng     *rand.Rand
	order   []int // of Shuffled

	now     weights
	before  weights // at the start of the epoch: the last finite plane
	f       []float64
	updates int64 // n·MaxEpochs may be more than an int holds
	shown   int64 // updates when the trace was last called

	progress *optimize.Progress // counts epochs

	lag        weights // Σ (visits before it)·step: the mean is now − lag/visits
	visits     int64
	pocket     *pocket // of Pocket, else nil
	tortoise   weights // the plane that findCycle compares with
	tortoiseAt int
	cycle      int
}

func newPerceptron(x linalg.Table, y []int, o *PerceptronOptions) (*perceptron, error) {
	pair, sign, err := sample.Signs(x, y, o.Classes, nil)
	if err != nil {
		return nil, err
	}
	rate, badRate := sample.Positive("Rate", o.Rate, 1)
	epochs, badCap := sample.Count("MaxEpochs", o.MaxEpochs, 1000)
	workers, badCount := sample.Count("Workers", o.Workers, 0)
	weights, badWeight := sample.WeighClasses(y, o.Classes, nil, o.ClassWeights)
	_, p := x.Dims()
	all := design.About(x, nil, workers)
	if err := cmp.Or(badRate, badCap, badCount, badWeight, all.Range(), o.check(p)); err != nil {
		return nil, err
	}
	s := &perceptron{o: o, x: x, all: all, sign: sign, pair: pair, rate: rate, workers: workers, weights: weights}
	if !o.NoIntercept {
		s.one = 1
	}
	s.rng = rand.New(rand.NewPCG(o.Seed, 0))
	s.start()
	s.progress, err = optimize.Begin(nil, s.now.vector(), &optimize.Control{Trace: o.Trace},
		optimize.Defaults{Kind: optimize.KindMisclassified, MaxIter: epochs})
	return s, err
}

// check refuses settings that go together with no others, and a start for other than p features.
func (o *PerceptronOptions) check(p int) error {
	switch {
	case o.Order > Batch:
		return &sample.OptionError{Name: "Order", Value: float64(o.Order), Want: "Cyclic, Shuffled, Worst or Batch"}
	case o.Pocket && o.Average:
		return &sample.OptionError{Name: "Average", Value: 1, Want: "false with Pocket"}
	case o.Start != nil && o.Random:
		return &sample.OptionError{Name: "Random", Value: 1, Want: "false with Start"}
	case o.Order != Shuffled && !o.Random && o.Seed != 0:
		return &sample.OptionError{Name: "Seed", Value: float64(o.Seed), Want: "0, as nothing is drawn"}
	case o.EveryUpdate && o.Trace == nil:
		return &sample.OptionError{Name: "EveryUpdate", Value: 1, Want: "false without Trace"}
	case o.Start == nil:
		return nil
	case o.Start.Features() != p:
		return &linalg.ShapeError{Want: p, WantOf: "columns", Got: o.Start.Features(), GotOf: "in Start"}
	}
	if err := o.Start.InRange(); err != nil { // the plain intercept can overflow
		return fmt.Errorf("the start: %w", err)
	}
	return nil
}

// start sets the first plane and the state that is kept about planes.
func (s *perceptron) start() {
	n, p := s.x.Dims()
	s.now.beta, s.f = make([]float64, p), make([]float64, n)
	switch {
	case s.o.Start != nil:
		s.now = weights{s.o.Start.Intercept(), s.o.Start.Normal()}
	case s.o.Random:
		s.now.b0 = s.one * s.rng.NormFloat64()
		for j := range s.now.beta {
			s.now.beta[j] = s.rng.NormFloat64()
		}
	}
	s.before, s.tortoise = s.now.clone(), s.now.clone()
	if s.o.Average {
		s.lag.beta = make([]float64, p)
	}
	if s.o.Pocket {
		s.pocket = newPocket(s.x, s.sign, s.weights, s.workers)
	}
	if s.o.Order == Shuffled {
		s.order = make([]int, n)
		for i := range s.order {
			s.order[i] = i
		}
	}
}

// run iterates until a clean epoch or the cap, or until scores overflow.
func (s *perceptron) run() {
	if s.stopped() {
		return
	}
	for !s.progress.Spent() {
		s.before.set(s.now)
		clean := s.runEpoch()
		s.progress.Count()
		if !s.now.inRange() {
			s.now.set(s.before)
			s.progress.End(optimize.NotFinite)
			return
		}
		if s.stopped() {
			return
		}
		if clean && (!s.o.Average || s.standingOf(s.mean()).wrong == 0) {
			s.progress.End(optimize.Converged)
			return
		}
		s.findCycle(s.progress.Report().Iterations(), clean)
	}
}

// runEpoch runs one epoch and reports whether no row was misclassified.
func (s *perceptron) runEpoch() (clean bool) {
	before := s.updates
	switch s.o.Order {
	case Worst, Batch:
		s.stepOnce()
	case Shuffled:
		s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
		fallthrough
	default:
		s.visitRows()
	}
	return s.updates == before
}

// visitRows visits each row and lets it move the plane if it is misclassified.
func (s *perceptron) visitRows() {
	for k := 0; ; k++ {
		next := s.nextWrong(k)
		s.visits += int64(next - k)
		if k = next; k == len(s.sign) {
			return
		}
		s.offer()
		s.addRow(s.row(k))
		s.updates++
		if s.o.EveryUpdate && s.show() {
			return
		}
		s.visits++
	}
}

// nextWrong returns the first visit from the k-th on whose row is misclassified, n if there is none.
func (s *perceptron) nextWrong(k int) int {
	x, dense := s.x.(*linalg.Dense)
	if dense && s.order == nil {
		return x.FirstWrong(k, s.sign, s.now.beta, s.now.b0)
	}
	ahead := len(s.sign)
	if dense {
		ahead = x.Ahead()
	}
	for ; k < len(s.sign); k++ {
		if next := k + ahead; next < len(s.sign) {
			x.Fetch(s.row(next))
		}
		i := s.row(k)
		if !(s.sign[i]*(s.now.b0+s.x.Dot(i, s.now.beta)) > 0) {
			break
		}
	}
	return k
}

// row returns the row of the k-th visit of an epoch.
func (s *perceptron) row(k int) int {
	if s.order == nil {
		return k
	}
	return s.order[k]
}

// addRow adds ρ·y·(1, x) of row i to the plane. The mean over the planes after each visit
// misses a step in the visits before it, which lag collects.
func (s *perceptron) addRow(i int) {
	rho := s.rate * s.sign[i] * sample.WeightAt(s.weights, i)
	s.now.add(rho, s.one, s.x, i)
	if s.o.Average {
		s.lag.add(rho*float64(s.visits), s.one, s.x, i)
	}
}

// stepOnce moves the plane by the worst row or by all misclassified ones.
func (s *perceptron) stepOnce() {
	d := s.standingOf(s.now)
	s.offer()
	switch {
	case d.wrong == 0:
	case s.o.Order == Worst:
		s.addRow(d.worst)
		s.updates++
	default:
		for i, f := range s.f {
			if !(f > 0) {
				s.addRow(i)
			}
		}
		s.updates++
	}
	s.visits++
}

// mean returns the average of the planes after each visit.
func (s *perceptron) mean() weights {
	w := s.now.clone()
	if s.visits > 0 {
		share := -1 / float64(s.visits)
		w.b0 += share * s.lag.b0
		linalg.Axpy(w.beta, share, s.lag.beta)
	}
	return w
}

// findCycle compares the plane with one seen before, which it replaces at epochs
// 1, 2, 4, 8, …, so that a cycle of any length is found in memory O(p) (Brent
// 1980).
func (s *perceptron) findCycle(epoch int, clean bool) {
	switch {
	case s.o.Order == Shuffled || s.cycle > 0 || clean: // a plane at rest waits for the mean
	case s.now.equal(s.tortoise):
		s.cycle = epoch - s.tortoiseAt
	case epoch&(epoch-1) == 0:
		s.tortoise.set(s.now)
		s.tortoiseAt = epoch
	}
}

// offer has the present plane judged for the pocket, if there is one, until the planes come again.
func (s *perceptron) offer() {
	if s.pocket != nil && s.cycle == 0 {
		s.pocket.offer(s.now)
	}
}

// stopped offers the present plane to the pocket, shows it to the trace, and reports
// whether that stopped the fit.
func (s *perceptron) stopped() bool {
	s.offer()
	if s.o.EveryUpdate && s.updates > 0 && s.shown == s.updates {
		return s.progress.Cause() != nil
	}
	return s.show()
}

// show shows the present plane to the trace, and reports whether that stopped the fit.
func (s *perceptron) show() bool {
	if !s.progress.Traced() {
		return false
	}
	d, length := s.standingOf(s.now), 0.0
	if s.updates > 0 || s.progress.Report().Iterations() > 0 {
		length = s.rate
	}
	s.shown = s.updates
	return s.progress.Show(s.now.vector(), d.criterion, s.share(d.wrong), length)
}

// share returns the certificate for a number of rows that are wrong.
func (s *perceptron) share(wrong int) float64 { return float64(wrong) / float64(len(s.sign)) }

// model judges the plane to publish and reports on it.
func (s *perceptron) model() (*Perceptron, error) {
	w := s.now
	switch {
	case s.o.Pocket && s.progress.Report().Status() != optimize.Converged: // else none is better, however it was scored
		w = s.pocket.take()
	case s.o.Average:
		w = s.mean()
	}
	overflowed := !w.inRange() // the sum behind a mean
	if overflowed {
		w = s.now
	}
	m := &Perceptron{updates: int(min(s.updates, math.MaxInt)), cycle: s.cycle}
	plane := planeAt(slices.Clone(w.beta), nil, w.b0)
	fixed := s.o.NoIntercept && plane.offset != 0
	open := s.progress.Report().Status() != optimize.Stopped && !fixed
	var err error
	m.misclassified, m.evidence, err = judge(task{sign: s.sign}.apart(s.x, nil, s.o.NoIntercept && !fixed, s.workers), plane, open, s.f)
	if err != nil {
		return nil, err
	}
	d := s.standing()
	if (overflowed || d.criterion-d.criterion != 0) && d.wrong > 0 {
		s.progress.End(optimize.NotFinite)
	}
	if e := m.evidence; e != nil && e.Kind == separation.Complete {
		m.cycle = 0
	}
	report := s.progress.Report()
	c := report.Certificate()
	c.Value = s.share(m.misclassified)
	m.TwoClasses = TwoClasses{classes: s.pair, plane: plane, report: report.Certify(d.criterion, c)}
	return m, nil
}

type perceptronRecord struct {
	twoClassesRecord
	Updates       int `json:"updates"`
	Misclassified int `json:"misclassified"`
	Cycle         int `json:"cycle"`
}

const perceptronKind = "halfspace/perceptron"

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit for bit.
func (m *Perceptron) MarshalJSON() ([]byte, error) {
	b, err := record.MarshalFitted(perceptronKind, 1, m.plane != nil, func() any { return perceptronRecord{m.TwoClasses.record(), m.updates, m.misclassified, m.cycle} })
	return b, wrap(err)
}

// UnmarshalJSON reads what MarshalJSON wrote. Errors: those of package record.
func (m *Perceptron) UnmarshalJSON(data []byte) error {
	var r perceptronRecord
	if _, err := record.Unmarshal(data, perceptronKind, 1, &r); err != nil {
		return wrap(err)
	}
	two, err := r.twoClasses()
	if err != nil {
		return wrap(err)
	}
	if r.Updates < 0 || r.Misclassified < 0 || r.Cycle < 0 {
		return wrap(&record.DamageError{Reason: "a negative count"})
	}
	*m = Perceptron{two, r.Updates, r.Misclassified, r.Cycle, nil}
	return nil
}
