package path

import (
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Stop says when a path on the default grid ends early: after a fit that explains more
// than MaxDevRatio of the null deviance or less than a gain beyond the one before, but
// not before the fifth λ, and before a fit of more than MaxDF features. These are
// glmnet's rules, with the ratio 0.999 and the gain 1e-5, of the deviance explained so far for squared
// error (Relative) and of the null deviance for likelihoods. A ratio of 0.99901, and for likelihoods a
// gain of 8e-6, keep every λ that its tolerance lets it reach.
//
// The null deviance is the objective of the intercepts alone: the least loss of a row is
// taken to be 0. A likelihood whose least loss is another one, as that of exp f − yf is,
// needs a term in y that makes it 0 (y·log y − y). Where the null deviance is not positive
// deviance ratios are 0, and where it is negative the path does not end early by them.
type Stop struct {
	MaxDevRatio float64 // 0 is 0.99901
	MaxDF       int     // 0 is no limit
	Gain        float64 // 0 is 8e-6
	Relative    bool
}

const (
	defaultMaxDevRatio = 0.99901
	defaultGain        = 8e-6
	leastFits          = 5
)

func (s Stop) tooMany(f Fit) bool { return s.MaxDF > 0 && f.DF > s.MaxDF }

// enough reports whether the path ends with its n-th fit, which explains gain more than
// the one before.
func (s Stop) enough(f Fit, gain float64, n int) bool {
	limit, least := s.MaxDevRatio, s.Gain
	if limit == 0 {
		limit = defaultMaxDevRatio
	}
	if least == 0 {
		least = defaultGain
	}
	if s.Relative {
		least *= f.DevRatio
	}
	return n >= leastFits && (f.DevRatio > limit || gain < least)
}

const (
	defaultCount               = 100
	tallMinRatio, wideMinRatio = 1e-4, 1e-2
)

// grid returns the λ in descending order. Error: *[linalg.RangeError].
func (p *Problem) grid(s Settings) ([]float64, error) {
	if s.Lambdas != nil {
		l := linalg.Clone(s.Lambdas)
		slices.Sort(l)
		slices.Reverse(l)
		return l, nil
	}
	largest := p.LambdaMax()
	if math.IsInf(largest, 0) {
		return nil, &linalg.RangeError{Column: p.steepest()}
	}
	return Grid(largest, s.Count, s.MinRatio, p.N < p.P), nil
}

// mostFits is the largest number of λ of a grid.
const mostFits = 1 << 20

// CheckCount refuses a number of λ that is below 0, or above 1,048,576, for which there may be no memory.
//
// Error: *[sample.OptionError].
func CheckCount(count int) error {
	if count > mostFits {
		return &sample.OptionError{Name: "Count", Value: float64(count), Want: "at most 1048576"}
	}
	_, err := sample.Count("Count", count, defaultCount)
	return err
}

// Grid returns count values (0: 100), evenly spaced on the log scale, from the largest
// down to ratio of it (0: 0.0001, or 0.01 for wide tables). A largest of 0, where no
// column says anything about y, is taken as 1.
func Grid(largest float64, count int, ratio float64, wide bool) []float64 {
	if count == 0 {
		count = defaultCount
	}
	if ratio == 0 {
		if ratio = tallMinRatio; wide {
			ratio = wideMinRatio
		}
	}
	if largest == 0 {
		largest = 1
	}
	l := make([]float64, count)
	for k := range l {
		l[k] = largest
		if k > 0 {
			l[k] = largest * math.Pow(ratio, float64(k)/float64(count-1))
		}
	}
	return l
}

// steepest returns the feature whose derivative is largest relative to its penalty.
func (p *Problem) steepest() int {
	at, most, null := 0, 0.0, p.nullGradient()
	for i, g := range null {
		if f := p.factors[i%p.Dim()]; f > 0 && math.Abs(g)/f > most {
			at, most = i%p.Dim(), math.Abs(g)/f
		}
	}
	return at - p.Intercept
}

// Settings are the options of a path, which its caller has checked.
type Settings struct {
	// Lambdas is the grid, in any order; nil is Count values (0: 100), evenly spaced on
	// the log scale from [Problem.LambdaMax] down to MinRatio of it (0: 0.0001, or 0.01
	// with fewer rows than features).
	Lambdas  []float64
	Count    int
	MinRatio float64

	// A path on the default grid ends early: see [Stop].
	Stop Stop

	// Tol is the tolerance of the certificate, the duality gap relative to the objective; 0 is
	// 1e-3. Of a loss without a dual problem that is known it is the shortest subgradient in the
	// sizes of the columns; 0 is 1e-5. A fit begins with derivatives, in the sizes of the columns, of at most 1e-5, with
	// the default and one score down to a tenth of it as the objective falls.
	Tol     float64
	MaxIter int

	// Add takes in the fits, in the order of falling λ; its error ends the path. A fit that
	// did not converge ends it too, unless Add judges: the path then goes on from the fits
	// that it takes. A fit that ended although rounding moves its derivatives by more than
	// the tolerance comes to any Add, which reads that in the Report.
	Add    func(Fit) error
	Judges bool

	// Trace is called once a λ, after Add, with Step.X laid out as Fit.Theta; its error
	// stops the path. [glm.Objective.Public] makes one that shows coefficients.
	Trace func(optimize.Step) error
}

// Fit is one fit of a path, as a solver sees it.
type Fit struct {
	Lambda    float64
	Theta     []float64 // parameters of the K scores, for reading during the call of Add alone
	DF        int       // features with a non-zero coefficient
	DevRatio  float64   // share of the null deviance that the fit explains: see [Stop]
	Objective float64   // penalty included

	// Value and Gradient are those of the objective without penalty, where the path knows
	// them better than the objective's memo: a nil Gradient costs no pass. Derivatives that
	// bounds prove to be held by the penalty are given the largest size that these leave. They too are
	// for reading during the call alone.
	Value    float64
	Gradient []float64

	Report optimize.Report
}

// held is a fit that others follow: the coefficients that are not 0, for a path is no place for
// many vectors of all parameters.
type held struct {
	lambda float64
	at     []int // ascending
	value  []float64
}

func hold(lambda float64, theta []float64) held {
	count := 0
	for _, v := range theta {
		if v != 0 {
			count++
		}
	}
	h := held{lambda, make([]int, 0, count), make([]float64, 0, count)}
	for j, v := range theta {
		if v != 0 {
			h.at, h.value = append(h.at, j), append(h.value, v)
		}
	}
	return h
}

// coefficient returns that of parameter j.
func (h held) coefficient(j int) float64 {
	if i, ok := slices.BinarySearch(h.at, j); ok {
		return h.value[i]
	}
	return 0
}

// farthestAhead bounds how many times the distance between two fits the line through
// them is followed.
const farthestAhead = 2.01

// extrapolate moves a point, the fit at the last λ, to where the line through it and a fit before comes
// to at the next one, and returns it; coefficients that would change sign, or are 0, are 0 where they have a
// penalty, by the parameter of a function. Without a fit before the last one it stays.
func extrapolate(next []float64, before held, factors []float64, lambda, last, oneBefore float64) []float64 {
	if !(oneBefore > last) {
		return next
	}
	t := (last - lambda) / (oneBefore - last)
	if t > farthestAhead {
		return next
	}
	for i, j := range before.at {
		free := factors[j%len(factors)] == 0
		if v, b := next[j], before.value[i]; free || v*b > 0 {
			if next[j] = v + t*(v-b); !free && next[j]*v <= 0 {
				next[j] = 0
			}
		}
	}
	return next
}

// nullGradient returns the gradient at Null.
func (p *Problem) nullGradient() []float64 {
	g := make([]float64, p.Parameters())
	p.f.Grad(g, p.Null())
	return g
}
