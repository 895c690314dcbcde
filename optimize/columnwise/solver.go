package columnwise

import (
	"math"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/penalty"
)

// Solver minimises quadratic models of a loss of K scores over the columns of sparse rows. The
// second derivatives of a row are v for one score, and w(diag p − ppᵀ) for the probabilities p
// of several classes. One score after the other has its turn, in which it alone moves: class k
// with curvatures v = wpₖ(1−pₖ) + eₖ and residuals t = rₖ + wpₖ(sₖ − Σ pₗsₗ) + eₖsₖ, where the
// steps of the scores so far are s. A turn costs O(n) and its sweeps.
//
// The loss of a row that is next to certain of a wrong class is next to linear, and its
// curvature bounds no step. So the model adds eₖ = max(0, leastShare·rₖ²/w − wpₖ(1−pₖ)).
type Solver struct {
	model
	several  // without the steps for one score
	scores   []score
	cycles   int  // of turns, on the last model of several scores
	constant bool // the curvatures are the same everywhere, and known of all features
}

// score is what a model knows of one score.
type score struct {
	set   []int     // the features that may move
	a, h  []float64 // see [model], by place in the set
	total float64
}

// New makes the copy by columns of the rows of an objective. O(stored values + pk + nk) time and
// memory for k scores.
//
// Errors: those of the storage.
func New(o *glm.Objective) (*Solver, error) {
	columns, err := o.Design.ByColumn()
	if err != nil {
		return nil, err
	}
	return solver(o, columns), nil
}

// Twin returns a solver on the same copy, of the models of an objective on the same rows.
func (q *Solver) Twin(o *glm.Objective) *Solver { return solver(o, q.columns) }

func solver(o *glm.Objective, columns *linalg.CSR) *Solver {
	d, k := o.Design, o.Scores()
	q := &Solver{several: several{o: o}, scores: make([]score, k)}
	q.model = model{columns: columns, workers: d.Workers, intercept: d.Intercept, leveled: d.Intercept == 1 || d.Implied(),
		rows: rows{t: make([]float64, d.N)}}
	q.past.points = make([][]float64, usualMemory)
	q.a, q.h = make([]float64, d.P), make([]float64, d.P)
	if k > 1 {
		q.model.v, q.mean = make([]float64, d.N), make([]float64, d.N)
	}
	return q
}

// Screen returns the loss of an objective over the columns of the solver of its models.
func (q *Solver) Screen(o *glm.Objective) *Screened {
	s := &Screened{whole: o, data: data{o.Design, o.Y, o.Loss(), q.columns, 0}, g: make([]float64, o.Dim()), all: make([]int, o.P)}
	s.at = rowwise{q.t, make([]float64, s.data.rows.N), make([]float64, s.data.rows.N), 0} // scores are needed when residuals of models are not
	for j := range s.data.rows.P {
		index, _ := q.columns.Row(j)
		s.data.longest, s.all[j] = max(s.data.longest, len(index)), j
	}
	if o.ConstantHessian() {
		q.curveOnce(s.all)
	}
	return s
}

// curveOnce makes the second derivatives by all features for models of constant curvatures.
func (q *Solver) curveOnce(all []int) {
	q.constant, q.even, q.past.points = true, q.o.Weights == nil, make([][]float64, exactMemory)
	q.model.v = make([]float64, q.o.N)
	for i := range q.model.v {
		q.model.v[i] = q.o.Weight(i)
	}
	q.curve(all)
	q.scores[0].total = q.total
}

// mostCycles bounds the turns of each score on one model, of which the first find the signs. So many, mostIdle, may
// pass before the largest subgradient is lower than the least so far: of columns that are nearly copies it
// goes up and down, and a model by all of them is nearer than the end of the turns.
const mostCycles, firstFace, mostIdle, lower = 60, 8, 12, 0.9

// Minimize moves z, the parameters of the K functions, from a point to the minimum of the model
// there with a penalty, over the coordinates of set, in ascending order, and all intercepts: until
// the subgradients are at most c.Tol in their scales. It reports whether they are. The derivatives
// r and v by the scores at the point are those of [loss.Batch]. Of one score a single turn goes there.
func (q *Solver) Minimize(z, r, v []float64, set []int, pen penalty.ElasticNet, c *optimize.Control) bool {
	q.r, q.several.v = r, v
	if q.mean != nil {
		q.steps = make([]float64, len(r))
		clear(q.mean)
	}
	q.choose(set)
	dim := q.o.Dim()
	for k := range q.scores {
		if q.begin(k); !q.constant {
			q.curve(q.scores[k].set)
			q.keep(&q.scores[k])
		}
	}
	solved, next, wait := false, firstFace, 1 // the cycle after which a face has its turn
	q.cycles = 0
	for least, lowest := math.Inf(1), 0; q.cycles < mostCycles && q.cycles-lowest < mostIdle && !solved; q.cycles++ {
		worst := 0.0
		for k := range q.scores {
			q.begin(k)
			q.z, q.pen, q.sizes, q.first = z[k*dim:(k+1)*dim], pen, c.Scale, k*dim
			worst = max(worst, q.turn(k, c.Tol))
		}
		if solved = worst <= c.Tol; len(q.scores) == 1 {
			return solved
		}
		if worst < lower*least {
			least, lowest = worst, q.cycles
		}
		if !solved && q.cycles >= next {
			if wait *= 2; q.face(z, pen, c.Scale).descend(c.Tol * below) {
				wait = 1
			}
			next = q.cycles + wait
		}
	}
	q.steps, q.z, q.several.v = nil, nil, nil
	return solved
}

// below is the share of the limit to which a face is solved: its steps square what is left.
const below = 1. / 30

// face returns that of the point z.
func (q *Solver) face(z []float64, pen penalty.ElasticNet, sizes optimize.Scale) *face {
	f, dim := &face{several: &q.several, z: z, pen: pen, sizes: sizes}, q.o.Dim()
	for k, s := range q.scores {
		if q.intercept == 1 {
			f.add(k*dim, s.total)
		}
		for i, j := range s.set {
			if at := k*dim + q.intercept + j; z[at] != 0 {
				f.add(at, s.h[i])
			}
		}
	}
	f.cut(q.columns)
	return f
}

// choose tells each score which of its features may move.
func (q *Solver) choose(set []int) {
	for k := range q.scores {
		s := &q.scores[k]
		s.set, s.a, s.h = s.set[:0], s.a[:0], s.h[:0]
	}
	dim := q.o.Dim()
	for _, at := range set {
		if j := at%dim - q.intercept; j >= 0 {
			k := &q.scores[at/dim]
			k.set = append(k.set, j)
		}
	}
}

// keep keeps the second derivatives of the model for a score; those of a single one stay where they are.
func (q *Solver) keep(s *score) {
	if s.total = q.total; q.mean != nil {
		for _, j := range s.set {
			s.a, s.h = append(s.a, q.a[j]), append(s.h, q.h[j])
		}
	}
}

// begin makes the model that of score k, with the steps so far.
func (q *Solver) begin(k int) {
	m, s := &q.model, &q.scores[k]
	m.total, m.excess = s.total, 0
	for i, a := range s.a {
		m.a[s.set[i]], m.h[s.set[i]] = a, s.h[i]
	}
	if q.mean == nil {
		m.v = q.several.v
		copy(m.t, q.r)
	} else {
		for i := range m.v {
			at := i*len(q.scores) + k
			wp, extra := q.curvatures(i, at)
			m.v[i] = wp*(1-q.several.v[at]) + extra
			m.t[i] = q.residual(i, at, wp, extra)
		}
	}
	if m.leveled {
		m.excess = linalg.Sum(m.t) // of implied means 0, but for rounding
	}
}

// gain is the factor by which a turn of several lowers the subgradients, and rest that by which one of a single score does
// at least: sweeps meet smaller ones than there are at their end where columns are copies of each other.
const gain, rest = 0.05, 0.3

// turn moves the function of score k. It returns the largest subgradient that it met, of one score 0 where
// a descent made all at most the limit.
func (q *Solver) turn(k int, limit float64) float64 {
	set := q.scores[k].set
	worst, _ := q.sweep(set)
	switch {
	case q.mean == nil && q.descend(set, min(limit, worst*rest)):
		worst = 0
	case q.mean != nil && worst > limit:
		q.descend(set, max(limit, worst*gain))
	}
	level := q.level()
	if q.intercept == 1 {
		q.z[0] += level
	}
	if q.mean == nil {
		return worst
	}
	for i, v := range q.model.v {
		if v > 0 {
			at := i*len(q.scores) + k
			wp, extra := q.curvatures(i, at)
			q.step(i, at, level+(q.t[i]-q.residual(i, at, wp, extra))/v)
		}
	}
	return worst
}
