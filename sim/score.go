package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
)

func sameLen(want int, wantOf string, got int, gotOf string) error {
	if want != got {
		return fmt.Errorf("sim: %w", &linalg.ShapeError{Want: want, WantOf: wantOf, Got: got, GotOf: gotOf})
	}
	if want == 0 {
		return fmt.Errorf("sim: %w", &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows"})
	}
	return nil
}

// ErrorRate returns the share of rows whose prediction is not the truth, NaN for
// no rows. It panics if the lengths differ.
func ErrorRate(predicted, truth []int) float64 {
	if len(predicted) != len(truth) {
		panic(fmt.Sprintf("sim: ErrorRate: %d predictions but %d labels", len(predicted), len(truth)))
	}
	wrong := 0
	for i, v := range predicted {
		if v != truth[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(truth))
}

// Confusion counts the rows by truth and prediction.
type Confusion struct {
	Classes []int
	Count   [][]int // Count[t][k]: rows of class t that were taken for class k
}

// NewConfusion counts predictions. The classes are ascending.
//
// Errors: *[linalg.ShapeError]; *[linalg.ClassError] for a label that is not in
// the list.
func NewConfusion(classes, predicted, truth []int) (*Confusion, error) {
	if err := sameLen(len(truth), "labels", len(predicted), "predictions"); err != nil {
		return nil, err
	}
	c := &Confusion{Classes: slices.Clone(classes), Count: make([][]int, len(classes))}
	for t := range c.Count {
		c.Count[t] = make([]int, len(classes))
	}
	for i := range truth {
		t, err := place(classes, truth[i])
		if err != nil {
			return nil, err
		}
		k, err := place(classes, predicted[i])
		if err != nil {
			return nil, err
		}
		c.Count[t][k]++
	}
	return c, nil
}

func place(classes []int, label int) (int, error) {
	k, ok := slices.BinarySearch(classes, label)
	if !ok {
		return 0, fmt.Errorf("sim: %w", &linalg.ClassError{Class: label, Rows: 1, Reason: "is not in the list of classes"})
	}
	return k, nil
}

// Error returns the share of rows off the diagonal.
func (c *Confusion) Error() float64 {
	n, right := 0, 0
	for t, row := range c.Count {
		right += row[t]
		for _, v := range row {
			n += v
		}
	}
	return float64(n-right) / float64(n)
}

// Recall returns the share of the rows of class t (a position in Classes) that
// were found: NaN if there are none.
func (c *Confusion) Recall(t int) float64 {
	n := 0
	for _, v := range c.Count[t] {
		n += v
	}
	return float64(c.Count[t][t]) / float64(n)
}

// Precision returns the share of the rows taken for class k that are of class k:
// NaN if there are none.
func (c *Confusion) Precision(k int) float64 {
	n := 0
	for _, row := range c.Count {
		n += row[k]
	}
	return float64(c.Count[k][k]) / float64(n)
}

// Evaluation is how a classifier does on labelled rows. LogLoss, Brier and AUC
// are NaN for models without probabilities, AUC also for more than two classes.
type Evaluation struct {
	N         int
	Error     float64 // share of rows misclassified
	SE        float64 // √(e(1−e)/n), the standard error of Error
	Confusion *Confusion
	LogLoss   float64 // mean of −log p of the true class
	Brier     float64 // mean of Σₖ(pₖ − 1[k true])²; for two classes twice that of one
	AUC       float64 // two classes: see [AUC]; from the scores if there are no probabilities
}

// Evaluate applies a classifier to the rows of x, whose labels are y.
//
// Errors: *[linalg.ShapeError], *[linalg.ClassError] for a label that the model
// does not know, those of the model.
func Evaluate(m Classifier, x *linalg.Dense, y []int) (*Evaluation, error) {
	if err := sameLen(x.Rows, "rows", len(y), "labels"); err != nil {
		return nil, err
	}
	predicted, err := m.PredictRows(nil, x)
	if err != nil {
		return nil, err
	}
	classes := m.Classes()
	c, err := NewConfusion(classes, predicted, y)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{N: len(y), Error: c.Error(), Confusion: c, LogLoss: math.NaN(), Brier: math.NaN(), AUC: math.NaN()}
	e.SE = math.Sqrt(e.Error * (1 - e.Error) / float64(e.N))
	if prob := logProba(m); prob != nil {
		e.LogLoss, e.Brier = probabilityScores(prob, classes, x, y)
	}
	if len(classes) == 2 {
		score, positive := make([]float64, len(y)), make([]bool, len(y))
		linalg.For(len(y), scoreChunk, 0, func(lo, hi int) {
			var s []float64
			for i := lo; i < hi; i++ {
				s = m.Scores(s[:0], x.Row(i))
				score[i], positive[i] = s[1]-s[0], y[i] == classes[1]
			}
		})
		e.AUC = AUC(score, positive)
	}
	return e, nil
}

// logProba returns the function of m that appends log-probabilities, or nil.
func logProba(m Classifier) func(dst, row []float64) []float64 {
	switch m := m.(type) {
	case LogProber:
		return m.LogProba
	case Prober:
		return func(dst, row []float64) []float64 {
			n := len(dst)
			dst = m.Proba(dst, row)
			for k, p := range dst[n:] {
				dst[n+k] = math.Log(p)
			}
			return dst
		}
	}
	return nil
}

// scoreChunk is the number of rows that a goroutine takes at a time.
const scoreChunk = 1024

func probabilityScores(prob func(dst, row []float64) []float64, classes []int, x *linalg.Dense, y []int) (logLoss, brier float64) {
	type sums struct {
		logLoss, brier float64
		p              []float64
	}
	linalg.Reduce(x.Rows, scoreChunk, 0, func() *sums { return new(sums) }, func(s *sums, lo, hi int) {
		s.logLoss, s.brier = 0, 0
		for i := lo; i < hi; i++ {
			s.p = prob(s.p[:0], x.Row(i))
			t, _ := slices.BinarySearch(classes, y[i])
			s.logLoss -= s.p[t]
			for k, l := range s.p {
				d := math.Exp(l)
				if k == t {
					d--
				}
				s.brier += d * d
			}
		}
	}, func(s *sums) {
		logLoss += s.logLoss
		brier += s.brier
	})
	n := float64(x.Rows)
	return logLoss / n, brier / n
}

// AUC returns the area under the ROC curve: the probability that a positive row
// has a higher score than a negative one, a tie counting half (the Mann–Whitney
// statistic). NaN if one of the two is missing or a score is NaN. O(n log n).
func AUC(score []float64, positive []bool) float64 {
	if len(score) != len(positive) {
		panic(fmt.Sprintf("sim: AUC: %d scores but %d labels", len(score), len(positive)))
	}
	by := make([]int, len(score))
	for i, s := range score {
		if s != s {
			return math.NaN()
		}
		by[i] = i
	}
	slices.SortFunc(by, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	var area, below, pos float64
	for lo := 0; lo < len(by); {
		hi, p := lo, 0.0
		for ; hi < len(by) && score[by[hi]] == score[by[lo]]; hi++ {
			if positive[by[hi]] {
				p++
			}
		}
		n := float64(hi-lo) - p
		area += p * (below + n/2)
		below, pos, lo = below+n, pos+p, hi
	}
	return area / (below * pos)
}

// MSE returns the mean of (predicted − truth)², NaN for no rows.
func MSE(predicted, truth []float64) float64 {
	if len(predicted) != len(truth) {
		panic(fmt.Sprintf("sim: MSE: %d predictions but %d responses", len(predicted), len(truth)))
	}
	s := 0.0
	for i, v := range predicted {
		s += (v - truth[i]) * (v - truth[i])
	}
	return s / float64(len(truth))
}

// R2 returns 1 − Σ(y−f)²/Σ(y−ȳ)²: 1 for predictions without error, 0 for those
// of the mean; NaN if all the responses are equal.
func R2(predicted, truth []float64) float64 {
	mean := 0.0
	for _, v := range truth {
		mean += v / float64(len(truth))
	}
	total := 0.0
	for _, v := range truth {
		total += (v - mean) * (v - mean)
	}
	if total == 0 {
		return math.NaN()
	}
	return 1 - MSE(predicted, truth)*float64(len(truth))/total
}

// McNemarTest compares two classifiers on the same rows.
type McNemarTest struct {
	OnlyA int // rows that only the first gets wrong
	OnlyB int // rows that only the second gets wrong

	// Statistic is (|a−b|−1)²/(a+b), χ² with one degree of freedom where the two
	// have the same error (with the continuity correction); 0 for a+b = 0.
	Statistic float64

	// P is the exact two-sided p-value: twice the probability that a binomial
	// variable of a+b trials of ½ is at most min(a, b), at most 1.
	P float64
}

// McNemar tests whether two classifiers have the same error, from the rows on
// which one is right and the other wrong (Q. McNemar, Psychometrika 12, 1947). It
// takes the test set as given: the noise of the training sets is not in it.
//
// Errors: *[linalg.ShapeError].
func McNemar(a, b, truth []int) (*McNemarTest, error) {
	if err := errors.Join(sameLen(len(truth), "labels", len(a), "predictions"), sameLen(len(truth), "labels", len(b), "predictions")); err != nil {
		return nil, err
	}
	t := &McNemarTest{P: 1}
	for i, v := range truth {
		switch {
		case a[i] != v && b[i] == v:
			t.OnlyA++
		case a[i] == v && b[i] != v:
			t.OnlyB++
		}
	}
	if n := t.OnlyA + t.OnlyB; n > 0 {
		d := max(0, math.Abs(float64(t.OnlyA-t.OnlyB))-1)
		t.Statistic = d * d / float64(n)
		t.P = min(1, 2*binomialHalf(min(t.OnlyA, t.OnlyB), n))
	}
	return t, nil
}

// binomialHalf returns P(X ≤ k) for n trials of probability ½, k ≤ n/2. The terms
// are summed downwards from the largest, each from the one before.
func binomialHalf(k, n int) float64 {
	lg := func(v int) float64 { l, _ := math.Lgamma(float64(v) + 1); return l }
	term := math.Exp(lg(n) - lg(k) - lg(n-k) - float64(n)*math.Ln2)
	sum := 0.0
	for j := k; j >= 0 && term > sum*1e-17; j-- {
		sum += term
		term *= float64(j) / float64(n-j+1)
	}
	return sum
}

// MeanSE returns the mean of v and its standard error s/√n, where s² has divisor
// n−1: NaN for one value.
func MeanSE(v []float64) (mean, se float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		se += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}
