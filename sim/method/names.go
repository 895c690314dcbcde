package method

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"halfspace/discriminant"
	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/sim/dataset"
)

// named adds to an error of a fit the names of the columns and classes that it
// speaks of by number.
func named(err error, s *dataset.Schema) error {
	if err == nil {
		return nil
	}
	var said []string
	say := func(what string, k int, names []string) {
		if k >= 0 && k < len(names) && names[k] != strconv.Itoa(k) {
			said = append(said, fmt.Sprintf("%s %d is %q", what, k, names[k]))
		}
	}
	for _, k := range classesIn(err) {
		say("class", k, s.Names)
	}
	columns := columnsIn(err)
	features := s.Features()
	for _, j := range columns[:min(10, len(columns))] {
		say("column", j, features)
	}
	if said == nil {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(said, ", "))
}

func classesIn(err error) []int {
	var (
		class *linalg.ClassError
		rank  *discriminant.ClassRankError
		plane *hyperplane.InfeasibleError
	)
	switch {
	case errors.As(err, &class):
		return []int{class.Class}
	case errors.As(err, &rank):
		return []int{rank.Class}
	case errors.As(err, &plane) && plane.Machine.Rest:
		return []int{plane.Machine.Positive}
	case errors.As(err, &plane):
		return []int{plane.Machine.Positive, plane.Machine.Negative}
	}
	return nil
}

func columnsIn(err error) []int {
	var (
		rank *linalg.RankError
		sep  *logistic.SeparationError
	)
	switch {
	case errors.As(err, &rank):
		return rank.Columns
	case errors.As(err, &sep):
		return sep.Columns
	}
	return nil
}
