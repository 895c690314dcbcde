package inference_test

import (
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	lt "halfspace/logistic/internal/logistictest"
)

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

func TestCounts(t *testing.T) {
	x, s, m := lt.Menarche(t)
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
			functions := float64(len(g.Coef))
			linalgtest.Close(t, "df", inf.DF, functions*float64(x.Rows-x.Cols-1), 0)
			linalgtest.Close(t, "null df", inf.NullDF, functions*float64(x.Rows-1), 0)
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
}
