package validate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sync"

	"halfspace/linalg"
	"halfspace/linalg/sample"
	"halfspace/optimize"
	"halfspace/optimize/path"
)

// Trial fits on the rows of train and returns the mean loss on the rows of test
// for each point of a grid; a point that cannot be fitted may have loss +Inf.
// Both lists are ascending and shared: a trial only reads them. Trials run on
// several goroutines at a time.
type Trial func(train, test []int) (loss []float64, err error)

// CV is the cross-validated loss at each point of a grid.
type CV = path.CV

// Options are the settings of [CrossValidate]. The zero value and nil are the defaults.
type Options struct {
	Workers int       // trials at a time; 0 is GOMAXPROCS
	Weights []float64 // of the rows: a fold counts by its sum, and not where that is 0; nil is ones

	// Trace is called after each trial, never by two goroutines at once: Iteration counts
	// the trials that are done. Its error stops the cross-validation.
	Trace func(optimize.Step) error
}

// CrossValidate calls trial for each fold of each assignment of rows to folds: one is
// plain cross-validation, several are repeated. The result does not depend on the number
// of goroutines.
//
// Mean and SE are those of [path.NewCV]. With repeats, Mean is their average and SE the
// root of the average SE²: the repeats share their rows, so averaging over them does not
// make the error of the data smaller. The grid is taken to go from simple to complex
// models; set Complexity where it does not.
//
// Errors: *[linalg.ShapeError], *[sample.OptionError]; that of the trace; the first error of a trial, in the
// order of the folds, with its fold.
func CrossValidate(trial Trial, o *Options, folds ...[]int) (*CV, error) {
	if o == nil {
		o = &Options{}
	}
	_, bad := sample.Count("Workers", o.Workers, 0)
	if trial == nil {
		bad = errors.New("no trial is given")
	}
	jobs, err := jobsOf(folds, o.Weights)
	if err = cmp.Or(bad, err); err != nil {
		return nil, wrap(err)
	}
	if err := run(jobs, trial, o); err != nil {
		return nil, wrap(err)
	}
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

// run carries out the trials. Once the trace has stopped them no other begins.
func run(jobs []job, trial Trial, o *Options) error {
	var (
		mu      sync.Mutex
		done    int
		stopped error
	)
	linalg.For(len(jobs), 1, o.Workers, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			mu.Lock()
			end := stopped != nil
			mu.Unlock()
			if end {
				return
			}
			jobs[i].loss, jobs[i].err = trial(jobs[i].rows())
			mu.Lock()
			done++
			if o.Trace != nil && stopped == nil {
				if err := o.Trace(optimize.Step{Iteration: done}); err != nil {
					stopped = fmt.Errorf("stopped after %d of %d fits: %w", done, len(jobs), err)
				}
			}
			mu.Unlock()
		}
	})
	return stopped
}

// job is one fold, whose lists of rows are made when its turn has come: those of all take as much memory as
// folds times rows.
type job struct {
	fold   []int // of each row
	name   int   // of this fold
	repeat int
	size   float64 // the weight of its rows
	loss   []float64
	err    error
}

// rows returns the rows that a trial is fitted to, and those of the fold.
func (j *job) rows() (train, test []int) {
	for i, f := range j.fold {
		if f == j.name {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	return train, test
}

func jobsOf(folds [][]int, w []float64) ([]job, error) {
	if len(folds) == 0 || len(folds[0]) == 0 {
		return nil, &linalg.ShapeError{Want: 1, WantOf: "row needed", Got: 0, GotOf: "rows with a fold"}
	}
	if _, err := sample.Weights(w, len(folds[0])); err != nil {
		return nil, err
	}
	var jobs []job
	for r, fold := range folds {
		for i, f := range fold {
			if f < 0 {
				return nil, &linalg.ShapeError{Want: 0, WantOf: "is the first fold", Got: f, GotOf: fmt.Sprintf("is that of row %d", i)}
			}
		}
		dealt, err := path.NewFolds(len(folds[0]), fold, w)
		if err != nil {
			return nil, fmt.Errorf("repeat %d: %w", r+1, err)
		}
		for _, name := range dealt.Names {
			j := job{fold: fold, name: name, repeat: r}
			for i, f := range fold {
				if f == name {
					j.size += dealt.Weights[i]
				}
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// summarize averages over the repeats.
func summarize(jobs []job, repeats int) *CV {
	grid := len(jobs[0].loss)
	c := &CV{Mean: make([]float64, grid), SE: make([]float64, grid)}
	for r := range repeats {
		var loss [][]float64
		var size []float64
		for _, j := range jobs {
			if j.repeat == r {
				loss, size = append(loss, j.loss), append(size, j.size)
			}
		}
		one := path.NewCV(loss, size)
		for g := range grid {
			c.Mean[g] += one.Mean[g] / float64(repeats)
			c.SE[g] += one.SE[g] * one.SE[g] / float64(repeats)
		}
	}
	for g := range c.SE {
		c.SE[g] = math.Sqrt(c.SE[g])
	}
	return c
}
