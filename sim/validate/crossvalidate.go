package validate

import (
	"fmt"
	"math"
	"sync"

	"halfspace/linalg"
)

// Trial fits on the rows of train and returns the mean loss on the rows of test
// for each point of a grid; a point that cannot be fitted may have loss +Inf.
// Both lists are ascending and shared: a trial only reads them. Trials run on
// several goroutines at a time.
type Trial func(train, test []int) (loss []float64, err error)

// CV holds the cross-validated loss at each point of a grid.
type CV struct {
	Mean []float64 // over the test rows of all folds
	SE   []float64 // standard error of Mean
}

// CrossValidate calls trial for each fold of each assignment in folds (one is
// plain cross-validation, several are repeated), on up to workers goroutines; 0
// is GOMAXPROCS. The result does not depend on their number. After each trial
// progress, if it is not nil, hears how many are done; it is not called by two
// goroutines at once.
//
// With m_j the loss on fold j of n_j rows and F folds, Mean = Σnⱼmⱼ/n and SE =
// √(Σnⱼ(mⱼ−Mean)²/n/(F−1)), as glmnet has it. With repeats, Mean is their average
// and SE the root of the average SE²: the repeats share their rows, so averaging
// over them does not make the error of the data smaller.
//
// Errors: *[linalg.ShapeError]; the first error of a trial, in the order of the
// folds, with its fold.
func CrossValidate(folds [][]int, workers int, progress func(done, of int), trial Trial) (*CV, error) {
	jobs, err := jobsOf(folds)
	if err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	var (
		mu   sync.Mutex
		done int
	)
	linalg.For(len(jobs), 1, workers, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			jobs[i].loss, jobs[i].err = trial(jobs[i].train, jobs[i].test)
			if progress != nil {
				mu.Lock()
				done++
				progress(done, len(jobs))
				mu.Unlock()
			}
		}
	})
	for i, j := range jobs {
		if j.err == nil && len(j.loss) != len(jobs[0].loss) {
			j.err = &linalg.ShapeError{Want: len(jobs[0].loss), WantOf: "losses in the first fold", Got: len(j.loss), GotOf: "here"}
		}
		if j.err != nil {
			return nil, fmt.Errorf("validate: fold %d: %w", i+1, j.err)
		}
	}
	return summarize(jobs, len(folds)), nil
}

// job is one fold.
type job struct {
	train, test []int
	repeat      int
	loss        []float64
	err         error
}

func jobsOf(folds [][]int) ([]job, error) {
	if len(folds) == 0 || len(folds[0]) == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows with a fold"}
	}
	var jobs []job
	for r, fold := range folds {
		k, first := 0, len(jobs)
		for i, f := range fold {
			if f < 0 {
				return nil, &linalg.ShapeError{Want: 0, WantOf: "is the first fold", Got: f, GotOf: fmt.Sprintf("is that of row %d", i)}
			}
			k = max(k, f+1)
		}
		if len(fold) != len(folds[0]) {
			return nil, &linalg.ShapeError{Want: len(folds[0]), WantOf: "rows", Got: len(fold), GotOf: fmt.Sprintf("folds in repeat %d", r+1)}
		}
		for f := range k {
			j := job{repeat: r}
			for i, g := range fold {
				if g == f {
					j.test = append(j.test, i)
				} else {
					j.train = append(j.train, i)
				}
			}
			if len(j.test) > 0 {
				jobs = append(jobs, j)
			}
		}
		if got := len(jobs) - first; got < 2 {
			return nil, &linalg.ShapeError{Want: 2, WantOf: "folds needed", Got: got, GotOf: "with rows"}
		}
	}
	return jobs, nil
}

func summarize(jobs []job, repeats int) *CV {
	n := float64(len(jobs[0].train) + len(jobs[0].test))
	grid := len(jobs[0].loss)
	c := &CV{make([]float64, grid), make([]float64, grid)}
	for g := range grid {
		variance := 0.0
		for r := range repeats {
			mean, sq, f := 0.0, 0.0, 0.0
			for _, j := range jobs {
				if j.repeat == r {
					mean += float64(len(j.test)) * j.loss[g] / n
					f++
				}
			}
			for _, j := range jobs {
				if j.repeat == r {
					sq += float64(len(j.test)) * (j.loss[g] - mean) * (j.loss[g] - mean) / n
				}
			}
			c.Mean[g] += mean / float64(repeats)
			variance += sq / (f - 1) / float64(repeats)
		}
		c.SE[g] = math.Sqrt(variance)
	}
	return c
}

// Best returns the grid point of the smallest mean loss, the first of equal ones;
// −1 if every mean is NaN.
func (c *CV) Best() int {
	best := -1
	for g, m := range c.Mean {
		if m == m && (best < 0 || m < c.Mean[best]) {
			best = g
		}
	}
	return best
}

// OneSE returns the simplest grid point whose mean loss is at most one standard
// error, its own at the best point, above the smallest: as good as the best within
// the error of measurement (L. Breiman et al., Classification and Regression Trees,
// 1984, §3.4.3; ESL §7.10). complexity has a number for each grid point, larger for
// more complex models, NaN where it is not known; of equally simple points the one
// of smaller loss is taken. A nil complexity is that of a grid from the simplest
// model to the most complex. −1 if every mean is NaN.
func (c *CV) OneSE(complexity []float64) int {
	if complexity != nil && len(complexity) != len(c.Mean) {
		panic(fmt.Sprintf("validate: OneSE: %d grid points but the complexity of %d", len(c.Mean), len(complexity)))
	}
	choice := c.Best()
	if choice < 0 {
		return -1
	}
	of := func(g int) float64 {
		switch {
		case complexity == nil:
			return float64(g)
		case complexity[g] != complexity[g]:
			return math.Inf(1)
		}
		return complexity[g]
	}
	bound := c.Mean[choice] + c.SE[choice]
	for g, m := range c.Mean {
		if m <= bound && (of(g) < of(choice) || of(g) == of(choice) && m < c.Mean[choice]) {
			choice = g
		}
	}
	return choice
}

// Slice returns the grid points lo ≤ g < hi, for trials that return several kinds
// of loss one after another.
func (c *CV) Slice(lo, hi int) *CV { return &CV{c.Mean[lo:hi], c.SE[lo:hi]} }
