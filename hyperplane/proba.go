package hyperplane

import (
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
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
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
	// Exact solves the equations of Wu, Lin and Weng, and takes the sigmoid of two classes as it is.
	Exact Coupling = ""
	// LIBSVM ends at its tolerance of 0.005/K, and keeps each pair's probability, that of two
	// classes too, within 1e-7 of 0 and 1.
	LIBSVM Coupling = "libsvm"
	// Scikit does the same, and solves the equations of two classes as well, from the second
	// on, as the copy of LIBSVM in scikit-learn does for the classes in its order.
	Scikit Coupling = "scikit-learn"
)

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
	m, err := f.fitAt(c, func(k int, t task, q *qp.Linear, price, alpha []float64, plane *Plane) (err error) {
		if platt[k], err = f.solver.platt(q, price, t.selectValues(o.Weights), o.Seed, alpha, plane); err != nil {
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

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit for bit.
func (m *SVCProba) MarshalJSON() ([]byte, error) { return m.SVC.marshal(m.platt, m.coupling) }

// UnmarshalJSON replaces m by the model in data; see [record.Unmarshal] for its
// errors. A classifier without probabilities is one of them.
func (m *SVCProba) UnmarshalJSON(data []byte) error {
	var read SVCProba
	r, err := read.SVC.unmarshal(data)
	if err == nil && r.Platt == nil {
		err = &record.DamageError{Reason: "a support vector classifier without probabilities"}
	}
	if err != nil {
		return wrap(err)
	}
	read.platt, read.coupling = r.Platt, r.Coupling
	*m = read
	return nil
}

// Proba appends the K class probabilities: Platt's sigmoid for two classes and
// normalised for one-vs-rest; for one-vs-one those whose pairwise ratios are
// closest to the sigmoids (Wu, Lin & Weng, JMLR 5, 2004, method 2). They are fitted
// to other planes than the scores are, so the most probable class need not be
// the predicted one.
func (m *SVCProba) Proba(dst, row []float64) []float64 {
	from := len(dst)
	dst = slices.Grow(dst, len(m.classes))[:from+len(m.classes)]
	p := dst[from:]
	switch {
	case len(p) == 2 && m.coupling == LIBSVM:
		p[1] = within(m.platt[0].prob(m.list[0].Plane.Value(row)))
		p[0] = 1 - p[1]
	case len(p) == 2 && m.coupling == Exact:
		p[1] = m.platt[0].prob(m.list[0].Plane.Value(row))
		p[0] = linalg.Sigmoid(m.platt[0].A*m.list[0].Plane.Value(row) + m.platt[0].B)
	case m.multi == OneVsRest:
		sum := 0.0
		for k, c := range m.list {
			p[k] = m.platt[k].prob(c.Plane.Value(row))
			sum += p[k]
		}
		if sum < 0x1p-1000 { // far on the other side of every plane
			for k, c := range m.list {
				p[k] = m.platt[k].logProb(c.Plane.Value(row))
			}
			linalg.Softmax(p)
			break
		}
		linalg.Scale(p, 1/sum)
	default:
		m.couple(p, row)
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
func (m *SVCProba) couple(p, row []float64) {
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
		rb := within(m.platt[c].prob(m.list[c].Plane.Value(row)))
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
// class (Platt, Probabilistic outputs for support vector machines, 1999). The plane of all
// rows and its multipliers are where those fits begin.
func (s *solver) platt(q *qp.Linear, price, w []float64, seed uint64, alpha []float64, whole *Plane) (sigmoid, error) {
	fold := stratify(q.Sign, seed)
	score, value := make([]float64, len(fold)), make([]float64, len(fold))
	var failed error
	for k := range plattFolds {
		if !slices.Contains(fold, k) {
			continue // fewer rows than folds
		}
		plane, err := s.without(func(i int) bool { return fold[i] == k }, q, price, alpha, whole)
		if plane == nil || s.cause != nil {
			return sigmoid{}, err
		}
		if err != nil {
			failed = err
		}
		q.Apply(value, plane.beta)
		for i, v := range value {
			if fold[i] == k {
				score[i] = q.Sign[i]*v + plane.offset
			}
		}
	}
	if !s.last.of(score, q.Sign, w) {
		s.last = sigmoidFit{score: score, sign: q.Sign, w: w}
		s.last.fitted, s.last.err = fitSigmoid(score, q.Sign, w)
	}
	if failed == nil {
		failed = s.last.err
	}
	return s.last.fitted, failed
}

// without returns the plane of the rows that are not left out, given that of all rows and its
// multipliers. Rows without a multiplier leave it as it is, and its gap no larger.
func (s *solver) without(out func(i int) bool, q *qp.Linear, price, alpha []float64, whole *Plane) (*Plane, error) {
	price, start := slices.Clone(price), slices.Clone(alpha)
	supports := false
	for i, a := range alpha {
		if out(i) {
			price[i], start[i] = 0, 0
			supports = supports || a > 0
		}
	}
	if !supports {
		return whole, nil
	}
	if !s.noIntercept {
		balance(start, q.Sign)
	}
	m, _, err := s.softMargin(q, price, start)
	return m.Plane, err
}

// sigmoidFit is a sigmoid with the scores that it was fitted to. Pairs of classes of one row each
// have the same.
type sigmoidFit struct {
	score, sign, w []float64
	fitted         sigmoid
	err            error
}

// of reports whether the sigmoid is that of the given scores.
func (f *sigmoidFit) of(score, sign, w []float64) bool {
	return f.score != nil && slices.Equal(f.score, score) && slices.Equal(f.sign, sign) && slices.Equal(f.w, w)
}

// stratify deals the rows of each sign to the folds in an order drawn with seed.
func stratify(sign []float64, seed uint64) []int {
	fold := make([]int, len(sign))
	r := rand.New(rand.NewPCG(seed, 0x506c617474))
	next := 0
	for _, side := range []float64{-1, 1} {
		var rows []int
		for i, s := range sign {
			if s == side {
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
// (N₊+1)/(N₊+2) for the positive rows and 1/(N₋+2) for the others: a logistic
// regression of 1 − t on the scores, measured in units of the largest.
func fitSigmoid(score, sign, w []float64) (sigmoid, error) {
	plus, minus := 0.0, 0.0
	for i, s := range sign {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		if s > 0 {
			plus += wi
		} else {
			minus += wi
		}
	}
	y := make([]float64, len(sign)) // 2(1−t) − 1
	for i, s := range sign {
		if y[i] = 1 - 2/(minus+2); s > 0 {
			y[i] = 1 - 2*(plus+1)/(plus+2)
		}
	}
	unit := linalg.NormInf(score)
	x := &linalg.Dense{Rows: len(score), Cols: 1, Stride: 1, Data: slices.Clone(score)}
	if unit < leastScore {
		clear(x.Data)
		unit = 1
	}
	linalg.Scale(x.Data, 1/unit)
	d, err := design.New(x, len(y), "signs", design.Settings{Weights: w})
	if err != nil {
		return sigmoid{}, err
	}
	f := glm.New(d, y, loss.Logistic{}, nil)
	theta := make([]float64, 2)
	d.Parameters(theta, []float64{0}, math.Log((minus+1)/(plus+1)))
	theta, _, err = f.Minimize(glm.Problem{Start: theta, Given: true, Tol: sigmoidTol})
	if theta == nil {
		return sigmoid{}, err
	}
	public := make([]float64, 2)
	d.ToPublic(public, theta)
	return sigmoid{A: public[1] / unit, B: public[0]}, err
}

const (
	sigmoidTol = 1e-8     // tolerance of the certificate of a sigmoid
	leastScore = 0x1p-900 // scores below this are 0 as far as A, measured in its inverse, can tell
)
