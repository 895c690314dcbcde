package logistic_test

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

func parameters(t *testing.T, x *linalg.Dense, y []int, o *logistic.Options) []float64 {
	c, b := lt.MustFit(t, x, y, o).Coef()
	return append(b, c.Data...)
}

// nonZero counts the coefficients that are not 0.
func nonZero(m *logistic.Model) int {
	n := 0
	coef, _ := m.Coef()
	for _, v := range coef.Data {
		if v != 0 {
			n++
		}
	}
	return n
}

// mustCertify recomputes the certificate of a fit without a lasso part from the
// data and the published coefficients.
func mustCertify(t testing.TB, m *logistic.Model, x *linalg.Dense, y []int, lambda, tol float64) {
	t.Helper()
	ones := make([]float64, x.Cols)
	for j := range ones {
		ones[j] = 1
	}
	if _, kkt := elasticNetKKT(m, x, y, lambda, 0, ones); !(kkt <= tol) {
		t.Errorf("certificate %g, the report says %v", kkt, m.Report().Certificate())
	}
}

// elasticNetKKT recomputes objective and certificate of a model from the data
// alone.
func elasticNetKKT(m *logistic.Model, x *linalg.Dense, y []int, lambda, alpha float64, scale []float64) (objective, kkt float64) {
	coef, _ := m.Coef()
	classes := m.Classes()
	k := len(classes)
	rows := coef.Rows
	g, size := linalg.Zeros(rows, x.Cols+1), make([]float64, x.Cols+1)
	c := m.Origin()
	for i := range x.Rows {
		row := x.Row(i)
		objective -= m.LogProba(nil, row)[slices.Index(classes, y[i])]
		p := m.Proba(nil, row)
		for r := range rows {
			class := r
			if k == 2 {
				class = 1
			}
			d := p[class]
			if classes[class] == y[i] {
				d--
			}
			g.Data[r*g.Stride] += d
			for j, v := range row {
				g.Data[r*g.Stride+j+1] += d * (v - c[j])
			}
		}
		size[0]++
		for j, v := range row {
			size[j+1] += math.Abs(v - c[j])
		}
	}
	for r := range rows {
		kkt = math.Max(kkt, math.Abs(g.At(r, 0))/size[0])
		for j := range x.Cols {
			b, d := coef.At(r, j), g.At(r, j+1)
			l1, l2 := lambda*alpha*scale[j], lambda*(1-alpha)*scale[j]*scale[j]
			objective += l1*math.Abs(b) + l2/2*b*b
			d += l2 * b
			switch {
			case b > 0:
				d += l1
			case b < 0:
				d -= l1
			default:
				d = math.Max(0, math.Abs(d)-l1)
			}
			kkt = math.Max(kkt, math.Abs(d)/size[j+1])
		}
	}
	return objective, kkt
}

// columnSD returns the standard deviations of the columns, divisor n.
func columnSD(x *linalg.Dense) []float64 {
	sd := make([]float64, x.Cols)
	for j := range sd {
		c := x.Col(nil, j)
		mean := lt.Sum(c) / float64(len(c))
		for i := range c {
			c[i] -= mean
		}
		sd[j] = linalg.Norm(c) / math.Sqrt(float64(len(c)))
	}
	return sd
}

// affine returns the functions of a model about its origin, where the scores are its
// intercepts there.
func affine(m *logistic.Model) linalgtest.Affine {
	coef, _ := m.Coef()
	at := m.Scores(nil, m.Origin())
	if coef.Rows == 1 {
		at = at[1:]
	}
	return linalgtest.Affine{Coef: coef, At: at, Origin: m.Origin()}
}
