package outside

import (
	"slices"
	"testing"

	"halfspace/sim/dataset"
)

func TestSpecies(t *testing.T) {
	got, err := Species([][]float64{{5.0, 3.4, 1.5, 0.2}, {5.9, 2.8, 4.3, 1.3}, {6.6, 3.0, 5.6, 2.0}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"setosa", "versicolor", "virginica"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSaved(t *testing.T) {
	fitted, loaded, err := Saved("lda")
	if err != nil {
		t.Fatal(err)
	}
	d := dataset.Iris()
	a, err := fitted.Classifier().PredictRows(nil, d.X)
	if err != nil {
		t.Fatal(err)
	}
	b, err := loaded.Classifier().PredictRows(nil, d.X)
	if err != nil {
		t.Fatal(err)
	}
	if len(a) != 150 || !slices.Equal(a, b) {
		t.Errorf("fitted %d, loaded %d", a, b)
	}
}
