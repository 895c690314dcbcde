//go:build race

package linalgtest

// Race tells whether the race detector is on. A sync.Pool forgets at random then, and
// what is borrowed from one is allocated anew: tests of allocations ask this.
const Race = true
