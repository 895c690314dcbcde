package path_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
	"halfspace/optimize/path"
)

// poisson is a user's own loss, that of counts y of mean exp f: exp f − yf.
type poisson struct{}

func (poisson) Value(y, f float64) float64  { return math.Exp(f) - y*f }
func (poisson) Deriv(y, f float64) float64  { return math.Exp(f) - y }
func (poisson) Second(_, f float64) float64 { return math.Exp(f) }

// task is a family of fits.
type task struct {
	name        string
	x           linalg.Rows
	y           []float64
	settings    design.Settings
	standardize bool
	objective   func(d *design.Design, y []float64) *glm.Objective
	penalty     path.Penalty
}

func (c task) problem(t *testing.T) *path.Problem {
	t.Helper()
	d, err := design.New(c.x, len(c.y), "responses", c.settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := path.Measure(d, c.standardize); err != nil {
		t.Fatal(err)
	}
	o := c.objective(d, c.y)
	p, err := path.New(o, c.penalty, make([]float64, o.Scores()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run returns the fits of a path.
func run(t *testing.T, p *path.Problem, s path.Settings) []path.Fit {
	t.Helper()
	var fits []path.Fit
	s.Add = func(f path.Fit) error {
		f.Theta = slices.Clone(f.Theta)
		fits = append(fits, f)
		return nil
	}
	if err := p.Run(s); err != nil {
		t.Fatal(err)
	}
	return fits
}

func one(l loss.Smooth) func(*design.Design, []float64) *glm.Objective {
	return func(d *design.Design, y []float64) *glm.Objective { return glm.New(d, y, l, nil) }
}

func softmax(k int) func(*design.Design, []float64) *glm.Objective {
	return func(d *design.Design, y []float64) *glm.Objective {
		return glm.NewMulti(d, y, loss.Softmax{K: k}, nil, nil)
	}
}

// never is the rule by which a path hardly ends early.
var never = path.Stop{MaxDevRatio: 1, Gain: math.SmallestNonzeroFloat64}

// tasks are paths of every loss, tall, wide, and so wide that few features are copied.
func tasks() []task {
	var all []task
	for _, size := range [][2]int{{700, 12}, {60, 150}, {60, 250}} {
		n, p := size[0], size[1]
		x, labels := linalgtest.LabeledRows(n, p, 2)
		_, three := linalgtest.LabeledRows(n, p, 3)
		sign, number, count, class := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		factors := make([]float64, p)
		some := design.Settings{Weights: make([]float64, n), Offset: make([]float64, n)}
		for i := range n {
			sign[i], class[i] = float64(2*labels[i]-1), float64(three[i])
			number[i] = x.At(i, 0) - 2*x.At(i, 3) + math.Sin(float64(i)) + 7
			count[i] = math.Floor(math.Exp(x.At(i, 1)))
			some.Weights[i], some.Offset[i] = float64(i%3)/2, math.Cos(float64(i))
		}
		for j := range factors {
			factors[j] = 0.5 + float64(j%3)
		}
		factors[3] = 0
		lasso, half, ridge := path.Penalty{L1Ratio: 1}, path.Penalty{L1Ratio: 0.5, Factors: factors}, path.Penalty{}
		odd := linalgtest.OddBlocks{X: x}
		all = append(all,
			task{"logistic lasso", x, sign, design.Settings{}, true, one(loss.Logistic{}), lasso},
			task{"logistic net, weights, offset", odd, sign, some, true, one(loss.Logistic{}), half},
			task{"logistic ridge", odd, sign, design.Settings{}, false, one(loss.Logistic{}), ridge},
			task{"logistic, no intercept", x, sign, design.Settings{NoIntercept: true}, false, one(loss.Logistic{}), lasso},
			task{"squared lasso", odd, number, design.Settings{}, false, one(loss.Squared{}), lasso},
			task{"squared net, weights, offset", x, number, some, true, one(loss.Squared{}), half},
			task{"Poisson lasso", x, count, some, false, one(poisson{}), lasso},
			task{"three classes, lasso", odd, class, design.Settings{}, true, softmax(3), lasso},
			task{"three classes, net", x, class, design.Settings{}, false, softmax(3), half},
			task{"three classes, grouped", x, class, design.Settings{}, true, softmax(3), path.Penalty{L1Ratio: 1, Grouped: true}})
	}
	return all
}

// The fits of a path are those of its λ one by one, and its certificates hold. The first
// is the fit without penalised features, unless there is no lasso.
func TestPathIsItsFits(t *testing.T) {
	count := 12
	if linalgtest.Slow() {
		count = 4
	}
	for _, c := range tasks() {
		p := c.problem(t)
		fits := run(t, p, path.Settings{Count: count, MinRatio: 0.05, Tol: 1e-9, Stop: never})
		if len(fits) != count {
			t.Errorf("%s: %d fits", c.name, len(fits))
		}
		if f := fits[0]; c.penalty.L1Ratio > 0 && (f.Lambda != p.LambdaMax() || !slices.Equal(f.Theta, p.Null())) {
			t.Errorf("%s: at λmax %v, without features %v", c.name, f.Theta, p.Null())
		}
		kind := optimize.KindGap
		if !p.Proves() {
			kind = optimize.KindKKT
		}
		for _, f := range fits {
			if certificate := f.Report.Certificate(); !certificate.Holds() || certificate.Tol != 1e-9 || certificate.Kind != kind {
				t.Errorf("%s, λ = %g: %+v", c.name, f.Lambda, f.Report)
			}
			if last := (p.Scores() - 1) * p.Dim(); last > 0 && f.Theta[last] != 0 {
				t.Errorf("%s, λ = %g: the last intercept is %g, want 0", c.name, f.Lambda, f.Theta[last])
			}
			_, single, err := p.Fit(f.Lambda, nil, &optimize.Control{Tol: 1e-9})
			if err != nil {
				t.Errorf("%s, λ = %g: %v", c.name, f.Lambda, err)
			}
			linalgtest.Close(t, c.name, f.Objective/single.Objective(), 1, 1e-9)
		}
	}
}

// An automatic path has the fits of the grid up to where its rules end it: before too
// many features, after enough deviance or too little gain, but for the first five.
func TestStop(t *testing.T) {
	linalgtest.SkipSlow(t)
	for _, c := range tasks() {
		if c.penalty.L1Ratio == 0 {
			continue
		}
		p := c.problem(t)
		grid := path.Grid(p.LambdaMax(), 40, 1e-3, false)
		all := run(t, p, path.Settings{Lambdas: grid, Tol: 1e-7})
		if len(all) != len(grid) {
			t.Errorf("%s: %d fits of %d λ that are given", c.name, len(all), len(grid))
		}
		for _, s := range []path.Stop{{}, {MaxDF: 3}, {MaxDevRatio: 0.2}, {Gain: 0.02}, {Gain: 0.05, Relative: true}, {MaxDevRatio: 1e-9}} {
			want := 0
			for gain, last := 0.0, 0.0; want < len(all); {
				f := all[want]
				if s.MaxDF > 0 && f.DF > s.MaxDF {
					break
				}
				want++
				gain, last = f.DevRatio-last, f.DevRatio
				least, most := s.Gain, s.MaxDevRatio
				if least == 0 {
					least = 8e-6
				}
				if s.Relative {
					least *= f.DevRatio
				}
				if most == 0 {
					most = 0.99901
				}
				if want >= 5 && (f.DevRatio > most || gain < least) {
					break
				}
			}
			fits := run(t, p, path.Settings{Count: 40, MinRatio: 1e-3, Tol: 1e-7, Stop: s})
			if len(fits) != want {
				t.Errorf("%s: %+v ends after %d fits, want %d", c.name, s, len(fits), want)
			}
			for k, f := range fits {
				if f.Lambda != all[k].Lambda || !slices.Equal(f.Theta, all[k].Theta) {
					t.Errorf("%s: %+v has another fit at λ = %g", c.name, s, f.Lambda)
				}
			}
		}
	}
}

// λ fall evenly on the log scale, and those given are visited from the largest on.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		largest, ratio float64
		count          int
		wide           bool
		last           float64
		n              int
	}{
		{8, 0, 0, false, 8e-4, 100}, {8, 0, 0, true, 8e-2, 100}, {8, 0.5, 3, true, 4, 3}, {0, 0.1, 2, false, 0.1, 2}, {5, 0.1, 1, false, 5, 1},
	} {
		grid := path.Grid(c.largest, c.count, c.ratio, c.wide)
		if len(grid) != c.n || grid[0] != c.largest && c.largest > 0 {
			t.Errorf("%+v: %d λ from %g", c, len(grid), grid[0])
		}
		linalgtest.Close(t, "the last", grid[len(grid)-1]/c.last, 1, 1e-14)
		for k := 2; k < len(grid); k++ {
			linalgtest.Close(t, "ratio", grid[k]/grid[k-1], grid[1]/grid[0], 1e-12)
		}
	}
	p := tasks()[0].problem(t)
	var got []float64
	for _, f := range run(t, p, path.Settings{Lambdas: []float64{3, 20, 5, 20}}) {
		got = append(got, f.Lambda)
	}
	if !slices.Equal(got, []float64{20, 20, 5, 3}) {
		t.Errorf("λ in the order %v", got)
	}
}

// The deviance ratio is measured from the intercepts alone: an unpenalised feature
// explains some of it at every λ.
func TestDevRatio(t *testing.T) {
	for _, c := range tasks() {
		if c.penalty.Factors == nil && c.name != "three classes, lasso" {
			continue
		}
		plain := c
		plain.penalty = path.Penalty{L1Ratio: 1}
		base := plain.problem(t)
		null := base.Value(base.Null())
		p := c.problem(t)
		for _, f := range run(t, p, path.Settings{Count: 5, Tol: 1e-10}) {
			linalgtest.Close(t, c.name, f.DevRatio, 1-p.Value(f.Theta)/null, 1e-9)
			if c.penalty.Factors != nil && f.DevRatio < 1e-3 {
				t.Errorf("%s: a free feature explains %g", c.name, f.DevRatio)
			}
		}
	}
}

// A free feature that explains a response of any size exactly leaves nothing to the others.
func TestExactWithoutPenalty(t *testing.T) {
	x := linalgtest.Normal(1, 300, 3)
	y := make([]float64, x.Rows)
	for _, size := range []float64{1e-8, 1, 1e8} {
		for i := range y {
			y[i] = size * (1 + 2*x.At(i, 1))
		}
		p := task{x: x, y: y, objective: one(loss.Squared{}), penalty: path.Penalty{L1Ratio: 1, Factors: []float64{1, 0, 1}}}.problem(t)
		for _, f := range run(t, p, path.Settings{Lambdas: []float64{size}}) {
			linalgtest.Close(t, "deviance ratio", f.DevRatio, 1, 1e-14)
			if math.Abs(f.Theta[2]/size-2) > 1e-12 || math.Abs(f.Theta[1])+math.Abs(f.Theta[3]) > 1e-12*size {
				t.Errorf("size %g: %v", size, f.Theta)
			}
		}
	}
}

// Where the null deviance is negative no ratio to it ends a path.
func TestNegativeNullDeviance(t *testing.T) {
	x := linalgtest.Normal(1, 300, 3)
	count := make([]float64, x.Rows)
	for i := range count {
		count[i] = math.Floor(math.Exp(2 + 0.5*x.At(i, 0) + 0.2*x.At(i, 1)))
	}
	p := task{x: x, y: count, objective: one(poisson{}), penalty: path.Penalty{L1Ratio: 1}}.problem(t)
	fits := run(t, p, path.Settings{Count: 9})
	if p.Value(p.Null()) >= 0 || len(fits) != 9 || fits[8].DevRatio != 0 {
		t.Errorf("%d fits, %+v", len(fits), fits[len(fits)-1])
	}
}

// An error of Add, and one of the trace, end a path with that error.
func TestPathEnds(t *testing.T) {
	stop := errors.New("enough")
	for _, c := range tasks() {
		p := c.problem(t)
		for most := range 4 {
			added, shown := 0, 0
			err := p.Run(path.Settings{Count: 6, MinRatio: 0.5,
				Add: func(path.Fit) error {
					if added++; added > most {
						return stop
					}
					return nil
				},
				Trace: func(s optimize.Step) error {
					if s.Iteration != shown {
						t.Errorf("%s: fit %d is shown as %d", c.name, shown, s.Iteration)
					}
					shown++
					return nil
				}})
			if !errors.Is(err, stop) || added != most+1 || shown != most {
				t.Errorf("%s: %v after %d fits, %d of them shown", c.name, err, added, shown)
			}
			added = 0
			err = p.Run(path.Settings{Count: 6, MinRatio: 0.5,
				Add: func(path.Fit) error { added++; return nil },
				Trace: func(s optimize.Step) error {
					if s.Iteration == most {
						return stop
					}
					return nil
				}})
			if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || added != most+1 {
				t.Errorf("%s: %v after %d fits", c.name, err, added)
			}
		}
	}
}

// No fit of a path takes more iterations than it may; where that is too few, the error
// says so.
func TestPathCap(t *testing.T) {
	short, caps := 0, linalgtest.Rounds(5, 5)
	for _, c := range tasks() {
		p := c.problem(t)
		for most := 1; most <= caps; most++ {
			var fits []path.Fit
			err := p.Run(path.Settings{Count: 6, MinRatio: 0.01, Tol: 1e-12, MaxIter: most, Stop: never, Add: func(f path.Fit) error {
				fits = append(fits, f)
				return nil
			}})
			if (err == nil) != (len(fits) == 6) || err != nil && !errors.Is(err, optimize.ErrNotConverged) {
				t.Errorf("%s, at most %d: %v after %d fits", c.name, most, err, len(fits))
			}
			if err != nil {
				short++
			}
			for _, f := range fits {
				if !f.Report.Certificate().Holds() || f.Report.Iterations() > most {
					t.Errorf("%s, at most %d, λ = %g: %+v", c.name, most, f.Lambda, f.Report)
				}
			}
		}
	}
	if short < 4*caps {
		t.Errorf("%d caps are too low: these data show nothing", short)
	}
}

// Two classes as two scores have the lasso of one score.
func TestSparseSymmetricIsBinary(t *testing.T) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	code, _ := linalgtest.Codes(labels)
	x, code = linalgtest.Select(x, code, func(i int) bool { return code[i] > 0 })
	class, sign := make([]float64, len(code)), make([]float64, len(code))
	for i, c := range code {
		class[i], sign[i] = float64(c-1), float64(2*c-3)
	}
	fit := func(y []float64, objective func(*design.Design, []float64) *glm.Objective) []float64 {
		p := task{"", x, y, design.Settings{}, false, objective, path.Penalty{L1Ratio: 1}}.problem(t)
		theta, _, err := p.Fit(2, nil, &optimize.Control{Tol: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		public := make([]float64, len(theta))
		p.ToPublic(public, theta)
		return public
	}
	two := fit(class, softmax(2))
	dim := x.Cols + 1
	linalg.Axpy(two[dim:], -1, two[:dim])
	linalgtest.CloseSlice(t, "lasso", two[dim:], fit(sign, one(loss.Logistic{})), 1e-10)
}

// A small λ of several classes begins at a fit with a ridge, each feature about the median
// of its coefficients: it takes few steps to the minimum that a start at nothing comes to.
func TestSmallLambdaOfSeveralClasses(t *testing.T) {
	x, labels := linalgtest.LabeledRows(400, 10, 9)
	y := make([]float64, len(labels))
	for i, c := range labels {
		y[i] = float64(c)
	}
	for _, ratio := range []float64{1, 0.5} {
		p := task{x: x, y: y, objective: softmax(9), penalty: path.Penalty{L1Ratio: ratio}}.problem(t)
		lambda := 1e-4 * p.LambdaMax()
		c := &optimize.Control{Tol: 1e-9}
		_, quick, err := p.Fit(lambda, nil, c)
		if err != nil {
			t.Fatal(err)
		}
		_, slow, err := p.Fit(lambda, p.Null(), c)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "objective", quick.Objective()/slow.Objective(), 1, 1e-12)
		if quick.Iterations() > 5 || slow.Iterations() <= 5 {
			t.Errorf("l1-ratio %v: %d iterations, from nothing %d", ratio, quick.Iterations(), slow.Iterations())
		}
	}
}

// A fit of separated classes whose columns have outliers begins near its minimum, whatever λ is beside the outliers,
// and ends with the certificate, for its derivatives become as small as that asks for.
func TestSmallPenaltyBesideOutliers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		x, class := linalg.Zeros(15, 70), make([]float64, 15)
		for i := range x.Data {
			if x.Data[i] = r.NormFloat64(); r.IntN(20) == 0 {
				x.Data[i] *= 1e6
			}
		}
		for i := range class {
			class[i] = float64(i % 5)
		}
		p := task{"", x, class, design.Settings{}, false, softmax(5), path.Penalty{L1Ratio: 0.5}}.problem(t)
		_, report, err := p.Fit(1e-6, nil, &optimize.Control{Tol: 1e-8})
		if n := report.Iterations(); err != nil || n > 15 {
			t.Errorf("%d iterations, %v", n, err)
		}
	}
}
