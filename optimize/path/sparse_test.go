package path_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// A path of sparse rows is that of the same rows stored dense; so are single fits, also where
// columns are so nearly dependent that a descent over them creeps.
func TestSparsePathIsTheDenseOne(t *testing.T) {
	for seed := range 4 {
		x := linalgtest.Thinned(uint64(seed), 300, 40, []float64{0.3, 0.12, 0.12, 0.3}[seed]) // in batches, and one by one
		y := make([]float64, 300)
		for i := range y {
			if seed%2 == 1 {
				x.Set(i, 2, x.At(i, 1)*(1+1e-4*math.Sin(float64(i))))
				x.Set(i, 7, x.At(i, 1)+1e-4*x.At(i, 6))
			}
			y[i] = math.Copysign(1, x.At(i, 0)-x.At(i, 1)-x.At(i, 3)+math.Cos(float64(3*i)))
		}
		c := task{x: x, y: y, objective: one(loss.Logistic{}), standardize: seed < 2, penalty: path.Penalty{L1Ratio: 1 - float64(seed)/8}}
		if seed > 1 {
			c.settings = design.Settings{NoIntercept: true}
			c.objective = one(loss.Squared{})
		}
		dense := c.problem(t)
		c.x = linalgtest.Sparse(x)
		c.settings.Workers = 1
		sparse := c.problem(t)
		c.settings.Workers = 3
		want, others := run(t, dense, path.Settings{Count: 30}), run(t, c.problem(t), path.Settings{Count: 30})
		for i, f := range run(t, sparse, path.Settings{Count: 30}) {
			if f.Objective != others[i].Objective || f.DevRatio != others[i].DevRatio {
				t.Errorf("%d λ %d: other bits with other workers", seed, i)
			}
			linalgtest.Close(t, fmt.Sprint(seed, " λ ", i), f.Lambda, want[i].Lambda, 1e-9*f.Lambda)
			linalgtest.Close(t, fmt.Sprint(seed, " objective ", i), f.Objective, want[i].Objective, 1e-7*want[i].Objective)
		}
		for _, share := range []float64{0.3, 1e-3, 1e-6} {
			lambda := share * dense.LambdaMax()
			control := &optimize.Control{Tol: 1e-8}
			_, r, err := dense.Fit(lambda, nil, control)
			if err != nil {
				t.Fatal(err)
			}
			_, s, err := sparse.Fit(lambda, nil, control)
			if err != nil {
				t.Fatal(seed, share, err)
			}
			linalgtest.Close(t, fmt.Sprint(seed, " fit at ", share), s.Objective(), r.Objective(), 1e-7*r.Objective())
		}
	}
}

// counted are rows that count the blocks that are read.
type counted struct {
	linalg.Rows
	blocks *atomic.Int64
}

func (c counted) Pass(lo, hi int, visit func(*linalg.Block) error) error {
	return linalg.Pass(c.Rows, lo, hi, func(b *linalg.Block) error {
		c.blocks.Add(1)
		return visit(b)
	})
}

// A path of sparse rows goes by their columns, and so does the proof of its fits: the rows are
// read before the first fit, and hardly again.
func TestSparsePathLeavesTheRows(t *testing.T) {
	const n, p = 400, 60
	x, y := linalgtest.Thinned(3, n, p, 0.1), make([]float64, n)
	for i := range y {
		y[i] = math.Copysign(1, x.At(i, 0)-x.At(i, 1)+math.Cos(float64(3*i)))
	}
	blocks := new(atomic.Int64)
	problem := task{x: counted{linalgtest.Sparse(x), blocks}, y: y, objective: one(loss.Logistic{}), penalty: path.Penalty{L1Ratio: 1},
		settings: design.Settings{Workers: 1}}.problem(t)
	blocks.Store(0)
	if _, _, err := problem.Fit(problem.LambdaMax()/2, nil, &optimize.Control{Tol: 1e-3}); err != nil {
		t.Fatal(err)
	}
	first := blocks.Swap(0)
	fits := run(t, problem, path.Settings{Count: 20, MinRatio: 0.3})
	if got := blocks.Load(); got > first {
		t.Errorf("%d fits read %d blocks, the first one %d", len(fits), got, first)
	}
}

// A path of ridges on enough values of few features goes by batches, over a copy that is made once; one on fewer
// values reads the rows for each.
func TestSparseRidgesOfFewFeaturesGoByBatches(t *testing.T) {
	for share, batches := range map[float64]bool{0.05: false, 0.13: true} {
		const n, p, few = 400, 60, 8 // blocks
		x, y := linalgtest.Thinned(3, n, p, share), make([]float64, n)
		for i := range y {
			y[i] = math.Copysign(1, x.At(i, 0)-x.At(i, 1)+math.Cos(float64(3*i)))
		}
		blocks := new(atomic.Int64)
		problem := task{x: counted{linalgtest.Sparse(x), blocks}, y: y, objective: one(loss.Logistic{}), settings: design.Settings{Workers: 1}}.problem(t)
		blocks.Store(0)
		fits := run(t, problem, path.Settings{Count: 20, MinRatio: 0.01})
		if got := blocks.Load(); len(fits) < 20 || batches != (got <= few) {
			t.Errorf("share %g: %d fits read %d blocks", share, len(fits), got)
		}
	}
}

// Where rounding is most of a gap that asks for no pass, passes prove the fit, and no further
// derivatives, which a Hessian would be made for.
func TestRoundingIsNotDescended(t *testing.T) {
	const n, p = 20_000, 12
	x, y := linalgtest.Thinned(3, n, p, 0.15), make([]float64, n)
	for i := range y {
		y[i] = math.Copysign(1, x.At(i, 0)-x.At(i, 1)+2*math.Cos(float64(3*i)))
	}
	problem := task{x: linalgtest.Sparse(x), y: y, objective: one(loss.Logistic{}), penalty: path.Penalty{L1Ratio: 1}}.problem(t)
	_, report, err := problem.Fit(problem.LambdaMax()/50, nil, &optimize.Control{Tol: 1e-14})
	if err != nil || report.Iterations() > 6 { // 8 where derivatives fall as long as they do
		t.Errorf("%v: %v", report, err)
	}
}

// Several classes on sparse rows have the minimum of dense ones, over their columns and, of few features, by Hessians.
func TestSparseClassesHaveTheMinimumOfDenseOnes(t *testing.T) {
	for seed := range linalgtest.Rounds(6, 6) {
		kind, columns := seed/2, []int{30, 170}[seed%2]
		x := linalgtest.Thinned(uint64(seed), 200, columns, 0.2)
		y := make([]float64, 200)
		for i := range y {
			y[i] = float64((i + int(5*math.Abs(x.At(i, seed)))) % 4)
		}
		c := task{x: x, y: y, objective: softmax(4), standardize: kind == 1, penalty: path.Penalty{L1Ratio: 1 - float64(kind)/4}}
		c.settings = design.Settings{NoIntercept: kind == 2}
		dense := c.problem(t)
		c.x = linalgtest.Sparse(x)
		sparse := c.problem(t)
		for _, share := range []float64{0.5, 0.1, 0.01} {
			lambda, control := share*dense.LambdaMax(), &optimize.Control{Tol: 1e-8}
			_, want, err := dense.Fit(lambda, nil, control)
			if err != nil {
				t.Fatal(err)
			}
			theta, got, err := sparse.Fit(lambda, nil, control)
			if err != nil {
				t.Fatal(seed, share, err)
			}
			// The bounds, and the dense rows' gradient at the sparse rows' minimum.
			bounds := (got.Certificate().Value + want.Certificate().Value) * want.Objective()
			linalgtest.Close(t, fmt.Sprint(seed, " objective at ", share), got.Objective(), want.Objective(), bounds+1e-13*want.Objective())
			value, certificate, err := dense.Judge(lambda, theta, control.Tol)
			linalgtest.Close(t, fmt.Sprint(seed, " objective of dense rows at ", share), value, got.Objective(), 1e-12*value)
			if err != nil || !(certificate.Value <= 2*got.Certificate().Value+1e-13) {
				t.Errorf("%d, at %v: %v over dense rows, %v over sparse ones, %v", seed, share, certificate, got.Certificate(), err)
			}
			if got.Iterations() > 2*want.Iterations() {
				t.Errorf("%d, at %v: %d models of sparse rows, %d of dense ones", seed, share, got.Iterations(), want.Iterations())
			}
		}
	}
}

// Rows of few values and classes that these tell apart: a small penalty moves scores so far that
// curvatures at the start, and those of rows next to certain of a wrong class, foretell nothing. The end
// takes few steps over all classes at once (seven to nine by processor), and sums that words of most rows blur little.
func TestSparseClassesThatAreToldApart(t *testing.T) {
	linalgtest.SkipSlow(t)
	const n, p, k = 1500, 2500, 10
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 9))
		x, y := linalg.Zeros(n, p), make([]float64, n)
		for i := range y {
			class := r.IntN(k)
			y[i] = float64(class)
			for range 25 {
				j := int(p * math.Pow(r.Float64(), 3))
				if r.IntN(15) == 0 {
					j = class + k*r.IntN(p/k)
				}
				x.Set(i, j, r.ExpFloat64()/4+0.02)
			}
		}
		problem := task{x: linalgtest.Sparse(x), y: y, objective: softmax(k), penalty: path.Penalty{L1Ratio: 1}}.problem(t)
		lambda := problem.LambdaMax() / 150
		theta, report, err := problem.Fit(lambda, nil, &optimize.Control{Tol: 1e-10, MaxIter: 10})
		if err != nil {
			t.Fatal(seed, err)
		}
		if value, _, _ := problem.Judge(lambda, theta, 1e-6); !(math.Abs(value-report.Objective()) <= 1e-9*value) {
			t.Errorf("%d: the objective is %v, not %v", seed, value, report.Objective())
		}
	}
}

// Where the means that rows are implied to be about are off, as rounding makes them, residuals do not sum to
// 0. The minimum with a level of its own lies within the certificate all the same, and not far within.
func TestImpliedMeansThatAreOff(t *testing.T) {
	const n, p = 60, 1500
	x, y := linalg.Zeros(n, p), linalgtest.Normal(4, n, 1).Data
	r := rand.New(rand.NewPCG(8, 8))
	for i := range n {
		x.Set(i, 0, 3+r.NormFloat64())
		x.Set(i, 1+r.IntN(3), r.NormFloat64())
		y[i] += x.At(i, 0) - 3
	}
	mean := linalg.Sum(y) / n
	for i := range y {
		y[i] -= mean
	}
	for _, penalty := range []path.Penalty{{L1Ratio: 1}, {L1Ratio: 0.5}} {
		least := 0.0
		for _, off := range []float64{0, 1e-6, 1e-3} {
			d, err := design.New(linalgtest.Sparse(x), n, "responses", design.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			c, _, _, err := d.Centered()
			if err != nil || !c.Implied() {
				t.Fatal(err)
			}
			c.Origin[0] += off
			q, err := path.New(glm.New(c, y, loss.Squared{}, nil), penalty, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, report, err := q.Fit(5, nil, &optimize.Control{Tol: 1e-2})
			if err != nil {
				t.Fatal(err)
			}
			if off == 0 {
				least = report.Objective() * (1 - report.Certificate().Value)
			}
			value := report.Objective()
			gap, above := report.Certificate().Value*value, value-least
			if !(gap >= above-1e-9*value && gap <= 10*above+1e-9*value) {
				t.Errorf("%+v, off by %g: gap %g, %g above the minimum", penalty, off, gap, above)
			}
		}
	}
}

// A fit of a path over columns allocates few vectors of all features: of its gradients, that of the loss is lent.
func TestSparsePathTakesLittleMemory(t *testing.T) {
	const n, p, count = 60, 20_000, 20
	x, y := linalgtest.Thinned(3, n, p, 0.01), make([]float64, n)
	for i := range y {
		y[i] = math.Copysign(1, x.At(i, 0)-x.At(i, 1)+math.Cos(float64(3*i)))
	}
	problem := task{x: linalgtest.Sparse(x), y: y, objective: one(loss.Logistic{}), penalty: path.Penalty{L1Ratio: 1}}.problem(t)
	run(t, problem, path.Settings{Count: 2})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fits := run(t, problem, path.Settings{Count: count, MinRatio: 0.3})
	runtime.ReadMemStats(&after)
	if vectors := float64(after.TotalAlloc-before.TotalAlloc) / (8 * p * count); len(fits) < count || vectors > 7.5 { // 8.6 with a copy of each gradient
		t.Errorf("%d fits take %.1f vectors of all features each", len(fits), vectors)
	}
}

// Several goroutines prove the fits of a batch, of rows about implied means too, and none makes a pass over the rows.
func TestBatchesOfSparseRowsMakeNoPassToProveFits(t *testing.T) {
	const n, p = 3000, 40
	x, y := linalgtest.Thinned(15, n, p, 0.25), linalgtest.Numbers(n)
	for i := range y {
		y[i] += x.At(i, 1) - 2*x.At(i, 3)
	}
	mean := linalg.Sum(y) / n
	for i := range y {
		y[i] -= mean
	}
	blocks := new(atomic.Int64)
	rows, err := design.New(counted{linalgtest.Sparse(x), blocks}, n, "responses", design.Settings{Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	d, _, _, err := rows.Centered()
	if err != nil || !d.Implied() {
		t.Fatal("the origin is not implied", err)
	}
	if err := path.Measure(d, false); err != nil {
		t.Fatal(err)
	}
	problem, err := path.New(glm.New(d, y, loss.Squared{}, nil), path.Penalty{L1Ratio: 1}, []float64{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	blocks.Store(0)
	fits := run(t, problem, path.Settings{Count: 40, MinRatio: 1e-3, Tol: 1e-8})
	if got := blocks.Load(); len(fits) < 20 || got > 2*int64(len(fits)) { // the copy is made of 24
		t.Errorf("%d fits read %d blocks", len(fits), got)
	}
}

// Fits that go side by side, both with next to no penalty, ask at the same time for the spread of the columns that
// bounds what rounding does. The race detector sees one that writes where another reads.
func TestFitsSideBySideMeasureColumnsApart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := linalg.Zeros(400, 1500), make([]float64, 400)
	for i := range y {
		for range 30 {
			x.Set(i, r.IntN(x.Cols), r.Float64())
		}
		y[i] = math.Copysign(1, x.At(i, 0)+x.At(i, 1)+x.At(i, 2)+0.3*r.NormFloat64()-0.1)
	}
	p := (&task{x: linalgtest.Sparse(x), y: y, objective: one(loss.Logistic{}), penalty: path.Penalty{L1Ratio: 0.5}, settings: design.Settings{Workers: 2}}).problem(t)
	fits := 0
	lambdas := []float64{1.1e-8, 1e-8, 1.1e-9, 1e-9}
	err := p.Run(path.Settings{Lambdas: lambdas, Judges: true, Add: func(path.Fit) error { fits++; return nil }})
	if err != nil || fits != len(lambdas) {
		t.Errorf("%d fits, %v", fits, err)
	}
}
