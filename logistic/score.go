package logistic

import (
	"cmp"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
)

// LogLoss returns the mean of −log p(yᵢ | xᵢ) over the rows of x: +Inf for a
// label that the model does not know.
//
// Error: *[linalg.ShapeError].
func (m *Model) LogLoss(x *linalg.Dense, y []int) (float64, error) {
	return m.mean(x, y, func(row []float64, label int) float64 { return m.loss(row, label, nil) })
}

// Brier returns the mean over the rows of Σₖ (tₖ − pₖ)², for two classes of half
// that, (t − p)²: 0 is perfect (Brier 1950).
//
// Error: *[linalg.ShapeError].
func (m *Model) Brier(x *linalg.Dense, y []int) (float64, error) {
	p := make([]float64, 0, len(m.classes))
	return m.mean(x, y, func(row []float64, label int) float64 {
		p = m.Proba(p[:0], row)
		s := 0.0
		for k, v := range p {
			if m.classes[k] == label {
				v -= 1
			}
			s += v * v
		}
		if len(p) == 2 {
			s /= 2
		}
		return s
	})
}

func (m *Model) mean(x *linalg.Dense, y []int, of func(row []float64, label int) float64) (float64, error) {
	if err := m.checkLabelled(x, y); err != nil {
		return 0, wrap(err)
	}
	s := 0.0
	for i, label := range y {
		s += of(x.Row(i), label)
	}
	return s / float64(len(y)), nil
}

func (m *Model) checkLabelled(x *linalg.Dense, y []int) error {
	if _, _, err := sample.Dims(x, len(y), "labels"); err != nil {
		return err
	}
	return m.checkRows(x)
}

// ROC is the curve of the rates at which a two-class model finds the rows of the
// larger label, and takes others for them, as the threshold falls.
type ROC struct {
	Threshold []float64 // on P(larger label); +Inf first, then that of each distinct f(x)
	TPR, FPR  []float64 // shares of the larger and of the smaller label at or above it
	AUC       float64   // the area below, ties counted half: P(a larger label's score is above a smaller one's)
}

// ROC computes the curve on the rows of x, ordered by their log-odds, which differ
// also where probabilities round to 1. O(n(p + log n)).
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError] if
// y lacks a class.
func (m *Model) ROC(x *linalg.Dense, y []int) (*ROC, error) {
	f, t, err := m.binaryRows(x, y)
	if err != nil {
		return nil, wrap(err)
	}
	order := make([]int, len(f))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f[b], f[a]) })
	var count, seen [2]float64
	for _, v := range t {
		count[v]++
	}
	r := &ROC{Threshold: []float64{math.Inf(1)}, TPR: []float64{0}, FPR: []float64{0}}
	for i, row := range order {
		seen[t[row]]++
		if i+1 < len(order) && f[order[i+1]] == f[row] {
			continue
		}
		last := len(r.TPR) - 1
		tpr, fpr := seen[1]/count[1], seen[0]/count[0]
		r.AUC += (fpr - r.FPR[last]) * (tpr + r.TPR[last]) / 2
		r.Threshold = append(r.Threshold, linalg.Sigmoid(f[row]))
		r.TPR, r.FPR = append(r.TPR, tpr), append(r.FPR, fpr)
	}
	return r, nil
}

// binaryRows returns the log-odds and the class, 0 or 1, of each row.
func (m *Model) binaryRows(x *linalg.Dense, y []int) (f []float64, t []int, err error) {
	if len(m.classes) != 2 {
		return nil, nil, &linalg.ShapeError{Want: 2, WantOf: "classes needed", Got: len(m.classes), GotOf: "in the model"}
	}
	if err := m.checkLabelled(x, y); err != nil {
		return nil, nil, err
	}
	if err := x.CheckFinite(); err != nil {
		return nil, nil, err
	}
	l, err := sample.Code(y, m.classes, nil)
	if err != nil {
		return nil, nil, err
	}
	f = make([]float64, len(y))
	for i := range f {
		if f[i] = m.LogOdds(x.Row(i)); f[i] != f[i] {
			return nil, nil, &linalg.NonFiniteError{What: "log-odds", Row: i, Col: -1, Value: f[i]}
		}
	}
	return f, l.Code, nil
}

// Bin is a line of a calibration table.
type Bin struct {
	Lo, Hi    float64 // predicted probabilities from Lo up to Hi
	Rows      int
	Predicted float64 // their mean
	Observed  float64 // share of the larger label
	SE        float64 // of Observed if the predictions are right: √Σp(1−p)/Rows
}

// Calibration compares the probabilities that a two-class model predicts for the
// rows of x with how often they come true, in bins of equal width. Bins without
// rows are left out.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError] if
// y lacks a class, *[sample.OptionError] for a number of bins that is not between 1
// and 10⁶.
func (m *Model) Calibration(x *linalg.Dense, y []int, bins int) ([]Bin, error) {
	if bins < 1 || bins > 1e6 {
		return nil, wrap(&sample.OptionError{Name: "bins", Value: float64(bins), Want: "between 1 and 10⁶"})
	}
	f, t, err := m.binaryRows(x, y)
	if err != nil {
		return nil, wrap(err)
	}
	table := make([]Bin, bins)
	for i := range f {
		v := linalg.Sigmoid(f[i])
		b := &table[min(int(v*float64(bins)), bins-1)]
		b.Rows++
		b.Predicted += v
		b.Observed += float64(t[i])
		b.SE += v * (1 - v)
	}
	used := table[:0]
	for k, b := range table {
		if b.Rows == 0 {
			continue
		}
		n := float64(b.Rows)
		used = append(used, Bin{float64(k) / float64(bins), float64(k+1) / float64(bins), b.Rows, b.Predicted / n, b.Observed / n, math.Sqrt(b.SE) / n})
	}
	return used, nil
}
