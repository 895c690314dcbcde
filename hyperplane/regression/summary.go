package regression

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/linalg/tail"
)

// Term is a row of a regression's table.
type Term struct {
	Estimate, SE float64
	T            float64 // Estimate/SE
	P            float64 // P(|T| ≥ |t|) for Student's t with DF degrees of freedom
}

// Summary is what R's summary.lm says about a least squares fit, for errors that
// are independent and normal with one variance, of rows repeated by their weights: N is Σw.
// (R's lm reads weights as precisions: the same estimates, but N counts the rows of positive weight,
// and quartiles are of the residuals times √w. Weights that are to be precisions have no sum of
// their own; make it the number of rows, and the table is R's.)
type Summary struct {
	Terms      []Term        // the intercept (unless there is none), then the columns
	Intercept  bool          // whether Terms starts with the intercept
	Covariance *linalg.Dense // of the terms' estimates, σ̂²(XᵀWX)⁻¹
	Residuals  []float64     // y − offset − f, a row each
	Quartiles  [5]float64    // least residual, quartiles and largest, interpolated as R's default (type 7) does

	N          float64 // Σw
	DF         float64 // N less the number of terms
	RSS, TSS   float64 // Σw·r²; Σw(z − z̄)² of z = y − offset, without intercept Σw·z²
	Sigma      float64 // σ̂ = √(RSS/DF)
	R2, AdjR2  float64 // 1 − RSS/TSS; the same with both divided by their degrees of freedom
	F, FP      float64 // all coefficients but the intercept against none, and its p-value
	FDF1, FDF2 float64
}

// Summarize fits y on x by [FitOLS] and tests each coefficient (ESL 3.8, 3.10 to
// 3.13). Where rows are as many as coefficients nothing is left to estimate σ²
// from, and all that needs it is NaN. O(np²) time, O(n + p²) memory.
//
// Errors: those of FitOLS; *[sample.OptionError] for MinNorm, since no coefficient of
// collinear columns is determined, and for weights whose sum is less than the number of
// coefficients: they are not those of repeated rows.
func Summarize(x linalg.Rows, y []float64, o *Options) (*Model, *Summary, error) {
	if o == nil {
		o = &Options{}
	}
	m, s, err := summarize(x, y, o)
	return m, s, wrap(err)
}

func summarize(x linalg.Rows, y []float64, o *Options) (*Model, *Summary, error) {
	if err := o.leastSquares("MinNorm"); err != nil {
		return nil, nil, err
	}
	p, err := newProblem(x, y, o)
	if err != nil {
		return nil, nil, err
	}
	m, notConverged := p.fitOLS()
	if m == nil {
		return nil, nil, notConverged
	}
	s, err := p.summary(m)
	if err != nil {
		return nil, nil, err
	}
	return m, s, notConverged
}

// summary tests the coefficients of the least squares fit m.
func (p *problem) summary(m *Model) (*Summary, error) {
	columns, err := p.dense()
	if err != nil {
		return nil, err
	}
	terms := p.P
	if !p.o.NoIntercept {
		terms++
	}
	if err := sample.EnoughRows(p.Total, terms); err != nil {
		return nil, err
	}
	t, err := linalg.NewTallQR(columns, nil, p.Origin, p.Weights, p.Workers)
	if err != nil {
		return nil, err
	}
	s := &Summary{Intercept: !p.o.NoIntercept, N: p.Total, TSS: p.spread, RSS: 2 * m.report.Objective(), Residuals: make([]float64, p.N)}
	theta := make([]float64, p.P)
	p.Parameters(theta, m.plane.Normal(), 0)
	if err := p.Margins(s.Residuals, theta); err != nil {
		return nil, err
	}
	for i, z := range p.z {
		s.Residuals[i] = z - s.Residuals[i]
	}
	s.Quartiles = quartiles(s.Residuals, p.Weights)
	s.FDF1, s.FDF2 = float64(p.P), p.Total-float64(terms)
	s.DF = s.FDF2
	variance := math.NaN()
	if s.DF > 0 {
		variance = s.RSS / s.DF
	}
	s.Sigma = math.Sqrt(variance)
	if s.Covariance, err = p.inverseGram(t.R()); err != nil {
		return nil, err
	}
	linalg.Scale(s.Covariance.Data, variance)
	s.ratios(variance)

	estimate := m.plane.Normal()
	if s.Intercept {
		estimate = append([]float64{m.plane.Intercept()}, estimate...)
	}
	for j, b := range estimate {
		se := math.Sqrt(s.Covariance.At(j, j))
		s.Terms = append(s.Terms, Term{b, se, b / se, 2 * tail.Student(math.Abs(b/se), s.DF)})
	}
	return s, nil
}

// ratios fills in what compares the fit with the one of no columns.
func (s *Summary) ratios(variance float64) {
	s.R2 = 1 - s.RSS/s.TSS
	s.AdjR2 = 1 - variance/(s.TSS/(s.FDF1+s.FDF2))
	s.F = (s.TSS - s.RSS) / s.FDF1 / variance
	s.FP = tail.Fisher(s.F, s.FDF1, s.FDF2)
}

// inverseGram returns (XᵀWX)⁻¹ for x with a column of ones before it, if there is
// an intercept: from the triangle R of the centred rows, (RᵀR)⁻¹ = S and, since
// β₀ = m − β·c, the border −Sc and the corner 1/Σw + cᵀSc = 1/Σw + ‖R⁻ᵀc‖².
func (p *problem) inverseGram(r *linalg.Dense) (*linalg.Dense, error) {
	factor, err := linalg.CholeskyOf(lowerOf(r))
	if err != nil {
		return nil, err
	}
	inverse := factor.InverseL(p.Workers) // R⁻ᵀ
	inner := linalg.Gram(inverse, nil, nil, p.Workers)
	if p.o.NoIntercept {
		return inner, nil
	}
	s, u, border := linalg.Zeros(r.Cols+1, r.Cols+1), make([]float64, r.Cols), make([]float64, r.Cols)
	linalg.MulVec(u, inverse, p.Origin, p.Workers)
	linalg.MulTVecAdd(border, inverse, u)
	s.Set(0, 0, 1/p.Total+linalg.Dot(u, u))
	for j, v := range border {
		s.Set(0, j+1, -v)
		s.Set(j+1, 0, -v)
		copy(s.Row(j + 1)[1:], inner.Row(j))
	}
	return s, nil
}

// Table lays the summary out for reading, as R does; names are those of the
// columns, x1, x2, … for nil.
func (s *Summary) Table(names []string) string {
	var b strings.Builder
	if q := s.Quartiles; len(s.Residuals) > 4 {
		fmt.Fprintf(&b, "Residuals:  min %.4g   1Q %.4g   median %.4g   3Q %.4g   max %.4g\n\n", q[0], q[1], q[2], q[3], q[4])
	}
	label := make([]string, len(s.Terms))
	width := 0
	for k := range label {
		label[k] = s.name(names, k)
		width = max(width, len([]rune(label[k])))
	}
	fmt.Fprintf(&b, "%-*s %12s %12s %9s %10s\n", width, "", "Estimate", "Std. Error", "t value", "Pr(>|t|)")
	for k, t := range s.Terms {
		line := fmt.Sprintf("%-*s %12.6g %12.6g %9.3f %10.4g %s", width, label[k], t.Estimate, t.SE, t.T, t.P, tail.Stars(t.P))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(&b, "\nResidual standard error: %.4g on %g degrees of freedom\n", s.Sigma, s.DF)
	fmt.Fprintf(&b, "Multiple R²: %.4g, adjusted R²: %.4g\n", s.R2, s.AdjR2)
	fmt.Fprintf(&b, "F-statistic: %.4g on %g and %g DF, p-value: %.4g\n", s.F, s.FDF1, s.FDF2, s.FP)
	return b.String()
}

func (s *Summary) name(names []string, k int) string {
	if s.Intercept {
		if k == 0 {
			return "(Intercept)"
		}
		k--
	}
	if k < len(names) {
		return names[k]
	}
	return fmt.Sprintf("x%d", k+1)
}

// quartiles returns minimum, quartiles and maximum of values repeated by their weights w, nil for
// once each.
func quartiles(v, w []float64) (q [5]float64) {
	total := 0.0
	var order []int // of the values that count
	for i := range v {
		if w := sample.WeightAt(w, i); w > 0 {
			total += w
			order = append(order, i)
		}
	}
	if order == nil {
		return q
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	at := func(position float64) float64 {
		passed := 0.0
		for _, i := range order {
			if passed += sample.WeightAt(w, i); position < passed {
				return v[i]
			}
		}
		return v[order[len(order)-1]]
	}
	for k := range q {
		h := (total - 1) * float64(k) / 4
		lo := math.Floor(h)
		q[k] = at(lo) + (h-lo)*(at(lo+1)-at(lo))
	}
	q[4] = v[order[len(order)-1]] // of a fraction of a row, too
	return q
}

// String returns the table with features x1, x2, ….
func (r *Summary) String() string {
	return r.Table(nil)
}

// MarshalJSON writes the fields; a number that JSON cannot hold is null.
func (r Summary) MarshalJSON() ([]byte, error) { return record.Plain(r) }

// UnmarshalJSON reads what MarshalJSON wrote; null is NaN.
func (r *Summary) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, r) }
