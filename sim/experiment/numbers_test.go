package experiment

import (
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/sim/feature"
	"halfspace/sim/plot"
)

// Sentences quote the numbers of the tables beside them, and what follows from these.
func TestSentencesQuoteTheTables(t *testing.T) {
	linalgtest.SkipSlow(t)
	share := func(v float64) float64 { return 100 * v }
	error200 := func(e float64) float64 { return 100 * math.Sqrt(e*(1-e)/200_000) }
	for name, says := range map[string]func(d *drawn) []string{
		"exercise": func(d *drawn) []string {
			return []string{
				fmt.Sprintf("the best of the fitted models is qda with %.2f %%, the worst perceptron with %.2f %%", share(d.at(0, 2, 2)), share(d.at(0, 4, 2))),
				"over λ from 0.01 to 10000 the error", fmt.Sprintf("the Bayes error falls from %.1f %% to 0.", share(d.at(0, 0, 2))),
			}
		},
		"masking": func(d *drawn) []string {
			return []string{
				fmt.Sprintf("found in %.1f %% of its rows. On fresh points indicator regression errs in %.1f %% of cases, LDA in %.1f %%.", share(d.at(0, 6, 4)), share(d.at(0, 6, 2)), share(d.at(0, 8, 2))),
				fmt.Sprintf("%.1f %% for indicator regression, %.1f %% for LDA.", share(d.at(0, 3, 2)), share(d.at(0, 5, 2))),
			}
		},
		"generative": func(d *drawn) []string { // the means of the truth are (3.7, −1.3) apart, of covariance I
			return []string{fmt.Sprintf("The fit errs on %.2f %% of fresh points (standard error %.2f); the least possible, Φ(−Δ/2) for means a Mahalanobis distance Δ apart, is %.2f %%",
				share(d.at(0, 5, 2)), error200(d.at(0, 5, 2)), share(math.Erfc(math.Hypot(3.7, 1.3)/2/math.Sqrt2)/2))}
		},
		"lda-logistic": func(d *drawn) []string {
			return []string{
				fmt.Sprintf("the error of LDA is %.2f %%, that of logistic regression %.2f %%, Bayes %.2f %%", share(d.at(0, 0, 2)), share(d.at(0, 0, 3)), share(d.at(0, 0, 1))),
				fmt.Sprintf("a standard error of %.2f points", error200(d.at(0, 0, 1))),
				fmt.Sprintf("is %.3f points on average, with a standard error of %.3f, and LDA is the better one in %s:", share(d.at(1, 0, 3)), share(d.at(1, 0, 4)), strings.TrimSuffix(d.tables[1].Rows[0][5], " of 200")),
				fmt.Sprintf("LDA errs in %.2f %% of cases, logistic regression in %.2f %%, the SVC in %.2f %%, Bayes in %.2f %%", share(d.at(0, 1, 2)), share(d.at(0, 1, 3)), share(d.at(0, 1, 4)), share(d.at(0, 1, 1))),
				fmt.Sprintf("LDA errs in %.2f %% on average, logistic regression in %.2f %%", share(d.at(1, 1, 1)), share(d.at(1, 1, 2))),
			}
		},
		"noise": func(d *drawn) []string {
			return []string{
				fmt.Sprintf("its half-width falls from %.3f to %.3f, the plane turns by %.0f°, and", d.at(0, 1, 3), d.at(0, 4, 3), d.at(0, 4, 7)),
				fmt.Sprintf("goes from %.1f", math.Floor(1000*d.at(0, 1, 6))/10), fmt.Sprintf("half-width %.3f and %.3f, turned by %.0f°, accuracy ", d.at(0, 2, 3), d.at(0, 5, 3), d.at(0, 5, 7)),
			}
		},
		"rda": func(d *drawn) []string {
			return []string{fmt.Sprintf("its error is %.1f %%, against %.1f %% in training.", share(d.at(0, 5, 3)), share(d.at(0, 5, 1))), fmt.Sprintf("LDA, which shares one covariance, has %.1f %%.", share(d.at(0, 0, 3)))}
		},
		"separation": func(d *drawn) []string {
			return []string{fmt.Sprintf("from %.2f at λ = 10 to %.1f at 10⁻⁴.", d.at(0, 0, 1), d.at(0, 3, 1))}
		},
		"outliers": func(d *drawn) []string {
			return []string{fmt.Sprintf("its error goes from %.1f %% to %.1f %%. The logistic loss is next to nothing there: %.1f %% to %.1f %%.", share(d.at(0, 0, 1)), share(d.at(0, 4, 1)), share(d.at(0, 0, 2)), share(d.at(0, 4, 2)))}
		},
		"irls": func(d *drawn) []string {
			return []string{fmt.Sprintf("leave the deviance %.2g, %.2g, %.2g", d.at(0, 1, 3), d.at(0, 2, 3), d.at(0, 3, 3))}
		},
		"landscape": func(d *drawn) []string {
			return []string{fmt.Sprintf("on %.0f of 10,000 random segments", d.at(1, 0, 1)), fmt.Sprintf("leave it at %.3f, from (0, 0) they reach %.3f.", d.at(0, 0, 1), d.at(0, 0, 2)),
				fmt.Sprintf("breaks it on %.0f, and both walks end at the same value, %.4f and %.4f.", d.at(1, 1, 1), d.at(0, 1, 1), d.at(0, 1, 2))}
		},
	} {
		list, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := firstRun(list[0])
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(r.Text, "\n")
		for _, want := range says(&drawn{tables: r.Tables}) {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}
}

// Midpoints of segments of a concave function are above their ends, of a convex one never, and of
// x³ where both ends are mostly to the left.
func TestMidpointsOfSegments(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(a, b float64) float64
		want int
	}{
		"convex": {func(a, b float64) float64 { return a*a + b*b }, 0}, "concave": {func(a, b float64) float64 { return -a*a - b*b }, 500}, "linear": {func(a, b float64) float64 { return 3 - a + 2*b }, 0},
	} {
		if got := midpointViolations(c.f, 500, 7); got != c.want {
			t.Errorf("%s: %d of 500", name, got)
		}
	}
	cubic := 0
	rng := newRand(7 + 1)
	for range 500 {
		a, _, b, _ := 16*rng.Float64()-8, rng.Float64(), 16*rng.Float64()-8, rng.Float64()
		if a+b < 0 && a != b { // ((a+b)/2)³ − (a³+b³)/2 = −3(a+b)(a−b)²/8
			cubic++
		}
	}
	if got := midpointViolations(func(a, _ float64) float64 { return a * a * a }, 500, 7); got != cubic {
		t.Errorf("x³: %d of 500, want %d", got, cubic)
	}
}

// The mean of (p − y)² is ¼ and that of −log P(y) log 2 where all probabilities are ½; from 0 to 1 the
// square of a distance is below −log(1 − distance).
func TestLandscapesAreMeanLosses(t *testing.T) {
	squared, entropy := landscapes(3)
	linalgtest.Close(t, "squared error at 0", squared(0, 0), 0.25, 1e-15)
	linalgtest.Close(t, "cross-entropy at 0", entropy(0, 0), math.Ln2, 1e-15)
	for w0 := -9.0; w0 <= 9; w0 += 3 {
		for w1 := -7.5; w1 <= 7.5; w1 += 3 {
			if s, e := squared(w0, w1), entropy(w0, w1); !(0 < s && s < 1 && s < e) {
				t.Errorf("at (%v, %v) the squared error is %v beside a cross-entropy of %v", w0, w1, s, e)
			}
		}
	}
}

// Gradient descent at a rate of ½ on (a−1)²/2 + 0.3b² multiplies the distances by ½ and 0.7; the
// points kept are those after 0, 1, 2, 4, … steps, and the last.
func TestDescentOnAParabola(t *testing.T) {
	w0, w1 := descend(func(a, b float64) float64 { return (a-1)*(a-1)/2 + 0.3*b*b }, [2]float64{5, -2}, 6)
	for i, steps := range []float64{0, 1, 2, 4, 6} {
		linalgtest.Close(t, "w₀", w0[i], 1+4*math.Pow(0.5, steps), 1e-8)
		linalgtest.Close(t, "w₁", w1[i], -2*math.Pow(0.7, steps), 1e-8)
	}
	if len(w0) != 5 || len(w1) != 5 {
		t.Errorf("%d and %d points", len(w0), len(w1))
	}
}

// The point near class 1 lies two fifths of the margin before its foremost row in a direction 50°
// off the normal, or less where the classes would no longer be apart.
func TestNoisyPointIsAsideOfTheWayAcross(t *testing.T) {
	for seed := range uint64(4) {
		_, sets, _, err := noiseCases(seed + 1)
		if err != nil {
			t.Fatal(err)
		}
		x, y := sets[0].x, sets[0].y
		point, err := closeTo(x, y)
		if err != nil {
			t.Fatal(err)
		}
		m, err := hyperplane.FitHardMargin(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := m.Machines()[0].Plane.Normal()
		found := false
		for angle := 50.0; angle >= 0 && !found; angle -= 10 {
			d := cmplx.Rect(1, angle*math.Pi/180) * complex(n[0], n[1]) / complex(linalg.Norm(n), 0)
			best := math.Inf(1)
			var at complex128
			for i, k := range y {
				z := complex(x.At(i, 0), x.At(i, 1))
				if along := real(z * cmplx.Conj(d)); k == 1 && along < best {
					best, at = along, z
				}
			}
			at -= complex(0.4*m.Margin(), 0) * d
			found = math.Hypot(point[0]-real(at), point[1]-imag(at)) < 1e-9
		}
		if !found {
			t.Errorf("seed %d: the point is at %v", seed, point)
		}
	}
}

// A plot on the page keeps its form, up to one that is too flat to read.
func TestHeightsOnThePage(t *testing.T) {
	for _, c := range []struct{ width, height, want int }{{0, 0, pageWidth * 7 / 8}, {100, 0, pageWidth * 7 / 8}, {0, 100, pageWidth * 7 / 8},
		{200, 200, pageWidth}, {100, 300, 3 * pageWidth}, {400, 100, pageWidth * 5 / 8}} {
		if got := pageHeight(&plot.Plot{Width: c.width, Height: c.height}); got != c.want {
			t.Errorf("%d×%d: %d, want %d", c.width, c.height, got, c.want)
		}
	}
}

// The sets on which least squares errs are separable by the plane that they were drawn about: far
// rows lie on their own side.
func TestFarRowsStaySeparable(t *testing.T) {
	_, _, s, err := leastSquaresErrs(1)
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	for i, k := range s.y {
		if f := (2*s.x.At(i, 0)+s.x.At(i, 1))/math.Sqrt(5) - 2.6; (f > 0) != (k == 1) {
			t.Errorf("row %d of class %d is at %g of the plane", i, k, f)
		}
	}
}

// A standard error of two draws is half their distance, s/√2 of the divisor 1.
func TestStandardErrorsOfTwoDraws(t *testing.T) {
	b, err := gaussianPair()
	if err != nil {
		t.Fatal(err)
	}
	first, err := efficiency(b, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	both, err := efficiency(b, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "lda − logistic", both.se, math.Abs(first.difference-both.difference), 1e-15)
	one, _, err := unlabelledErrors(b, 6, 0, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	two, se, err := unlabelledErrors(b, 6, 0, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	linalgtest.Close(t, "unlabelled", se, math.Abs(one-two), 1e-15)
}

// A classifier of expanded features takes rows as they were, one or many.
func TestExpandedRows(t *testing.T) {
	_, s, err := threeClasses(offTheLine, 3)
	if err != nil {
		t.Fatal(err)
	}
	poly, err := feature.NewPolynomial(2, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	z, err := poly.ApplyRows(s.x)
	if err != nil {
		t.Fatal(err)
	}
	lda, err := discriminant.FitLDA(z, s.y, nil)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := expanded{lda, poly}.PredictRows(nil, s.x)
	if err != nil {
		t.Fatal(err)
	}
	for i, label := range labels {
		if want := (expanded{lda, poly}).Predict(s.x.Row(i)); label != want {
			t.Errorf("row %d: class %d, want %d", i, label, want)
		}
	}
}
