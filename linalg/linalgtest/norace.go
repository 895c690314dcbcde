//go:build !race

package linalgtest

// Race tells whether the race detector is on; see race.go.
const Race = false
