package rowwise

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/optimize/penalty"
)

// Solver holds the data, of columns divided by their lengths.
type Solver struct {
	z      *linalg.Dense // p×n: the columns of X, each of length 1 or 0, side by side
	length []float64     // of the columns of X; 1 for those of zeros
	y      []float64
	sigma  float64 // with which the last run ended
}

// New returns a solver for the n×p matrix of which xt is the transpose, p×n. It keeps y, and xt,
// whose rows it divides by their lengths.
func New(xt *linalg.Dense, y []float64) *Solver {
	s := &Solver{z: xt, length: make([]float64, xt.Rows), y: y, sigma: firstSigma}
	for j := range s.length {
		column := xt.Row(j)
		if s.length[j] = linalg.Norm(column); s.length[j] == 0 {
			s.length[j] = 1
		}
		linalg.Scale(column, 1/s.length[j])
	}
	return s
}

const (
	firstSigma  = 10    // the first weight of the constraints; columns have the length 1
	mostDirect  = 1e6   // the largest first weight with a ridge, which is otherwise the one at which the least ridge outweighs the proximal term growth times
	asDear      = 8     // multiplications of a descent, which wait for memory, beside those of a factor
	growth      = 10    // by which it grows from one iteration to the next
	lastSigma   = 1e16  // up to this
	gain        = 1e-6  // share of the objective that an iteration gains at least
	mostNewton  = 60    // steps of Newton's method in an iteration
	mostIdle    = 3     // iterations in a row that neither gain that share nor halve the certificate
	mostFlat    = 15    // Newton steps in a row that do not lower the norm of the gradient by a tenth
	smallSlope  = 0.1   // share of the slope at which a search along a line ends
	mostSearch  = 40    // points of such a search
	mostRefined = 4     // refinements of a face
	flat        = 1e-12 // curvature that a face has at least, beside that of a column
)

// Minimize minimises ½‖y − Xβ‖² + P(β) from x0. An iteration is a proximal step. The
// certificate, of kind "kkt", is max |rⱼ|/Scaleⱼ over the shortest subgradient. Defaults: Tol
// 1e-8, MaxIter 100. O(np + m²s) a step of Newton's method, a few an iteration, with s coordinates other
// than 0 and m the smaller of n and s. σ begins where the last run
// ended; where the ridge is the larger part of the penalty, at a value that follows from the ridge.
//
// Errors: *[linalg.ShapeError], those of the penalty and of [optimize.Begin]; with
// [optimize.ErrNotConverged] the point of the least objective met.
func (m *Solver) Minimize(x0 []float64, pen penalty.ElasticNet, c *optimize.Control) ([]float64, optimize.Report, error) {
	run, err := optimize.Begin(m, x0, c, optimize.Defaults{Kind: optimize.KindKKT, Tol: 1e-8, MaxIter: 100})
	if err != nil {
		return nil, optimize.Report{}, err
	}
	p := m.z.Rows
	if len(x0) != p {
		return nil, optimize.Report{}, fmt.Errorf("optimize: %w", &linalg.ShapeError{Want: p, WantOf: "columns of x", Got: len(x0), GotOf: "coordinates in the start"})
	}
	if n := m.z.Cols; len(m.y) != n {
		return nil, optimize.Report{}, fmt.Errorf("optimize: %w", &linalg.ShapeError{Want: n, WantOf: "rows of x", Got: len(m.y), GotOf: "responses"})
	}
	if err := pen.Check(p); err != nil {
		return nil, optimize.Report{}, fmt.Errorf("optimize: %w", err)
	}
	vec := func() []float64 { return make([]float64, p) }
	s := &state{Solver: m, Progress: run, pen: pen, l1: vec(), l2: vec(), b: vec(), center: vec(),
		along: vec(), slope: vec(), left: make([]float64, len(m.y)), sigma: m.sigma}
	if s.tol = run.Report().Certificate().Tol; c != nil {
		s.scale = c.Scale
	}
	for j, l := range m.length {
		l1, l2 := pen.Weights(j)
		s.l1[j], s.l2[j], s.b[j] = l1/l, l2/l/l, x0[j]*l
	}
	if pen.L1Ratio < 0.5 {
		s.sigma = min(mostDirect, growth/linalg.Min(s.l2))
	}
	best, value, cert := s.judge()
	floor := 0.5e-12 * linalg.Dot(m.y, m.y) // residuals below 1e-6 of the responses are rounding errors
	for idle, descent := 0, true; !run.Done(best, value, cert, 1); descent = false {
		if idle > mostIdle {
			run.Stuck()
			break
		}
		copy(s.center, s.b)
		if !descent || !s.descend() {
			s.newton()
			s.refine()
		}
		x, v, c := s.judge()
		noise := 1e-12 * value
		if idle++; v < value-gain*max(value, floor) || v <= value+noise && c < cert/2 {
			idle = 0
		}
		if v <= value+noise {
			s.sigma = min(growth*s.sigma, lastSigma)
		} else { // rounding is as large as the step
			s.sigma = max(s.sigma/growth, firstSigma)
			copy(s.b, s.center)
			s.residuals()
		}
		if v < value-noise || c < cert && v <= value+noise {
			best, value, cert = x, v, c
		}
	}
	m.sigma = s.sigma
	return run.Result(best)
}

// state is the state of a run, in coordinates b of columns of length 1.
type state struct {
	*Solver
	*optimize.Progress
	pen    penalty.ElasticNet
	scale  optimize.Scale
	tol    float64
	l1, l2 []float64

	sigma  float64
	center []float64 // the b of the iteration before
	b      []float64
	u      []float64 // the dual point
	slope  []float64 // Zᵀu
	along  []float64 // Zᵀd for the step d of u
	left   []float64 // y − Zb
	set    []int     // the coordinates of b that are not 0
}

// residuals sets left.
func (s *state) residuals() {
	copy(s.left, s.y)
	for j, v := range s.b {
		if v != 0 {
			linalg.Axpy(s.left, -v, s.z.Row(j))
		}
	}
}

// judge returns the parameters, their objective and certificate.
func (s *state) judge() (x []float64, value, cert float64) {
	s.residuals()
	s.z.MulVec(s.slope, s.left)
	x = make([]float64, len(s.b))
	for j, v := range s.b {
		x[j] = v / s.length[j]
		cert = max(cert, math.Abs(s.pen.ResidualAt(j, -s.slope[j]*s.length[j], x[j]))/s.scale.At(j))
	}
	return x, linalg.Dot(s.left, s.left)/2 + s.pen.Value(x), cert
}

// descend sweeps over the coordinates until derivatives are small, but takes no longer than a step of Newton's
// method by all of them would: where columns are nearly orthogonal beside the ridge, that is enough. It reports
// whether there was time for a sweep.
func (s *state) descend() bool {
	n, p := len(s.y), len(s.b)
	sweeps := (n*n/6 + n*p/2) / (2 * p * asDear)
	for range sweeps {
		worst := 0.0
		for j, before := range s.b {
			column := s.z.Row(j)
			b := penalty.Soft(before+linalg.Dot(column, s.left), s.l1[j]) / (1 + s.l2[j])
			if b == before {
				continue
			}
			linalg.Axpy(s.left, before-b, column)
			s.b[j] = b
			worst = max(worst, math.Abs(b-before)*(1+s.l2[j])*s.length[j]/s.scale.At(j))
		}
		if worst <= s.tol/2 {
			break
		}
	}
	return sweeps > 0
}

// newton minimises the dual function of the proximal step over u, and sets b to that step, as
// far as rounding allows.
func (s *state) newton() {
	s.u = append(s.u[:0], s.left...)
	s.z.MulVec(s.slope, s.u)
	least, idle, whole, last := math.Inf(1), 0, false, []int(nil)
	for range mostNewton {
		s.place()
		if whole && slices.Equal(last, s.set) {
			return // on one piece of a quadratic
		}
		last = append(last[:0], s.set...)
		s.residuals()
		d := make([]float64, len(s.u))
		for i, v := range s.left {
			d[i] = v - s.u[i] // minus the gradient
		}
		norm := linalg.Norm(d)
		if idle++; norm < 0.9*least {
			least, idle = norm, 0
		}
		if idle > mostFlat || norm == 0 || !s.solve(d) {
			return
		}
		s.z.MulVec(s.along, d)
		t := s.search(d)
		linalg.Axpy(s.u, t, d)
		linalg.Axpy(s.slope, t, s.along)
		whole = t == 1
	}
}

// at returns coordinate j of the proximal step for a slope.
func (s *state) at(j int, slope float64) float64 {
	return penalty.Soft(s.center[j]+s.sigma*slope, s.sigma*s.l1[j]) / (1 + s.sigma*s.l2[j])
}

// place sets b, and set, to the proximal step at u.
func (s *state) place() {
	s.set = s.set[:0]
	for j, slope := range s.slope {
		if s.b[j] = s.at(j, slope); s.b[j] != 0 {
			s.set = append(s.set, j)
		}
	}
}

// search returns a share t ≤ 1 of the step d at which the dual function has a small slope.
func (s *state) search(d []float64) float64 {
	linear, square := 0.0, linalg.Dot(d, d)
	for i, v := range d {
		linear += v * (s.u[i] - s.y[i])
	}
	derivative := func(t float64) float64 {
		f := linear + t*square
		for j, a := range s.along {
			f += a * s.at(j, s.slope[j]+t*a)
		}
		return f
	}
	first := derivative(0)
	low, high, t := 0.0, 1.0, 1.0
	for range mostSearch {
		f := derivative(t)
		if math.Abs(f) <= smallSlope*math.Abs(first) {
			break
		}
		if f > 0 {
			high = t
		} else if low = t; t == 1 {
			break
		}
		t = (low + high) / 2
	}
	return t
}

// solve overwrites d with (I + Z_S·D·Z_Sᵀ)⁻¹d, D = σ/(1 + σ·l2), and reports whether it could.
func (s *state) solve(d []float64) bool {
	if len(s.set) == 0 {
		return true
	}
	weights := make([]float64, len(s.set))
	for k, j := range s.set {
		weights[k] = s.sigma / (1 + s.sigma*s.l2[j])
	}
	f := s.newFace(weights)
	if f == nil {
		return false
	}
	right := slices.Clone(d)
	f.acrossRows(d)
	left := f.byRow(f.byColumn(d))
	for i := range left {
		left[i] = right[i] - d[i] - left[i]
	}
	f.acrossRows(left) // what rounding left
	linalg.Axpy(d, 1, left)
	return true
}

// refine goes to the minimum on the face of the signs of b, whose coordinates that would change
// sign become 0: rounding of u moves the proximal step σ times as far. A step that raises the
// objective is taken back.
func (s *state) refine() {
	s.residuals()
	value := s.value()
	for range mostRefined {
		before := slices.Clone(s.b)
		if len(s.set) == 0 || !s.faceStep() {
			return
		}
		s.residuals()
		next := s.value()
		if !(next <= value) {
			copy(s.b, before)
			return
		}
		value = next
	}
}

// value returns the objective.
func (s *state) value() float64 {
	v := linalg.Dot(s.left, s.left) / 2
	for _, j := range s.set {
		v += s.l1[j]*math.Abs(s.b[j]) + s.l2[j]/2*s.b[j]*s.b[j]
	}
	return v
}

// faceStep moves b to the minimum on the face of its signs, and reports whether it could.
func (s *state) faceStep() bool {
	weights := make([]float64, len(s.set))
	for k, j := range s.set {
		weights[k] = 1 / (s.l2[j] + flat)
	}
	f := s.newFace(weights)
	if f == nil {
		return false
	}
	d := make([]float64, len(s.set))
	f.rows.MulVec(d, s.left)
	for k, j := range s.set {
		d[k] -= math.Copysign(s.l1[j], s.b[j]) + s.l2[j]*s.b[j]
	}
	f.acrossColumns(d)
	stay := s.set[:0]
	for k, j := range s.set {
		next := s.b[j] + d[k]
		if s.l1[j] > 0 && s.b[j]*next <= 0 {
			next = 0
		} else {
			stay = append(stay, j)
		}
		s.b[j] = next
	}
	s.set = stay
	return true
}

// face solves systems of some columns Z_S with weights D, through the factor of the smaller of
// Z_SᵀZ_S + D⁻¹ and I + Z_S·D·Z_Sᵀ.
type face struct {
	rows    *linalg.Dense // Z_Sᵀ
	weights []float64     // D
	few     bool          // columns
	factor  *linalg.Cholesky
}

// newFace factors the system of the set, or returns nil.
func (s *state) newFace(weights []float64) *face {
	f := &face{rows: linalg.Zeros(len(s.set), len(s.y)), weights: weights, few: len(s.set) <= len(s.y)}
	for k, j := range s.set {
		copy(f.rows.Row(k), s.z.Row(j))
	}
	var m *linalg.Dense
	if f.few {
		m = linalg.GramOfRows(f.rows, nil, nil, 1)
	} else {
		m = linalg.Gram(f.rows, nil, weights, 1)
	}
	for i := range m.Rows {
		if f.few {
			m.Row(i)[i] += 1 / weights[i]
		} else {
			m.Row(i)[i]++
		}
	}
	var err error
	if f.factor, err = linalg.NewCholesky(m); err != nil {
		return nil
	}
	return f
}

// byColumn returns D·Z_Sᵀv, and byRow Z_S·c.
func (f *face) byColumn(v []float64) []float64 {
	c := make([]float64, len(f.weights))
	f.rows.MulVec(c, v)
	for k, w := range f.weights {
		c[k] *= w
	}
	return c
}

func (f *face) byRow(c []float64) []float64 {
	v := make([]float64, f.rows.Cols)
	f.rows.MulTVec(v, c)
	return v
}

// acrossRows overwrites v with (I + Z_S·D·Z_Sᵀ)⁻¹v.
func (f *face) acrossRows(v []float64) {
	if !f.few {
		f.factor.Solve(v)
		return
	}
	c := make([]float64, len(f.weights))
	f.rows.MulVec(c, v)
	f.factor.Solve(c)
	linalg.Axpy(v, -1, f.byRow(c))
}

// acrossColumns overwrites c with (Z_SᵀZ_S + D⁻¹)⁻¹c.
func (f *face) acrossColumns(c []float64) {
	if f.few {
		f.factor.Solve(c)
		return
	}
	for k, w := range f.weights {
		c[k] *= w
	}
	v := f.byRow(c)
	f.factor.Solve(v)
	linalg.Axpy(c, -1, f.byColumn(v))
}
