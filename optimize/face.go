package optimize

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/optimize/penalty"
)

// faces solves the linear systems of the faces of a penalised quadratic, on which some
// coordinates are free.
type faces struct {
	a   *linalg.Dense
	pen penalty.ElasticNet
	*NearFace
	names []int // of the coordinates by which the base knows them; nil is their numbers

	workers int
	solved  int // faces, in this run

	work  *Work
	share float64 // of the diagonal that the face before needed, of this run
	tol   float64 // solutions that conjugate gradients find leave at most half of it,
	scale Scale   // in these units
}

// NearFace holds the face that was factored last, for quadratics whose matrices differ little: it
// preconditions the equations of their faces. Copies may be used at the same time, as they share
// what is not written again. The zero value holds none.
type NearFace struct {
	base *base
	tau  float64 // the share of the diagonal that the face before needed

	strays bool // sweeps from the start have led away from the face of the minimum
	creeps bool // conjugate gradients are slow on faces that differ from the base by a few coordinates
	dear   bool // a descent has solved for more faces than a search of the active set may
}

// base is a face that has been factored.
type base struct {
	at     []int // the place of a coordinate by its name, −1 outside the face
	factor *linalg.Cholesky
}

func (b *base) place(name int) int {
	if name < len(b.at) {
		return b.at[name]
	}
	return -1
}

// singular is the share of the diagonal that a face may need and still tell its minimum: a
// lasso of an even number of classes has minima on faces where adding a constant to the
// coefficients of a feature changes nothing. The minimum is then found to such a share.
const singular = 1e-10

func (s *faces) name(j int) int {
	if s.names == nil {
		return j
	}
	return s.names[j]
}

// solve overwrites right with (A_SS + l2)⁻¹right, to half the tolerance with the help of a face
// near by where there is one, and reports whether it could. Of a singular matrix a share of the
// diagonal, at most the given one, is added.
func (s *faces) solve(set []int, right []float64, most float64) bool {
	s.solved++
	s.dear = s.dear || s.solved > mostSets
	if s.base != nil && s.byBase(set, right) {
		return true
	}
	s.base, s.creeps = nil, false
	factor, tau := s.factor(set, most, nil)
	if factor == nil {
		return false
	}
	factor.Solve(right)
	if tau > singular {
		return true
	}
	s.tau = tau
	last := s.a.Rows - 1
	if s.names != nil {
		last = slices.Max(s.names)
	}
	s.base = &base{slices.Repeat([]int{-1}, last+1), factor}
	for i, j := range set {
		s.base.at[s.name(j)] = i
	}
	return true
}

// faceCost is the number of multiplications that a step on a face may cost: of its n³/3, in
// blocks within the cache, sixteen take the time of one of a sweep.
func faceCost(size int) float64 {
	n := float64(size)
	return n * n * n / 48
}

// Conjugate gradients are made that cost half a factor, a quarter before the coordinates that differ
// from the base are met. A step costs about 2n² multiplications with numbers that come from memory,
// a factor 1.2√n steps, and those d coordinates cost 7d/√n. (Measured for 100 to 2,000 coordinates.)
const halfFactor, unlike = 0.6, 7

// byBase is solve with the help of the base. Where that would cost more than half a factor, right stays.
func (s *faces) byBase(set []int, right []float64) bool {
	p, n := s.beside(set), float64(len(set))
	share := float64(len(p.lacks)+len(p.joined)) / n
	most := halfFactor * math.Sqrt(n)
	if share == 0 {
		return s.byConjugates(set, right, p, most)
	}
	if !s.creeps && s.byConjugates(set, right, p, most/2) {
		return true
	}
	s.creeps = true
	most -= unlike * share * math.Sqrt(n)
	return most > 0 && p.meet(s, set) && s.byConjugates(set, right, p, most)
}

// byConjugates is solve by at most so many conjugate gradients, of faces as large as all of A.
func (s *faces) byConjugates(set []int, right []float64, p *beside, most float64) bool {
	n, rows, known := float64(len(set)), float64(s.a.Rows), float64(s.base.factor.L().Rows)
	c := linalg.NewConjugate(make([]float64, len(set)), linalg.Clone(right), p.precondition)
	x, ax := make([]float64, s.a.Rows), make([]float64, s.a.Rows)
	c.Start()
	_, solved := c.Run(int(most*2*n*n/(known*known+rows*rows)), func(to, d []float64) {
		clear(x)
		s.work.Spend(Alone/3, s.a.Rows, s.a.Rows+len(p.z))
		for i, j := range set {
			x[j] = d[i]
		}
		linalg.MulVec(ax, s.a, x, s.workers)
		for i, j := range set {
			_, l2 := s.pen.Weights(j)
			to[i] = ax[j] + l2*x[j]
		}
	}, func(steps int) bool { return steps > 0 && s.small(set, c.Left) })
	if solved {
		copy(right, c.X)
	}
	return solved
}

// beside approximates the inverse of a face by that of the base B = LLᵀ, which has coordinates R that the
// face lacks, and lacks others, T, that the face has: by the diagonal for T, or, once [beside.meet] has made
// their factors and where the ridge is the base's, exactly. With W = L⁻¹(E_R, A_BT), the columns of the identity and of A, and the projection
// Π = I − W_R(W_RᵀW_R)⁻¹W_Rᵀ, which keeps x_R = 0,
//
//	x_T = (A_TT − W_TᵀΠW_T)⁻¹(z_T − W_TᵀΠL⁻¹z_B),   x_B = L⁻ᵀΠ(L⁻¹z_B − W_T·x_T).
//
// O(n²d) for d coordinates that differ, in products of matrices, and O(n²) for each solution.
type beside struct {
	*base
	places   []int            // of the coordinates of the face in the base, −1 for T
	lacks    []int            // the places of R
	joined   []int            // the positions of T in the face
	left, in *linalg.Dense    // W_R and ΠW_T
	leaving  *linalg.Cholesky // of W_RᵀW_R, nil where R is empty
	joining  *linalg.Cholesky // of A_TT − W_TᵀΠW_T, the same for T
	diagonal []float64        // by T
	z        []float64        // scratch: by place
}

// beside describes a face, before the factors of [beside.meet].
func (s *faces) beside(set []int) *beside {
	b := &beside{base: s.base, z: make([]float64, s.base.factor.L().Rows)}
	kept := make([]bool, len(b.z))
	for i, j := range set {
		at := b.place(s.name(j))
		if b.places = append(b.places, at); at < 0 {
			_, l2 := s.pen.Weights(j)
			b.joined, b.diagonal = append(b.joined, i), append(b.diagonal, s.a.At(j, j)+l2)
		} else {
			kept[at] = true
		}
	}
	for at, k := range kept {
		if !k {
			b.lacks = append(b.lacks, at)
		}
	}
	return b
}

// meet makes the factors for the coordinates that differ, and reports whether it could.
func (b *beside) meet(s *faces, set []int) bool {
	n := len(b.z)
	s.work.Spend(n, n, len(b.lacks)+len(b.joined))
	b.in = linalg.Zeros(n, len(b.joined))
	for i, at := range b.places {
		if at < 0 {
			continue
		}
		row := s.a.Row(set[i])
		for c, joined := range b.joined {
			b.in.Set(at, c, row[set[joined]])
		}
	}
	b.factor.Forward(b.in)
	return b.leave() && b.join(s, set)
}

// leave makes the projection Π, and ΠW_T.
func (b *beside) leave() bool {
	if len(b.lacks) == 0 {
		return true
	}
	b.left = linalg.Zeros(len(b.z), len(b.lacks))
	for c, at := range b.lacks {
		b.left.Set(at, c, 1)
	}
	b.factor.Forward(b.left)
	var err error
	if b.leaving, err = linalg.NewCholesky(linalg.Gram(b.left, nil, nil, 1)); err != nil {
		return false
	}
	along := linalg.Zeros(len(b.lacks), len(b.joined))
	linalg.MulTAdd(along, 1, b.left, b.in)
	b.leaving.SolveMatrix(along)
	linalg.MulAdd(b.in, -1, b.left, along)
	return true
}

// join factors A_TT − W_TᵀΠW_T.
func (b *beside) join(s *faces, set []int) bool {
	if len(b.joined) == 0 {
		return true
	}
	rest := linalg.Gram(b.in, nil, nil, 1)
	linalg.Scale(rest.Data, -1)
	for i, at := range b.joined {
		row := s.a.Row(set[at])
		for k, other := range b.joined[:i+1] {
			rest.Set(i, k, rest.At(i, k)+row[set[other]])
		}
		rest.Set(i, i, rest.At(i, i)-row[set[at]]+b.diagonal[i])
	}
	var err error
	b.joining, err = linalg.NewCholesky(rest)
	return err == nil
}

// precondition overwrites z, by the coordinates of the face, with the product of the inverse.
func (b *beside) precondition(z []float64) {
	clear(b.z)
	for i, at := range b.places {
		if at >= 0 {
			b.z[at] = z[i]
		}
	}
	l := b.factor.L()
	linalg.SolveLower(l, b.z)
	if b.leaving != nil {
		part := make([]float64, len(b.lacks))
		linalg.MulTVecAdd(part, b.left, b.z)
		b.leaving.Solve(part)
		b.subtract(b.left, part)
	}
	if b.joining == nil {
		for c, i := range b.joined {
			z[i] /= max(b.diagonal[c], math.SmallestNonzeroFloat64)
		}
	} else {
		part := make([]float64, len(b.joined))
		linalg.MulTVecAdd(part, b.in, b.z)
		for c, i := range b.joined {
			part[c] = z[i] - part[c]
		}
		b.joining.Solve(part)
		b.subtract(b.in, part)
		for c, i := range b.joined {
			z[i] = part[c]
		}
	}
	linalg.SolveLowerT(l, b.z)
	for i, at := range b.places {
		if at >= 0 {
			z[i] = b.z[at]
		}
	}
}

// subtract subtracts wx from z.
func (b *beside) subtract(w *linalg.Dense, x []float64) {
	for i := range b.z {
		b.z[i] -= linalg.Dot(w.Row(i), x)
	}
}

// small reports whether derivatives by the coordinates of set are at most half of the tolerance.
func (s *faces) small(set []int, left []float64) bool {
	for i, j := range set {
		if !(math.Abs(left[i]) <= s.tol/2*s.scale.At(j)) {
			return false
		}
	}
	return true
}

// leastShare is the least share of the diagonal that is added, and shareStep by how much it
// rises until it is enough. A face begins a step below the one before: near faces need much the same.
const leastShare, shareStep = 1e-12, 100

// factor returns that of A_SS + l2, and what else is to be added to the diagonal, with the share of the
// diagonal, at most the given one, that is added where it is singular; or nil.
func (s *faces) factor(set []int, most float64, extra []float64) (factor *linalg.Cholesky, tau float64) {
	n := len(set)
	for tau = max(s.tau, s.share/shareStep); tau <= most; tau = max(shareStep*tau, leastShare) {
		s.work.Spend(n, n, n/3)
		a := linalg.Zeros(n, n)
		for i, j := range set {
			row, to := s.a.Row(j), a.Row(i)
			for m, l := range set[:i+1] {
				to[m] = row[l]
			}
			_, l2 := s.pen.Weights(j)
			if to[i] = (row[j] + l2) * (1 + tau); extra != nil {
				to[i] += extra[i]
			}
		}
		if factor, err := linalg.NewCholeskyIn(a, s.workers); err == nil {
			s.share = tau
			return factor, tau
		}
	}
	return nil, tau
}

// faceDirection returns −(A_SS + l2)⁻¹r_S. Where the matrix is singular, as it is
// for more columns than rows, a little of its diagonal is added: the direction
// then runs along the null space until a coordinate reaches zero.
func (s *coordinates) faceDirection(set []int) []float64 {
	d := make([]float64, len(set))
	for i, j := range set {
		d[i] = -s.pen.ResidualAt(j, s.q[j], s.x[j])
	}
	if !s.faces.solve(set, d, 1) {
		return nil
	}
	return d
}

// along moves x_S by d and reports whether signs stopped it. If any would change, the step goes to where the first of
// them, or a half, a quarter, … of them have become zero, whichever gives the lowest objective: A is read once for all of
// these ends. No step is made if none lowers it.
func (s *coordinates) along(set []int, d []float64) (crossed bool) {
	start, lowest, best := linalg.Clone(s.x), s.value(), 0.0
	lowest += rounding(lowest)
	times, ends := s.crossings(set, d), []float64{1}
	for k := len(times); k > 0; {
		k /= 2
		ends = append(ends, times[k])
	}
	steps, q := linalg.Zeros(len(ends), len(start)), linalg.Zeros(len(start), len(ends))
	for k, t := range ends {
		s.place(set, d, start, t)
		s.step(steps.Row(k))
	}
	s.work.Spend(Alone/3+len(ends), len(start), len(start))
	linalg.MulBTAdd(q, 1, s.f.A, steps)
	for k, t := range ends {
		s.place(set, d, start, t)
		for j, b := range s.f.B {
			s.q[j] = q.At(j, k) - b
		}
		if v := s.value(); v <= lowest {
			lowest, best = v, t
		}
	}
	s.place(set, d, start, best)
	s.refresh()
	moved := !slices.Equal(s.x, start)
	s.changed = s.changed || moved
	return moved && len(times) > 0
}

// crossings returns, ascending, the parts of d at which penalised coordinates
// come to zero, as far as they are below 1.
func (s *coordinates) crossings(set []int, d []float64) []float64 {
	var times []float64
	for i, j := range set {
		l1, _ := s.pen.Weights(j)
		if t := -s.x[j] / d[i]; l1 > 0 && t >= 0 && t < 1 {
			times = append(times, t)
		}
	}
	linalg.Sort(times)
	return times
}

// place sets x_S to start_S + t·d and what changes sign there, or comes within
// rounding of zero, to zero.
func (s *coordinates) place(set []int, d, start []float64, t float64) {
	for i, j := range set {
		l1, _ := s.pen.Weights(j)
		x := start[j] + t*d[i]
		if l1 > 0 && x*math.Copysign(1, start[j]) <= 0x1p-50*math.Abs(start[j]) {
			x = 0
		}
		s.x[j] = x
	}
}
