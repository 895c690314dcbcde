package hyperplane

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/qp"
)

// SVCProba is a support vector classifier with probabilities of its classes. It
// predicts as its SVC does.
type SVCProba struct {
	SVC
	platt    []sigmoid // one a machine
	coupling Coupling
}

// Coupling says how probabilities of pairs of classes become those of the classes.
type Coupling string

const (
	// Exact solves the equations of Wu, Lin and Weng, for pairs' probabilities that are kept 1e-7 from 0
	// and 1, and takes the sigmoid of two classes as it is.
	Exact Coupling = ""
	// LIBSVM ends at its tolerance of 0.005/K, and keeps that of two classes 1e-7 from 0 and 1 too.
	LIBSVM Coupling = "libsvm"
	// Scikit does the same, and solves the equations of two classes as well, from the second
	// on, as the copy of LIBSVM in scikit-learn does for the classes in its order.
	Scikit Coupling = "scikit-learn"
)

func (c Coupling) known() bool { return c == Exact || c == LIBSVM || c == Scikit }

// SVCProbaOptions are the settings of [FitSVCProba]. The zero value and nil are the
// defaults.
type SVCProbaOptions struct {
	SVCOptions
	Seed uint64 // of the five folds that the sigmoids are fitted on
}

// FitSVCProba fits the classifier of [FitSVC] and, to each of its machines, Platt's
// sigmoid: to scores of five cross-validation folds drawn with Seed, which costs five
// more fits, whose steps the trace sees too.
//
// Errors: those of [FitSVC]. A machine that a trace leaves no time for says ½ of every
// row.
func FitSVCProba(x linalg.Rows, y []int, o *SVCProbaOptions) (*SVCProba, error) {
	return door(x, y, o, fitSVCProba)
}

func fitSVCProba(x linalg.Table, y []int, o *SVCProbaOptions) (*SVCProba, error) {
	f, err := newSVCFit(x, y, &o.SVCOptions)
	if err != nil {
		return nil, err
	}
	c, err := sample.Positive(`C`, o.C, 1)
	if err != nil {
		return nil, err
	}
	platt := make([]sigmoid, len(f.tasks.pairs))
	m, err := f.fitAt(c, func(s *solver, k int, t task, q *qp.Linear, price, alpha []float64, m *Machine) (err error) {
		if !f.alikeTasks() {
			s.held = [plattFolds][]float64{}
		}
		if platt[k], err = s.platt(q, price, t.selectValues(nil, o.Weights), o.Seed, alpha, m); err != nil {
			return fmt.Errorf("probabilities: %w", err)
		}
		return nil
	})
	if m == nil || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		return nil, err
	}
	return &SVCProba{SVC: *m, platt: platt}, err
}

// Sigmoids returns A and B of the probability 1/(1+exp(A·f+B)) of each machine's positive
// side, and how they become the probabilities of the classes.
func (m *SVCProba) Sigmoids() (ab [][2]float64, c Coupling) {
	for _, s := range m.platt {
		ab = append(ab, [2]float64{s.A, s.B})
	}
	return ab, m.coupling
}

const (
	svcKind    = "halfspace/svc"
	svcVersion = 1
)

type svcRecord struct {
	machinesRecord
	C            float64   `json:"c"`
	ClassWeights []float64 `json:"class_weights,omitempty"`
	NoIntercept  bool      `json:"no_intercept,omitempty"`
	Loss         Loss      `json:"loss,omitempty"`
	Platt        []sigmoid `json:"platt,omitempty"` // of an [SVCProba]
	Coupling     Coupling  `json:"coupling,omitempty"`
}

// Record returns a versioned record with a checksum, to be written in pieces where planes are many.
func (m *SVC) Record() *record.Text { return m.record(nil, Exact) }

func (m *SVC) record(platt []sigmoid, coupling Coupling) *record.Text {
	return record.NewText(svcKind, svcVersion, m.list != nil, func() any {
		return svcRecord{m.machines.record(), m.c, m.classWeights, m.noIntercept, m.loss, platt, coupling}
	})
}

// MarshalJSON returns the text of Record; UnmarshalJSON reads it back bit for bit.
func (m *SVC) MarshalJSON() ([]byte, error) {
	b, err := m.Record().MarshalJSON()
	return b, wrap(err)
}

// UnmarshalJSON replaces m by the model in data, of an [SVCProba] by its classifier;
// see [record.Unmarshal] for its errors.
func (m *SVC) UnmarshalJSON(data []byte) error {
	_, err := m.unmarshal(data)
	return wrap(err)
}

// unmarshal replaces m and returns its record, which may have probabilities.
func (m *SVC) unmarshal(data []byte) (*svcRecord, error) {
	r := new(svcRecord)
	if _, err := record.Unmarshal(data, svcKind, svcVersion, r); err != nil {
		return nil, err
	}
	c, err := r.machines()
	if err == nil && (!(r.C > 0) || r.Loss > SquaredHinge || r.ClassWeights != nil && len(r.ClassWeights) != len(r.Classes) ||
		r.Platt != nil && len(r.Platt) != len(r.Machines) || !r.Coupling.known()) {
		err = &record.DamageError{Reason: fmt.Sprintf("C %g, %d class weights, %d sigmoids", r.C, len(r.ClassWeights), len(r.Platt))}
	}
	if err != nil {
		return nil, err
	}
	*m = SVC{c, r.C, r.ClassWeights, r.NoIntercept, r.Loss}
	return r, nil
}

// Record is that of an [SVC].
func (m *SVCProba) Record() *record.Text { return m.SVC.record(m.platt, m.coupling) }

// MarshalJSON returns the text of Record; UnmarshalJSON reads it back bit for bit.
func (m *SVCProba) MarshalJSON() ([]byte, error) {
	b, err := m.Record().MarshalJSON()
	return b, wrap(err)
}

// UnmarshalJSON replaces m by the model in data; see [record.Unmarshal] for its
// errors. A classifier without probabilities is one of them, and m has it then as its SVC, with no
// probabilities: who takes either need not read twice.
func (m *SVCProba) UnmarshalJSON(data []byte) error {
	var read SVCProba
	r, err := read.SVC.unmarshal(data)
	if err != nil {
		return wrap(err)
	}
	read.platt, read.coupling = r.Platt, r.Coupling
	*m = read
	if r.Platt == nil {
		return wrap(&record.DamageError{Reason: "a support vector classifier without probabilities"})
	}
	return nil
}

// Proba appends the K class probabilities: Platt's sigmoid for two classes and
// normalised for one-vs-rest; for one-vs-one those whose pairwise ratios are
// closest to the sigmoids (Wu, Lin & Weng, JMLR 5, 2004, method 2). They are fitted
// to other planes than the scores are, so the most probable class need not be
// the predicted one.
func (m *SVCProba) Proba(dst, row []float64) []float64 {
	return m.proba(dst, func(p *Plane) float64 { return p.Value(row) })
}

// ProbaSparse is [SVCProba.Proba] of a sparse row, see [Plane.ValueSparse].
func (m *SVCProba) ProbaSparse(dst []float64, index []int32, value []float64) []float64 {
	return m.proba(dst, func(p *Plane) float64 { return p.ValueSparse(index, value) })
}

// proba is Proba of the row at which value returns f of a plane.
func (m *SVCProba) proba(dst []float64, value func(*Plane) float64) []float64 {
	from := len(dst)
	dst = slices.Grow(dst, len(m.classes))[:from+len(m.classes)]
	p := dst[from:]
	switch {
	case len(p) == 2 && m.coupling == LIBSVM:
		p[1] = within(m.platt[0].prob(value(m.list[0].Plane)))
		p[0] = 1 - p[1]
	case len(p) == 2 && m.coupling == Exact:
		p[1] = m.platt[0].prob(value(m.list[0].Plane))
		p[0] = linalg.Sigmoid(m.platt[0].A*value(m.list[0].Plane) + m.platt[0].B)
	case len(p) > 2 && m.multi == OneVsRest:
		sum := 0.0
		for k, c := range m.list {
			p[k] = m.platt[k].prob(value(c.Plane))
			sum += p[k]
		}
		if sum < 0x1p-1000 { // far on the other side of every plane
			for k, c := range m.list {
				p[k] = m.platt[k].logProb(value(c.Plane))
			}
			linalg.Softmax(p)
			break
		}
		linalg.Scale(p, 1/sum)
	default:
		m.couple(p, value)
	}
	return dst
}

// within returns the probability of a pair's class, kept 1e-7 from 0 and 1.
func within(p float64) float64 {
	const least = 1e-7
	return min(max(p, least), 1-least)
}

// couple sets p to the minimiser of Σ over pairs (r_ba·p_a − r_ab·p_b)² with
// Σp = 1, where r_ab is the probability of a against b.
func (m *SVCProba) couple(p []float64, value func(*Plane) float64) {
	k, tol := len(p), 1e-12
	if m.coupling != Exact {
		tol = 0.005 / float64(k)
	}
	var room [256]float64
	q := linalg.Dense{Rows: k, Cols: k, Stride: k, Data: room[:]}
	if k*k > len(room) {
		q.Data = make([]float64, k*k)
	}
	q.Data = q.Data[:k*k]
	m.pairs(func(c, a, b int) {
		rb := within(m.platt[c].prob(value(m.list[c].Plane)))
		ra := 1 - rb
		q.Row(a)[a] += rb * rb
		q.Row(b)[b] += ra * ra
		q.Row(a)[b] = -ra * rb
		q.Row(b)[a] = -ra * rb
	})
	for i := range p {
		p[i] = 1 / float64(k)
	}
	// Gauss-Seidel on the stationarity equations (algorithm 2 there).
	for range max(100, k) {
		value, worst := 0.0, 0.0
		for i := range p {
			value += p[i] * linalg.Dot(q.Row(i), p)
		}
		for i := range p {
			worst = max(worst, math.Abs(linalg.Dot(q.Row(i), p)-value))
		}
		if worst < tol {
			return
		}
		for i := range p {
			if k == 2 {
				i = 1 - i
			}
			d := (value - linalg.Dot(q.Row(i), p)) / q.Row(i)[i]
			p[i] += d
			value = (value + d*(d*q.Row(i)[i]+2*(linalg.Dot(q.Row(i), p)-d*q.Row(i)[i]))) / (1 + d) / (1 + d)
			linalg.Scale(p, 1/(1+d))
		}
	}
}

const plattFolds = 5

// sigmoid is P(positive | f) = 1/(1 + exp(A·f + B)).
type sigmoid struct {
	A, B float64
}

func (s sigmoid) prob(f float64) float64 { return linalg.Sigmoid(-(s.A*f + s.B)) }

// logProb returns the logarithm of prob, finite for scores of any size.
func (s sigmoid) logProb(f float64) float64 {
	return max(-linalg.Log1pExp(s.A*f+s.B), -math.MaxFloat64/2)
}

// platt fits the sigmoid of a machine to scores that cross-validation gave: each
// row is scored by a plane fitted without its fold, the folds being drawn class by
// class (Platt, Probabilistic outputs for support vector machines, 1999). The machine of all
// rows and its multipliers are where those fits begin.
func (s *solver) platt(q *qp.Linear, price, w []float64, seed uint64, alpha []float64, whole *Machine) (sigmoid, error) {
	fold := stratify(q.Sign, w, seed)
	score, value := make([]float64, len(fold)), make([]float64, len(fold))
	var failed error
	for k := range plattFolds {
		if !slices.Contains(fold, k) {
			continue // fewer rows than folds
		}
		start := alpha
		if s.held[k] != nil {
			start = s.held[k]
		}
		plane, held, err := s.without(func(i int) bool { return fold[i] == k }, q, price, alpha, start, whole)
		if plane == nil || s.cause != nil {
			return sigmoid{}, err
		}
		s.held[k] = held
		if err != nil {
			failed = err
		}
		q.Apply(value, plane.beta())
		for i, v := range value {
			if fold[i] == k {
				score[i] = q.Sign[i]*v + plane.offset
			}
		}
	}
	fitted, err := fitSigmoid(score, q.Sign, w)
	if failed == nil {
		failed = err
	}
	return fitted, failed
}

// without returns the plane of the rows that are not left out and its multipliers, from a start,
// given the machine of all rows and its multipliers. Rows without one leave it as it is, and its gap
// no larger. The gap of other planes is as small as that of the machine is, if not the tolerance: where all
// rows are beyond floating point, so are most of them.
func (s *solver) without(out func(i int) bool, q *qp.Linear, price, alpha, start []float64, whole *Machine) (*Plane, []float64, error) {
	price, start = slices.Clone(price), slices.Clone(start)
	supports := false
	for i, a := range alpha {
		if out(i) {
			price[i], start[i] = 0, 0
			supports = supports || a > 0
		}
	}
	if !supports {
		return whole.Plane, alpha, nil
	}
	if !s.noIntercept {
		balance(start, q.Sign)
	}
	tol := s.tol
	s.tol = max(tol, whole.Report.Certificate().Value/stricter)
	m, alpha, err := s.softMargin(q, price, start)
	s.tol = tol
	return m.Plane, alpha, err
}

// stratify deals the rows of each sign to the folds in an order drawn with seed. Those of weight 0 are in none, −1.
func stratify(sign, w []float64, seed uint64) []int {
	fold := slices.Repeat([]int{-1}, len(sign))
	r := rand.New(rand.NewPCG(seed, 0x506c617474))
	next := 0
	for _, side := range []float64{-1, 1} {
		var rows []int
		for i, s := range sign {
			if s == side && sample.WeightAt(w, i) > 0 {
				rows = append(rows, i)
			}
		}
		r.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		for _, i := range rows {
			fold[i] = next % plattFolds
			next++
		}
	}
	return fold
}

// fitSigmoid minimises −Σ w(t·log p + (1−t)·log(1−p)) with targets t =
// (N₊+1)/(N₊+2) for the positive rows and 1/(N₋+2) for the others, by Newton's method with
// steps that are halved until the sum falls (Lin, Lin & Weng, Machine Learning 68, 2007), on the
// scores about their mean in units of their spread. Scores that are all alike tell nothing of
// the slope, which is 0 then. O(n) a step.
func fitSigmoid(score, sign, w []float64) (sigmoid, error) {
	rows, center, unit := sigmoidRows(score, sign, w)
	public := func(s sigmoid) sigmoid { return sigmoid{A: s.A / unit, B: s.B - s.A/unit*center} }
	minus, total := 0.0, 0.0
	for _, r := range rows {
		minus += r.weight * r.other
		total += r.weight
	}
	s := sigmoid{B: math.Log(minus / (total - minus))}
	f := s.loss(rows)
	for range sigmoidSteps {
		d, decrement := s.newton(rows)
		if decrement <= sigmoidTol*f { // the last step leaves its square
			return public(sigmoid{A: s.A + d.A, B: s.B + d.B}), nil
		}
		next, at := sigmoid{}, math.Inf(1)
		for step := 1.0; !(at <= f-step*decrement/4) && step > leastStep; step /= 2 {
			next = sigmoid{A: s.A + step*d.A, B: s.B + step*d.B}
			at = next.loss(rows)
		}
		if !(at < f) {
			break
		}
		s, f = next, at
	}
	return public(s), fmt.Errorf("sigmoid of %d scores: %w", len(score), optimize.ErrNotConverged)
}

// sigmoidRow is a row that a sigmoid is fitted to.
type sigmoidRow struct{ score, weight, other float64 } // other is the target of the negative side, 1−t

// sigmoidRows returns the rows with (score − center)/unit.
func sigmoidRows(score, sign, w []float64) (rows []sigmoidRow, center, unit float64) {
	rows = make([]sigmoidRow, len(score))
	var plus, minus float64
	for i, s := range sign {
		if rows[i].weight = 1; w != nil {
			rows[i].weight = w[i]
		}
		if s > 0 {
			plus += rows[i].weight
		} else {
			minus += rows[i].weight
		}
	}
	largest := 0.0
	for i, f := range score {
		center += rows[i].weight / (plus + minus) * f
		if rows[i].other = 1 - 1/(minus+2); sign[i] > 0 {
			rows[i].other = 1 / (plus + 2)
		}
	}
	for i, f := range score {
		if rows[i].weight > 0 {
			rows[i].score = f - center
			largest, unit = max(largest, math.Abs(f)), max(unit, math.Abs(f-center))
		}
	}
	if unit <= alike*largest || unit < leastScore {
		center, unit = 0, math.Inf(1)
	}
	for i := range rows {
		rows[i].score /= unit
	}
	return rows, center, unit
}

// loss returns Σ w(log(1+eᵘ) − (1−t)u) with u = A·f + B.
func (s sigmoid) loss(rows []sigmoidRow) (sum float64) {
	for _, r := range rows {
		u := s.A*r.score + s.B
		sum += r.weight * (linalg.Log1pExp(u) - r.other*u)
	}
	return sum
}

// newton returns the step −H⁻¹g, whose slope is solved for about the mean score by curvature,
// and gᵀH⁻¹g, twice the fall of the quadratic model.
func (s sigmoid) newton(rows []sigmoidRow) (d sigmoid, decrement float64) {
	var g, h, mean float64
	for _, r := range rows {
		p := linalg.Sigmoid(s.A*r.score + s.B)
		v := r.weight * p * (1 - p)
		g += r.weight * (p - r.other)
		h += v
		mean += v * r.score
	}
	if h == 0 {
		return d, 0
	}
	mean /= h
	var slope, curvature float64
	for _, r := range rows {
		p, z := linalg.Sigmoid(s.A*r.score+s.B), r.score-mean
		slope += r.weight * (p - r.other) * z
		curvature += r.weight * p * (1 - p) * z * z
	}
	if curvature > 0 {
		d.A = -slope / curvature
	}
	d.B = -g/h - mean*d.A
	return d, g*g/h - slope*d.A
}

const (
	sigmoidSteps = 200
	sigmoidTol   = 1e-10    // of twice the fall that the quadratic model foretells, relative to the sum
	leastStep    = 0x1p-40  // of Newton's, below which rounding hides the fall
	leastScore   = 0x1p-900 // scores below this are 0 as far as A, measured in its inverse, can tell
	alike        = 1e-15    // is the spread of scores, in units of the largest, that rounding makes
)
