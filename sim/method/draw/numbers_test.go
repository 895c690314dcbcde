package draw_test

import (
	"fmt"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/draw"
)

// Classes whose names have no room in a confusion matrix are numbered from one, and the legend
// tells the numbers; k classes of m letters have room up to k(m + 2) = 64.
func TestConfusionsNumberLongNames(t *testing.T) {
	for letters, numbered := range map[int]bool{30: false, 31: true} {
		d := twoIris(4)
		d.Names = []string{strings.Repeat("a", letters), "b"}
		schema := *d.Schema
		schema.Names = d.Names
		d.Schema = &schema
		s := svg(t, "confusion", fitted(t, "lda", d, nil), d)
		if got := strings.Contains(s, ">1: aaa"); got != numbered || strings.Contains(s, ">2: b<") != numbered || strings.Contains(s, ">0: ") {
			t.Errorf("%d letters: numbered %t", letters, got)
		}
	}
}

func TestKindsThatNeedMore(t *testing.T) {
	two := twoIris(4)
	unlabeled := *two
	unlabeled.Labels = nil
	logit, svc := fitted(t, "logistic", two, nil), fitted(t, "svc", two, nil)
	for _, c := range []struct {
		kind string
		m    *method.Model
		d    *dataset.Data
		says string
	}{
		{"path", logit, &unlabeled, "needs labels or responses"}, {"cv", logit, &unlabeled, "needs labels or responses"},
		{"roc", logit, &unlabeled, "needs a classifier and labels"}, {"residuals", logit, two, "residuals need a regression and responses"},
		{"calibration", svc, two, "svc has no probabilities"}, {"path", fitted(t, "lda", two, nil), two, "lda"},
	} {
		if p, err := draw.Kind(c.kind, c.m, c.d, "", ""); p != nil || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %s: %v", c.kind, c.m.Method.Name, err)
		}
	}
}

// The margins of a machine are drawn where f is −1 and 1, and a slack from its row to the margin
// of the row's class.
func TestMarginsAndSlacksOfAMachine(t *testing.T) {
	d := &dataset.Data{X: linalg.Zeros(6, 2), Labels: []int{0, 0, 0, 1, 1, 1}, Names: []string{"u", "v"},
		Schema: &dataset.Schema{Label: "y", Names: []string{"u", "v"}, Columns: []dataset.Column{{Name: "a"}, {Name: "b"}}}}
	copy(d.X.Data, []float64{-1, 0, -1, 1, 0.5, 0.5, 1, 0, 1, 1, 1, 0.5}) // row 2 lies at f = ½ for C large
	m := fitted(t, "svc", d, &method.Options{C: 0.5})
	c, _, _ := m.For(d)
	slacks := 0
	for i, k := range d.Labels {
		s := c.Scores(nil, d.X.Row(i))
		if 1-float64(2*k-1)*(s[1]-s[0]) > 1e-6 {
			slacks++
		}
	}
	p, err := draw.Kind("boundary", m, d, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.SVG(&b); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !strings.Contains(s, ">margins<") || slacks == 0 || strings.Contains(s, ">slack") != (slacks > 0) {
		t.Error(fmt.Sprint(slacks, " slacks in ", s))
	}
}

// The picture of sparse rows is that of the same rows in a table.
func TestSparseRowsAreDrawnAsDenseOnes(t *testing.T) {
	d := twoIris(2)
	m, sparse := fitted(t, "lda", d, nil), *d
	start, index := []int{0}, []int32(nil)
	for range d.X.Rows {
		index = append(index, 0, 1)
		start = append(start, len(index))
	}
	var err error
	if sparse.Sparse, err = linalg.NewCSR(d.X.Rows, 2, start, index, d.X.Data); err != nil {
		t.Fatal(err)
	}
	sparse.X = nil
	if svg(t, "", m, &sparse) != svg(t, "", m, d) {
		t.Error("the pictures differ")
	}
}
