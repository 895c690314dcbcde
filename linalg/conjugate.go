package linalg

// Conjugate is the state of the method of conjugate gradients for the equations Ax = b of a
// symmetric positive definite A, of which only products A·d are known, preconditioned by an M
// that is near A (Nocedal & Wright, Numerical Optimization, 2006, algorithm 5.3). Each step
//
//	t = rᵀz/dᵀAd,  x ← x + td,  r ← r − tAd,  z = M⁻¹r,  d ← z + βd with β = rᵀz/(rᵀz before)
//
// makes (x − A⁻¹b)ᵀA(x − A⁻¹b) as small as it gets along the directions so far. A step costs
// the product, the preconditioner and O(n).
type Conjugate struct {
	X    []float64 // the solution so far
	Left []float64 // r = b − Ax
	Size float64   // rᵀM⁻¹r

	Direction []float64 // d
	Image     []float64 // z after a step; the caller sets it to A·d before the next

	precondition func(z []float64)
}

// NewConjugate returns the state at x, where left is b − Ax, before its [Conjugate.Start];
// both are overwritten as the steps go on. precondition overwrites a vector z with M⁻¹z.
//
//go:noinline // a program would have a dozen copies
func NewConjugate(x, left []float64, precondition func(z []float64)) *Conjugate {
	return &Conjugate{X: x, Left: left, Direction: make([]float64, len(x)), Image: make([]float64, len(x)),
		precondition: precondition}
}

// Start takes the preconditioned Left for the next direction: at first, and after the caller
// has changed X and Left.
//
//go:noinline // a program would have a dozen copies
func (c *Conjugate) Start() {
	c.measure()
	copy(c.Direction, c.Image)
}

// Run makes steps with the products of apply until they have solved the equations, at most the given
// number, or a direction has no curvature. It returns how many there were, and whether they got there.
func (c *Conjugate) Run(most int, apply func(to, d []float64), solved func(steps int) bool) (steps int, ok bool) {
	for ; !solved(steps); steps++ {
		if steps >= most {
			return steps, false
		}
		apply(c.Image, c.Direction)
		curvature := c.Curvature()
		if !(curvature > 0) {
			return steps, c.Size == 0
		}
		c.Step(curvature)
	}
	return steps, true
}

// Curvature returns dᵀAd, of the Image that the caller has set.
func (c *Conjugate) Curvature() float64 { return Dot(c.Direction, c.Image) }

// Step makes a step along the direction, whose curvature is positive, and returns β.
func (c *Conjugate) Step(curvature float64) float64 {
	t := c.Size / curvature
	Axpy(c.X, t, c.Direction)
	Axpy(c.Left, -t, c.Image)
	before := c.Size
	c.measure()
	beta := c.Size / before
	Scale(c.Direction, beta)
	Axpy(c.Direction, 1, c.Image)
	return beta
}

// measure preconditions what is left and takes its size.
func (c *Conjugate) measure() {
	copy(c.Image, c.Left)
	c.precondition(c.Image)
	c.Size = Dot(c.Left, c.Image)
}
