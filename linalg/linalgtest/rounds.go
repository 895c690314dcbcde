package linalgtest

import (
	"os"
	"testing"
)

// Rounds returns how many cases a test of random cases draws: few in short tests, all where
// the environment variable HALFSPACE_LONG is set, otherwise a tenth of all, and no fewer
// than in short tests.
func Rounds(short, all int) int {
	switch {
	case testing.Short():
		return short
	case os.Getenv("HALFSPACE_LONG") != "":
		return all
	}
	return max(short, all/10)
}
