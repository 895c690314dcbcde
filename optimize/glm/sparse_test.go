package glm_test

import (
	"math"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// sparseObjective returns the objective of K scores with a ridge of 1 on the rows of x.
func sparseObjective(t *testing.T, x linalg.Rows, k, workers int) *glm.Objective {
	t.Helper()
	n, p := x.Dims()
	y, w := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], w[i] = float64(i*i%7%max(2, k)), float64(i%4)/2
		if k == 1 {
			y[i] = 2*y[i] - 1
		}
	}
	d, err := design.New(x, n, "rows", design.Settings{Weights: w, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	path := make([]float64, p) // one scale in every storage
	for j := range path {
		path[j] = 1 + float64(j%3)
	}
	d.SetUnits(path)
	ridge := make([]float64, p+1)
	for j := range p {
		ridge[1+j] = 1
	}
	if k == 1 {
		return glm.New(d, y, loss.Logistic{}, ridge)
	}
	return glm.NewMulti(d, y, loss.Softmax{K: k}, glm.Contrasts(k), ridge)
}

// Value, derivatives, products with the Hessian and its diagonal are those of the same rows
// stored dense.
func TestSparseRowsHaveTheDerivativesOfDenseOnes(t *testing.T) {
	x := linalgtest.Thinned(3, 700, 9, 0.3)
	for _, k := range []int{1, 3, 5} {
		dense, sparse := sparseObjective(t, x, k, 0), sparseObjective(t, linalgtest.Sparse(x), k, 2)
		m := dense.Parameters()
		theta, u := linalgtest.Numbers(m), make([]float64, m)
		for j := range u {
			u[j] = math.Cos(float64(5 * j))
		}
		h, g := linalg.Zeros(m, m), make([]float64, m)
		want := dense.Hess(h, g, theta)
		got := make([]float64, m)
		linalgtest.Close(t, "value", sparse.Grad(got, theta), want, 1e-13)
		linalgtest.CloseSlice(t, "gradient", got, g, 1e-11)
		for name, o := range map[string]*glm.Objective{"dense": dense, "sparse": sparse} {
			product, along := make([]float64, m), make([]float64, m)
			linalg.MulVec(along, h, u, 1)
			o.HessVec(product, theta, u)
			linalgtest.CloseSlice(t, name+", product", product, along, 1e-11)
			diagonal := make([]float64, m)
			o.HessDiag(diagonal, theta)
			for j := range diagonal {
				linalgtest.Close(t, name+", diagonal", diagonal[j], h.At(j, j), 1e-12)
			}
		}
		part := linalg.Zeros(2, 2)
		if k == 1 {
			sparse.SubHess(part, theta, []int{0, 4}, nil)
			linalgtest.Close(t, "element", part.At(1, 0), h.At(4, 0), 1e-11)
		}
	}
}

// Sparse rows of many features are fitted by products with the Hessian, to the minimum that
// the same rows have stored dense, with the same bits for any number of workers.
func TestSparseFits(t *testing.T) {
	x := linalgtest.Thinned(5, 400, 350, 0.03)
	for _, k := range []int{1, 3} {
		var first []float64
		for _, workers := range []int{1, 3} {
			o := sparseObjective(t, linalgtest.Sparse(x), k, workers)
			if !strings.HasPrefix(o.Plan(), "sparse rows") {
				t.Errorf("the plan is %q", o.Plan())
			}
			theta, report, err := o.Minimize(glm.Problem{})
			if err != nil {
				t.Fatal(err)
			}
			g := make([]float64, len(theta))
			dense := sparseObjective(t, x, k, 1)
			linalgtest.Close(t, "objective", report.Objective(), dense.Grad(g, theta), 1e-13)
			if norm := linalg.NormInf(g); !(norm < 1e-5) {
				t.Errorf("%d functions: a derivative of %g of the same rows stored dense", k, norm)
			}
			if first == nil {
				first = theta
			}
			for j := range theta {
				if math.Float64bits(theta[j]) != math.Float64bits(first[j]) {
					t.Fatalf("%d functions: %d workers come to other bits", k, workers)
				}
			}
		}
	}
}

// Sparse rows of few features are fitted as dense ones are, whatever the number of classes: conjugate gradients
// creep where columns have scales of their own.
func TestSparseClassesOfFewFeatures(t *testing.T) {
	x := linalgtest.Thinned(7, 1500, 170, 0.1)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			x.Set(i, j, v*math.Pow(10, float64(j%5-2)))
		}
	}
	o, dense := sparseObjective(t, linalgtest.Sparse(x), 3, 1), sparseObjective(t, x, 3, 1)
	if o.Plan() != dense.Plan() {
		t.Errorf("the plan is %q, of dense rows %q", o.Plan(), dense.Plan())
	}
	_, report, err := o.Minimize(glm.Problem{})
	_, want, _ := dense.Minimize(glm.Problem{})
	if err != nil || !(math.Abs(report.Objective()-want.Objective()) <= 1e-11*want.Objective()) {
		t.Errorf("%v, %v, of dense rows %v", report, err, want)
	}
}

// A user's own loss of several scores, which has no products with its Hessian, is minimised by the Hessian on sparse rows too.
func TestSparseRowsOfAUsersLoss(t *testing.T) {
	x := linalgtest.Sparse(linalgtest.Thinned(5, 100, 310, 0.03))
	o := sparseObjective(t, x, 2, 1)
	users := glm.NewMulti(o.Design, o.Y, own{loss.Softmax{K: 2}}, nil, o.Ridge)
	if strings.HasPrefix(users.Plan(), "sparse rows") {
		t.Errorf("the plan is %q", users.Plan())
	}
	theta, report, err := users.Minimize(glm.Problem{})
	_, want, failed := o.Minimize(glm.Problem{})
	if err != nil || failed != nil || !(math.Abs(report.Objective()/want.Objective()-1) <= 1e-11) || !(users.Certificate(theta) < 1e-6) {
		t.Errorf("%v, %v, of softmax %v, %v", report, err, want, failed)
	}
}
