//go:build !race

package discriminant_test

const raceEnabled = false
