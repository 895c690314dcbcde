package logistic

import (
	"errors"
	"math"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
)

type glmnetPath struct {
	Name        string
	Alpha       float64
	Standardize bool
	Lambda      []float64
	Objective   []float64
	Support     []float64
	DevRatio    []float64 `json:"dev_ratio"`
	Last        []float64
}

func pathData(t testing.TB, name string) (*linalg.Dense, []int) {
	if name == "SAheart" {
		return saHeart(t, "")
	}
	x, labels, _ := linalgtest.Table(t, name+".csv", "type")
	y, _ := linalgtest.Codes(labels)
	return x, y
}

// columnSD returns the standard deviations of the columns, divisor n.
func columnSD(x *linalg.Dense) []float64 {
	sd := make([]float64, x.Cols)
	for j := range sd {
		c := x.Col(nil, j)
		mean := sum(c) / float64(len(c))
		for i := range c {
			c[i] -= mean
		}
		sd[j] = linalg.Norm(c) / math.Sqrt(float64(len(c)))
	}
	return sd
}

// elasticNetKKT recomputes objective and certificate of a model from the data
// alone.
func elasticNetKKT(m *Model, x *linalg.Dense, y []int, lambda, alpha float64, scale []float64) (objective, kkt float64) {
	coef, _ := m.Coef()
	k := len(m.Classes())
	rows := coef.Rows
	g, size := linalg.Zeros(rows, x.Cols+1), make([]float64, x.Cols+1)
	c := m.Origin()
	for i := range x.Rows {
		row := x.Row(i)
		objective += m.loss(row, y[i], nil)
		p := m.Proba(nil, row)
		for r := range rows {
			class := r
			if k == 2 {
				class = 1
			}
			d := p[class]
			if m.classes[class] == y[i] {
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

func TestGlmnet(t *testing.T) {
	var golden struct{ Paths []glmnetPath }
	linalgtest.Golden(t, "testdata/glmnet.json", &golden)
	for i, g := range golden.Paths {
		if testing.Short() && i%4 > 1 {
			continue
		}
		x, y := pathData(t, g.Name)
		path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: g.Alpha, Standardize: g.Standardize, Tol: 1e-9}, Lambdas: g.Lambda})
		if err != nil {
			t.Fatalf("%s, α = %g, standardize %v: %v", g.Name, g.Alpha, g.Standardize, err)
		}
		scale := columnSD(x)
		if !g.Standardize {
			for j := range scale {
				scale[j] = 1
			}
		}
		worst, excess := 0.0, math.Inf(-1)
		for k, p := range path.Points {
			objective, kkt := elasticNetKKT(p.Model, x, y, p.Lambda, g.Alpha, scale)
			linalgtest.Close(t, "objective", p.Objective, objective, 1e-12)
			// glmnet fits the first λ of a ridge as if it were infinite.
			if k > 0 || g.Alpha > 0 {
				linalgtest.Close(t, "deviance ratio", p.DevRatio, g.DevRatio[k], 1e-6)
			}
			worst, excess = math.Max(worst, kkt), math.Max(excess, objective/g.Objective[k]-1)
			// The lasso of several classes is not unique within a feature.
			if support := p.DF; g.Alpha > 0 && support != int(g.Support[k]) {
				t.Errorf("%s, α = %g, standardize %v, λ = %g: %d features, glmnet has %g", g.Name, g.Alpha, g.Standardize, p.Lambda, support, g.Support[k])
			}
		}
		t.Logf("%s, α = %g, standardize %v: %d λ, KKT residual ≤ %.2g, objective ≤ glmnet's·(1 %+.1e)", g.Name, g.Alpha, g.Standardize, len(path.Points), worst, excess)
		if worst > 1e-9 || excess > 1e-9 {
			t.Errorf("KKT residual %g, objective worse by %g", worst, excess)
		}
	}
}

func nonZero(m *Model) int {
	n := 0
	for _, v := range m.coef.Clone().Data {
		if v != 0 {
			n++
		}
	}
	return n
}

func TestPathGrid(t *testing.T) {
	x, y := saHeart(t, "")
	path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1, Standardize: true, Tol: 1e-8}})
	if err != nil {
		t.Fatal(err)
	}
	first := path.Points[0]
	if first.DF != 0 || nonZero(first.Model) != 0 {
		t.Errorf("%d features at λmax", first.DF)
	}
	n1 := 0.0
	for _, v := range y {
		n1 += float64(v)
	}
	_, b := first.Model.Coef()
	linalgtest.Close(t, "log-odds", b[0], math.Log(n1/(float64(len(y))-n1)), 1e-12)
	above, err := Fit(x, y, &Options{L1Ratio: 1, Standardize: true, Lambda: first.Lambda * 1.0001})
	if err != nil || nonZero(above) != 0 {
		t.Errorf("above λmax: %v", err)
	}
	below, err := Fit(x, y, &Options{L1Ratio: 1, Standardize: true, Lambda: first.Lambda * 0.9999})
	if err != nil || nonZero(below) != 1 {
		t.Errorf("below λmax: %v", err)
	}
	for k, p := range path.Points {
		if k > 0 && !(p.Lambda < path.Points[k-1].Lambda && p.DevRatio >= path.Points[k-1].DevRatio) {
			t.Errorf("point %d: λ %g, deviance ratio %g", k, p.Lambda, p.DevRatio)
		}
		if c := p.Model.Report().Certificate(); !c.Holds() {
			t.Errorf("point %d: certificate %v", k, c)
		}
		single, err := Fit(x, y, &Options{L1Ratio: 1, Standardize: true, Lambda: p.Lambda})
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "objective", p.Objective, single.Report().Objective(), 1e-11)
	}
	limited, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1, Standardize: true}, MaxDF: 3})
	if err != nil || limited.Points[len(limited.Points)-1].DF > 3 || len(limited.Points) >= len(path.Points) {
		t.Errorf("at most 3 features: %d points, %v", len(limited.Points), err)
	}
}

func TestPathStops(t *testing.T) {
	x, y := saHeart(t, "")
	stop := errors.New("enough")
	path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1, Trace: func(s optimize.Step) error {
		if s.Iteration == 7 {
			return stop
		}
		return nil
	}}})
	if !errors.Is(err, stop) || !errors.Is(err, optimize.ErrNotConverged) || path == nil || len(path.Points) != 8 {
		t.Errorf("%v", err)
	}
}

// Tall and wide paths have the fits of single λ.
func TestPathWays(t *testing.T) {
	for _, c := range []struct{ n, p int }{{4000, 10}, {60, 300}, {200, 30}} {
		x := linalgtest.Normal(9, c.n, c.p)
		y := make([]int, c.n)
		for i := range y {
			f := x.At(i, 0) - x.At(i, 1) + 0.5*x.At(i, 2)
			if f+math.Sin(float64(7*i)) > 0 {
				y[i] = 1
			}
		}
		for _, alpha := range []float64{1, 0.5} {
			o := Options{L1Ratio: alpha, Standardize: true, Tol: 1e-8, PenaltyFactor: make([]float64, c.p)}
			for j := range o.PenaltyFactor {
				o.PenaltyFactor[j] = 0.5 + float64(j%3)
			}
			o.PenaltyFactor[3] = 0
			path, err := FitPath(x, y, &PathOptions{Options: o, Count: 30})
			if err != nil {
				t.Fatal(err)
			}
			for k := 0; k < len(path.Points); k += 5 {
				p := path.Points[k]
				o.Lambda = p.Lambda
				linalgtest.Close(t, "objective", p.Objective, mustFit(t, x, y, &o).Report().Objective(), 1e-10)
				if c := p.Model.Report().Certificate(); !c.Holds() {
					t.Errorf("%d × %d: certificate %v", x.Rows, x.Cols, c)
				}
			}
		}
	}
}

func TestGrouped(t *testing.T) {
	x, y := pathData(t, "fgl")
	o := &Options{L1Ratio: 1, Grouped: true, Lambda: 5, Standardize: true}
	m := mustFit(t, x, y, o)
	coef, _ := m.Coef()
	in := 0
	for j := range x.Cols {
		zeros := 0
		for k := range coef.Rows {
			if coef.At(k, j) == 0 {
				zeros++
			}
		}
		if zeros != 0 && zeros != coef.Rows {
			t.Errorf("feature %d has %d zeros of %d", j, zeros, coef.Rows)
		}
		if zeros == 0 {
			in++
		}
	}
	if in == 0 || in == x.Cols {
		t.Errorf("%d of %d features", in, x.Cols)
	}
	path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1, Grouped: true, Standardize: true, Tol: 1e-8}, Lambdas: []float64{20, 5}})
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "objective", path.Points[1].Objective, m.Report().Objective(), 1e-9)
	if _, err := Fit(x, y, &Options{L1Ratio: 0.5, Grouped: true, Lambda: 1}); err == nil {
		t.Error("grouped elastic net")
	}
}

func TestCrossValidate(t *testing.T) {
	x, y := saHeart(t, "")
	folds := make([]int, len(y))
	for i := range folds {
		folds[i] = i % 5
	}
	o := &PathOptions{Options: Options{L1Ratio: 1, Standardize: true, Tol: 1e-7}, Count: 20}
	cv, err := CrossValidate(x, y, folds, o)
	if err != nil {
		t.Fatal(err)
	}
	if cv.OneSE > cv.Best || cv.Best == 0 || cv.Deviance[cv.OneSE] > cv.Deviance[cv.Best]+cv.SE[cv.Best] {
		t.Errorf("best %d, one standard error %d", cv.Best, cv.OneSE)
	}
	// By hand: the rows without fold 0.
	x0, y0 := linalgtest.Select(x, y, func(i int) bool { return folds[i] != 0 })
	m := mustFit(t, x0, y0, &Options{L1Ratio: 1, Standardize: true, Lambda: cv.Path.Points[10].Lambda})
	xh, yh := linalgtest.Select(x, y, func(i int) bool { return folds[i] == 0 })
	want := 0.0
	for i, label := range yh {
		want -= m.LogProba(nil, xh.Row(i))[label] / float64(len(yh))
	}
	inner := *o
	inner.Lambdas = []float64{cv.Path.Points[10].Lambda}
	inner.Classes = []int{0, 1}
	mean, size, err := leaveOut(x, y, folds, 0, &inner)
	if err != nil || size != float64(len(yh)) {
		t.Fatal(err)
	}
	linalgtest.Close(t, "left out", mean[0], 2*want, 1e-6)
	if _, err := CrossValidate(x, y, folds[1:], o); !asError[*linalg.ShapeError](err) {
		t.Errorf("folds: %v", err)
	}
	lonely := slices.Clone(y)
	for i := range lonely {
		lonely[i] = 0
		if folds[i] == 2 {
			lonely[i] = y[i]
		}
	}
	if _, err := CrossValidate(x, lonely, folds, o); !asError[*linalg.ClassError](err) {
		t.Errorf("a fold with all of a class: %v", err)
	}
}

// The default tolerance falls with the likelihood; one that is given does not.
func TestPathAim(t *testing.T) {
	x, y := benchData(80, 900, 2)
	o := &PathOptions{Options: Options{L1Ratio: 1, Standardize: true}}
	path, err := FitPath(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Lambdas = make([]float64, len(path.Points))
	for i, p := range path.Points {
		o.Lambdas[i] = p.Lambda
	}
	loose := 0.0
	for _, tol := range []float64{1e-10, 1e-5} {
		o.Tol = tol
		other, err := FitPath(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range other.Points {
			if loose = max(loose, p.Model.Report().Certificate().Value); tol == 1e-10 && !(path.Points[i].Objective <= p.Objective*(1+1e-7)) {
				t.Errorf("λ = %g: objective %.12g, want %.12g", p.Lambda, path.Points[i].Objective, p.Objective)
			}
		}
	}
	if loose < 1e-5/2 {
		t.Errorf("certificates up to %g for a tolerance of %g", loose, 1e-5)
	}
}

// At λmax a fit is the null fit to the last bit, wherever it is told to start.
func TestZeroAtLambdaMax(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := benchData(150, 6, classes)
		for _, o := range []Options{{L1Ratio: 1}, {L1Ratio: 0.3, Standardize: true}, {L1Ratio: 1, Grouped: classes > 2}} {
			path, err := FitPath(x, y, &PathOptions{Options: o, Count: 1})
			if err != nil {
				t.Fatal(err)
			}
			lines := 1
			if classes > 2 {
				lines = classes
			}
			o.Lambda, o.Start = path.Points[0].Lambda, make([]float64, lines*(x.Cols+1))
			for j := range o.Start {
				o.Start[j] = math.Sin(float64(j + 1))
			}
			if m, err := Fit(x, y, &o); err != nil || nonZero(m) != 0 || nonZero(path.Points[0].Model) != 0 {
				t.Errorf("%d classes, %+v: %d coefficients at λmax, %v", classes, o, nonZero(m), err)
			}
		}
	}
}

// A constant offset moves the intercept alone, however large it is.
func TestPathOfLargeOffset(t *testing.T) {
	for _, classes := range []int{2, 3} {
		x, y := benchData(200, 5, classes)
		o := &PathOptions{Options: Options{L1Ratio: 1, Tol: 1e-10}, Lambdas: []float64{20, 5, 1}}
		want, err := FitPath(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		k := 1
		if classes > 2 {
			k = classes
		}
		for range len(y) * k {
			o.Offset = append(o.Offset, 2000-500*float64(len(o.Offset)%k))
		}
		path, err := FitPath(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range path.Points {
			got, _ := p.Model.Coef()
			coef, _ := want.Points[i].Model.Coef()
			linalgtest.CloseSlice(t, "coefficients", got.Data, coef.Data, 1e-6)
		}
	}
}

// What a path cannot give is an error, as it is of a single fit.
func TestPathRefuses(t *testing.T) {
	x, y := benchData(50, 3, 2)
	tiny := x.Clone()
	linalg.Scale(tiny.Data, 1e-310)
	for name, c := range map[string]struct {
		x *linalg.Dense
		o *PathOptions
	}{
		"coefficients beyond float64": {tiny, &PathOptions{Options: Options{L1Ratio: 1, Standardize: true}}},
		"no λ":                        {x, &PathOptions{Options: Options{L1Ratio: 1}, Lambdas: []float64{}}},
	} {
		path, err := FitPath(c.x, y, c.o)
		if path != nil || !asError[*linalg.RangeError](err) && !asError[*linalg.ShapeError](err) {
			t.Errorf("%s: %v, %v", name, path, err)
		}
	}
}

// The bits of a path do not depend on the number of workers.
func TestPathWorkers(t *testing.T) {
	x, y := benchData(700, 60, 2)
	var want *Path
	for _, workers := range []int{1, 2, 5} {
		path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1, Standardize: true, Workers: workers}, Count: 40})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = path
		}
		for k, p := range path.Points {
			linalgtest.CloseSlice(t, "coefficients", intercepted(p.Model), intercepted(want.Points[k].Model), 0)
		}
	}
}

func all1(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// The largest λ of a grid is a number that float64 has.
func TestGridsOfExtremeColumns(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{2, math.MaxFloat64}, {-1, -1}})
	var e *linalg.RangeError
	if _, err := FitPath(x, []int{1, 0}, nil); !errors.As(err, &e) || e.Column != 1 {
		t.Errorf("a column of 1e308: %v", err)
	}
	x, _ = linalg.FromRows([][]float64{{3}, {3}, {3}})
	path, err := FitPath(x, []int{1, 0, 1}, &PathOptions{Options: Options{L1Ratio: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range path.Points {
		if !(p.Lambda > 0) || p.DF != 0 || !p.Model.Report().Certificate().Holds() {
			t.Errorf("a constant column: λ = %g, %d features, %v", p.Lambda, p.DF, p.Model.Report())
		}
	}
}

// Derivatives by a column of 1e-310 have no digits, and its coefficients are beyond
// the range or below it.
func TestVanishingColumn(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{-1, 5e-324}, {-1, 5e-324}, {-1, 5e-324}, {-2, 5e-324}})
	for _, ratio := range []float64{0, 0.5} {
		o := Options{L1Ratio: ratio, Lambda: 100, NoIntercept: true}
		var e *linalg.RangeError
		if path, err := FitPath(x, []int{0, 0, 0, 1}, &PathOptions{Options: o, Lambdas: []float64{100}}); !errors.As(err, &e) || e.Column != 1 {
			t.Errorf("L1Ratio %g: %v, %v", ratio, path, err)
		}
	}
}

// An offset that separates the classes leaves no deviance to explain.
func TestPathWithoutNullDeviance(t *testing.T) {
	x := linalgtest.Normal(3, 40, 3)
	y, offset := make([]int, 40), make([]float64, 40)
	for i := range y {
		y[i] = i % 2
		offset[i] = 1600*float64(y[i]) - 800
	}
	path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: 1, Offset: offset}, Count: 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(path.Points) != 5 {
		t.Errorf("%d points", len(path.Points))
	}
	for _, p := range path.Points {
		if p.DevRatio != 0 {
			t.Errorf("λ = %g explains %g of nothing", p.Lambda, p.DevRatio)
		}
	}
}

func TestInterceptsSumToZero(t *testing.T) {
	x, y := linalgtest.Normal(5, 90, 2), make([]int, 90)
	for i := range y {
		y[i] = i % 3
		for j := range 2 {
			x.Set(i, j, 1e8+math.Round(x.At(i, j)*8)+float64(y[i]))
		}
	}
	for _, ratio := range []float64{0, 0.5, 1} {
		path, err := FitPath(x, y, &PathOptions{Options: Options{L1Ratio: ratio}, Lambdas: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, b := path.Points[0].Model.Coef(); math.Abs(sum(b)) > 1e-14*linalg.NormInf(b) {
			t.Errorf("L1Ratio %g: %v sum to %g", ratio, b, sum(b))
		}
	}
}
