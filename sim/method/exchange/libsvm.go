package exchange

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/sim/method"
)

// ReadLIBSVM reads a model file of LIBSVM whose kernel is linear. Support vectors are summed
// to coefficients: a plane for each pair of K ≥ 3 classes, method svc, with probabilities if
// the file has them; or svr. A one-class model becomes an svc of the classes −1 and 1. C and
// ε, which the file does not have, are 1 and 0; the features are those up to the largest
// index of a support vector.
//
// Errors have the line.
func ReadLIBSVM(r io.Reader) (*method.Model, error) {
	m := &libsvm{lines: newLines(r, "LIBSVM")}
	h, err := m.header("SV", "svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "probA", "probB", "prob_density_marks", "nr_sv")
	if err != nil {
		return nil, err
	}
	if err := m.entries(h); err != nil {
		return nil, err
	}
	if err := m.vectors(); err != nil {
		return nil, err
	}
	if m.p == 0 {
		return nil, m.wrong("no support vector has a feature")
	}
	most := fewValues
	for _, v := range m.support {
		most = min(mostValues, most+valuesEach*len(v.index)) // within an int of 32 bits
	}
	if m.p > most/len(m.rho) {
		return nil, m.wrong("%d planes of %d features are more than the %d values that support vectors of this size are taken for", len(m.rho), m.p, most)
	}
	fit, err := m.model()
	if err != nil {
		return nil, m.wrong("%w", err)
	}
	return m.made(m.p, m.names, fit)
}

// libsvm is a model file that is being read.
type libsvm struct {
	*lines
	kind         string   // svm_type
	names        []string // nil of a regression
	rho          []float64
	probA, probB []float64 // nil without probabilities
	own          []int     // support vectors by class
	total        int
	support      []supportVector
	p            int // largest index
}

// A file that stores few values has no more coefficients than fewValues and valuesEach of them:
// a line can name any feature, and all before it would have a name and a place.
const (
	fewValues  = 1 << 20
	valuesEach = 64
)

// supportVector is one line: K−1 multipliers, and the values of its features.
type supportVector struct {
	alpha []float64
	index []int
	value []float64
}

// entries reads the entries of the header.
func (m *libsvm) entries(h map[string][]string) error {
	if kernel := strings.Join(h["kernel_type"], " "); kernel != "linear" {
		return m.wrong("kernel %s: only a linear one has coefficients", quoted(kernel))
	}
	k, err := m.count(h, "nr_class", 2)
	if err != nil {
		return err
	}
	if m.total, err = m.count(h, "total_sv", 0); err != nil {
		return err
	}
	m.kind = strings.Join(h["svm_type"], " ")
	switch m.kind {
	case "epsilon_svr", "nu_svr", "one_class":
		if k != 2 {
			return m.wrong("%d classes of svm_type %q, want 2", k, m.kind)
		}
		m.own = []int{m.total}
		if m.kind == "one_class" {
			m.names = []string{"-1", "1"}
		}
		m.rho, err = m.numbers(h, "rho", 1)
		return err
	case "c_svc", "nu_svc":
	default:
		return m.wrong("unknown svm_type %s", quoted(m.kind))
	}
	pairs := len(h["rho"])
	if k > 1<<14 || pairs != k*(k-1)/2 {
		return m.wrong("%d values of \"rho\" for the pairs of %d classes", pairs, k)
	}
	if m.rho, err = m.numbers(h, "rho", pairs); err != nil {
		return err
	}
	if m.names, err = m.labels(h, k); err != nil {
		return err
	}
	if err := m.counts(h, k); err != nil {
		return err
	}
	return m.sigmoids(h, pairs)
}

// counts reads how many support vectors each class has.
func (m *libsvm) counts(h map[string][]string, k int) error {
	counts, err := m.numbers(h, "nr_sv", k)
	if err != nil {
		return err
	}
	sum := 0
	for _, v := range counts {
		n := int(v)
		if v < 0 || v > mostValues || float64(n) != v {
			return m.wrong("%g support vectors of a class", v)
		}
		m.own = append(m.own, n)
		if sum += n; sum > m.total { // with more of them it could wrap around
			break
		}
	}
	if sum != m.total {
		return m.wrong("%d support vectors by class, %d in all", sum, m.total)
	}
	return nil
}

// sigmoids reads the parameters of probabilities, if there are any.
func (m *libsvm) sigmoids(h map[string][]string, pairs int) (err error) {
	if h["probA"] == nil && h["probB"] == nil {
		return nil
	}
	if m.probA, err = m.numbers(h, "probA", pairs); err != nil {
		return err
	}
	m.probB, err = m.numbers(h, "probB", pairs)
	return err
}

// vectors reads the support vectors.
func (m *libsvm) vectors() error {
	alphas := max(1, len(m.own)-1)
	for {
		words, err := m.next()
		if err != nil {
			return err
		}
		switch {
		case words == nil && len(m.support) < m.total:
			return m.wrong("the file ends after %d support vectors, want %d", len(m.support), m.total)
		case words == nil:
			return nil
		case len(m.support) == m.total:
			return m.wrong("more than %d support vectors", m.total)
		case len(words) < alphas:
			return m.wrong("%d multipliers, want %d", len(words), alphas)
		}
		v := supportVector{}
		for _, word := range words[:alphas] {
			a, err := m.number(word)
			if err != nil {
				return err
			}
			v.alpha = append(v.alpha, a)
		}
		if err := m.features(&v, words[alphas:]); err != nil {
			return err
		}
		m.support = append(m.support, v)
	}
}

// features reads index:value pairs, whose indices ascend from 1.
func (m *libsvm) features(v *supportVector, words []string) error {
	last := 0
	for _, word := range words {
		name, text, ok := strings.Cut(word, ":")
		i, err := strconv.Atoi(name)
		if !ok || err != nil || i <= last || i > mostValues {
			return m.wrong("%s is not index:value with an index above %d", quoted(word), last)
		}
		x, err := m.number(text)
		if err != nil {
			return err
		}
		v.index, v.value = append(v.index, i), append(v.value, x)
		last = i
	}
	m.p = max(m.p, last)
	return nil
}

// model returns the model of the layer below. LIBSVM's f of a pair is positive for the
// earlier class, that of package hyperplane for the later.
func (m *libsvm) model() (any, error) {
	if m.kind == "epsilon_svr" || m.kind == "nu_svr" {
		coef := make([]float64, m.p)
		m.add(coef, 0, m.total, 0, 1)
		return hyperplane.NewSVR(coef, -m.rho[0], nil)
	}
	if m.kind == "one_class" {
		coef := linalg.Zeros(1, m.p)
		m.add(coef.Row(0), 0, m.total, 0, 1)
		return hyperplane.NewSVC(linalg.Sequence(2), coef, []float64{-m.rho[0]}, nil)
	}
	coef, intercept := linalg.Zeros(len(m.rho), m.p), make([]float64, len(m.rho))
	sigmoids := make([][2]float64, len(m.probA))
	sign := -1.0
	if len(m.names) == 2 {
		slices.Reverse(m.names) // the first where f is 0
		sign = 1
	}
	from := make([]int, len(m.own)+1)
	for k, n := range m.own {
		from[k+1] = from[k] + n
	}
	pair := 0
	for i := range m.own {
		for j := i + 1; j < len(m.own); j++ {
			m.add(coef.Row(pair), from[i], from[i+1], j-1, sign)
			m.add(coef.Row(pair), from[j], from[j+1], i, sign)
			intercept[pair] = -sign * m.rho[pair]
			if m.probA != nil {
				// P(earlier) = 1/(1+exp(A·f+B)) becomes that of the class for which ours is positive.
				sigmoids[pair] = [2]float64{m.probA[pair], sign * m.probB[pair]}
			}
			pair++
		}
	}
	svc, err := hyperplane.NewSVC(linalg.Sequence(len(m.names)), coef, intercept, nil)
	if err != nil || m.probA == nil {
		return svc, err
	}
	return hyperplane.NewSVCProba(svc, sigmoids, hyperplane.LIBSVM)
}

// add adds the support vectors from ≤ v < to, times their multiplier of that number, to coef.
func (m *libsvm) add(coef []float64, from, to, number int, sign float64) {
	for _, v := range m.support[from:to] {
		for k, i := range v.index {
			coef[i-1] += sign * v.alpha[number] * v.value[k]
		}
	}
}
