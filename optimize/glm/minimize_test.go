package glm_test

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// fit is a fit of some rows: a way through the plan.
type fit struct {
	name    string
	x       *linalg.Dense
	y       []float64
	loss    func(d *design.Design, y, ridge []float64) *glm.Objective
	ridge   []float64 // of each feature in turn, in the data's units; nil is none
	tol     float64
	given   bool // the start is the caller's
	blurred bool // it ends in a basis of the columns

	rows linalg.Rows // nil is x
}

func (f fit) objective(t *testing.T) *glm.Objective {
	t.Helper()
	d, err := f.design()
	if err != nil {
		t.Fatal(err)
	}
	return f.on(d)
}

// design makes the design of the rows, read on one goroutine where they are not dense.
func (f fit) design() (*design.Design, error) {
	if f.rows != nil {
		return design.New(f.rows, len(f.y), "responses", design.Settings{Workers: 1})
	}
	return design.New(f.x, len(f.y), "responses", design.Settings{})
}

// on makes the objective on a design.
func (f fit) on(d *design.Design) *glm.Objective {
	var ridge []float64
	if f.ridge != nil {
		ridge = append(ridge, 0)
		for j, u := range d.Unit {
			ridge = append(ridge, f.ridge[j%len(f.ridge)]/u/u)
		}
	}
	return f.loss(d, f.y, ridge)
}

// minimize carries out the fit and returns it with the steps that the trace was shown.
func (f fit) minimize(t *testing.T, maxIter int, trace func(optimize.Step) error) ([]float64, optimize.Report, []optimize.Step, error) {
	t.Helper()
	o := f.objective(t)
	var steps []optimize.Step
	theta, report, err := o.Minimize(glm.Problem{Start: make([]float64, o.Parameters()), Given: f.given, Tol: f.tol, MaxIter: maxIter,
		Trace: func(s optimize.Step) error {
			s.X = slices.Clone(s.X)
			steps = append(steps, s)
			if trace == nil {
				return nil
			}
			return trace(s)
		}})
	if theta == nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return theta, report, steps, err
}

// twoSigns and codes are labels as responses.
func twoSigns(labels []int) []float64 {
	y := make([]float64, len(labels))
	for i, c := range labels {
		y[i] = float64(2*c - 1)
	}
	return y
}

func codes(labels []int) []float64 {
	y := make([]float64, len(labels))
	for i, c := range labels {
		y[i] = float64(c)
	}
	return y
}

func classes(k int, contrast *linalg.Dense) func(*design.Design, []float64, []float64) *glm.Objective {
	return func(d *design.Design, y, ridge []float64) *glm.Objective {
		return glm.NewMulti(d, y, loss.Softmax{K: k}, contrast, ridge)
	}
}

// fits go by every row of the plan's table and by every stage.
func fits(t *testing.T) []fit {
	var all []fit
	add := func(f fit) { all = append(all, f) }
	wide := linalgtest.Normal(2, 30, 1510)
	sign, number := make([]float64, 30), make([]float64, 30)
	for i := range sign {
		sign[i] = math.Copysign(1, wide.At(i, 0)+wide.At(i, 1))
		number[i] = wide.At(i, 3) + math.Sin(float64(i))
	}
	add(fit{name: "wide", x: wide, y: sign, loss: single(loss.Logistic{}), ridge: []float64{1}, tol: 1e-14})
	steep := wide.Clone()
	for i := range steep.Rows {
		linalg.Scale(steep.Row(i), math.Exp(-float64(i)/2))
	}
	add(fit{name: "wide and steep", x: steep, y: number, loss: single(loss.Squared{}), ridge: []float64{1e-9}, tol: 1e-12})

	uneven, halves := linalgtest.Normal(2, 120, 400), make([]float64, 120)
	for i := range halves {
		halves[i] = 2*float64(i%2) - 1
		for j := range uneven.Cols {
			uneven.Row(i)[j] *= math.Pow(10, 8*float64(j*37%uneven.Cols)/float64(uneven.Cols)-4)
		}
	}
	add(fit{name: "wide, of uneven units", x: uneven, y: halves, loss: single(loss.Logistic{}), ridge: []float64{1e-4}, tol: 1e-12})

	thirds := make([]float64, len(sign))
	for i := range thirds {
		thirds[i] = math.Round(1+sign[i])/2 + float64(i%2)
	}
	add(fit{name: "wide, three classes", x: wide, y: thirds, loss: classes(3, glm.Contrasts(3)), ridge: []float64{1}, tol: 1e-8})
	add(fit{name: "wide and steep, three classes", x: steep, y: thirds, loss: classes(3, glm.Contrasts(3)), ridge: []float64{1e-9}, tol: 1e-8})
	x, y := linalgtest.LabeledRows(300, 5, 2)
	add(fit{name: "ridge", x: x, y: twoSigns(y), loss: single(loss.Logistic{}), ridge: []float64{1}, tol: 1e-14})
	add(fit{name: "likelihood", x: x, y: twoSigns(y), loss: single(loss.Logistic{}), tol: 1e-14})
	add(fit{name: "free feature", x: x, y: twoSigns(y), loss: single(loss.Logistic{}), ridge: []float64{1, 0, 2}, tol: 1e-14})
	counts := make([]float64, len(y))
	for i := range counts {
		counts[i] = math.Floor(math.Exp(1 + x.At(i, 1)))
	}
	add(fit{name: "Poisson", x: x, y: counts, loss: single(poisson{}), tol: 1e-14})
	add(fit{name: "Poisson, ridge", x: x, y: counts, loss: single(poisson{}), ridge: []float64{3}, tol: 1e-14})
	led, y := linalgtest.LabeledRows(12000, 100, 2)
	add(fit{name: "led by a part", x: led, y: twoSigns(y), loss: single(loss.Logistic{}), ridge: []float64{1}, tol: 1e-14})
	rare, y := linalgtest.WithRareFeatures(12000)
	add(fit{name: "misled by a part", x: rare, y: twoSigns(y), loss: single(loss.Logistic{}), ridge: []float64{1}, tol: 1e-14})
	add(fit{name: "from a start", x: led, y: twoSigns(y), loss: single(loss.Logistic{}), ridge: []float64{1}, tol: 1e-14, given: true})
	tall, y := linalgtest.LabeledRows(40000, 12, 2)
	add(fit{name: "likelihood of many rows", x: tall, y: twoSigns(y), loss: single(loss.Logistic{}), tol: 1e-14})

	x, y = linalgtest.LabeledRows(2000, 150, 2)
	add(fit{name: "likelihood on many features", x: x, y: twoSigns(y), loss: single(loss.Logistic{}), tol: 1e-14})

	x, y = linalgtest.LabeledRows(200, 4, 3)
	add(fit{name: "three classes", x: x, y: codes(y), loss: classes(3, glm.Against(3, 2)), tol: 1e-14})
	add(fit{name: "three classes, ridge", x: x, y: codes(y), loss: classes(3, glm.Contrasts(3)), ridge: []float64{1}, tol: 1e-14})
	x, y = linalgtest.LabeledRows(4000, 40, 6)
	add(fit{name: "six classes", x: x, y: codes(y), loss: classes(6, glm.Contrasts(6)), ridge: []float64{1}, tol: 1e-14})
	add(fit{name: "six classes, likelihood", x: x, y: codes(y), loss: classes(6, glm.Against(6, 5)), tol: 1e-14})
	x, y = linalgtest.Clustered(8000)
	add(fit{name: "six classes in clusters", x: x, y: codes(y), loss: classes(6, glm.Contrasts(6)), ridge: []float64{1}, tol: 1e-14})

	x, y = linalgtest.LabeledRows(8000, 30, 8)
	for i := 0; i < len(y); i += 7 { // the rows of a part
		linalg.Scale(x.Row(i), 1e-4)
		y[i] = 7 - y[i]
	}
	add(fit{name: "eight classes, misled by a part", x: x, y: codes(y), loss: classes(8, glm.Against(8, 7)), tol: 1e-14})

	for k := 2; k < 4; k++ { // a value that dwarfs the others hides from the certificate that rows still move
		x, y := linalgtest.LabeledRows(40, 1, k)
		x.Set(0, 0, 1e11)
		f := fit{name: "two classes, far row", x: x, y: twoSigns(y), loss: single(loss.Logistic{}), tol: 1e-14}
		if k == 3 {
			f.name, f.y, f.loss = "three classes, far row", codes(y), classes(3, glm.Against(3, 2))
		}
		add(f)
	}
	copies, y := linalgtest.LabeledRows(400, 4, 2)
	for i := range y {
		row := copies.Row(i)
		row[0], row[1], row[2] = row[0]+5, 10*row[1]+5, 100*row[2]+5
		row[3] = row[0] + 1e-7*row[3]
	}
	add(fit{name: "near copies", x: copies, y: twoSigns(y), loss: single(loss.Logistic{}), tol: 1e-14, blurred: true})
	return all
}

// public returns the scores' parameters as the trace shows them.
func (f fit) public(t *testing.T, theta []float64) []float64 {
	o := f.objective(t)
	functions := slices.Concat(o.FunctionsOf(theta)...)
	public := make([]float64, len(functions))
	o.ToPublic(public, functions)
	return public
}

// large reports whether a fit has so many values that short tests repeat it little.
func (f fit) large() bool { return len(f.x.Data) >= 40_000 }

// some returns the numbers from 0 to n: of twenty or more every tenth, and in short tests three, or
// one of a large fit.
func (f fit) some(n int) []int {
	switch {
	case testing.Short() && f.large():
		return []int{2}
	case testing.Short():
		return []int{1, 2, n}
	}
	var all []int
	for k := 0; k <= n; k++ {
		if k == 2 || k == n || n < 20 || k%10 == 0 {
			all = append(all, k)
		}
	}
	return all
}

// The trace sees one count over all stages, of objectives that fall. A cap ends the fit
// where it is reached, at the point that the fit without it has there, and so does the
// trace. Stages that begin at a certificate that holds, and do not end at one, are undone.
func TestOneCount(t *testing.T) {
	linalgtest.SkipSlow(t)
	plans := map[string]bool{}
	for _, f := range fits(t) {
		theta, report, steps, err := f.minimize(t, 0, nil)
		if err != nil || report.Iterations() != len(steps)-1 || !slices.Equal(f.public(t, theta), steps[len(steps)-1].X) {
			t.Fatalf("%s: %+v, %v; the trace saw %d", f.name, report, err, len(steps)-1)
		}
		for k, s := range steps {
			if s.Iteration != k {
				t.Errorf("%s: iteration %d after %d", f.name, s.Iteration, k-1)
			}
		}
		plans[f.objective(t).Plan()] = true
		for _, k := range f.some(report.Iterations()) {
			f.capped(t, k, steps)
			f.stopped(t, k, steps)
		}
	}
	if len(plans) != 7 {
		t.Errorf("%d rows of the table: %v", len(plans), plans)
	}
}

// capped holds a fit of at most so many iterations to the steps of the one without.
func (f fit) capped(t *testing.T, most int, steps []optimize.Step) {
	t.Helper()
	if most == 0 {
		return // 0 is no cap
	}
	theta, report, shown, err := f.minimize(t, most, nil)
	at := f.public(t, theta)
	if report.Iterations() != most || len(shown) != most+1 || (err == nil) != report.Certificate().Holds() {
		t.Errorf("%s, at most %d: %+v, %v; the trace saw %d", f.name, most, report, err, len(shown)-1)
	}
	switch last := most == len(steps)-1; report.Status() {
	case optimize.MaxIterations:
		if !errors.Is(err, optimize.ErrNotConverged) || !slices.Equal(at, steps[most].X) || last {
			t.Errorf("%s, at most %d: %v, at %v, want %v", f.name, most, err, at, steps[most].X)
		}
	case optimize.Converged:
		if !slices.ContainsFunc(steps[:most+1], func(s optimize.Step) bool { return slices.Equal(at, s.X) }) || !last && !report.Certificate().Holds() {
			t.Errorf("%s, at most %d: converged at %v, where no step has been", f.name, most, at)
		}
	default:
		t.Errorf("%s, at most %d: %v", f.name, most, report.Status())
	}
}

// stopped holds a fit that the trace stops to the steps of the one without.
func (f fit) stopped(t *testing.T, k int, steps []optimize.Step) {
	t.Helper()
	stop := errors.New("enough")
	theta, report, shown, err := f.minimize(t, 0, func(s optimize.Step) error {
		if s.Iteration == k {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || report.Status() != optimize.Stopped {
		t.Errorf("%s, stopped at %d: %v, %v", f.name, k, report, err)
	}
	if report.Iterations() != k || len(shown) != k+1 || !slices.Equal(f.public(t, theta), steps[k].X) {
		t.Errorf("%s, stopped at %d: %v, %d steps shown", f.name, k, report, len(shown))
	}
}

// An error of the storage is one of the fit, whatever stage it comes up in, and leaves no
// point.
func TestEveryStageReturnsErrors(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, f := range fits(t) {
		run := func(x linalg.Rows) error {
			f.rows = x
			d, err := f.design()
			if err != nil {
				return err
			}
			o := f.on(d)
			theta, report, err := o.Minimize(glm.Problem{Start: make([]float64, o.Parameters()), Given: f.given, Tol: f.tol})
			if err == nil || errors.Is(err, optimize.ErrNotConverged) {
				return err
			}
			if theta != nil || report.Status() != optimize.None {
				t.Errorf("%s: %v with %+v beside %v", f.name, theta, report, err)
			}
			return err
		}
		var blocks atomic.Int64
		err := run(linalgtest.Watched{Rows: f.x, Watch: func(*linalg.Block) error { blocks.Add(1); return nil }})
		if err != nil && !f.blurred {
			t.Fatalf("%s: %v", f.name, err)
		}
		some := linalgtest.Rounds(3, 200)
		if testing.Short() && f.large() {
			some = 1
		}
		linalgtest.EachFailure(t, f.x, 1+int(blocks.Load())/some, run)
	}
}
