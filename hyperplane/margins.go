package hyperplane

import (
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/exact"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/qp"
)

// Margins are the margins of a labelled set about a plane, with y = +1 for the
// larger label and −1 for the smaller.
type Margins struct {
	Functional    []float64 // yᵢ·f(xᵢ): changes with the scale of f
	Geometric     []float64 // yᵢ·f(xᵢ)/‖β‖: a distance, negative on the wrong side
	Plus, Minus   float64   // d₊ and d₋: the least geometric margin of either class, +Inf for one without rows
	Misclassified int       // rows with yᵢ·f(xᵢ) ≤ 0
}

// Margin returns the least geometric margin, min(d₊, d₋): the distance from the
// plane to the closest point where it separates the classes, else not positive.
func (m *Margins) Margin() float64 { return math.Min(m.Plus, m.Minus) }

// Margins returns the margins of the rows of x with labels y. Classes lists the
// two labels; nil means the distinct labels of y, which must be two. O(np).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError].
func (p *Plane) Margins(x linalg.Rows, y, classes []int) (*Margins, error) {
	rows, err := linalg.InMemory(x)
	if err != nil {
		return nil, wrap(err)
	}
	sign, err := p.signs(rows, y, classes)
	if err != nil {
		return nil, wrap(err)
	}
	n, norm := len(y), p.Norm()
	m := &Margins{Functional: make([]float64, n), Geometric: make([]float64, n), Plus: math.Inf(1), Minus: math.Inf(1)}
	for i, s := range sign {
		m.Functional[i] = s * p.valueOf(rows.Entries(i))
		m.Geometric[i] = m.Functional[i] / norm
		if !(m.Functional[i] > 0) {
			m.Misclassified++
		}
		if s > 0 {
			m.Plus = math.Min(m.Plus, m.Geometric[i])
		} else {
			m.Minus = math.Min(m.Minus, m.Geometric[i])
		}
	}
	return m, nil
}

// signs returns ±1 for each label, +1 for the larger of the two classes. Unlike
// a fit, it lets a listed class have no rows.
func (p *Plane) signs(x linalg.Table, y, classes []int) ([]float64, error) {
	_, cols, err := sample.Dims(x, len(y), "labels")
	if err != nil {
		return nil, err
	}
	if cols != p.Features() {
		return nil, &linalg.ShapeError{Want: p.Features(), WantOf: "features", Got: cols, GotOf: "columns"}
	}
	if dense, ok := x.(*linalg.Dense); ok { // sparse values were checked when they were stored
		if err := dense.CheckFinite(); err != nil {
			return nil, err
		}
	}
	if classes == nil {
		classes = slices.Clone(y)
	}
	classes = slices.Compact(slices.Sorted(slices.Values(classes)))
	switch {
	case len(classes) == 0:
		return nil, &linalg.ClassError{Reason: "is missing: the list of classes is empty"}
	case len(classes) == 1:
		return nil, &linalg.ClassError{Class: classes[0], Rows: len(y), Reason: "is the only class"}
	case len(classes) > 2:
		return nil, sample.TooManyClasses(classes, y)
	}
	sign := make([]float64, len(y))
	for i, v := range y {
		switch v {
		case classes[0]:
			sign[i] = -1
		case classes[1]:
			sign[i] = 1
		default:
			return nil, &linalg.ClassError{Class: v, Rows: 1, Reason: "is not in the list of classes"}
		}
	}
	return sign, nil
}

// SupportPlane returns the plane that multipliers α of the rows of x with labels y
// stand for: β = Σ αᵢyᵢxᵢ (ESL 4.50 and 12.10), and as intercept the mean of yᵢ − β·xᵢ
// over the rows with 0 < αᵢ < c, which lie on the margin. c is the price of slack, +Inf
// for a hard margin. O(np). Whether the plane is optimal is for [Plane.Margins] to
// tell.
//
// Errors: those of [Plane.Margins] and *[sample.OptionError] for an α outside [0, c]
// or if no row lies on the margin.
func SupportPlane(x linalg.Rows, y []int, alpha []float64, c float64) (*Plane, error) {
	rows, err := linalg.InMemory(x)
	if err != nil {
		return nil, wrap(err)
	}
	p, err := supportPlane(rows, y, alpha, c)
	if err != nil {
		return nil, wrap(err)
	}
	return p, nil
}

func supportPlane(x linalg.Table, y []int, alpha []float64, c float64) (*Plane, error) {
	_, p, err := sample.Dims(x, len(alpha), "multipliers")
	if err != nil {
		return nil, err
	}
	beta := make([]float64, p)
	sign, err := planeAt(beta, nil, 0).signs(x, y, nil)
	if err != nil {
		return nil, err
	}
	for i, a := range alpha {
		if !(a >= 0 && a <= c) || math.IsInf(a, 1) {
			return nil, &sample.OptionError{Name: fmt.Sprintf("alpha[%d]", i), Value: a, Want: fmt.Sprintf("0 to %g", c)}
		}
		x.AddRow(beta, i, a*sign[i])
	}
	sum, free := 0.0, 0
	for i, a := range alpha {
		if a > 0 && a < c {
			sum += sign[i] - x.Dot(i, beta)
			free++
		}
	}
	if free == 0 {
		return nil, &sample.OptionError{Name: "c", Value: c, Want: "above a positive multiplier: no row lies on the margin"}
	}
	return newPlane(beta, nil, sum/float64(free))
}

// UpdateBound returns R²·(‖β‖² + β₀²), with R = max ‖(1, xᵢ)‖ and f scaled so
// that min yᵢ·f(xᵢ) = 1. A perceptron that starts at zero, with whatever rate
// and order of single rows, makes at most that many updates on these rows: each
// brings it closer to a multiple of the plane p (Novikoff 1962; ESL exercise 4.6). It is +Inf
// if p does not separate the classes, and smallest for the plane that separates
// the rows (1, x) through the origin with the widest margin. O(np).
//
// Errors: those of [Plane.Margins].
func UpdateBound(p *Plane, x linalg.Rows, y []int) (float64, error) {
	return UpdateBoundFrom(nil, 1, p, x, y)
}

// UpdateBoundFrom is [UpdateBound] for a perceptron that starts at a plane, with steps of
// the given rate ρ. With b = (β₀, β) for the multiple of p that has min yᵢ·f(xᵢ) = t, a step by
// a misclassified row gives
//
//	‖b_new − b‖² ≤ ‖b_old − b‖² − (2ρt − ρ²R²),
//
// so there are at most ‖b_start − b‖²/(2ρt − ρ²R²) of them, whatever t > ρR²/2; the bound is
// the least over t. A nil start is 0, from where it does not depend on ρ. O(np).
//
// Errors: those of [Plane.Margins]; *[linalg.ShapeError] for a start of other dimensions;
// *[sample.OptionError] for a rate that is not positive and finite.
func UpdateBoundFrom(start *Plane, rate float64, p *Plane, x linalg.Rows, y []int) (float64, error) {
	if !(rate > 0) || math.IsInf(rate, 1) {
		return 0, wrap(&sample.OptionError{Name: "rate", Value: rate, Want: "positive and finite"})
	}
	if start == nil {
		start = planeAt(make([]float64, p.Features()), nil, 0)
	}
	if start.Features() != p.Features() {
		return 0, wrap(&linalg.ShapeError{Want: p.Features(), WantOf: "features", Got: start.Features(), GotOf: "in the start"})
	}
	rows, err := linalg.InMemory(x)
	if err != nil {
		return 0, wrap(err)
	}
	m, err := p.Margins(rows, y, nil)
	if err != nil {
		return 0, err
	}
	if m.Misclassified > 0 {
		return math.Inf(1), nil
	}
	least, radius := math.Inf(1), 0.0
	for i, f := range m.Functional {
		least = math.Min(least, f)
		_, values := rows.Entries(i)
		radius = math.Max(radius, math.Hypot(1, linalg.Norm(values)))
	}
	// In units of ρR: the start is v, b = s·u for the unit vector u, t = s·m.
	size, unit := math.Hypot(p.Intercept(), p.Norm()), rate*radius
	margin, from := least/size/radius, math.Hypot(start.Intercept(), start.Norm())/unit
	along := (start.Intercept()*(p.Intercept()/size) + linalg.Dot(start.beta(), p.beta())/size) / unit
	// ‖v − su‖²/(2sm − 1) is least at s² − s/m + along/m − ‖v‖² = 0, with 2sm − 1 = m·root there. A root of 0 is that of a start su.
	apart := max(0, from-along)
	root := math.Hypot(1/margin-2*along, 2*math.Sqrt(max(0, apart*(from+along))))
	if root == 0 {
		return 0, nil
	}
	s := (1/margin + root) / 2
	return ((from-s)*(from-s) + 2*s*apart) / (margin * root), nil
}

// String returns the least margins of both classes and the number of misclassified rows.
func (r *Margins) String() string {
	return fmt.Sprintf("margins of %d rows: %.5g and %.5g, %d misclassified", len(r.Functional), r.Plus, r.Minus, r.Misclassified)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Margins) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Margins) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }

// balance scales the multipliers of the heavier side down until Σαy = 0, which a
// solver leaves open by its tolerance: only then is the dual objective a bound on
// the primal one. A nil sign stands for multipliers that carry their own.
func balance(alpha, sign []float64) {
	var plus, minus float64
	signed := func(i int) float64 {
		if sign == nil {
			return alpha[i]
		}
		return sign[i] * alpha[i]
	}
	for i := range alpha {
		plus += max(0, signed(i))
		minus += max(0, -signed(i))
	}
	least := min(plus, minus)
	if max(plus, minus)-least <= 1e-12*least {
		return // rounding; the multipliers at their bounds stay there
	}
	for i := range alpha {
		switch a := signed(i); {
		case a > 0 && plus > least:
			alpha[i] *= least / plus
		case a < 0 && minus > least:
			alpha[i] *= least / minus
		}
	}
}

// sized returns n values of whatever they are, in room where there is as much.
//
//go:noinline // a program would have several copies
func sized(room []float64, n int) []float64 {
	if cap(room) < n {
		return make([]float64, n)
	}
	return room[:n]
}

// radius returns the largest ‖xᵢ−c‖ of the rows whose price is not 0; nil is none that is.
// square is scratch, one a row.
func radius(square []float64, q *qp.Linear, price []float64) (most float64) {
	q.Diag(square)
	for i, v := range square {
		if price == nil || price[i] > 0 {
			most = max(most, v)
		}
	}
	return math.Sqrt(most)
}

// halfSquare returns ½‖Σ aᵢsᵢ(xᵢ−c)‖² for multipliers of the given Σ|a|, in twice the
// working precision where rounding is worth something beside tol·Σ|a|, and by how much it is
// wrong. v is scratch, one a column.
func halfSquare(v []float64, q *qp.Linear, a []float64, total, radius, tol float64) (half, unsure float64) {
	q.ApplyT(v, a)
	half, unsure = halfOf(v, roundoff*radius*total)
	if unsure > noticeable*tol*total {
		q.ExactT(v, a)
		half, unsure = halfOf(v, twofoldRoundoff*radius*total)
	}
	return half, unsure
}

// halfOf returns ½‖v‖², and by how much it is wrong where v is by a vector of some length.
func halfOf(v []float64, length float64) (half, unsure float64) {
	half = linalg.Dot(v, v) / 2
	return half, length*(linalg.Norm(v)+length/2) + roundoff*half
}

// mend changes the last digits of multipliers inside their bounds until Σαy is 0, in the
// order of their binary exponents: what is left of the sum after a large one is less than its last
// digit, and changes a smaller one. It returns a bound on |Σαy|, 0 for nil signs: there is no such equality. O(n).
func mend(alpha, sign, bound []float64) float64 {
	if sign == nil {
		return 0
	}
	var left exact.Sum
	total := 0.0
	for i, a := range alpha {
		left.Add(sign[i]*a, 0)
		total += math.Abs(a)
	}
	var order []int // of the few multipliers of many pairs of classes the sum is 0
	if left.Value() != 0 {
		order = bySize(alpha, bound)
	}
	for _, i := range order {
		if left.Value() == 0 {
			break
		}
		room := mendable * math.Abs(alpha[i])
		a := alpha[i] - sign[i]*min(max(left.Value(), -room), room)
		if math.Abs(a) < bound[i] {
			left.Add(-sign[i]*alpha[i], 0)
			left.Add(sign[i]*a, 0)
			alpha[i] = a
		}
	}
	return math.Abs(left.Value()) + float64(len(alpha))*twofoldRoundoff*total
}

// bySize returns the indices of numbers other than 0 inside their bounds, those of the largest
// binary exponent first, and last those that are less than a 2⁻⁶⁰th of the largest number.
func bySize(alpha, bound []float64) []int {
	const exponents = 60
	var first [exponents + 1]int // of each exponent, from the largest down
	top := math.Float64bits(linalg.NormInf(alpha)) >> 52
	place := func(a float64) uint64 { return min(exponents-1, top-math.Float64bits(math.Abs(a))>>52) }
	for i, a := range alpha {
		if a != 0 && math.Abs(a) < bound[i] {
			first[place(a)+1]++
		}
	}
	for e := range exponents {
		first[e+1] += first[e]
	}
	order := make([]int, first[exponents])
	for i, a := range alpha {
		if a != 0 && math.Abs(a) < bound[i] {
			at := &first[place(a)]
			order[*at] = i
			*at++
		}
	}
	return order
}

// mendable is the change of a multiplier, relative to it, that is rounding.
const mendable = 1e-12

// mostSecondWords is the number of columns up to which multipliers get second words.
const mostSecondWords = 1000

// secondWords returns numbers to add to the multipliers, for which Σαᵢsᵢ(xᵢ−c) is nearer to β
// and, with an intercept, Σαs nearer to 0; and the sum Σαᵢsᵢ(xᵢ−c) with them. In a column of
// 1e12 the rounding of a multiplier of 1 is a term of 1e-4, and the square of the sum's error
// is in the gap. It makes the error least, beside the squares of the numbers in units of ample times
// the room that the multiplier has between 0 and its bound, and refines the solution. They are nil where
// a number takes more than half of the room, or columns are many. O(np²).
func secondWords(q *qp.Linear, alpha, bound, beta []float64, noIntercept bool) (low, sum []float64) {
	n, p := q.Len(), q.Rank()
	if p > mostSecondWords {
		return nil, nil
	}
	room, along := make([]float64, n), make([]float64, n)
	for i, a := range alpha {
		room[i] = ample * min(a, bound[i]-a)
	}
	chol := roomy(q, room, noIntercept)
	if chol == nil {
		return nil, nil
	}
	sum, left := make([]float64, p), make([]float64, p+1)
	q.ExactT(sum, alpha)
	low = make([]float64, n)
	for range 3 {
		if !noIntercept {
			var open exact.Sum
			for i, s := range q.Sign {
				open.Add(s*alpha[i], 0)
				open.Add(s*low[i], 0)
			}
			left[0] = -open.Value()
		}
		for j, b := range beta {
			left[j+1] = b - sum[j]
		}
		chol.Solve(left)
		q.Apply(along, left[1:])
		for i, s := range q.Sign {
			low[i] += room[i] * (along[i] + s*left[0])
			if !(math.Abs(low[i]) <= room[i]/(2*ample)) {
				return nil, nil
			}
		}
		q.ExactT(sum, alpha, low)
	}
	return low, sum
}

// ample is large enough for few refinements where the squares of multipliers times their rows are
// small beside them: of squared slacks at C = 1e12 on four rows 12 % then stay open, not 23 %.
const ample = 1024

// roomy returns the factor of diag(0, I) + (s, A)ᵀR(s, A) for R = diag(room) and the signed
// rows A, without an intercept s = 0, the diagonal raised by rounding; nil where it has none.
func roomy(q *qp.Linear, room []float64, noIntercept bool) *linalg.Cholesky {
	p := q.Rank()
	g, level, signed := q.Gram(room), make([]float64, p), make([]float64, len(room))
	k := linalg.Zeros(p+1, p+1)
	if !noIntercept {
		for i, s := range q.Sign {
			signed[i] = s * room[i]
		}
		q.ApplyT(level, signed)
		k.Set(0, 0, linalg.Sum(room))
	}
	for i := range p {
		k.Set(i+1, 0, level[i])
		copy(k.Row(i + 1)[1:i+2], g.Row(i)[:i+1])
		k.Row(i + 1)[i+1] = 1 + k.At(i+1, i+1)*(1+mendable)
	}
	if k.Row(0)[0] *= 1 + mendable; k.At(0, 0) == 0 { // no intercept, or no row with room
		k.Set(0, 0, 1)
	}
	chol, err := linalg.NewCholesky(k)
	if err != nil {
		return nil
	}
	return chol
}

// planeOf returns the plane β = Aᵀα, b₀ = −b of a solution.
func planeOf(q *qp.Linear, r *qp.Result) *Plane {
	p := planeAt(r.V, q.Origin, -r.Multiplier)
	p.clearUnmet(q.X.(linalg.Table), r.Alpha)
	return p
}

// clearUnmet sets to 0 the coefficients of the columns that are 0 about the origin in all rows
// with a multiplier: β = Σα(x−c) is 0 there, but rows that a solver has left again leave
// rounding errors. Of 2n multipliers those of row i are the i-th and the (n+i)-th. One pass over these
// rows, up to the one that meets the last column.
func (p *Plane) clearUnmet(x linalg.Table, alpha []float64) {
	n, _ := x.Dims()
	beta, unmet, left := p.beta(), make([]bool, p.Features()), 0
	for j, b := range beta {
		if b != 0 {
			unmet[j] = true
			left++
		}
	}
	for i, a := range alpha {
		if a == 0 {
			continue
		}
		if left == 0 {
			return
		}
		columns, values := x.Entries(i % n)
		eachAbout(p.origin, columns, values, func(j int, v float64) {
			if v != 0 && unmet[j] {
				unmet[j] = false
				left--
			}
		})
	}
	for j, u := range unmet {
		if u {
			beta[j] = 0
		}
	}
}

// Margin returns 1/‖β‖ of the first machine's plane, the only one for two classes:
// half the width of the slab −1 ≤ f ≤ 1.
func (m *SVC) Margin() float64 { return 1 / m.list[0].Plane.Norm() }

// checkSupport refuses lists of support rows and multipliers that no fit makes: none is below least.
func checkSupport(rows []int, alpha []float64, least float64) error {
	if len(rows) != len(alpha) {
		return &record.DamageError{Reason: fmt.Sprintf("%d support rows, %d multipliers", len(rows), len(alpha))}
	}
	for k, i := range rows {
		if i < 0 || k > 0 && i <= rows[k-1] {
			return &record.DamageError{Reason: fmt.Sprintf("support rows do not ascend at %d", k)}
		}
		if alpha[k] < least {
			return &record.DamageError{Reason: fmt.Sprintf("multiplier %d is %g, below %g", k, alpha[k], least)}
		}
	}
	return nil
}
