package method

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"halfspace/linalg"
	"halfspace/sim/dataset"
)

// named adds to an error of a fit the names of the columns and classes that it
// speaks of by number.
func (m *Method) named(err error, s *dataset.Schema) error {
	if err == nil {
		return nil
	}
	var said []string
	say := func(what string, k int, names []string) {
		if k >= 0 && k < len(names) && names[k] != strconv.Itoa(k) {
			said = append(said, fmt.Sprintf("%s %d is %q", what, k, names[k]))
		}
	}
	classes, columns := m.cited(err)
	for _, k := range classes {
		say("class", k, s.Names)
	}
	features := s.Features()
	for _, j := range columns[:min(10, len(columns))] {
		say("column", j, features)
	}
	if said == nil {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(said, ", "))
}

// cited returns the classes and columns that an error speaks of by number.
func (m *Method) cited(err error) (classes, columns []int) {
	if e, ok := m.entry.(citingEntry); ok {
		classes, columns = e.cites(err)
	}
	if class := (*linalg.ClassError)(nil); errors.As(err, &class) {
		classes = []int{class.Class}
	}
	if rank := (*linalg.RankError)(nil); errors.As(err, &rank) {
		columns = rank.Columns
	}
	return classes, columns
}
