package inference_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	lt "halfspace/logistic/internal/logistictest"
	"halfspace/optimize"
)

func mustInfer(t testing.TB, m *logistic.Model, x linalg.Rows, y []int, o *logistic.Options) *inference.Inference {
	t.Helper()
	inf, err := inference.Of(m, x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return inf
}

func fitAndInfer(t testing.TB, x linalg.Rows, y []int, o *logistic.Options) *inference.Inference {
	t.Helper()
	return mustInfer(t, mustFit(t, x, y, o), x, y, o)
}

func checkInference(t *testing.T, inf *inference.Inference, g lt.GLM) {
	t.Helper()
	linalgtest.CloseSlice(t, "coef", inf.Estimate, g.Coef, 1e-8)
	linalgtest.CloseSlice(t, "se", inf.SE, g.SE, 1e-7)
	linalgtest.CloseSlice(t, "z", inf.Z, g.Z, 1e-7)
	linalgtest.CloseSlice(t, "p", inf.P, g.P, 1e-7)
	linalgtest.Close(t, "deviance", inf.Deviance, g.Deviance, 1e-10)
	linalgtest.Close(t, "null deviance", inf.NullDeviance, g.NullDeviance, 1e-10)
	linalgtest.Close(t, "AIC", inf.AIC, g.AIC, 1e-10)
}

func TestInferenceGLM(t *testing.T) {
	x, y := lt.IrisPair(t)
	g := lt.Golden[lt.GLM](t, "../testdata/glm.json", "iris")
	inf := fitAndInfer(t, x, y, nil)
	checkInference(t, inf, g)
	linalgtest.CloseSlice(t, "covariance", inf.Covariance.Data, g.Covariance, 1e-7)
	checkResiduals(t, inf, g)
	for name, cols := range map[string]string{"SAheart": "", "SAheart-4.2": "sbp tobacco ldl famhist=Present obesity alcohol age", "SAheart-4.3": "tobacco ldl famhist=Present age"} {
		t.Run(name, func(t *testing.T) {
			x, y := lt.Heart(t, cols)
			checkInference(t, fitAndInfer(t, x, y, nil), lt.Golden[lt.GLM](t, "../testdata/glm.json", name))
		})
	}
	for name, label := range map[string]string{"Pima-tr": "type", "birthwt": "low"} {
		t.Run(name, func(t *testing.T) {
			x, labels, _ := linalgtest.Table(t, name+".csv", label)
			y, _ := linalgtest.Codes(labels)
			checkInference(t, fitAndInfer(t, x, y, nil), lt.Golden[lt.GLM](t, "../testdata/glm.json", name))
		})
	}
	t.Run("weights", func(t *testing.T) {
		x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
		w := make([]float64, x.Rows)
		for i := range w {
			w[i] = float64(i % 3)
		}
		checkInference(t, fitAndInfer(t, x, y, &logistic.Options{Weights: w}), lt.Golden[lt.GLM](t, "../testdata/glm.json", "weights"))
	})
	t.Run("no-intercept", func(t *testing.T) {
		x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
		checkInference(t, fitAndInfer(t, x, y, &logistic.Options{NoIntercept: true}), lt.Golden[lt.GLM](t, "../testdata/glm.json", "no-intercept"))
	})
	t.Run("offset", func(t *testing.T) {
		x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
		offset := x.Col(nil, 3)
		for i := range offset {
			offset[i] = 0.05 * (offset[i] - 40)
		}
		checkInference(t, fitAndInfer(t, lt.First(x, 3), y, &logistic.Options{Offset: offset}), lt.Golden[lt.GLM](t, "../testdata/glm.json", "offset"))
	})
}

func checkResiduals(t *testing.T, inf *inference.Inference, g lt.GLM) {
	t.Helper()
	r, err := inf.Residuals()
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.CloseSlice(t, "Pearson residuals", r.Pearson, g.Pearson, 1e-7)
	linalgtest.CloseSlice(t, "deviance residuals", r.Deviance, g.DevianceResidual, 1e-7)
	linalgtest.CloseSlice(t, "leverage", r.Leverage, g.Leverage, 1e-7)
	if g.Working != nil {
		for i, v := range r.Working {
			// R divides 1 − p by p(1−p), and has formed 1 − p from p.
			if p := r.Fitted[i]; p*(1-p) > 1e-9 {
				linalgtest.Close(t, "working residual", v, g.Working[i], 1e-6)
			}
		}
	}
	d, chi := 0.0, 0.0
	for i := range r.Deviance {
		d += r.Deviance[i] * r.Deviance[i]
		chi += r.Pearson[i] * r.Pearson[i]
	}
	linalgtest.Close(t, "Σ deviance²", d, inf.Deviance, 1e-10)
	linalgtest.Close(t, "Σ Pearson²", chi, inf.Pearson, 1e-10)
	linalgtest.Close(t, "Σ leverage", lt.Sum(r.Leverage), float64(len(inf.Terms)), 1e-10)
}

// menarche returns the age, successes and trials of the grouped data.
func menarche(t testing.TB) (x *linalg.Dense, successes, trials []float64) {
	x, total, _ := linalgtest.Table(t, "menarche.csv", "Total")
	for i, s := range total {
		var v float64
		fmt.Sscan(s, &v)
		trials = append(trials, v)
		successes = append(successes, x.At(i, 1))
	}
	return lt.First(x, 1), successes, trials
}

func TestCounts(t *testing.T) {
	x, s, m := menarche(t)
	model, err := logistic.FitCounts(x, s, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	inf, err := inference.OfCounts(model, x, s, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := lt.Golden[lt.GLM](t, "../testdata/glm.json", "menarche")
	checkInference(t, inf, g)
	checkResiduals(t, inf, g)
	// Grouped, Pearson's χ² is near the deviance, whose expansion it is.
	if r := inf.Pearson / inf.Deviance; r < 0.7 || r > 1.3 {
		t.Errorf("Pearson %g, deviance %g", inf.Pearson, inf.Deviance)
	}
	// Rows of one trial each are the same fit.
	var rows [][]float64
	var y []int
	for i := range s {
		for k := range int(m[i]) {
			rows = append(rows, x.Row(i))
			label := 0
			if k < int(s[i]) {
				label = 1
			}
			y = append(y, label)
		}
	}
	single, _ := linalg.FromRows(rows)
	linalgtest.CloseSlice(t, "single rows", intercepted(mustFit(t, single, y, nil)), intercepted(model), 1e-10)
}

// A weight of 2 is the row of counts twice.
func TestWeightsOfCounts(t *testing.T) {
	x, s, m := menarche(t)
	var rows [][]float64
	var s2, m2 []float64
	w := make([]float64, x.Rows)
	for i := range w {
		w[i] = float64(i % 3)
		for range i % 3 {
			rows, s2, m2 = append(rows, x.Row(i)), append(s2, s[i]), append(m2, m[i])
		}
	}
	repeated, _ := linalg.FromRows(rows)
	infer := func(x *linalg.Dense, s, m []float64, o *logistic.Options) *inference.Inference {
		model, err := logistic.FitCounts(x, s, m, o)
		if err != nil {
			t.Fatal(err)
		}
		inf, err := inference.OfCounts(model, x, s, m, o)
		if err != nil {
			t.Fatal(err)
		}
		return inf
	}
	a, b := infer(x, s, m, &logistic.Options{Weights: w}), infer(repeated, s2, m2, nil)
	linalgtest.CloseSlice(t, "estimates", a.Estimate, b.Estimate, 1e-10)
	linalgtest.CloseSlice(t, "SE", a.SE, b.SE, 1e-10)
	linalgtest.CloseSlice(t, "criteria",
		[]float64{a.LogLikelihood, a.Deviance, a.NullDeviance, a.DF, a.NullDF, a.AIC, a.BIC, a.Pearson},
		[]float64{b.LogLikelihood, b.Deviance, b.NullDeviance, b.DF, b.NullDF, b.AIC, b.BIC, b.Pearson}, 1e-10)
}

// Rows whose probability rounds to 0 or 1, on the right side and on the wrong one.
func TestResidualsInTheTails(t *testing.T) {
	x, _ := linalg.FromRows([][]float64{{-3}, {-2}, {-1}, {-0.5}, {0.5}, {1}, {2}, {3}, {1e6}, {-1e6}})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1, 1, 0}
	inf := fitAndInfer(t, x, y, nil)
	r, err := inf.Residuals()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][]float64{r.Pearson, r.Deviance, r.Working, r.Leverage, {inf.Pearson, inf.Deviance}} {
		if err := linalg.CheckFinite("residuals", v); err != nil {
			t.Error(err)
		}
	}
	linalgtest.Close(t, "Σ Pearson²", linalg.Dot(r.Pearson, r.Pearson), inf.Pearson, 1e-12)
}

// A deviance residual keeps its digits where p rounds to 0 or to 1: rows with offsets of
// −40 and 40, of so little weight that the fit is that of the others.
func TestDevianceResidualsOfSureRows(t *testing.T) {
	x := linalgtest.Rows(t, []float64{-3}, []float64{-2}, []float64{-1}, []float64{-0.5}, []float64{0.5}, []float64{1}, []float64{2}, []float64{3}, []float64{1}, []float64{1})
	y := []int{0, 0, 1, 0, 1, 0, 1, 1, 1, 1}
	w := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1e-9, 1e-9}
	o := &logistic.Options{Weights: w, Offset: []float64{0, 0, 0, 0, 0, 0, 0, 0, -40, 40}}
	m := mustFit(t, x, y, o)
	r, err := mustInfer(t, m, x, y, o).Residuals()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{8, 9} {
		want := linalg.Log1pExp(-m.LogOdds(x.Row(i)) - o.Offset[i])
		if got := r.Deviance[i] * r.Deviance[i] / (2 * w[i]); math.Abs(got/want-1) > 1e-13 {
			t.Errorf("offset %g: −log p is %g, want %g", o.Offset[i], got, want)
		}
	}
}

// An offset that is the same for all rows leaves the deviances alone.
func TestNullDevianceOfLargeOffset(t *testing.T) {
	for name, k := range map[string]int{"two classes": 1, "three classes": 3} {
		x, y := lt.IrisPair(t)
		if k == 3 {
			x, y = lt.Several(t, "iris")
		}
		offset := make([]float64, k*len(y))
		for i := range y {
			offset[k*i] = 1e4
		}
		want := fitAndInfer(t, x, y, nil)
		got := fitAndInfer(t, x, y, &logistic.Options{Offset: offset})
		linalgtest.Close(t, name, got.NullDeviance, want.NullDeviance, 1e-9)
	}
}

func TestInferenceMNLogit(t *testing.T) {
	for _, name := range []string{"iris", "birthwt", "fgl"} {
		t.Run(name, func(t *testing.T) {
			x, y := lt.Several(t, name)
			inf, g := fitAndInfer(t, x, y, nil), lt.Golden[lt.MNLogit](t, "../testdata/multinom.json", name)
			var coef, se, p []float64
			for k := range g.Coef {
				coef, se, p = append(coef, g.Coef[k]...), append(se, g.SE[k]...), append(p, g.P[k]...)
			}
			linalgtest.CloseSlice(t, "coef", inf.Estimate, coef, 1e-8)
			linalgtest.CloseSlice(t, "se", inf.SE, se, 1e-7)
			linalgtest.CloseSlice(t, "p", inf.P, p, 1e-7)
			linalgtest.Close(t, "null", -inf.NullDeviance/2, g.LLNull, 1e-10)
			linalgtest.Close(t, "AIC", inf.AIC, g.AIC, 1e-10)
			linalgtest.Close(t, "BIC", inf.BIC, g.BIC, 1e-10)
		})
	}
}

type inferenceGolden struct {
	SAheart struct {
		LRT, Rao, Drop, Add, BIC []float64
		LRTP                     []float64 `json:"lrt_p"`
		RaoP                     []float64 `json:"rao_p"`
		DropP                    []float64 `json:"drop_p"`
		AddP                     []float64 `json:"add_p"`
	}
	Profile struct{ Ends []float64 }
	Firth   struct {
		Coef, SE, LogLik, Drop []float64
		DropP                  []float64 `json:"drop_p"`
	}
}

func goldenInference(t testing.TB) (g inferenceGolden) {
	linalgtest.Golden(t, "testdata/inference.json", &g)
	return g
}

func TestNested(t *testing.T) {
	g := goldenInference(t).SAheart
	x, y := lt.Heart(t, "sbp tobacco ldl famhist=Present obesity alcohol age")
	full := fitAndInfer(t, x, y, nil)
	linalgtest.Close(t, "BIC", full.BIC, g.BIC[0], 1e-10)
	xs, _ := lt.Heart(t, "tobacco ldl famhist=Present age")
	small := fitAndInfer(t, xs, y, nil)
	test, err := inference.LikelihoodRatio(small, full)
	if err != nil || test.DF != 3 {
		t.Fatal(test, err)
	}
	linalgtest.Close(t, "LRT", test.Statistic, g.LRT[0], 1e-9)
	linalgtest.Close(t, "LRT p", test.P, g.LRTP[0], 1e-9)
	if _, err := inference.LikelihoodRatio(full, small); err == nil {
		t.Error("a larger model as the smaller one")
	}
	other := append([]int(nil), y...)
	other[7] = 1 - other[7]
	var response *inference.ResponseError
	if _, err := inference.LikelihoodRatio(small, fitAndInfer(t, x, other, nil)); !errors.As(err, &response) || response.Row != 7 {
		t.Errorf("other labels: %v", err)
	}
	firthed := &logistic.Options{Firth: true}
	if _, err := inference.LikelihoodRatio(fitAndInfer(t, xs, y, firthed), fitAndInfer(t, x, y, firthed)); !errors.Is(err, inference.ErrNoInference) {
		t.Errorf("two penalties: %v", err)
	}
	z, _ := lt.Heart(t, "sbp obesity alcohol")
	rao, err := small.Score(z)
	if err != nil || rao.DF != 3 {
		t.Fatal(rao, err)
	}
	linalgtest.Close(t, "Rao", rao.Statistic, g.Rao[0], 1e-8)
	linalgtest.Close(t, "Rao p", rao.P, g.RaoP[0], 1e-8)
	for j := range 3 {
		one := &linalg.Dense{Rows: z.Rows, Cols: 1, Stride: z.Stride, Data: z.Data[j:]}
		test, err := small.Score(one)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "add", test.Statistic, g.Add[j], 1e-8)
		linalgtest.Close(t, "add p", test.P, g.AddP[j], 1e-8)
	}
	if _, err := small.Score(lt.First(xs, 1)); !lt.Is[*linalg.RankError](err) {
		t.Errorf("a column added twice: %v", err)
	}
	drop, err := full.Drop(nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, test := range drop {
		linalgtest.Close(t, "drop", test.Statistic, g.Drop[j], 1e-8)
		linalgtest.Close(t, "drop p", test.P, g.DropP[j], 1e-8)
	}
	group, err := full.Drop([][]int{{0, 4, 5}})
	if err != nil || group[0].DF != 3 {
		t.Fatal(group, err)
	}
	linalgtest.Close(t, "group", group[0].Statistic, g.LRT[0], 1e-8)
}

// Rao's test of several classes, from probabilities alone: Σₖ gₖ of the features
// added and the information of all terms.
func TestScoreOfThree(t *testing.T) {
	x, y := lt.Several(t, "birthwt")
	small := lt.First(x, 3)
	m := mustFit(t, small, y, nil)
	z := linalg.Zeros(x.Rows, 2)
	for i := range x.Rows {
		copy(z.Row(i), x.Row(i)[3:])
	}
	got, err := mustInfer(t, m, small, y, nil).Score(z)
	if err != nil || got.DF != 4 {
		t.Fatal(got, err)
	}
	dim := x.Cols + 1
	h, g := linalg.Zeros(2*dim, 2*dim), make([]float64, 2*dim)
	for i := range x.Rows {
		row, p := append([]float64{1}, x.Row(i)...), m.Proba(nil, small.Row(i))
		for a := range 2 {
			target := 0.0
			if y[i] == a {
				target = 1
			}
			linalg.Axpy(g[a*dim:(a+1)*dim], target-p[a], row)
			for b := range 2 {
				v := -p[a] * p[b]
				if a == b {
					v += p[a]
				}
				for j, u := range row {
					linalg.Axpy(h.Row(a*dim + j)[b*dim:(b+1)*dim], v*u, row)
				}
			}
		}
	}
	c, err := linalg.NewCholesky(h)
	if err != nil {
		t.Fatal(err)
	}
	step := append([]float64(nil), g...)
	c.Solve(step)
	linalgtest.Close(t, "Rao", got.Statistic, linalg.Dot(g, step), 1e-8)
}

func TestProfile(t *testing.T) {
	g := goldenInference(t).Profile.Ends
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	inf := fitAndInfer(t, x, y, nil)
	for k := range inf.Terms {
		lo, hi, err := inf.Profile(k, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "lower", lo, g[2*k], 1e-8)
		linalgtest.Close(t, "upper", hi, g[2*k+1], 1e-8)
	}
	// The same with the columns far from 0, but for the intercept.
	for i := range x.Data {
		x.Data[i] += 1e5
	}
	inf = fitAndInfer(t, x, y, nil)
	for k := 1; k < len(inf.Terms); k++ {
		lo, hi, err := inf.Profile(k, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		linalgtest.Close(t, "shifted lower", lo, g[2*k], 1e-6)
		linalgtest.Close(t, "shifted upper", hi, g[2*k+1], 1e-6)
	}
	// Fixing the plain intercept fixes a sum of terms of 1e5: whether the fits along its
	// profile come within their tolerance is a matter of the processor's rounding.
	if _, _, err := inf.Profile(0, 0.95); err != nil && !errors.Is(err, optimize.ErrNotConverged) {
		t.Errorf("shifted intercept: %v", err)
	}
	lo, hi := inf.Wald(0.95)
	linalgtest.Close(t, "Wald", hi[1]-lo[1], 2*1.9599639845400545*inf.SE[1], 1e-12)
}

// Goroutines may share an inference (the race detector watches).
func TestSharedInference(t *testing.T) {
	x, y := lt.IrisPair(t)
	inf := fitAndInfer(t, x, y, nil)
	var want [2]float64
	want[0], want[1], _ = inf.Profile(2, 0.9)
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			lo, hi, err := inf.Profile(2, 0.9)
			if err != nil || lo != want[0] || hi != want[1] {
				t.Errorf("%g … %g: %v", lo, hi, err)
			}
			if _, err := inf.Drop(nil); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
}

func TestFirth(t *testing.T) {
	x, labels, _ := linalgtest.Table(t, "iris.csv", "species")
	y, _ := linalgtest.Codes(labels)
	for i := range y {
		y[i] = 1 - min(y[i], 1)
	}
	g := goldenInference(t).Firth
	o := &logistic.Options{Firth: true}
	inf := fitAndInfer(t, x, y, o)
	linalgtest.CloseSlice(t, "coef", inf.Estimate, g.Coef, 1e-7)
	linalgtest.CloseSlice(t, "se", inf.SE, g.SE, 1e-6)
	linalgtest.Close(t, "log-likelihood", inf.LogLikelihood, g.LogLik[0], 1e-9)
	drop, err := inf.Drop(nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, test := range drop {
		linalgtest.Close(t, "drop", test.Statistic, g.Drop[j], 1e-7)
		linalgtest.Close(t, "drop p", test.P, g.DropP[j], 1e-7)
	}
	if lo, hi, err := inf.Profile(1, 0.95); err != nil || !(lo < inf.Estimate[1] && inf.Estimate[1] < hi) {
		t.Errorf("profile %g … %g: %v", lo, hi, err)
	}
	// The score equation, from the data and the published coefficients alone.
	m := mustFit(t, x, y, o)
	linalgtest.Close(t, "score", firthScore(m, x, y), 0, 1e-9)
	if _, err := logistic.Fit(x, y, &logistic.Options{Firth: true, Lambda: 1}); err == nil {
		t.Error("Firth with a ridge")
	}
	// Units that multiply to 1 leave the determinant, and all that follows, alone.
	scaled := x.Clone()
	for i := range scaled.Rows {
		scaled.Set(i, 0, 1e6*x.At(i, 0))
		scaled.Set(i, 1, 1e-6*x.At(i, 1))
	}
	other := fitAndInfer(t, scaled, y, o)
	linalgtest.CloseSlice(t, "scaled", []float64{other.LogLikelihood, other.Deviance, other.NullDeviance, other.AIC},
		[]float64{inf.LogLikelihood, inf.Deviance, inf.NullDeviance, inf.AIC}, 1e-8)
	linalgtest.Close(t, "deviance", inf.Deviance, -2*inf.LogLikelihood, 1e-12)
	constant := x.Clone()
	for i := range constant.Rows {
		constant.Set(i, 2, 3)
	}
	if _, err := logistic.Fit(constant, y, o); !lt.Is[*linalg.RankError](err) {
		t.Errorf("constant column: %v", err)
	}
}

func mustFit(t testing.TB, x linalg.Rows, y []int, o *logistic.Options) *logistic.Model {
	t.Helper()
	m, err := logistic.Fit(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// intercepted returns intercept and coefficients of a two-class model in one slice.
func intercepted(m *logistic.Model) []float64 {
	c, b := m.Coef()
	return append(b, c.Row(0)...)
}

// firthScore returns max |Σ (t − p + h(½ − p))xⱼ| / Σ|xⱼ|.
func firthScore(m *logistic.Model, x *linalg.Dense, y []int) float64 {
	rows := linalg.Zeros(x.Rows, x.Cols+1)
	v, r := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range x.Rows {
		rows.Set(i, 0, 1)
		copy(rows.Row(i)[1:], x.Row(i))
		p := m.Proba(nil, x.Row(i))
		v[i], r[i] = p[0]*p[1], float64(y[i])-p[1]
	}
	c, err := linalg.NewCholesky(linalg.Gram(rows, nil, v, 1))
	if err != nil {
		return math.NaN()
	}
	worst := 0.0
	for j := range rows.Cols {
		s, size := 0.0, 0.0
		for i := range rows.Rows {
			row := append([]float64(nil), rows.Row(i)...)
			c.Solve(row)
			h := v[i] * linalg.Dot(row, rows.Row(i))
			p := m.Proba(nil, x.Row(i))[1]
			s += (r[i] + h*(0.5-p)) * rows.At(i, j)
			size += math.Abs(rows.At(i, j))
		}
		worst = math.Max(worst, math.Abs(s)/size)
	}
	return worst
}

// The weighted least squares of the adjusted response returns the estimate (ESL
// eq. 4.26 to 4.28).
func TestAdjustedResponse(t *testing.T) {
	x, y := lt.Heart(t, "tobacco ldl famhist=Present age")
	m := mustFit(t, x, y, nil)
	r, err := mustInfer(t, m, x, y, nil).Residuals()
	if err != nil {
		t.Fatal(err)
	}
	rows := linalg.Zeros(x.Rows, x.Cols+1)
	z, w := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range x.Rows {
		rows.Set(i, 0, 1)
		copy(rows.Row(i)[1:], x.Row(i))
		w[i] = r.Fitted[i] * (1 - r.Fitted[i])
		z[i] = (m.LogOdds(x.Row(i)) + r.Working[i]) * w[i]
	}
	c, err := linalg.NewCholesky(linalg.Gram(rows, nil, w, 1))
	if err != nil {
		t.Fatal(err)
	}
	beta := make([]float64, rows.Cols)
	rows.MulTVec(beta, z)
	c.Solve(beta)
	linalgtest.CloseSlice(t, "least squares", beta, intercepted(m), 1e-10)
}

func TestNoInference(t *testing.T) {
	x, y := lt.IrisPair(t)
	for _, o := range []*logistic.Options{{Lambda: 1}, {Lambda: 1, L1Ratio: 1}} {
		if _, err := inference.Of(mustFit(t, x, y, o), x, y, o); !errors.Is(err, inference.ErrNoInference) {
			t.Errorf("λ = %g: %v", o.Lambda, err)
		}
	}
	m := mustFit(t, x, y, nil)
	y[0], y[60] = y[60], y[0]
	if _, err := inference.Of(m, x, y, nil); !errors.Is(err, inference.ErrNoInference) {
		t.Errorf("other labels: %v", err)
	}
	if _, err := inference.Of(m, lt.First(x, 2), y, nil); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("two columns: %v", err)
	}
	for i := range y {
		y[i] += 5
	}
	if _, err := inference.Of(m, x, y, nil); !lt.Is[*linalg.ClassError](err) {
		t.Errorf("labels of other classes: %v", err)
	}
	x3, y3 := lt.Several(t, "iris")
	if _, err := fitAndInfer(t, x3, y3, nil).Residuals(); !lt.Is[*linalg.ShapeError](err) {
		t.Errorf("residuals of three classes: %v", err)
	}
}

func ExampleInference_WriteSummary() {
	// Beetles killed by carbon disulphide (Bliss 1935), by log₁₀ of the dose.
	dose, _ := linalg.NewDense(8, 1, []float64{1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.8610, 1.8839})
	killed := []float64{6, 13, 18, 28, 52, 53, 61, 60}
	beetles := []float64{59, 60, 62, 56, 63, 59, 62, 60}
	m, err := logistic.FitCounts(dose, killed, beetles, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	inf, err := inference.OfCounts(m, dose, killed, beetles, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	inf.WriteSummary(os.Stdout, []string{"log10 dose"}, nil)
	// Output:
	//                Estimate  Std. Error  z value  Pr(>|z|)
	//   (Intercept)   -60.717      5.1807  -11.720    <2e-16 ***
	//   log10 dose     34.270      2.9121   11.768    <2e-16 ***
	// Signif. codes: 0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1
	//
	//     Null deviance: 284.20 on 7 degrees of freedom
	// Residual deviance: 11.232 on 6 degrees of freedom
	// AIC: 41.430  BIC: 41.589
}

func TestWriteSummaryOfThree(t *testing.T) {
	x, y := lt.Several(t, "birthwt")
	inf := fitAndInfer(t, x, y, nil)
	for classes, want := range map[string][]string{
		"":      {"0:(Intercept)", "1:x5"},
		"a b c": {"a:(Intercept)", "b:x5", "age"},
	} {
		var b strings.Builder
		if err := inf.WriteSummary(&b, []string{"age"}[:len(classes)/5], strings.Fields(classes)); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("no %q in\n%s", w, b.String())
			}
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if strings.HasSuffix(line, "*") && !strings.Contains(strings.TrimRight(line, "*")[len(strings.TrimRight(line, "*"))-1:], " ") {
				t.Errorf("no space before the stars: %q", line)
			}
		}
	}
}

func TestWriteDrop(t *testing.T) {
	x, y := lt.IrisPair(t)
	inf := fitAndInfer(t, x, y, nil)
	var b strings.Builder
	if err := inf.WriteDrop(&b, [][]int{{0}, {2, 3}}, []string{"sepal_length", "sepal_width", "petal_length", "petal_width"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"petal_length+petal_width", "<none>", "11.899"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
