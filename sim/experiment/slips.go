package experiment

import (
	"errors"
	"fmt"
	"math"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/logistic/inference"
	"halfspace/qp/general"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var slips = &Experiment{
	Name:    "slips",
	Title:   "Slips of textbook and lecture formulas, and the number that shows each",
	Topic:   "Formulas",
	ESL:     "§4.2, §4.3, §4.4, §4.5.2, §12.2",
	Formula: "",
	run:     runSlips,
}

// slip is a formula as it is sometimes printed, and as it should be.
type slip struct {
	what, printed, right string
	wrong, value, truth  float64 // by the printed formula, by the right one, and measured
}

func runSlips(seed uint64) (*Result, error) {
	s, err := slipData(seed)
	if err != nil {
		return nil, err
	}
	list, err := allSlips(s)
	if err != nil {
		return nil, err
	}
	low, high, err := supports(s)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	t := r.table("Formulas and what they give", "what", "as printed at times", "gives", "as it is", "gives", "measured")
	for _, one := range list {
		t.Add(one.what, one.printed, one.wrong, one.right, one.value, one.truth)
	}
	if err := anyIntercept(r, s); err != nil {
		return nil, err
	}
	apart := separable(20, 0.6, seed)
	_, err = logistic.Fit(apart.x, apart.y, nil)
	var none *logistic.SeparationError
	if !errors.As(err, &none) {
		return nil, fmt.Errorf("separable classes have a maximum: %w", err)
	}
	r.say("Each line is computed: the value by the formula as it can be found printed, the value by the right one, and what a fit has. "+
		"“The log-likelihood is concave, so a unique maximum exists” is a slip too: on %d rows that a plane separates it is concave and has none, and the fit is refused with the plane as evidence. "+
		"So is “a low C gives few support vectors”: there are %d at C = 0.01 and %d at C = 100. "+
		"And a deviance is compared with χ² only where rows are counts of many trials: on labels 0 and 1 neither it nor Pearson's statistic, which need not be near it, tells of the fit.", none.Rows, low, high)
	return r, nil
}

// slipData draws two overlapping classes of different sizes.
func slipData(seed uint64) (*trainingSet, error) {
	b, err := gaussianPair()
	if err != nil {
		return nil, err
	}
	x, y := population.SampleClasses(b, []int{60, 140}, seed)
	return &trainingSet{x, y}, nil
}

func allSlips(s *trainingSet) ([]slip, error) {
	var list []slip
	for _, f := range []func(*trainingSet) (slip, error){thresholdSlip, halfSlip, interceptSlip, priorSlip, pearsonSlip} {
		one, err := f(s)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// thresholdSlip: least squares on ±1 says class 1 where βᵀx is above βᵀx̄ + (N₀ − N₁)/N.
func thresholdSlip(s *trainingSet) (slip, error) {
	m, err := regression.FitLeastSquares(s.x, s.y, nil)
	if err != nil {
		return slip{}, err
	}
	coef, intercept := m.Coef()
	mean, n := 0.0, float64(len(s.y))
	shift := 0.0
	for i, k := range s.y {
		mean += linalg.Dot(coef.Row(0), s.x.Row(i)) / n
		shift += float64(2*k-1) / n
	}
	return slip{"threshold of least squares on ±1", "βᵀx̄ + (N₁ − N₀)/N", "βᵀx̄ + (N₀ − N₁)/N", mean + shift, mean - shift, -intercept[0]}, nil
}

// halfSlip solves the dual of two points, (1, 1) and (−1, −1), with and without its ½, and
// gives y·f of the points, which is 1 on a margin.
func halfSlip(*trainingSet) (slip, error) {
	x, err := linalg.FromRows([][]float64{{1, 1}, {-1, -1}})
	if err != nil {
		return slip{}, err
	}
	y := []int{1, 0}
	value := func(half float64) (float64, error) { // min half·‖Σαyx‖² − Σα, Σαy = 0, α ≥ 0
		p := &general.Problem{P: linalg.Zeros(2, 2), Q: []float64{-1, -1}, G: linalg.Zeros(2, 2), H: make([]float64, 2), A: linalg.Zeros(1, 2), B: make([]float64, 1)}
		for i := range 2 {
			p.G.Set(i, i, 1)
			p.A.Set(0, i, float64(2*y[i]-1))
			for j := range 2 {
				p.P.Set(i, j, 2*half*float64((2*y[i]-1)*(2*y[j]-1))*linalg.Dot(x.Row(i), x.Row(j)))
			}
		}
		s, err := general.Solve(p, nil)
		if err != nil {
			return 0, err
		}
		w := make([]float64, 2)
		for i, a := range s.X {
			linalg.Axpy(w, a*float64(2*y[i]-1), x.Row(i))
		}
		return linalg.Dot(w, x.Row(0)), nil // β₀ = 0
	}
	without, err := value(1)
	if err != nil {
		return slip{}, err
	}
	with, err := value(0.5)
	if err != nil {
		return slip{}, err
	}
	m, err := hyperplane.FitHardMargin(x, y, nil)
	if err != nil {
		return slip{}, err
	}
	return slip{"y·f of support points from the dual", "max Σα − ΣΣααyyxᵀx", "max Σα − ½ΣΣααyyxᵀx", without, with, m.Machines()[0].Plane.Value(x.Row(0))}, nil
}

// interceptSlip takes β₀ = y − βᵀx from one support vector of a soft margin: the one
// farthest from the margin, which has α = C, and one with 0 < α < C.
func interceptSlip(s *trainingSet) (slip, error) {
	m, err := hyperplane.FitSVC(s.x, s.y, nil)
	if err != nil {
		return slip{}, err
	}
	k, err := m.Conditions(0, s.x, s.y, nil)
	if err != nil {
		return slip{}, err
	}
	coef, intercept := m.Coef()
	r := slip{"β₀ of a soft margin, C = 1", "y − βᵀx of any support vector", "of one with 0 < α < C", math.NaN(), math.NaN(), intercept[0]}
	for i, c := range k.Case {
		at := float64(2*s.y[i]-1) - linalg.Dot(coef.Row(0), s.x.Row(i))
		switch {
		case c == hyperplane.OnMargin:
			r.value = at
		case c == hyperplane.Inside && !(math.Abs(at-intercept[0]) < math.Abs(r.wrong-intercept[0])):
			r.wrong = at
		}
	}
	return r, nil
}

// anyIntercept draws y − βᵀx of all support vectors of a soft margin over their multipliers.
func anyIntercept(r *Result, s *trainingSet) error {
	m, err := hyperplane.FitSVC(s.x, s.y, nil)
	if err != nil {
		return err
	}
	k, err := m.Conditions(0, s.x, s.y, nil)
	if err != nil {
		return err
	}
	coef, intercept := m.Coef()
	var at, value [2][]float64
	for i, alpha := range k.Alpha {
		if c := s.y[i]; alpha > 0 {
			at[c], value[c] = append(at[c], alpha), append(value[c], float64(2*c-1)-linalg.Dot(coef.Row(0), s.x.Row(i)))
		}
	}
	p := &plot.Plot{Title: "β₀ from each support vector, C = 1", X: plot.Axis{Label: "α", Min: 0, Max: 1.1}, Y: plot.Axis{Label: "y − βᵀx"}}
	for c := range 2 {
		p.Points(classNames(2)[c], plot.Class(c), plot.ClassShape(c), at[c], value[c])
	}
	p.HLine("β₀", plot.Style{Width: 2}, intercept[0])
	r.draw("slips", p, "Only support vectors with 0 < α < C have y − βᵀx = β₀; those with α = C lie inside the margin and give anything above it, for class 1, or below, for class 0.")
	return nil
}

// priorSlip counts the rows of class 0 by LDA with priors .02 and .98, written as
// −½d² + log π, and as −½d² + π.
func priorSlip(s *trainingSet) (slip, error) {
	priors := []float64{0.02, 0.98}
	m, err := discriminant.FitLDA(s.x, s.y, &discriminant.Options{Priors: priors})
	if err != nil {
		return slip{}, err
	}
	bayes := m.Bayes()
	var plain, logs, truth float64
	for i := range s.y {
		var d [2]float64
		for k := range d {
			d[k] = bayes.Density(k).(*discriminant.Gaussian).Mahalanobis2(s.x.Row(i))
		}
		if -d[0]/2+priors[0] > -d[1]/2+priors[1] {
			plain++
		}
		if -d[0]/2+math.Log(priors[0]) > -d[1]/2+math.Log(priors[1]) {
			logs++
		}
		if m.Predict(s.x.Row(i)) == 0 {
			truth++
		}
	}
	return slip{"rows of 200 that LDA calls class 0, π₀ = .02", "−½d² + πₖ", "−½d² + log πₖ", plain, logs, truth}, nil
}

// supports returns the numbers of support vectors at a low and at a high price of slack.
func supports(s *trainingSet) (low, high int, err error) {
	var n [2]int
	for k, c := range []float64{0.01, 100} {
		m, err := hyperplane.FitSVC(s.x, s.y, &hyperplane.SVCOptions{C: c})
		if err != nil {
			return 0, 0, err
		}
		n[k] = len(m.Support())
	}
	return n[0], n[1], nil
}

// pearsonSlip compares the deviance with Pearson's statistic on labels.
func pearsonSlip(s *trainingSet) (slip, error) {
	m, err := logistic.Fit(s.x, s.y, nil)
	if err != nil {
		return slip{}, err
	}
	inf, err := inference.Of(m, s.x, s.y, nil)
	if err != nil {
		return slip{}, err
	}
	return slip{"deviance of 200 labels", "about Pearson's χ²", "−2ℓ", inf.Pearson, -2 * inf.LogLikelihood, inf.Deviance}, nil
}
