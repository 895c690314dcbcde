//go:build ignore

// Hunt looks for fits that take too long. It draws tasks at random, a method, its options and a
// table made awkward, and prints each that takes more than 2 s of processor time on at most 1,000
// numbers, or with -cliff more than 30 times as long as a well-posed fit of the same shape of
// up to a million, and .1 s. A draw depends on its number alone: a slow one is looked into by
//
//	GOMAXPROCS=1 go run .ci/hunt.go [-cliff] [-methods logistic,svc] -seed DRAW -count 1 -v -profile FILE
//
// With -v each draw is printed with its result, so that two versions of the library can be compared.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"halfspace/linalg"
	"halfspace/optimize"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// families are methods with options that make a kind of problem of them; a letter stands for a
// power of ten between two exponents.
var families = strings.Split("logistic;logistic firth=true;logistic lambda=L;logistic lambda=L;logistic lambda=L l1-ratio=1;"+
	"logistic lambda=L l1-ratio=1;logistic lambda=L l1-ratio=.5;logistic lambda=L l1-ratio=1e-4;svc C=C;svc C=C;svc C=C multi=ovr;"+
	"svc C=C loss=squared-hinge;svc C=C loss=squared-hinge multi=ovr;svc C=C probability=true;hardmargin;hardmargin multi=ovr;"+
	"svr C=C epsilon=E;svr C=C epsilon=E;perceptron;perceptron pocket=true;perceptron rate=R;ols;ridge lambda=L;lasso lambda=L;"+
	"lasso lambda=L;lasso lambda=L l1-ratio=.5;lasso lambda=L l1-ratio=1e-6;indicator;lda;qda;rda alpha=.5;rda alpha=.1 gamma=.5;rrlda", ";")

var exponents = map[rune][2]float64{'L': {-8, 3}, 'C': {-6, 12}, 'E': {-6, 1}, 'R': {-3, 0}}

// penalties are the options that a path has of its own.
var penalties = strings.Fields("lambda C alpha")

// awkward are ways to make a table hard.
var awkward = strings.Fields("scales near-copies copies means integers outliers duplicates constants rare apart touching separable unbalanced")

// task is one draw.
type task struct {
	method  *method.Method
	kind    string // fit, path or cv
	options string
	n, p, k int
	weights bool
	awkward []string
	seed    uint64
}

// draw makes a task, and the well-posed one of the same shape and family.
func draw(seed uint64, cliff bool) (hard, easy task) {
	r := rand.New(rand.NewPCG(seed, 1))
	family := families[r.IntN(len(families))]
	words := strings.Fields(family)
	m, err := method.Named(words[0])
	check(err)
	size, tallest := 1000., r.Float64()
	if cliff {
		size, tallest = math.Pow(10, 3.5+2.5*r.Float64()), .4+.6*r.Float64()
	}
	t := task{method: m, kind: "fit", seed: seed, weights: m.Takes("weights") && r.IntN(8) == 0}
	t.n = min(max(2, int(math.Pow(size, tallest))), 100_000)
	t.p, t.k = max(1, int(size)/t.n), 2
	if !m.Regression && m.Name != "perceptron" && !strings.Contains(family, "firth") && r.IntN(3) > 0 {
		most := t.n
		if cliff {
			most = min(most, 30)
		}
		t.k = max(2, int(math.Pow(float64(most), math.Sqrt(r.Float64()))))
	}
	if m.Takes("path") && r.IntN(8) == 0 && !strings.Contains(family, "firth") {
		t.kind = []string{"path", "cv"}[r.IntN(2)]
	}
	easy = t
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		usual := value
		if e, ok := exponents[rune(value[0])]; ok {
			usual, value = "1", fmt.Sprintf("%.3g", math.Pow(10, e[0]+(e[1]-e[0])*r.Float64()))
		}
		t.options, easy.options = t.options+" "+name+"="+value, easy.options+" "+name+"="+usual
	}
	for _, word := range []string{"standardize=true", "no-intercept=true", "class-weight=balanced"} {
		if name, _, _ := strings.Cut(word, "="); m.Takes(name) && r.IntN(6) == 0 {
			t.options, easy.options = t.options+" "+word, easy.options+" "+word
		}
	}
	for range 1 + r.IntN(3) {
		t.awkward = append(t.awkward, awkward[r.IntN(len(awkward))])
	}
	if m.Name == "hardmargin" {
		easy.awkward = []string{"separable"}
	}
	return t, easy
}

// table draws the rows of a task, normal but for what is awkward, and classes or numbers to explain.
func (t *task) table() *dataset.Data {
	r := rand.New(rand.NewPCG(t.seed, 2))
	has := func(what string) bool { return slices.Contains(t.awkward, what) }
	x, functions := linalg.Zeros(t.n, t.p), linalg.Zeros(t.k, t.p)
	for i := range functions.Data {
		functions.Data[i] = r.NormFloat64()
	}
	near, scale, gap := math.Pow(10, -13+10*r.Float64()), 8*r.Float64(), math.Pow(10, -9+9*r.Float64())
	d := &dataset.Data{X: x, Schema: &dataset.Schema{Label: "y"}}
	codes, scores := map[int]int{}, make([]float64, t.k)
	for i := range t.n {
		row, class := x.Row(i), i%t.k
		for j := range row {
			row[j] = r.NormFloat64()
			switch {
			case has("integers"):
				row[j] = math.Round(2 * row[j])
			case has("rare") && r.IntN(30) != 0, has("constants") && j%3 == 1:
				row[j] = 1
			case has("outliers") && r.IntN(20) == 0:
				row[j] *= 1e6
			case has("copies") && j%2 == 1:
				row[j] = row[j-1]
			case has("near-copies") && j%2 == 1:
				row[j] = row[j-1] + near*row[j]
			}
		}
		if has("duplicates") {
			copy(row, x.Row(r.IntN(1+i/4)))
		}
		if has("unbalanced") {
			class = int(float64(t.k) * math.Pow(r.Float64(), 6))
		}
		linalg.MulVec(scores, functions, row, 1)
		switch {
		case t.method.Regression:
			d.Y = append(d.Y, scores[0]+r.NormFloat64()*math.Pow(10, -6*float64(t.seed%2)))
		case has("separable"), has("touching") && r.IntN(50) > 0:
			class = linalg.ArgMax(scores)
			linalg.Axpy(row, gap, functions.Row(class))
		case has("apart"):
			linalg.Axpy(row, 10, functions.Row(class))
		}
		if _, ok := codes[class]; !ok {
			codes[class] = len(codes)
			d.Names = append(d.Names, fmt.Sprintf("c%05d", len(codes)))
		}
		d.Labels = append(d.Labels, codes[class])
		if t.weights {
			d.Weights = append(d.Weights, math.Pow(10, r.NormFloat64()))
		}
	}
	t.stretch(d, scale, r)
	if t.method.Regression {
		d.Labels, d.Names = nil, nil
	}
	d.Schema.Names = d.Names
	return d
}

// stretch names the columns and gives them means and scales.
func (t *task) stretch(d *dataset.Data, scale float64, r *rand.Rand) {
	for j := range t.p {
		shift := math.Pow(10, 8*r.Float64())
		for i := range t.n {
			if slices.Contains(t.awkward, "means") {
				d.X.Row(i)[j] += shift
			}
			if slices.Contains(t.awkward, "scales") {
				d.X.Row(i)[j] *= math.Pow(10, scale*(float64(j*7%5)-2)/2)
			}
		}
		d.Schema.Columns = append(d.Schema.Columns, dataset.Column{Name: fmt.Sprintf("x%d", j)})
	}
}

// run solves the task and returns the processor time and the outcome, in words too.
func (t *task) run() (seconds float64, outcome string, err error) {
	d, o := t.table(), method.Defaults()
	for _, s := range strings.Fields(t.options) {
		if name, value, _ := strings.Cut(s, "="); t.kind == "fit" || !slices.Contains(penalties, name) {
			check(o.Set(name, value))
		}
	}
	begin, asked := processorTime(), time.Now()
	o.Trace = func(optimize.Step) error {
		if time.Since(asked) < 50*time.Millisecond { // asking takes longer than a step of a small problem
			return nil
		}
		if asked = time.Now(); processorTime()-begin > 60 {
			return errors.New("a minute")
		}
		return nil
	}
	path, total := new(method.Path), 0.
	switch t.kind {
	case "fit":
		var m *method.Model
		if m, err = t.method.Fit(d, &o); m != nil {
			outcome = fmt.Sprintf("%v %.12g %.2g", m.Report().Status(), m.Report().Objective(), m.Report().Certificate().Value)
		}
	case "path":
		path, err = t.method.Path(d, &o, 30)
	case "cv":
		folds := make([]int, t.n)
		for i := range folds {
			folds[i] = i / t.k % 5
		}
		var c *method.Choice
		if c, err = t.method.CrossValidatePath(d, &o, 30, folds); c != nil {
			path, total = c.Path, linalg.Sum(c.CV.Mean)
		}
	}
	seconds = processorTime() - begin
	if t.kind != "fit" && path != nil {
		for _, point := range path.Points {
			total += point.Objective
		}
		outcome = fmt.Sprintf("%d points %.12g", len(path.Points), total)
	}
	return seconds, fmt.Sprintf("%s %.90v", outcome, err), err
}

func processorTime() float64 {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	cliff := flag.Bool("cliff", false, "compare with well-posed fits of the same shape, of more numbers")
	seed, count := flag.Uint64("seed", 1, "the first draw"), flag.Uint64("count", 100, "how many")
	methods, verbose := flag.String("methods", "", "comma-separated; all"), flag.Bool("v", false, "print each draw with its result")
	profile := flag.String("profile", "", "write a processor profile")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		check(err)
		check(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
	}
	drawn, slow := map[string]int{}, map[string]int{}
	for s := *seed; s < *seed+*count; s++ {
		t, easy := draw(s, *cliff)
		name := t.method.Name
		if *methods != "" && !slices.Contains(strings.Split(*methods, ","), name) {
			continue
		}
		seconds, outcome, _ := t.run()
		limit := 2.
		if *cliff {
			limit = .1
			if seconds > limit {
				usual, _, err := easy.run()
				if limit = max(limit, 30*usual); err != nil { // no fit to compare with
					limit = math.Inf(1)
				}
			}
		}
		drawn[name]++
		mark := ""
		if seconds > limit {
			slow[name]++
			mark = "SLOW, "
		}
		if *verbose || mark != "" {
			fmt.Printf("%d: %s%.3f s, limit %.3g: %s %s%s, %d×%d, %d classes, weights %t, %s: %s\n", s, mark, seconds, limit,
				t.kind, name, t.options, t.n, t.p, t.k, t.weights, strings.Join(t.awkward, "+"), outcome)
		}
	}
	for _, m := range method.All() {
		fmt.Printf("%s: %d draws, %d above the limit\n", m.Name, drawn[m.Name], slow[m.Name])
	}
}
