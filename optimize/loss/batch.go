package loss

// Batch is a smooth loss of K scores a row, evaluated for many rows at a time: the
// form in which an objective uses it. [BatchOf] makes one of a [Smooth] loss of one
// score; [Softmax] has K.
type Batch interface {
	// Functions returns K.
	Functions() int

	// Rows returns Σ wᵢL(yᵢ, fᵢ) and sets r to wᵢ∂L/∂fᵢ, for responses y and scores f,
	// K a row, which it may overwrite. Of several scores r may be f itself. Unless it is nil, v is set to K values a row
	// that tell the second derivatives. A nil w is all ones.
	Rows(r, v, y, f, w []float64) float64

	// Curvature sets dst to wᵢ∂²L/∂f_a∂f_b, by row, from v as Rows has set it.
	Curvature(dst []float64, a, b int, v, w []float64)

	// Floor returns a lower bound on the curvature of any row of positive weight,
	// wᵢuᵀ(∂²L/∂f²)u for the differences u of scores that change the loss.
	Floor(v, w []float64) float64
}

// ConstantCurvature reports whether the second derivatives of a loss are the same at all
// scores: whether it says so by a method ConstantCurvature() bool.
func ConstantCurvature(l Batch) bool {
	var of any = l
	if one, ok := l.(single); ok {
		of = one.rowser
	}
	if one, ok := of.(plain); ok {
		of = one.loss
	}
	c, ok := of.(interface{ ConstantCurvature() bool })
	return ok && c.ConstantCurvature()
}

// IsCategorical reports whether a loss is −log of the probability of a class: whether it is
// that of [Logistic] or [Softmax].
func IsCategorical(l Batch) bool {
	switch l := l.(type) {
	case Softmax:
		return true
	case single:
		_, ok := l.rowser.(logisticBatch)
		return ok
	}
	return false
}

// rowser is a loss with a quicker way than one row after the other.
type rowser interface {
	Rows(d, h, y, f, w []float64) float64
}

// BatchOf returns a loss of one score as a Batch.
func BatchOf(l Smooth) Batch {
	switch l := l.(type) {
	case Logistic:
		return single{logisticBatch{}}
	case rowser:
		return single{l}
	}
	return single{plain{l}}
}

// single is a Batch of one function; its v are the weighted second derivatives.
type single struct{ rowser }

func (single) Functions() int { return 1 }

func (single) Curvature(dst []float64, a, b int, v, w []float64) { copy(dst, v) }

func (single) Floor(v, w []float64) float64 {
	least := maxFloor
	for i, u := range v {
		if w == nil || w[i] > 0 {
			least = min(least, u)
		}
	}
	return least
}

// plain evaluates a loss row by row.
type plain struct{ loss Smooth }

func (l plain) Rows(d, h, y, f, w []float64) float64 {
	if h != nil {
		for i, fi := range f {
			switch {
			case w == nil:
				h[i] = l.loss.Second(y[i], fi)
			case w[i] == 0:
				h[i] = 0
			default:
				h[i] = w[i] * l.loss.Second(y[i], fi)
			}
		}
	}
	return Rows(l.loss, d, y, f, w)
}
