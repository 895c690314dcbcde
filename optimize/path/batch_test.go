package path

// Where batches fail, the general solver of a path finds the same fits in more time: so
// these tests look at the batches themselves.

import (
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// testWalk is a walk that keeps its fits.
type testWalk struct {
	*walk
	fits []Fit
}

// newWalk returns the path of a lasso of two classes before its first fit.
func newWalk(t *testing.T, x *linalg.Dense, labels []int, s Settings) *testWalk {
	t.Helper()
	p, err := New(logistic(t, x, labels, false, design.Settings{}), Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &testWalk{walk: &walk{Problem: p, tol: s.Tol, nullValue: p.atNull}}
	s.Add = func(f Fit) error {
		f.Theta = slices.Clone(f.Theta)
		w.fits = append(w.fits, f)
		return nil
	}
	w.s = s
	if w.lambdas, err = p.grid(s); err != nil {
		t.Fatal(err)
	}
	if w.progress, err = optimize.Begin(p.Objective, p.Null(), nil, optimize.Defaults{Kind: optimize.KindKKT, Tol: s.Tol}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *testWalk) batches(t *testing.T) *batches {
	t.Helper()
	b, err := newBatches(w.walk)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A model between two fits says of the step from one to the other what their
// gradients say, whatever the Hessian kept, and stays positive definite.
func TestBetween(t *testing.T) {
	x, labels := linalgtest.LabeledRows(200, 12, 2)
	b := newWalk(t, x, labels, Settings{Tol: 1e-8}).batches(t)
	b.join(linalg.Sequence(len(b.Null())))
	b.renew(b.last().theta)
	one, other := b.last(), &candidate{theta: slices.Clone(b.Null()), g: b.vector(), r: make([]float64, b.N)}
	for j := range other.theta {
		other.theta[j] += 0.3 * math.Sin(float64(j+1))
	}
	b.evaluate([]*candidate{other}, b.P)
	n := len(b.set)
	h, c := b.between(b.f.matrix(n, n), one, other, other.curvature)
	for i, j := range b.set {
		step := 0.0
		for k, m := range b.set {
			step += c * h.At(i, k) * (other.theta[m] - one.theta[m])
		}
		linalgtest.Close(t, "change of the gradient", step, other.g[j]-one.g[j], 1e-9*b.sizes[j])
	}
	if _, err := linalg.NewCholesky(h); err != nil {
		t.Error(err)
	}
	if got, c := b.between(b.f.matrix(n, n), one, one, other.curvature); got != b.h || c != 1 {
		t.Error("no step, but another Hessian")
	}
}

// A λ that the batches give up is left to the general solver. None has to be for one
// that is given twice, or lies above λmax.
func TestBatchesGiveUp(t *testing.T) {
	x, labels := linalgtest.LabeledRows(300, 20, 2)
	lambdas := []float64{1000, 1000, 40, 20, 20, 10, 5, 5, 2}
	w := newWalk(t, x, labels, Settings{Lambdas: lambdas, Tol: 1e-9})
	b := w.batches(t)
	b.rounds = 2
	end, err := b.run()
	if done := len(w.fits); done == 0 || done == len(lambdas) || end || err != nil {
		t.Errorf("%d λ of %d in two rounds, %v, %v", done, len(lambdas), end, err)
	}
	for _, lambdas := range [][]float64{lambdas, {20, 20, 20, 20}} {
		w := newWalk(t, x, labels, Settings{Lambdas: lambdas, Tol: 1e-9})
		if end, err := w.batches(t).run(); len(w.fits) < len(lambdas) || !end || err != nil {
			t.Errorf("%d λ of %v, %v", len(w.fits), lambdas, err)
		}
	}
	w = newWalk(t, x, labels, Settings{Lambdas: lambdas, Tol: 1e-9})
	if err := w.Run(w.s); err != nil {
		t.Fatal(err)
	}
	for k, f := range w.fits {
		if r := f.Report; !r.Certificate().Holds() || r.Iterations() == 0 || r.Iterations() > 12 {
			t.Errorf("λ = %g: %+v", f.Lambda, r)
		}
		_, single, err := w.Fit(f.Lambda, nil, &optimize.Control{Tol: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "objective", f.Objective, single.Objective(), 1e-10)
		if (f.Lambda >= w.LambdaMax()) != (f.DF == 0) {
			t.Errorf("%d: λ = %g: %d features", k, f.Lambda, f.DF)
		}
	}
}

// Where the rule that discards features is wrong, the check of all features finds them:
// here it is led to foretell that all gradients vanish.
func TestScreeningIsChecked(t *testing.T) {
	for _, size := range [][2]int{{300, 40}, {90, 400}} {
		x, labels := linalgtest.LabeledRows(size[0], size[1], 2)
		w := newWalk(t, x, labels, Settings{Count: 20, MinRatio: 0.2, Tol: 1e-8})
		b := w.batches(t)
		for done := 1; done > 0 && len(b.lambdas) > 0; {
			lambdas, last := b.lambdas[:b.length()], b.last()
			misled := &candidate{lambda: 2*last.lambda - lambdas[len(lambdas)-1], theta: last.theta, g: slices.Clone(last.g), known: slices.Clone(last.g)}
			linalg.Scale(misled.g, 2)
			b.past = []*candidate{misled, last}
			fits, err := b.solve(lambdas)
			if err != nil {
				t.Fatal(err)
			}
			if done, _, err = b.publish(fits); err != nil {
				t.Fatal(err)
			}
			b.keep(fits)
		}
		if len(w.fits) < 10 {
			t.Errorf("%d λ", len(w.fits))
		}
		for _, f := range w.fits {
			if kkt := residualOf(w.Problem, x, f.Lambda, f.Theta); !(kkt <= 1e-8) {
				t.Errorf("λ = %g: KKT residual %g", f.Lambda, kkt)
			}
		}
	}
}

// residualOf returns the certificate of a fit of a lasso of two classes in units of 1,
// by plain loops over the data.
func residualOf(p *Problem, x *linalg.Dense, lambda float64, theta []float64) float64 {
	k := p.Intercept
	g, size := make([]float64, len(theta)), make([]float64, len(theta))
	for i := range x.Rows {
		row := make([]float64, k, len(theta))
		for j := range row {
			row[j] = 1
		}
		for j, v := range x.Row(i) {
			row = append(row, v-p.Origin[j])
		}
		r := linalg.Sigmoid(linalg.Dot(theta, row)) - (1+p.Y[i])/2
		for j, v := range row {
			g[j] += r * v
			size[j] += math.Abs(v)
		}
	}
	worst := 0.0
	for j, b := range theta {
		r := g[j]
		switch {
		case j < k:
		case b > 0:
			r += lambda
		case b < 0:
			r -= lambda
		default:
			r = max(0, math.Abs(r)-lambda)
		}
		worst = max(worst, math.Abs(r)/size[j])
	}
	return worst
}

// The residuals of a candidate say how unlikely its rows are; rows without residual say nothing.
func TestMisfitIsInTheResiduals(t *testing.T) {
	x, labels := linalgtest.LabeledRows(90, 5, 2)
	b := newWalk(t, x, labels, Settings{Tol: 1e-8}).batches(t)
	b.join(linalg.Sequence(len(b.Null())))
	b.renew(b.last().theta)
	c := &candidate{theta: slices.Clone(b.Null()), g: b.vector(), r: make([]float64, b.N)}
	for j := range c.theta {
		c.theta[j] += 0.3 * math.Sin(float64(j+1))
	}
	b.evaluate([]*candidate{c}, b.P)
	coef, want := make([]float64, b.P), 0.0
	intercept := b.Coef(coef, c.theta)
	for i, y := range signs(labels) {
		f := intercept
		for j, v := range x.Row(i) {
			f += coef[j] * (v - b.Origin[j])
		}
		want += math.Exp(-y * f) // 1/p − 1
	}
	linalgtest.Close(t, "misfit", b.misfit(c.r), want, 1e-12)
	c.r[3] = 0
	if less := b.misfit(c.r); !(less < want && less > want/2) {
		t.Errorf("misfit %g with a row less, %g before", less, want)
	}
	if c.r[4] = -b.Weight(4); !math.IsInf(b.misfit(c.r), 1) {
		t.Errorf("misfit %g of a row of probability 0", b.misfit(c.r))
	}
}

// Of rows of several trials the misfit is Σ w(t − p)²/(p(1 − p)) for the shares t of one class: 101 for 0 of 1,000 and 10 of 100
// where 10 of 1,100 are expected, and not 19.
func TestMisfitOfGroups(t *testing.T) {
	share, trials := []float64{0, 0.1, 1, 0.75}, []float64{1000, 100, 10, 8}
	x := linalgtest.Rows(t, []float64{0}, []float64{0}, []float64{1}, []float64{1})
	y, offset := make([]float64, len(share)), math.Log(10./1090)
	for i, s := range share {
		y[i] = 2*s - 1
	}
	d, err := design.New(x, len(share), "rows", design.Settings{Weights: trials, Offset: slices.Repeat([]float64{offset}, len(share)), NoIntercept: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(glm.New(d, y, loss.Logistic{}, nil), Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := p.RowsAt([]float64{1.5})
	want := 0.0
	for i, w := range trials {
		chance := linalg.Sigmoid(offset + 1.5*x.At(i, 0)/d.Unit[0])
		want += w * (share[i] - chance) * (share[i] - chance) / chance / (1 - chance)
	}
	linalgtest.Close(t, "misfit", p.misfit(r), want, 1e-12)
}

// The bound by one pass holds wherever the intercepts are, and is no less than that by all passes: where
// Newton's step would leave a row without a probability, it is none. Fits ask for it near their minimum alone.
func TestGapHoldsWhereverTheInterceptsAre(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, labels := linalgtest.LabeledRows(60, 4, k)
		o, level := logistic(t, x, labels, false, design.Settings{}), []float64{0}
		if k > 2 {
			o, level = glm.NewMulti(o.Design, floats(labels), loss.Softmax{K: k}, nil, nil), make([]float64, k)
		}
		p, err := New(o, Penalty{L1Ratio: 1}, level, nil)
		if err != nil {
			t.Fatal(err)
		}
		lambda := p.LambdaMax() / 10
		theta, report, err := p.Fit(lambda, nil, &optimize.Control{Tol: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		for _, shift := range []float64{0, 1e-3, 0.3, -0.3, 0.9, -0.9, 3, -3, 20} {
			at := slices.Clone(theta)
			at[0] += shift
			if k > 2 {
				at[p.Dim()] -= 2 * shift
			}
			value, gap, err := p.gap(lambda, at, math.MaxFloat64/1e10, false)
			if err != nil {
				t.Fatal(err)
			}
			above := value - report.Objective()
			_, less, err := p.gap(lambda, at, 0, false)
			if err != nil {
				t.Fatal(err)
			}
			if !(gap >= above-1e-12 && gap >= less) || shift == 0 && !(gap < 1e-7*value) {
				t.Errorf("%d classes, intercept off by %g: gap %g, %g by all passes, %g above the minimum", k, shift, gap, less, above)
			}
		}
	}
}

// What a coordinate costs a gap is the most over all derivatives that its blur allows, at
// whichever end that is, and the lengths that blurs are of are those of the columns.
func TestCostIsTheMostWithinTheBlur(t *testing.T) {
	for _, c := range []term{{theta: 2, g: -1.2, moved: 0.3, l1: 1, l2: 0.5}, {theta: 0, g: 1.3, moved: 0.4, l1: 1, l2: 0.5}, {theta: 1, g: 0, moved: 2, l1: 1, l2: 2},
		{theta: 1, g: -1.9, moved: 0.3, l1: 1, l2: 0.5}, {theta: 3, g: -2.2, moved: 0.6, l1: 1, l2: 0.5}} {
		c.most = math.Abs(c.g)
		for _, share := range []float64{1, 0.9} {
			most := 0.0
			for k := -50.0; k <= 50; k++ {
				g := share * (c.g + c.moved*k/50)
				over := max(0, math.Abs(g)-c.l1)
				most = max(most, c.l1*c.theta+c.l2*c.theta*c.theta/2+over*over/(2*c.l2)+g*c.theta)
			}
			linalgtest.Close(t, "cost", c.cost(share), most, 1e-12)
		}
	}
	x, labels := linalgtest.LabeledRows(60, 4, 2)
	w := newWalk(t, x, labels, Settings{Tol: 1e-8})
	if err := w.measureLengths(); err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "length of ones", w.lengths[0], math.Sqrt(60), 1e-12)
	for j, length := range w.lengths[1:] {
		col := x.Col(nil, j)
		linalg.Axpy(col, -1, slices.Repeat([]float64{w.Origin[j]}, 60))
		linalgtest.Close(t, "length of a column", length, math.Sqrt(linalg.Dot(col, col)), 1e-9)
	}
}

func floats(labels []int) []float64 {
	y := make([]float64, len(labels))
	for i, c := range labels {
		y[i] = float64(c)
	}
	return y
}
