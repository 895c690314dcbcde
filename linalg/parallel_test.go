package linalg_test

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"halfspace/linalg"
)

func TestForCoversEachIndexOnce(t *testing.T) {
	for _, n := range []int{0, 1, 7, 64, 1000} {
		for _, workers := range []int{0, 1, 2, 3, 16} {
			seen := make([]atomic.Int32, n)
			linalg.For(n, 7, workers, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			})
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Fatalf("n %d, workers %d: index %d was visited %d times", n, workers, i, seen[i].Load())
				}
			}
		}
	}
}

// A sum of values of very different sizes shows any change of order.
func TestReduceBitsDoNotDependOnWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, 10_000)
	for i := range v {
		v[i] = r.NormFloat64() * math.Exp(20*r.NormFloat64())
	}
	sum := func(workers int) float64 {
		total := 0.0
		linalg.Reduce(len(v), 37, workers,
			func() *float64 { return new(float64) },
			func(s *float64, lo, hi int) {
				*s = 0
				for _, x := range v[lo:hi] {
					*s += x
				}
			},
			func(s *float64) { total += *s })
		return total
	}
	want := sum(1)
	for _, workers := range []int{0, 2, 3, 16} {
		for range 20 {
			if got := sum(workers); got != want {
				t.Fatalf("workers %d: %v, one worker gives %v", workers, got, want)
			}
		}
	}
}

// While the first chunk is slow the others go on, but not without bound.
func TestReduceKeepsTwoStatesAWorker(t *testing.T) {
	const workers, pieces = 3, 50
	var made, merged, done atomic.Int32
	release := make(chan struct{})
	linalg.Reduce(pieces, 1, workers,
		func() *int { made.Add(1); return new(int) },
		func(s *int, lo, _ int) {
			*s = lo
			if lo == 0 {
				<-release
			}
			if done.Add(1) == 2*workers-1 && lo != 0 {
				close(release)
			}
		},
		func(s *int) {
			if int(merged.Add(1))-1 != *s {
				t.Errorf("piece %d was merged in place %d", *s, merged.Load()-1)
			}
		})
	if made.Load() > 2*workers || merged.Load() != pieces {
		t.Errorf("%d states for %d workers, %d of %d pieces merged", made.Load(), workers, merged.Load(), pieces)
	}
}

// Of large states there is one a worker: a worker waits for its turn, and sums are the same.
func TestReduceWithOneStateAWorker(t *testing.T) {
	const workers, pieces = 3, 50
	made, total := 0, 0
	linalg.ReduceWith(1, pieces, 1, workers,
		func() *int { made++; return new(int) },
		func(s *int, lo, _ int) {
			if *s = lo; lo == 0 {
				time.Sleep(20 * time.Millisecond) // the others would have gone on
			}
		},
		func(s *int) { total = total*31%1_000_003 + *s })
	want := 0
	for k := range pieces {
		want = want*31%1_000_003 + k
	}
	if made > workers || total != want {
		t.Errorf("%d states for %d workers, the total is %d, want %d", made, workers, total, want)
	}
}
