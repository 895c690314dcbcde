package experiment

import (
	"math"
	"slices"
	"strings"
)

// sentences are all that the experiments say, by experiment.
var sentences = map[string][]sentence{
	"exercise": {
		{"Two classes of", says, nil},
		{"The perceptron is not the plain rule", says, nil},
		{"The covariances differ, so the Bayes boundary is a conic", always, func(d *drawn) bool {
			return slices.Min(d.column(0, 2, 1, 3, 4, 5)) > d.at(0, 0, 2)
		}},
		{"On fresh points the best of the fitted models is", here, nil},
		{"The # test points alone cannot rank them", mostly, func(d *drawn) bool { // the difference of two is √2 as uncertain
			return d.n[2] < 2*math.Sqrt2*d.n[1]
		}},
		{"What each assumes", says, nil},
		{"LDA: Gaussian classes with one covariance", says, nil},
		{"QDA: Gaussian classes", says, nil},
		{"Logistic regression: log-odds linear", says, nil},
		{"The perceptron: that a line separates", says, nil},
		{"The SVC: nothing about", says, nil},
		{"Least squares for indicators would", says, nil},
		{"Not converged:", here, nil},
		{"As the second mean moves on", mostly, func(d *drawn) bool {
			return d.n[2] < d.n[1] && d.n[3]-d.n[2] < 100*(slices.Max(d.column(0, 2))-d.at(0, 0, 2))
		}},
		{"With two features and # rows regularisation has little to gain", mostly, func(d *drawn) bool {
			return d.n[5]-d.n[3] < 1 && d.n[8]-d.n[6] < 1
		}},
		{"The # test points over the regions", says, nil},
		{"Errors on # fresh points", says, nil},
	},
	"gaussians": {
		{"With one covariance the quadratic terms", says, nil}, // TestThreeLinesMeet
		{"LDA puts estimates", here, nil},
		{"The population: means", says, nil},
	},
	"quadratic": {
		{"LDA in the space of squares", says, nil},
		{"They are not the same fit, but here", here, nil},
		{"Regions of LDA on", says, nil},
		{"Far from all rows QDA's decision", says, nil},
	},
	"rda": {
		{"QDA has", always, func(d *drawn) bool { return d.n[2] > d.n[3] }},
		{"LDA, which shares one covariance", here, nil},
		{"Between them the least error", mostly, func(d *drawn) bool {
			return d.n[1] > 0 && d.n[1] < 1 && d.n[0] < 100*min(d.at(0, 0, 3), d.at(0, 5, 3))
		}},
		{"Errors on the training rows, by cross-validation", says, nil},
		{"The dashed line is the α", says, nil},
	},
	"fisher": {
		{"Projected on the line through the centroids", always, func(d *drawn) bool { return d.at(0, 0, 2) > d.at(0, 1, 2) }},
		{"The discriminant direction", always, func(d *drawn) bool { return d.at(0, 0, 1) < d.at(0, 1, 1) }},
		{"Both rules cut", says, nil},
		{"Two classes with correlated features", says, nil},
		{"The dashed line is all that projects", says, nil},
		{"The histograms tell", says, nil},
	},
	"reduced": {
		{"In iris the first discriminant", always, func(d *drawn) bool { return d.n[0] == 99.1 }},
		{"The ten simulated classes", mostly, func(d *drawn) bool { return d.n[0] == 3 && d.n[1] < d.n[2]-1 }},
		{"The flowers in the two", says, nil},
		{"Errors on the training rows and on fresh points", says, nil},
	},
	"generative": {
		{"LDA models the classes themselves", says, nil},
		{"Maximum likelihood divides", says, nil},
		{"The fit errs on", mostly, func(d *drawn) bool { return d.n[0] > d.n[3]-3*d.n[1] && d.n[0] < d.n[3]+0.5 }},
		{"The data: # points of each class", says, nil},
		{"Drawn from the fit", says, nil},
	},
	"unlabelled": {
		{"LDA has a density for x alone", says, nil},
		{"With Gaussian classes the mean error falls", mostly, func(d *drawn) bool {
			return d.at(0, 4, 1) < d.at(0, 0, 1)-d.at(0, 0, 2)
		}},
		{"The gain rests on the model", mostly, func(d *drawn) bool { return d.at(0, 4, 3) > d.at(0, 0, 3)+0.05 }},
		{"Mean error of LDA fitted by EM", says, nil},
		{"LDA from twelve rows", says, nil},
	},
	"masking": {
		{"With the centroids in a line", mostly, func(d *drawn) bool { return d.at(0, 6, 4) < 0.2 }},
		{"On fresh points indicator regression", always, func(d *drawn) bool { return d.n[0] > d.n[1]+20 }},
		{"The softmax of the fitted values", always, func(d *drawn) bool { // the same decisions, so the same errors
			return slices.Equal(d.column(0, 2, 0, 3, 6), d.column(0, 2, 1, 4, 7)) && slices.Equal(d.column(0, 4, 0, 3, 6), d.column(0, 4, 1, 4, 7))
		}},
		{"Where the centroids are spread", always, func(d *drawn) bool { return d.at(0, 0, 4) > 0.9 && d.at(0, 0, 2) < d.at(0, 2, 2)+0.01 }},
		{"With the middle centroid two off", always, func(d *drawn) bool { return d.n[0] > d.n[1]+2 && d.at(0, 3, 4) > 2.0/3 }},
		{"Three Gaussian classes and the regions", says, nil},
		{"The fitted indicators of", says, nil},
		{"Straight lines: that of", says, nil}, // TestMaskingAlongTheLine
		{"Parabolas: it is", says, nil},        // likewise
	},
	"codings": {
		{"The exercise in its parts", says, nil},
		{"(a) LDA says class", always, func(d *drawn) bool { return d.n[len(d.n)-1] == 0 }},
		{"(b) The equations", always, func(d *drawn) bool { return slices.Max(d.column(0, 4)) < 1e-10 }},
		{"(c) Σ̂_Bβ has", always, func(d *drawn) bool { return d.n[0] < 1e-5 }},
		{"(d) Whatever two numbers", always, func(d *drawn) bool { return slices.Max(d.column(0, 3)) < 1e-5 }},
		{"(e) Only the cut differs", always, func(d *drawn) bool { return d.n[0] == 0 }},
		{"Why least squares masks", always, func(d *drawn) bool { return slices.Max(d.column(1, 2)) < 1e-11 }},
		{"Q(b) = ", always, func(d *drawn) bool { return slices.Max(d.column(1, 1)) < 1e-11 && slices.Max(d.column(1, 3)) < 1e-11 }},
		{"Its Hessian is", says, nil}, // from the two before
		{"The gradients there", always, func(d *drawn) bool { return d.n[0] < 1e-11 }},
		{"The boundary of LDA and the half-way line", says, nil}, // (d) and (e)
	},
	"outliers": {
		{"The added points are on the correct side", says, nil},
		{"Squared error punishes", always, func(d *drawn) bool { return d.n[0] > 2 && d.n[4] > d.n[3]+1 }},
		{"The logistic loss is next to nothing", always, func(d *drawn) bool { return math.Abs(d.n[1]-d.n[0]) < 0.5 }},
		{"The boundaries of least squares on", says, nil},
		{"Error on fresh points of the two classes", says, nil},
	},
	"prior": {
		{"With noise N(#, σ²) and a prior", says, nil},
		{"So the ridge fit is", always, func(d *drawn) bool { return d.n[0] < 1e-6 }},
		{"The mean has the least expected", mostly, func(d *drawn) bool { return d.n[1] == 1 && d.n[0] < d.n[2] }},
		{"For logistic regression the same prior", says, nil}, // TestLogisticPrior
		{"Mean squared error of ridge coefficients", says, nil},
		{"The ridge that the prior asks for", mostly, func(d *drawn) bool { return d.at(0, 4, 1) == slices.Min(d.column(0, 1)) }},
	},
	"lda-logistic": {
		{"In A the classes are what LDA assumes", says, nil},
		{"On this one training set", here, nil},
		{"Over # sets the difference", mostly, func(d *drawn) bool { return d.at(1, 0, 3) < -1.96*d.at(1, 0, 4) }},
		{"In B a part of class", says, nil},
		{"It drags LDA's mean", always, func(d *drawn) bool { return max(d.n[1], d.n[2]) < d.n[0]-1 }},
		{"Over # sets LDA errs in", always, func(d *drawn) bool { return d.n[1] > d.n[2]+3 }},
		{"(Logistic regression has a ridge", says, nil},
		{"# points a class.", says, nil},
		{"A: two Gaussians", says, nil},
		{"B: class # is a mixture", says, nil},
	},
	"multinomial": {
		{"One fit for all classes", says, nil},
		{"The population's are linear", says, nil},
		{"Three tests ask whether", says, nil},
		{"With ever more rows they come together", mostly, func(d *drawn) bool { // and TestMultinomialClaims
			v := d.n[1:]
			return slices.Max(v)-slices.Min(v) < 0.2*(1+slices.Max(v))
		}},
		{"The regions and boundaries (solid)", says, nil},
	},
	"irls": {
		{"From zero the iterations leave", says, nil}, // TestIRLSClaims
		{"At β = (#, #, #) the fitted probabilities", mostly, func(d *drawn) bool { return d.n[3] > 66 && strings.Contains(d.text, "no longer finite") }},
		{"Halving the step until", always, func(d *drawn) bool { return d.n[0] > 0 && d.lastOf("zero") == d.lastOf("far") }},
		{"How far the deviance is", says, nil},
		{"Full steps are", says, nil},
		{"The sigmoid over f", says, nil},
		{"Its level lines", says, nil},
	},
	"lasso": {
		{"At λ = # every coefficient is exactly", always, func(d *drawn) bool { return d.at(0, 0, 1) == 0 }},
		{"Cross-validation has its least", always, func(d *drawn) bool { return d.n[0] <= slices.Min(d.column(0, 3))+1e-3 && d.n[3] >= d.n[1] }},
		{"Coefficients of", says, nil},
		{"The dashed line is the λ", says, nil},
		{"Ten-fold cross-validation", says, nil},
	},
	"separation": {
		{"The classes can be separated", always, func(d *drawn) bool { return d.n[0] == 60 }},
		{"With a ridge there is an answer", always, func(d *drawn) bool { v := d.column(0, 1); slices.Reverse(v); return falls(v) }},
		{"Firth's penalised likelihood", always, func(d *drawn) bool { return d.n[0] > 0 && d.n[0] < 100 }},
		{"Ridge logistic regression on classes", says, nil}, // at a distance of 2.197/‖β‖
	},
	"sampling": {
		{"Likelihood theory is about many rows", says, nil},
		{"With # rows β̂₁ is too large", mostly, func(d *drawn) bool { return d.n[1] > 0.05 && math.Abs(d.n[3]) < d.n[1]/3 }},
		{"The profile interval of a parameter", always, func(d *drawn) bool { return d.n[0] == 0 }},
		{"The standard error of a coverage", always, func(d *drawn) bool { return d.n[2] == 0.7 }},
		{"Draws on which a plane", says, nil},
		{"The share of draws in which", says, nil},
	},
	"perceptron": {
		{"The perceptron stops at the first plane", mostly, func(d *drawn) bool {
			return d.at(0, 0, 1) != d.at(0, 1, 1) && d.at(0, 1, 1) != d.at(0, 2, 1) && d.at(1, 0, 3) != d.at(1, 1, 3)
		}},
		{"None of those found here", always, func(d *drawn) bool { return slices.Max(d.column(0, 1, 0, 1, 2)) < d.at(0, 7, 1) }},
		{"Logistic regression approaches that plane", mostly, func(d *drawn) bool {
			return d.at(0, 6, 1) > 0.9*d.at(0, 7, 1) && slices.Max(d.column(0, 1)) <= d.at(0, 7, 1)*(1+1e-4)
		}},
		{"Over all gaps tried", always, func(d *drawn) bool {
			for i := range d.tables[2].Rows {
				if d.at(2, i, 1) > d.at(2, i, 2) {
					return false
				}
			}
			return d.n[0] < 100
		}},
		{"Each update lowers", always, func(d *drawn) bool {
			return slices.Min(d.column(3, 3)) >= 1 && d.at(3, 0, 1) <= d.at(3, 0, 2) && d.at(3, 1, 1) <= d.at(3, 1, 2)
		}},
		{"On five points that no line", always, func(d *drawn) bool { return d.n[0] == 6 && d.n[1] == 1 }},
		{"All lines", always, func(d *drawn) bool { return slices.Max(d.column(0, 2, 0, 1, 2, 6, 7)) == 0 }},
		{"Updates until the perceptron", says, nil},
		{"Both axes are", says, nil},
		{"The squared distance from", says, nil}, // as the text
		{"The multiple of the plane is", says, nil},
		{"The perceptron's criterion D", says, nil},
		{"After the first epochs it comes back", says, nil},
	},
	"scaling": {
		{"A row's own length is the step", mostly, func(d *drawn) bool { return d.n[0] > d.n[1]+5 && d.n[1] > d.n[2] }},
		{"The same # points", says, nil},
	},
	"margin": {
		{"The slab is", always, func(d *drawn) bool { return math.Abs(d.n[0]-2*d.n[2]) < 2e-4 && d.n[3] >= 2 && d.n[3] <= 4 }}, // and TestMarginClaims
		{"Σα = ‖β‖²", always, func(d *drawn) bool {
			sum := 0.0
			for _, a := range d.column(0, 4) {
				sum += a
			}
			return math.Abs(sum-d.n[0]) < 2e-3*sum && math.Abs(2*d.n[1]-d.n[0]) < 2e-4*sum && slices.Max(d.column(1, 1)) < 1e-8*(1+sum)
		}},
		{"From dot products alone", always, func(d *drawn) bool { return d.n[0] < 1e-8 }},
		{"Posed as the quadratic program", always, func(d *drawn) bool { return d.n[0] < 1e-6 }},
		{"Least squares need not separate", mostly, func(d *drawn) bool { return d.n[2] >= 5 }},
		{"The plane with the widest margin", always, func(d *drawn) bool { return d.at(1, 1, 1) < 1e-9 }},
		{"Geometry of f(x)", says, nil},
		{"The first of those sets", says, nil}, // the count above is of such sets
		{"Multiples of (β, β₀)", always, func(d *drawn) bool { return slices.Max(d.column(2, 2)) == slices.Min(d.column(2, 2)) }},
		{"The factor with f", always, func(d *drawn) bool { return d.at(2, 1, 1) == 1 }},
	},
	"cost": {
		{"From C = # to C = # the half-width", mostly, func(d *drawn) bool {
			for i := range d.tables[0].Rows {
				if d.at(0, i, 3) > d.at(0, i, 2) {
					return false
				}
			}
			return d.n[2] > d.n[3] && d.n[4] > d.n[5]
		}},
		{"So a low C makes many", mostly, func(d *drawn) bool { return d.at(0, 0, 2) > d.at(0, 8, 2) }},
		{"The classes overlap, so even", mostly, func(d *drawn) bool { return d.n[1] > 0 }},
		{"The fit is piecewise linear", says, nil}, // tests of hyperplane/cpath
		{"From C = # to # there are", always, func(d *drawn) bool { return d.n[3] < 1e-9 }},
		{"The plane, its margins", says, nil},
		{"The half-width", says, nil},
		{"The margin shrinks", always, func(d *drawn) bool { return falls(d.column(0, 1)) }},
		{"How many of the # rows are support", says, nil},
		{"Fewer rows carry the plane", mostly, func(d *drawn) bool { return d.at(0, 0, 2) > d.at(0, 8, 2) }},
		{"The multipliers of the first rows", says, nil},
		{"Between breakpoints α", says, nil}, // TestSharesBetweenBreakpoints
		{"A row inside the margin has", says, nil},
	},
	"noise": {
		{"One point of class #", mostly, func(d *drawn) bool {
			return d.at(0, 4, 3) < d.at(0, 1, 3)/2 && d.at(0, 4, 7) > d.at(0, 5, 7) && d.at(0, 4, 6) <= d.at(0, 1, 6)
		}},
		{"At C = # the point pays", mostly, func(d *drawn) bool { return d.at(0, 5, 3) > d.at(0, 2, 3)*2/3 && d.at(0, 5, 6) >= d.at(0, 4, 6) }},
		{"Half-width is", always, func(d *drawn) bool {
			return math.Abs(d.at(0, 1, 2)-d.at(0, 1, 3)) < 1e-3 && math.Abs(d.at(0, 4, 2)-d.at(0, 4, 3)) < 1e-3 && d.at(0, 5, 2) < d.at(0, 5, 3)
		}},
		{"The perceptron never settles", says, nil},
		{"The hard margin itself refuses", always, func(d *drawn) bool { return d.n[0] == 2 }},
		{"Planes, margins (dashed)", says, nil},
		{"A cross marks", says, nil},
	},
	"tube": {
		{"Rows strictly inside the tube", mostly, func(d *drawn) bool { return d.n[0] <= d.n[1] && d.n[1] <= d.n[2] }},
		{"A row beyond pulls", always, func(d *drawn) bool { return slices.Min(d.column(0, 4)) >= 1 && slices.Max(d.column(0, 5)) < 1e-6 }},
		{"The slopes are", here, nil},
		{"As for the classifier", says, nil},
		{"From C = # to # there are", always, func(d *drawn) bool { return d.n[len(d.n)-1] < 1e-9 }},
		{"Support vector regression for two", says, nil},
		{"The slope of the line", says, nil},
	},
	"losses": {
		{"Errors are counted", says, nil},
		{"At a margin of", always, func(d *drawn) bool { return d.n[1] == 0 && d.n[2] == 0.018 && d.n[3] == 9 }},
		{"The perceptron's loss is", always, func(d *drawn) bool { return d.at(0, 2, 3) == 1 && d.at(0, 2, 5) == 0 }},
		{"Every loss is a function", says, nil},
		{"All but the #", always, func(d *drawn) bool { return convexRows(d) }},
	},
	"fewest": {
		{"No line has fewer", always, func(d *drawn) bool { return d.at(0, 0, 1) == d.n[0] && slices.Min(d.column(0, 1)) == d.n[0] }},
		{"The pocket perceptron", here, nil},
		{"The fewest errors in training", here, nil},
		{"The line with the fewest rows", says, nil},
	},
	"descent": {
		{"At a rate of # gradient descent creeps", always, func(d *drawn) bool { return d.n[1] > 5*d.n[3] }},
		{"At #, just below the", always, func(d *drawn) bool { return d.n[0] < d.n[1] && d.n[0] > 0.9*d.n[1] && d.n[len(d.n)-1] > 50 }},
		{"BFGS learns", always, func(d *drawn) bool { return d.n[0] < 20 && d.n[0] < slices.Min(d.column(0, 1, 0, 1, 2)) }},
		{"The first # iterates", says, nil},
		{"How far J is above its minimum", says, nil},
		{"Forty points", says, nil},
	},
	"landscape": {
		{"A function is convex", says, nil},
		{"Squared error of the sigmoid breaks", mostly, func(d *drawn) bool { return d.n[0] > 1000 && d.at(0, 0, 1) > d.at(0, 0, 2)+0.1 }},
		{"Cross-entropy, the negative", always, func(d *drawn) bool { return d.n[0] == 0 && math.Abs(d.n[1]-d.n[2]) < 1e-3 }},
		{"Two losses of P", says, nil},
		{"The same two losses", says, nil},
	},
	"slips": {
		{"Each line is computed", always, func(d *drawn) bool {
			for i := range d.tables[0].Rows {
				if right, wrong, truth := d.at(0, i, 4), d.at(0, i, 2), d.at(0, i, 5); math.Abs(right-truth) > 1e-3*(1+math.Abs(truth)) || right == wrong {
					return false
				}
			}
			return true
		}},
		{"“The log-likelihood is concave", always, func(d *drawn) bool { return d.n[0] == 40 }},
		{"So is “a low C gives", mostly, func(d *drawn) bool { return d.n[0] > d.n[2] }},
		{"And a deviance is compared", says, nil},
		{"Only support vectors with", says, nil}, // TestInterceptsOfSupportVectors
	},
}

// lastOf returns the last deviance of the table of Newton's iterations from a start.
func (d *drawn) lastOf(start string) float64 {
	last := math.NaN()
	for i, row := range d.tables[0].Rows {
		if row[0] == start {
			last = d.at(0, i, 2)
		}
	}
	return last
}

// convexRows reports that the slopes of each loss of the table never fall, but for the first,
// which counts errors.
func convexRows(d *drawn) bool {
	at := []float64{-3, -1, 0, 0.5, 1, 2, 4}
	for i := range d.tables[0].Rows {
		convex, before := true, math.Inf(-1)
		for j := 1; j < len(at); j++ {
			slope := (d.at(0, i, j+1) - d.at(0, i, j)) / (at[j] - at[j-1])
			convex, before = convex && slope >= before-1e-3, slope
		}
		if convex != (i > 0) {
			return false
		}
	}
	return true
}
