package linalg

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers resolves a Workers option: 0 is GOMAXPROCS, and there are never more
// than the given number of pieces.
func Workers(workers, pieces int) int {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(1, min(workers, pieces))
}

// For calls body for consecutive chunks of [0, n), on up to workers goroutines.
// The chunks must write to different places; their bounds depend on n and chunk
// alone.
func For(n, chunk, workers int, body func(lo, hi int)) {
	pieces := (n + chunk - 1) / chunk
	workers = Workers(workers, pieces)
	if workers == 1 {
		for lo := 0; lo < n; lo += chunk {
			body(lo, min(lo+chunk, n))
		}
		return
	}
	var next atomic.Int64
	onWorkers(workers, func() {
		for k := int(next.Add(1)) - 1; k < pieces; k = int(next.Add(1)) - 1 {
			body(k*chunk, min((k+1)*chunk, n))
		}
	})
}

// onWorkers calls work on so many goroutines and returns when all have. The caller's is one of them: to wake another
// processor takes longer than much work does. Work must not panic, for the others would go on.
func onWorkers(workers int, work func()) {
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work()
		}()
	}
	work()
	wg.Wait()
}

// Reduce calls body for consecutive chunks of [0, n), on up to workers
// goroutines, and merges the partial results in the order of the chunks: the
// bits of the result depend on n and chunk alone.
//
// A partial state comes from fresh; body must overwrite it, merge adds it to the
// total. Neither fresh nor merge is ever called by two goroutines at once. A
// result whose turn has not come is kept while its goroutine goes on with
// another state, so that a slow goroutine does not hold up the others; there are
// at most two states a worker, however many chunks.
func Reduce[S any](n, chunk, workers int, fresh func() S, body func(s S, lo, hi int), merge func(s S)) {
	ReduceWith(2, n, chunk, workers, fresh, body, merge)
}

// ReduceWith is Reduce with at most so many states a worker: of large ones with one, for which
// a goroutine waits until those before it are merged.
func ReduceWith[S any](states, n, chunk, workers int, fresh func() S, body func(s S, lo, hi int), merge func(s S)) {
	pieces := (n + chunk - 1) / chunk
	workers = Workers(workers, pieces)
	if workers == 1 {
		s := fresh()
		for lo := 0; lo < n; lo += chunk {
			body(s, lo, min(lo+chunk, n))
			merge(s)
		}
		return
	}
	r := newReduction(states*workers, fresh, merge)
	onWorkers(workers, func() {
		for k, s := r.take(pieces); k < pieces; k, s = r.take(pieces) {
			body(s, k*chunk, min((k+1)*chunk, n))
			r.give(k, s)
		}
	})
}

// reduction hands out pieces of work in order, each with a state, and merges the
// states in the same order. Pieces turn ≤ k < next are under way or wait, each
// with a state of its own, so that of piece k waits in slot k mod len(waiting).
type reduction[S any] struct {
	fresh func() S
	merge func(S)

	mu         sync.Mutex
	merged     sync.Cond
	next, turn int
	free       []S
	made       int
	waiting    []slot[S]
}

type slot[S any] struct {
	state S
	full  bool
}

func newReduction[S any](states int, fresh func() S, merge func(S)) *reduction[S] {
	r := &reduction[S]{fresh: fresh, merge: merge, waiting: make([]slot[S], states)}
	r.merged.L = &r.mu
	return r
}

// take returns the next piece and a state for it, or pieces when none is left.
// It waits while all states are in use: the one of piece turn is then being
// worked on.
func (r *reduction[S]) take(pieces int) (k int, s S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.next < pieces && len(r.free) == 0 && r.made == len(r.waiting) {
		r.merged.Wait()
	}
	if r.next == pieces {
		return pieces, s
	}
	if last := len(r.free) - 1; last >= 0 {
		s, r.free = r.free[last], r.free[:last]
	} else {
		s = r.fresh()
		r.made++
	}
	k = r.next
	r.next++
	return k, s
}

// give takes the state of piece k back and merges all whose turn has come.
func (r *reduction[S]) give(k int, s S) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[k%len(r.waiting)] = slot[S]{s, true}
	for {
		w := &r.waiting[r.turn%len(r.waiting)]
		if !w.full {
			break
		}
		r.merge(w.state)
		r.free = append(r.free, w.state)
		*w = slot[S]{}
		r.turn++
	}
	r.merged.Broadcast()
}
