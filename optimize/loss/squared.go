package loss

// Squared is ½(y − f)².
type Squared struct{}

// Value returns ½(y − f)².
func (Squared) Value(y, f float64) float64 { return (y - f) * (y - f) / 2 }

// Deriv returns f − y.
func (Squared) Deriv(y, f float64) float64 { return f - y }

// Second returns 1.
func (Squared) Second(y, f float64) float64 { return 1 }

// ConstantCurvature says that the second derivative is the same at all scores.
func (Squared) ConstantCurvature() bool { return true }

// Rows sets d[i] = wᵢ(fᵢ − yᵢ) and h[i] = wᵢ and returns Σ wᵢ·½(yᵢ − fᵢ)². A nil w is
// all ones; a nil d or h is not wanted. The slices have one length. A row of weight 0
// adds nothing, whatever its numbers are.
func (Squared) Rows(d, h, y, f, w []float64) float64 {
	sum := 0.0
	for i, fi := range f {
		r, wi := fi-y[i], 1.0
		if w != nil {
			if wi = w[i]; wi == 0 {
				r = 0
			}
		}
		sum += wi * r * r
		if d != nil {
			d[i] = wi * r
		}
		if h != nil {
			h[i] = wi
		}
	}
	return sum / 2
}
