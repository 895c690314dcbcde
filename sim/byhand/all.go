package byhand

import (
	"fmt"
	"io"

	"halfspace/linalg"
)

// WriteAll writes the steps of all methods on small data.
func WriteAll(w io.Writer) error {
	plane, err := linalg.FromRows([][]float64{{1, 1}, {2, 0.5}, {0, 0}, {3, 3}, {4, 2.5}, {2.5, 3}})
	if err != nil {
		return err
	}
	labels := []int{0, 0, 0, 1, 1, 1}
	p, err := Perceptron(plane, labels, 30)
	if err != nil {
		return err
	}
	m, err := HardMargin(plane, labels)
	if err != nil {
		return err
	}
	line, err := linalg.FromRows([][]float64{{0}, {1}, {2}, {3}, {4}, {5}})
	if err != nil {
		return err
	}
	l, err := IRLS(line, []int{0, 0, 1, 0, 1, 1}, 6)
	if err != nil {
		return err
	}
	three, err := linalg.FromRows([][]float64{{1, 2}, {2, 3}, {3, 2}, {5, 5}, {6, 7}, {7, 5}, {8, 1}, {9, 2}, {10, 1}})
	if err != nil {
		return err
	}
	f, err := Fisher(three, []int{0, 0, 0, 1, 1, 1, 2, 2, 2})
	if err != nil {
		return err
	}
	const rows = "rows (1, 1), (2, 1/2), (0, 0) of class −1, (3, 3), (4, 5/2), (5/2, 3) of class +1"
	for _, part := range []struct {
		title string
		steps fmt.Stringer
	}{
		{"The perceptron (ESL 4.44): β ← β + yx, β₀ ← β₀ + y where y·f ≤ 0; " + rows, p},
		{"The widest margin (ESL 4.48 to 4.53), case by case; the same rows", m},
		{"Logistic regression by reweighted least squares (ESL 4.26, 4.27); x = 0 … 5, y = 0 0 1 0 1 1", l},
		{"Fisher's coordinates (ESL §4.3.3); three classes of three rows", f},
	} {
		if _, err := fmt.Fprintf(w, "%s\n\n%v\n", part.title, part.steps); err != nil {
			return err
		}
	}
	return nil
}
