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
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				k := int(next.Add(1)) - 1
				if k >= pieces {
					return
				}
				body(k*chunk, min((k+1)*chunk, n))
			}
		}()
	}
	wg.Wait()
}

// Reduce calls body for consecutive chunks of [0, n), on up to workers
// goroutines, and merges the partial results in the order of the chunks: the
// bits of the result depend on n and chunk alone. Each goroutine has one partial
// state from fresh; body must overwrite it, merge adds it to the total and is
// never called by two goroutines at once. A goroutine whose turn has not come
// waits with its partial result, so memory is one state a worker, not one a
// chunk.
func Reduce[S any](n, chunk, workers int, fresh func() S, body func(s S, lo, hi int), merge func(s S)) {
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
	var (
		next atomic.Int64
		mu   sync.Mutex
		turn int
		wg   sync.WaitGroup
	)
	moved := sync.NewCond(&mu)
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := fresh()
			for {
				k := int(next.Add(1)) - 1
				if k >= pieces {
					return
				}
				body(s, k*chunk, min((k+1)*chunk, n))
				mu.Lock()
				for turn != k {
					moved.Wait()
				}
				merge(s)
				turn++
				moved.Broadcast()
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
}
