package experiment

import (
	"fmt"
	"math"

	"halfspace/discriminant"
	"halfspace/hyperplane/regression"
	"halfspace/linalg"
	"halfspace/sim/plot"
	"halfspace/sim/population"
)

var codings = &Experiment{
	Name:    "codings",
	Title:   "Least squares on any two numbers finds the direction of LDA",
	Topic:   "Least squares",
	ESL:     "exercise 4.2",
	Formula: "[(N−2)Σ̂ + NΣ̂_B]β = N(μ̂₁ − μ̂₀), Σ̂_B = (N₀N₁/N²)(μ̂₁ − μ̂₀)(μ̂₁ − μ̂₀)ᵀ (4.56), hence β ∝ Σ̂⁻¹(μ̂₁ − μ̂₀)",
	run:     runCodings,
}

// coded is the regression of two classes coded as two numbers, held against LDA.
type coded struct {
	angle   float64 // degrees between β and LDA's direction
	formula float64 // the largest |left − right| of (4.56), relative to the right side
	cut     float64 // the β·x at which f is half-way between the numbers
	beta    []float64
	differ  int     // training rows on which the half-way rule and LDA part
	rule    int     // training rows on which the rule of part (a) and LDA part
	along   float64 // degrees between Σ̂β and μ̂₁ − μ̂₀, part (c)
	ldaCut  float64 // the β·x at which LDA decides
}

// compareCoding regresses lo for class 0 and hi for class 1.
func compareCoding(s *trainingSet, lo, hi float64) (*coded, error) {
	lda, err := discriminant.FitLDA(s.x, s.y, nil)
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, len(s.y))
	counts := [2]float64{}
	for i, k := range s.y {
		numbers[i] = []float64{lo, hi}[k]
		counts[k]++
	}
	m, err := regression.FitOLS(s.x, numbers, nil)
	if err != nil {
		return nil, err
	}
	coef, intercept := m.Coef()
	c := &coded{beta: coef.Row(0), cut: (lo+hi)/2 - intercept[0]}
	means, cov, n := lda.Means(), lda.Cov(), counts[0]+counts[1]
	d := append([]float64{}, means.Row(1)...)
	linalg.Axpy(d, -1, means.Row(0))
	direction, _, err := lda.Boundary(1, 0)
	if err != nil {
		return nil, err
	}
	c.angle = degrees(direction, c.beta)
	if err := c.heldAgainst(lda, s, d, counts); err != nil {
		return nil, err
	}
	// (4.56) is for codes −N/N₀ and N/N₁, a distance of N²/(N₀N₁).
	scale := (hi - lo) / (n * n / (counts[0] * counts[1]))
	for j := range d {
		left := (n - 2) * linalg.Dot(cov.Row(j), c.beta)
		left += counts[0] * counts[1] / n * d[j] * linalg.Dot(d, c.beta)
		right := scale * n * d[j]
		c.formula = math.Max(c.formula, math.Abs(left-right)/math.Abs(right))
	}
	for i := range s.y {
		above := linalg.Dot(c.beta, s.x.Row(i)) > c.cut
		if above != (lda.Predict(s.x.Row(i)) == 1) {
			c.differ++
		}
	}
	return c, nil
}

// heldAgainst computes what parts (a) and (c) of the exercise claim: LDA says class 1 where
// xᵀΣ̂⁻¹d > ½(μ̂₁+μ̂₀)ᵀΣ̂⁻¹d − log(N₁/N₀), with d = μ̂₁ − μ̂₀, and Σ̂β is a multiple of d.
func (c *coded) heldAgainst(lda *discriminant.LDA, s *trainingSet, d []float64, counts [2]float64) error {
	means, cov := lda.Means(), lda.Cov()
	f, err := linalg.NewCholesky(cov.Clone())
	if err != nil {
		return err
	}
	v := append([]float64{}, d...)
	f.Solve(v)
	cut := (linalg.Dot(means.Row(0), v)+linalg.Dot(means.Row(1), v))/2 - math.Log(counts[1]/counts[0])
	for i := range s.y {
		if (linalg.Dot(s.x.Row(i), v) > cut) != (lda.Predict(s.x.Row(i)) == 1) {
			c.rule++
		}
	}
	c.ldaCut = cut * linalg.Dot(c.beta, v) / linalg.Dot(v, v)
	c.along = degrees(project(cov, c.beta), d)
	return nil
}

func runCodings(seed uint64) (*Result, error) {
	b, err := gaussianPair()
	if err != nil {
		return nil, err
	}
	r := &Result{}
	t := r.table("Least squares on two numbers", "rows of class 0 and 1", "codes", "β", "angle to LDA's direction", "residual of (4.56)", "rows where the rules differ")
	var differ [2]int
	rule, along := 0, 0.0
	panels := &plot.Panels{Columns: 2}
	for k, counts := range [][]int{{60, 140}, {100, 100}} {
		x, y := population.SampleClasses(b, counts, seed)
		s := &trainingSet{x, y}
		for _, codes := range [][2]float64{{-1, 1}, {0, 1}, {-200 / float64(counts[0]), 200 / float64(counts[1])}, {3, 10}} {
			c, err := compareCoding(s, codes[0], codes[1])
			if err != nil {
				return nil, err
			}
			t.Add(fmt.Sprintf("%d, %d", counts[0], counts[1]), fmt.Sprintf("%.4g, %.4g", codes[0], codes[1]), fmt.Sprintf("%.4f, %.4f", c.beta[0], c.beta[1]),
				fmt.Sprintf("%.1e°", c.angle), fmt.Sprintf("%.1e", c.formula), c.differ)
			differ[k] = c.differ
			rule, along = rule+c.rule, math.Max(along, c.along)
		}
		panels.Plots = append(panels.Plots, codingPlot(counts, s))
	}
	r.draw("codings", panels, "The boundary of LDA and the half-way line of least squares: parallel, and one line where the classes have as many rows.")
	r.say("The exercise in its parts. (a) LDA says class 1 where xᵀΣ̂⁻¹(μ̂₁ − μ̂₀) > ½(μ̂₁ + μ̂₀)ᵀΣ̂⁻¹(μ̂₁ − μ̂₀) − log(N₁/N₀): that rule and the fitted model part on %d rows. (b) The equations (4.56) hold of least squares, to rounding. "+
		"(c) Σ̂_Bβ has the direction of μ̂₁ − μ̂₀, so that Σ̂β has it too (the angle is at most %.1g°), and β that of Σ̂⁻¹(μ̂₁ − μ̂₀), LDA's. (d) Whatever two numbers stand for the classes, least squares is the same fit up to the scale and shift of the numbers. "+
		"(e) Only the cut differs: half-way between the numbers it is LDA's where the classes have as many rows, and another where they have not; in this sample the two rules part on %d and on %d of 200 rows.", rule, along, differ[1], differ[0])
	return r, antipenalty(r, seed)
}

// codingPlot draws both lines; the models have been fitted without error before.
func codingPlot(counts []int, s *trainingSet) *plot.Plot {
	p := &plot.Plot{Title: fmt.Sprintf("%d and %d rows", counts[0], counts[1]), X: plot.Axis{Label: "x₁"}, Y: plot.Axis{Label: "x₂"}, Equal: true, Width: 560, Height: 460}
	if m, err := discriminant.FitLDA(s.x, s.y, nil); err == nil {
		p.Boundary("lda", plot.Style{Width: 3}, function(m))
	}
	if m, err := regression.FitLeastSquares(s.x, s.y, nil); err == nil {
		p.Boundary("least squares", plot.Style{Color: plot.Amber, Width: 2, Dash: plot.Dashed}, function(m))
	}
	p.Scatter(s.x, 0, 1, s.y, classNames(2))
	return p
}

// antipenalty shows that LDA's directions are a regression with a negative penalty.
func antipenalty(r *Result, seed uint64) error {
	_, s, err := threeClasses([][]float64{{-2, -1.5}, {2, -1.5}, {0, 2}}, seed)
	if err != nil {
		return err
	}
	a, err := antipenalize(s)
	if err != nil {
		return err
	}
	t := r.table("Indicator of a class regressed on centred x, three classes of 200", "class", "gradient of Q at S_W⁻¹m/3", "gradient of ‖y − Xb‖²/N at S_T⁻¹m/3", "S_W⁻¹m against LDA's βⱼ")
	worst := 0.0
	for j := range 3 {
		t.Add(fmt.Sprint(j), a.within[j], a.total[j], a.lda[j])
		worst = math.Max(worst, math.Max(a.within[j], a.total[j]))
	}
	r.say("Why least squares masks and LDA does not: for centred x, classes of one size and y the indicator of class j, ‖y − Xb‖²/N is least at a multiple of S_T⁻¹mⱼ, where S_T = S_W + S_B. "+
		"Q(b) = ‖y − Xb‖²/N − bᵀS_B b, with a reward in the place of a penalty for separating the centroids, is least at the same multiple of S_W⁻¹mⱼ: LDA's coefficients. "+
		"Its Hessian is 2S_W, so it is convex all the same. The gradients there are below %.0e.", math.Max(worst*2, 1e-16))
	return nil
}

type antipenalized struct {
	within, total, lda [3]float64
}

// antipenalize measures the gradients of both criteria at the solutions that they are said
// to have, relative to the size of their terms, and by how much S_W⁻¹m differs from LDA's
// coefficients about the mean.
func antipenalize(s *trainingSet) (a antipenalized, err error) {
	lda, err := discriminant.FitLDA(s.x, s.y, &discriminant.Options{Divisor: discriminant.MLE})
	if err != nil {
		return a, err
	}
	p, n := s.x.Cols, float64(s.x.Rows)
	within, between := lda.Cov(), linalg.Zeros(p, p)
	origin, coef, _ := lda.CoefAbout()
	means := lda.Means()
	for k := range 3 {
		linalg.Axpy(means.Row(k), -1, origin)
		for i, v := range means.Row(k) {
			linalg.Axpy(between.Row(i), v/3, means.Row(k))
		}
	}
	total := within.Clone()
	linalg.Axpy(total.Data, 1, between.Data)
	solve := func(matrix *linalg.Dense, v []float64) ([]float64, error) {
		c, err := linalg.NewCholesky(matrix.Clone())
		if err != nil {
			return nil, err
		}
		b := append([]float64{}, v...)
		c.Solve(b)
		linalg.Scale(b, 1.0/3)
		return b, nil
	}
	for j := range 3 {
		bw, err := solve(within, means.Row(j))
		if err != nil {
			return a, err
		}
		bt, err := solve(total, means.Row(j))
		if err != nil {
			return a, err
		}
		for c := range p {
			// ∇‖y − Xb‖²/N = −2Xᵀ(y − Xb)/N, from the rows themselves.
			var gw, gt, size float64
			for i := range s.x.Rows {
				row := append([]float64{}, s.x.Row(i)...)
				linalg.Axpy(row, -1, origin)
				y := 0.0
				if s.y[i] == j {
					y = 1
				}
				gw -= 2 * row[c] * (y - linalg.Dot(row, bw)) / n
				gt -= 2 * row[c] * (y - linalg.Dot(row, bt)) / n
				size += 2 * math.Abs(row[c]) * y / n
			}
			gw -= 2 * linalg.Dot(between.Row(c), bw)
			a.within[j] = math.Max(a.within[j], math.Abs(gw)/size)
			a.total[j] = math.Max(a.total[j], math.Abs(gt)/size)
			a.lda[j] = math.Max(a.lda[j], math.Abs(3*bw[c]-coef.At(j, c))/linalg.Norm(coef.Row(j)))
		}
	}
	return a, nil
}
