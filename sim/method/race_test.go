//go:build race

package method_test

// The race detector makes a sync.Pool forget at random.
const racing = true
