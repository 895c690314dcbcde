package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/sim/plot"
	"halfspace/sim/validate"
)

var lasso = &Experiment{
	Name:    "lasso",
	Title:   "The lasso path of a logistic regression",
	Topic:   "Logistic regression",
	ESL:     "§4.4.4",
	Formula: "max Σ[yf − log(1 + e^f)] − λΣ|βⱼ| (4.31)",
	run:     runLasso,
}

// sparseLogit draws n rows of p correlated normal features and responses from a
// logistic model in which only the first few coefficients are not 0.
func sparseLogit(n, p int, beta []float64, r *rand.Rand) (*linalg.Dense, []int) {
	x, y := linalg.Zeros(n, p), make([]int, n)
	for i := range n {
		common := r.NormFloat64()
		row := x.Row(i)
		for j := range row {
			row[j] = math.Sqrt(0.8)*r.NormFloat64() + math.Sqrt(0.2)*common
		}
		if r.Float64() < linalg.Sigmoid(linalg.Dot(beta, row[:len(beta)])) {
			y[i] = 1
		}
	}
	return x, y
}

func runLasso(seed uint64) (*Result, error) {
	const n, p = 200, 20
	beta := []float64{1.5, -1.2, 0.9, -0.6}
	rng := newRand(seed)
	x, y := sparseLogit(n, p, beta, rng)
	path, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true}, Count: 60})
	if err != nil {
		return nil, err
	}
	folds, err := validate.StratifiedFolds(y, 10, seed)
	if err != nil {
		return nil, err
	}
	lambdas := make([]float64, len(path.Points))
	for i, pt := range path.Points {
		lambdas[i] = pt.Penalty
	}
	cv, err := pathLogLoss(x, y, folds, lambdas)
	if err != nil {
		return nil, err
	}
	best, oneSE := cv.Best(), cv.OneSE()

	r := &Result{}
	t := r.table("Along the path", "λ", "features", "deviance explained", "cross-validated log-loss", "se")
	logs := make([]float64, len(lambdas))
	for i, pt := range path.Points {
		logs[i] = math.Log10(pt.Penalty)
		if i%6 == 0 || i == best || i == oneSE {
			t.Add(pt.Penalty, fmt.Sprint(pt.DF), pt.DevRatio, cv.Mean[i], cv.SE[i])
		}
	}
	coef := &plot.Plot{Title: "Coefficients over λ", X: plot.Axis{Label: "log₁₀ λ"}, Y: plot.Axis{Label: "coefficient"}}
	for j := range p {
		values := make([]float64, len(lambdas))
		for i, pt := range path.Points {
			c, _ := pt.Model.Coef()
			values[i] = c.At(0, j)
		}
		style, name := plot.Style{Color: plot.Grey, Width: 1}, ""
		switch {
		case j < len(beta):
			style, name = plot.Style{Color: []plot.Color{plot.Ink, plot.Green, plot.Purple, plot.Brown}[j], Width: 2.5}, strings.Replace(fmt.Sprintf("β%c = %.1f", []rune("₁₂₃₄")[j], beta[j]), "-", "−", 1)
		case j == len(beta):
			name = fmt.Sprintf("the other %d, 0", p-len(beta))
		}
		coef.Curve(name, style, logs, values)
	}
	coef.VLine("one standard error", plot.Style{Dash: plot.Dashed, Width: 1.5}, logs[oneSE])
	r.draw("lasso-path", coef, "Coefficients of %d features, of which four matter (their true values are in the legend), over the penalty, from the largest λ, which makes all of them 0. The dashed line is the λ that the one-standard-error rule takes.", p)
	curve := &plot.Plot{Title: "Cross-validated log-loss", X: plot.Axis{Label: "log₁₀ λ"}, Y: plot.Axis{Label: "log-loss"}}
	curve.ErrorBars("ten folds ± one standard error", plot.Ink, logs, cv.Mean, cv.SE)
	curve.VLine("least", plot.Style{Dash: plot.Dotted, Width: 1.5}, logs[best])
	curve.VLine("one standard error", plot.Style{Dash: plot.Dashed, Width: 1.5}, logs[oneSE])
	r.draw("lasso-cv", curve, "Ten-fold cross-validation; the dashed line is the largest λ within one standard error of the least loss.")
	r.say("At λ = %.3g every coefficient is exactly 0; as λ falls the four that matter are the %s to enter. "+
		"Cross-validation has its least log-loss, %.3f, at λ = %.3g with %g features; the one-standard-error rule takes λ = %.3g with %g.",
		lambdas[0], entries(path, len(beta)), cv.Mean[best], lambdas[best], path.Points[best].DF, lambdas[oneSE], path.Points[oneSE].DF)
	return r, nil
}

// entries says at which places, by the λ at which they leave 0, the first few coefficients
// enter the path: "1st, 2nd, 3rd and 5th".
func entries(path *logistic.Path, few int) string {
	var at []int // the point at which each coefficient enters
	for j := range path.Points[0].Model.Features() {
		k := 0
		for k < len(path.Points) {
			if c, _ := path.Points[k].Model.Coef(); c.At(0, j) != 0 {
				break
			}
			k++
		}
		at = append(at, k)
	}
	places := make([]int, few)
	for j := range places {
		for _, k := range at {
			if k < at[j] {
				places[j]++
			}
		}
	}
	slices.Sort(places)
	names := make([]string, few)
	for i, p := range places {
		names[i] = fmt.Sprintf("%d%s", p+1, []string{"th", "st", "nd", "rd"}[min(p+1, 4)%4])
	}
	return strings.Join(names[:few-1], ", ") + " and " + names[few-1]
}

// pathLogLoss cross-validates the path on one grid of λ. The grid belongs to the
// sum over all rows, so a fold's is that times its share of the rows.
func pathLogLoss(x *linalg.Dense, y, folds []int, lambdas []float64) (*validate.CV, error) {
	return validate.CrossValidate(func(train, test []int) ([]float64, error) {
		share := float64(len(train)) / float64(len(y))
		grid := make([]float64, len(lambdas))
		for i, l := range lambdas {
			grid[i] = l * share
		}
		path, err := logistic.FitPath(validate.TakeRows(x, train), validate.Take(y, train),
			&logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true}, Lambdas: grid})
		if err != nil {
			return nil, err
		}
		loss := make([]float64, len(lambdas))
		for i, pt := range path.Points {
			e, err := validate.Evaluate(pt.Model, validate.TakeRows(x, test), validate.Take(y, test))
			if err != nil {
				return nil, err
			}
			loss[i] = e.LogLoss
		}
		return loss, nil
	}, nil, folds)
}
