package linalg

import (
	"cmp"
	"fmt"
	"slices"
)

// Relabel returns moments of the same rows with other labels: of each class,
// label(old). Moments gathered in parts that code their classes differently can
// so be brought to one code before they are merged.
//
// Error: *[ClassError] if two classes get one label.
func (m *Moments) Relabel(label func(old int) int) (*Moments, error) {
	r := m.Clone()
	for k := range r.class {
		r.class[k].label = label(r.class[k].label)
	}
	slices.SortFunc(r.class, func(a, b classMoments) int { return cmp.Compare(a.label, b.label) })
	for k := 1; k < len(r.class); k++ {
		if c := r.class[k]; c.label == r.class[k-1].label {
			return nil, fmt.Errorf("relabelled moments: %w", &ClassError{Class: c.label, Rows: c.rows, Reason: "is the label of two classes"})
		}
	}
	return r, nil
}
