//go:build race

package discriminant_test

// raceEnabled: under the race detector a sync.Pool drops items at random.
const raceEnabled = true
