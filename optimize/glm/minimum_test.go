package glm_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// Every fit of the table ends where the gradient is small, by plain loops over the data,
// and its objective is within the certificate of that of a fit to far smaller derivatives.
func TestMinimum(t *testing.T) {
	for _, f := range fits(t) {
		if f.large() && linalgtest.Slow() {
			continue
		}
		theta, report, _, _ := f.minimize(t, 0, nil)
		o := f.objective(t)
		if f.blurred {
			o = o.InTwicePrecision()
		}
		c, want := report.Certificate(), optimize.KindGap
		if !o.Proves() {
			want = optimize.KindGradient
		}
		if linalgtest.Close(t, f.name, report.Objective()/o.Value(theta), 1, 1e-14); c.Kind != want || !c.Holds() {
			t.Errorf("%s: %+v", f.name, c)
		}
		if f.blurred {
			continue // in the working precision nothing is small
		}
		if worst := worstDerivative(o, f.x, theta); !(worst <= 1e-7) {
			t.Errorf("%s: derivatives of %g in the sizes of the columns", f.name, worst)
		}
		rough := f
		rough.tol = 1e-6
		_, near, _, _ := rough.minimize(t, 0, nil)
		if c := near.Certificate(); o.Proves() && !(near.Objective()*(1-c.Value) <= report.Objective()*(1+1e-14)) {
			t.Errorf("%s: %g, which %g is within %g of", f.name, report.Objective(), near.Objective(), c.Value)
		}
	}
}

// worstDerivative returns the largest derivative of the objective by a parameter of a
// score, in Σ wᵢ|xᵢⱼ − cⱼ|, by its formula.
func worstDerivative(o *glm.Objective, x *linalg.Dense, theta []float64) float64 {
	functions, dim := o.FunctionsOf(theta), o.Dim()
	k := len(functions)
	g, size := linalg.Zeros(k, dim), make([]float64, dim)
	r, f, row := make([]float64, k), make([]float64, k), make([]float64, dim)
	for i := range x.Rows {
		for j := range row {
			if row[j] = 1; j >= o.Intercept {
				row[j] = (x.At(i, j-o.Intercept) - o.Origin[j-o.Intercept]) / o.Unit[j-o.Intercept]
			}
			size[j] += math.Abs(row[j])
		}
		for c := range f {
			f[c] = linalg.Dot(functions[c], row)
		}
		o.Loss().Rows(r, nil, o.Y[i:i+1], f, nil)
		for c, v := range r {
			linalg.Axpy(g.Row(c), v, row)
		}
	}
	worst := 0.0
	for c := range k {
		for j, v := range g.Row(c) {
			if o.Ridge != nil {
				v += o.Ridge[j] * functions[c][j]
			}
			worst = max(worst, math.Abs(v)/size[j])
		}
	}
	return worst
}

// Two classes as two scores are those of one.
func TestSymmetricIsBinary(t *testing.T) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	code, _ := linalgtest.Codes(labels)
	x, code = linalgtest.Select(x, code, func(i int) bool { return code[i] > 0 })
	for i := range code {
		code[i]--
	}
	// public returns the difference of the functions of the classes.
	public := func(f fit) []float64 {
		theta, _, _, err := f.minimize(t, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, dim := f.public(t, theta), x.Cols+1
		if len(p) > dim {
			linalg.Axpy(p[dim:], -1, p[:dim])
			return p[dim:]
		}
		return p
	}
	one := fit{x: x, y: twoSigns(code), loss: single(loss.Logistic{}), tol: 1e-14}
	two := fit{x: x, y: codes(code), loss: classes(2, glm.Against(2, 1)), tol: 1e-14}
	linalgtest.CloseSlice(t, "likelihood", public(two), public(one), 1e-10)
	// ½λ(β₀² + β₁²) = ½(λ/2)(β₁ − β₀)² where β₀ = −β₁.
	one.ridge, one.tol = []float64{1}, 1e-8
	two.ridge, two.tol, two.loss = []float64{2}, 1e-8, classes(2, glm.Contrasts(2))
	linalgtest.CloseSlice(t, "ridge", public(two), public(one), 1e-10)
}

// Where a feature is free the caller is asked whether there is a minimum, with rows that
// move where there is none, and an error of his ends the fit. With a ridge on all he is not.
func TestExists(t *testing.T) {
	x, labels := linalgtest.LabeledRows(100, 2, 2)
	groups, apart := x.Clone(), make([]int, len(labels))
	for i := range apart {
		apart[i] = i % 2
		groups.Set(i, 0, float64(apart[i])+x.At(i, 0)/100)
	}
	double := x.Clone()
	for i := range double.Rows {
		double.Set(i, 1, 2*double.At(i, 0))
	}
	copies := x.Clone()
	for i := range copies.Rows {
		copies.Set(i, 1, x.At(i, 0)+1e-7*x.At(i, 1))
	}
	none := errors.New("none")
	for _, c := range []struct {
		name                       string
		x                          *linalg.Dense
		labels                     []int
		ridge                      []float64
		tol                        float64
		asked, moving, independent bool
	}{
		{"a minimum", x, labels, nil, 1e-10, true, false, true},
		{"separated", groups, apart, nil, 1e-10, true, true, true},
		{"separated, far from its end", groups, apart, nil, 1e-3, true, true, true},
		{"dependent", double, labels, nil, 1e-10, true, true, false},
		{"nearly dependent: a basis proves it", copies, labels, nil, 1e-10, true, false, false},
		{"one ridge", x, labels, []float64{0, 1, 0}, 1e-10, true, false, true},
		{"ridge", groups, apart, []float64{0, 1, 1}, 1e-10, false, false, false},
	} {
		d, err := design.New(c.x, len(c.labels), "labels", design.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		o := glm.New(d, twoSigns(c.labels), loss.Logistic{}, c.ridge)
		asked := false
		p := glm.Problem{Start: make([]float64, 3), Tol: c.tol, Exists: func(_ []float64, moving, independent bool) error {
			asked = true
			if moving != c.moving || !moving && independent != c.independent {
				t.Errorf("%s: moving %v, independent %v", c.name, moving, independent)
			}
			return none
		}}
		theta, _, err := o.Minimize(p)
		if asked != c.asked || asked != errors.Is(err, none) || asked != (theta == nil) {
			t.Errorf("%s: asked %v, %v, %v", c.name, asked, theta, err)
		}
	}
}

// Of classes that are separated, by rows with outliers, Newton's method is not asked for its end: the caller is asked
// after the usual steps whether there is a minimum, and again at the end if that is said to be so.
func TestExistsIsAskedInTheMiddle(t *testing.T) {
	x, labels := linalgtest.LabeledRows(2000, 4, 2)
	for i := range x.Rows {
		if i%5 == 0 {
			x.Set(i, i%4, 1e6*x.At(i, i%4))
		}
		row := x.Row(i)
		labels[i] = linalg.ArgMax([]float64{row[0] - row[1], row[1] + row[2], row[3] - row[0]})
	}
	d, err := design.New(x, len(labels), "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, len(labels))
	for i, l := range labels {
		y[i] = float64(l)
	}
	o := glm.NewMulti(d, y, loss.Softmax{K: 3}, glm.Contrasts(3), nil)
	none, made := errors.New("none"), 0
	for _, there := range []bool{true, false} {
		var asked []int
		_, _, err := o.Minimize(glm.Problem{
			Trace: func(s optimize.Step) error {
				made = s.Iteration
				return nil
			},
			Exists: func(_ []float64, moving, _ bool) error {
				if asked = append(asked, made); there && moving {
					return nil
				}
				return none
			},
		})
		switch {
		case there && (len(asked) != 2 || asked[0] != 20 || !errors.Is(err, optimize.ErrNotConverged)):
			t.Errorf("asked after %d iterations, %v", asked, err)
		case !there && (len(asked) != 1 || made != 20 || !errors.Is(err, none)):
			t.Errorf("asked after %d iterations of %d, %v", asked, made, err)
		}
	}
}

// After 10 iterations of a stage, 20, 40 and so on, and at its end, the steps since the last of these are
// shown to who can tell by them that there is no minimum. One iteration goes before, of another stage.
func TestStepsAreShownNowAndThen(t *testing.T) {
	x, labels := linalgtest.LabeledRows(500, 30, 12)
	d, err := design.New(x, len(labels), "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, len(labels))
	for i := range y { // separated, so that it takes long
		y[i] = float64(linalg.ArgMax(x.Row(i)[:12]))
	}
	o := glm.NewMulti(d, y, loss.Softmax{K: 12}, glm.Contrasts(12), nil)
	none := errors.New("none")
	asked := []int{11}
	var at [][]float64
	_, _, err = o.Minimize(glm.Problem{
		Trace: func(s optimize.Step) error {
			functions := make([]float64, len(s.X))
			d.FromPublic(functions, s.X)
			at = append(at, o.ThetaOf(functions))
			return nil
		},
		Apart: func(theta, steps []float64) error {
			last, from := len(at)-1, asked[len(asked)-1]
			asked = append(asked, last)
			for j, v := range at[from] {
				if want := at[last][j] - v; math.Abs(steps[j]-want) > 1e-9*(1+math.Abs(want)) || math.Abs(theta[j]-at[last][j]) > 1e-9*(1+math.Abs(theta[j])) {
					t.Fatalf("after %d iterations: parameter %d is %g by steps of %g, want %g by %g", last, j, theta[j], steps[j], at[last][j], want)
				}
			}
			if last <= 21 {
				return nil
			}
			return none
		},
	})
	if len(asked) != 3 || asked[1] != 21 || asked[2] < 40 || !errors.Is(err, none) {
		t.Errorf("asked after %d iterations, %v", asked, err)
	}
}

// Columns that are almost copies have coefficients whose terms cancel: in twice the
// precision the objective and its gradient keep the digits that scores then lose.
func TestInTwicePrecision(t *testing.T) {
	x, labels := linalgtest.LabeledRows(200, 3, 2)
	for i := range x.Rows {
		x.Set(i, 0, x.At(i, 0)+100)
		x.Set(i, 1, x.At(i, 0)+1e-7*x.At(i, 1))
	}
	d, err := design.New(x, len(labels), "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	y := twoSigns(labels)
	plain := glm.New(d, y, loss.Logistic{}, nil)
	exact := plain.InTwicePrecision()
	theta := []float64{0.3, 1e7 * d.Unit[0], -1e7 * d.Unit[1], 0.7}
	want, g, size := 0.0, make([]float64, 4), make([]float64, 4)
	beta := make([]float64, 3)
	level := d.Coef(beta, theta)
	for i := range x.Rows {
		f := new(big.Float).SetPrec(300).SetFloat64(level)
		row := []float64{1, 0, 0, 0}
		for j, v := range x.Row(i) {
			term := new(big.Float).SetPrec(300).Sub(big.NewFloat(v), big.NewFloat(d.Origin[j]))
			f.Add(f, term.Mul(term, big.NewFloat(beta[j])))
			row[j+1] = (v - d.Origin[j]) / d.Unit[j]
		}
		score, _ := f.Float64()
		want += loss.Logistic{}.Value(y[i], score)
		linalg.Axpy(g, loss.Logistic{}.Deriv(y[i], score), row)
		for j, v := range row {
			size[j] += math.Abs(v)
		}
	}
	off := func(o *glm.Objective) (value, gradient float64) {
		got := make([]float64, 4)
		value = math.Abs(o.Grad(got, theta)/want - 1)
		for j, v := range got {
			gradient = max(gradient, math.Abs(v-g[j])/size[j])
		}
		return value, gradient
	}
	if value, gradient := off(exact); !(value <= 1e-15*8) || !(gradient <= 1e-15) {
		t.Errorf("in twice the precision the value is off by %g, the gradient by %g", value, gradient)
	}
	if value, gradient := off(plain); !(value > 1e-12) || !(gradient > 1e-12) {
		t.Errorf("the value is off by %g, the gradient by %g: these data show nothing", value, gradient)
	}
	if v := exact.Value(theta); v != exact.Own().Value(theta) {
		t.Error("an objective with memory of its own has forgotten the precision")
	}
	h, u, dst := linalg.Zeros(4, 4), []float64{1, -2, 3, 4}, make([]float64, 4)
	exact.Hess(h, make([]float64, 4), theta)
	exact.HessVec(dst, theta, u)
	for i, v := range dst {
		linalgtest.Close(t, "product with the Hessian", v/h.At(0, 0), linalg.Dot(h.Row(i), u)/h.At(0, 0), 1e-13)
	}
}

// The certificate is at most the measure of the solver, max |gⱼ|/scaleⱼ, at any point.
func TestScale(t *testing.T) {
	everywhere(t, always, func(t *testing.T, _ setting, o *glm.Objective, _ *linalg.Dense) {
		scale, err := o.Scale()
		if err != nil {
			t.Fatal(err)
		}
		theta := point(o)
		g := make([]float64, len(theta))
		for range 5 {
			o.Grad(g, theta)
			measure := 0.0
			for j, v := range g {
				measure = max(measure, math.Abs(v)/scale.At(j))
			}
			if c := o.Certificate(theta); !(c <= measure*(1+1e-12)) || !(c > 0) {
				t.Errorf("certificate %g, the solver measures %g", c, measure)
			}
			slices.Reverse(theta)
			theta[0] -= 0.7
		}
	})
}

// Firth's objective has the derivatives that it says, by all parameters and by some.
func TestJeffreys(t *testing.T) {
	for _, v := range variants() {
		if v.has(ridged) || v.has(far) && v.has(noIntercept) {
			continue // it has none; the far columns without an intercept are one but for rounding
		}
		o, _ := v.objective(t, settings[0])
		theta := point(o)
		h, g := linalg.Zeros(len(theta), len(theta)), make([]float64, len(theta))
		f := glm.NewJeffreys(o)
		o.Hess(h, g, theta)
		factor, err := linalg.NewCholesky(h)
		if err != nil {
			t.Fatal(err)
		}
		value := o.Value(theta) - factor.LogDet()/2 // with the information by θ, in units
		for _, u := range o.Unit {
			value -= math.Log(u)
		}
		linalgtest.Close(t, "value", f.Value(theta), value, 1e-13)
		step, want := slices.Clone(g), slices.Clone(g)
		f.Precondition(step)
		factor.Solve(want)
		linalgtest.CloseSlice(t, "step", step, want, 1e-10*linalg.NormInf(want))
		size := linalg.NormInf(h.Data)
		checkJeffreys(t, f, theta, size)
		some := []int{len(theta) - 1, 0}
		restricted, x := glm.RestrictJeffreys(o, theta, some), []float64{theta[some[0]], theta[some[1]]}
		checkJeffreys(t, restricted, x, size)
		restricted.Value(x)
		step = []float64{1, 2}
		restricted.Precondition(step)
		for a, i := range some {
			linalgtest.Close(t, "information of the step", h.At(i, some[0])*step[0]+h.At(i, some[1])*step[1], float64(a+1), 1e-8)
		}
	}
}

// checkJeffreys compares derivatives at x with differences, in a size.
func checkJeffreys(t *testing.T, f optimize.HessianVec, x []float64, size float64) {
	g, scratch, product, u := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	f.Grad(g, x)
	at := slices.Clone(x)
	for j := range x {
		move := func(t float64) []float64 { at[j] = x[j] + t; return at }
		by := linalgtest.Derivative(func(t float64) []float64 { return []float64{f.Value(move(t))} })
		linalgtest.Close(t, "gradient", g[j]/size, by[0]/size, 1e-10)
		by = linalgtest.Derivative(func(t float64) []float64 { f.Grad(scratch, move(t)); return scratch })
		at[j], u[j] = x[j], 1
		f.HessVec(product, x, u)
		u[j] = 0
		for i, d := range by {
			linalgtest.Close(t, "product with the Hessian", product[i]/size, d/size, 1e-10)
		}
	}
}

// Firth's objective of many features is least where Newton's method finds it, in some
// steps that the information leads.
func TestJeffreysOfManyFeatures(t *testing.T) {
	linalgtest.SkipSlow(t)
	x, y := linalgtest.LabeledRows(600, 40, 2)
	for i := range y { // columns that are nearly alike
		for j := range 39 {
			x.Row(i)[j] = x.Row(i)[39] + 0.1*x.Row(i)[j]
		}
	}
	o := fit{x: x, y: twoSigns(y), loss: single(loss.Logistic{})}.objective(t)
	scale, err := o.Scale()
	if err != nil {
		t.Fatal(err)
	}
	c, start := &optimize.Control{Tol: 1e-9, Scale: scale}, make([]float64, o.Parameters())
	theta, report, err := glm.NewJeffreys(o).Minimize(start, c)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := optimize.NewtonCG(glm.NewJeffreys(o), start, c)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "parameters", theta, want, 1e-7)
	if report.Iterations() > 12 {
		t.Errorf("%d iterations", report.Iterations())
	}
	checkJeffreys(t, glm.NewJeffreys(o), point(o), 1000)
	free := []int{0, 3, 4}
	some, _, err := glm.RestrictJeffreys(o, theta, free).Minimize(c)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range some { // they are at the minimum
		linalgtest.Close(t, "a few parameters", v, theta[j], 1e-7)
	}
	held, report, err := glm.RestrictJeffreys(o, start, nil).Minimize(c)
	if err != nil || !slices.Equal(held, start) {
		t.Error(held, report, err)
	}
	linalgtest.Close(t, "no free parameter", report.Objective(), glm.NewJeffreys(o).Value(start), 0)
}

// Steps that the information leads take fewer passes than Newton's, and the derivatives at the
// last point none.
func TestJeffreysTakesFewPasses(t *testing.T) {
	x, y := linalgtest.LabeledRows(100, 10, 2)
	passes := 0
	rows := linalgtest.Watched{Rows: x, Watch: func(b *linalg.Block) error { passes++; return nil }}
	d, err := design.New(rows, len(y), "labels", design.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	o := glm.New(d, twoSigns(y), loss.Logistic{}, nil)
	scale, err := o.Scale()
	if err != nil {
		t.Fatal(err)
	}
	passes = 0
	f := glm.NewJeffreys(o)
	theta, _, err := f.Minimize(make([]float64, o.Parameters()), &optimize.Control{Tol: 1e-10, Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	if t.Log(passes); passes > 50 {
		t.Errorf("%d passes", passes)
	}
	passes = 0
	if f.Grad(slices.Clone(theta), theta); passes > 0 {
		t.Errorf("%d passes at the last point", passes)
	}
}

// Near-copies of columns, whose information is the rounding errors of a sum, have the same
// functions as any other basis of theirs.
func TestJeffreysOfNearCopies(t *testing.T) {
	const apart = 0x1p-20
	near, y := linalgtest.LabeledRows(100, 4, 2)
	far := near.Clone()
	for i := range y {
		for j, v := range near.Row(i) {
			far.Set(i, j, math.Round(0x1p20*v)/0x1p20)
			near.Set(i, j, far.At(i, 0))
			if j > 0 {
				near.Set(i, j, far.At(i, 0)+apart*far.At(i, j)) // exactly
			}
		}
	}
	minimize := func(x *linalg.Dense, free []int) (scores []float64, value float64) {
		o := fit{x: x, y: twoSigns(y), loss: single(loss.Logistic{})}.objective(t)
		scale, err := o.Scale()
		if err != nil {
			t.Fatal(err)
		}
		start := make([]float64, o.Parameters())
		start[0] = 0.3
		theta, report, err := glm.RestrictJeffreys(o, start, free).Minimize(&optimize.Control{Tol: 1e-10, Scale: scale})
		if free == nil {
			theta, report, err = glm.NewJeffreys(o).Minimize(start, &optimize.Control{Tol: 1e-10, Scale: scale})
		}
		scores = make([]float64, o.N)
		if err := errors.Join(err, o.Margins(scores, theta)); err != nil {
			t.Fatal(free, err)
		}
		return scores, report.Objective()
	}
	for _, free := range [][]int{nil, {1, 2, 3, 4}} {
		f, value := minimize(near, free)
		g, want := minimize(far, free)
		linalgtest.Close(t, "objective", value, want-3*math.Log(apart), 1e-9)
		linalgtest.CloseSlice(t, "scores", f, g, 1e-7)
	}
}

// A trace is shown the scores' parameters on the data's scale.
func TestPublic(t *testing.T) {
	for _, s := range settings {
		for _, v := range variants() {
			o, x := v.objective(t, s)
			theta := point(o)
			var public []float64
			_ = o.Public(func(s optimize.Step) error { public = slices.Clone(s.X); return nil })(optimize.Step{X: theta})
			dim := o.Dim()
			for c, function := range o.FunctionsOf(theta) {
				row, f := make([]float64, dim), public[c*dim:(c+1)*dim]
				for i := range x.Rows {
					if i%37 > 0 {
						continue
					}
					if err := o.Row(row, i); err != nil {
						t.Fatal(err)
					}
					score := 0.0
					if o.Intercept == 1 {
						score = f[0]
					}
					tol := 1e-12
					if v.has(far) {
						tol = 1e-6 // of terms of 1e8
					}
					linalgtest.Close(t, s.name+", "+v.String(), score+linalg.Dot(f[o.Intercept:], x.Row(i)), linalg.Dot(function, row), tol)
				}
			}
			if o.Public(nil) != nil {
				t.Fatal("a trace out of nothing")
			}
		}
	}
}
