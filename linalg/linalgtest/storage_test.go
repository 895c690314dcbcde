package linalgtest_test

import (
	"errors"
	"runtime"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

// report notes that a test failed, and ends its goroutine where that is fatal.
type report struct {
	testing.TB
	failed bool
}

func (r *report) Helper()               {}
func (r *report) Errorf(string, ...any) { r.failed = true }
func (r *report) Fatalf(string, ...any) {
	r.failed = true
	runtime.Goexit()
}

func TestEachFailureWantsTheErrorOfTheStorage(t *testing.T) {
	x := linalgtest.OddBlocks{X: linalgtest.Normal(1, 400, 2)}
	read := func(x linalg.Rows) error {
		return linalg.Pass(x, 0, 400, func(*linalg.Block) error { return nil })
	}
	other := errors.New("another error")
	for name, c := range map[string]struct {
		fit    func(x linalg.Rows) error
		failed bool
	}{
		"returns it":                {read, false},
		"reads nothing":             {func(linalg.Rows) error { return nil }, true},
		"loses it":                  {func(x linalg.Rows) error { read(x); return nil }, true},
		"returns another":           {func(x linalg.Rows) error { read(x); return other }, true},
		"fails behind a first pass": {func(x linalg.Rows) error { return errors.Join(read(x), other) }, true},
	} {
		r, done := new(report), make(chan struct{})
		go func() {
			defer close(done)
			linalgtest.EachFailure(r, x, 1, c.fit)
		}()
		<-done
		if r.failed != c.failed {
			t.Errorf("a fit that %s: failed %v", name, r.failed)
		}
	}
}
