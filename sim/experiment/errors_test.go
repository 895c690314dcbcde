package experiment

import (
	"errors"
	"math"
	"strings"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/sim/feature"
	"halfspace/sim/method"
)

// What cannot be fitted or measured is the error of an experiment, never a figure
// in its tables.
func TestSpoiltDataAreAnError(t *testing.T) {
	good := separable(20, 0.6, 1)
	spoilt := &trainingSet{good.x.Clone(), good.y}
	spoilt.x.Set(3, 1, math.NaN())
	wide := &trainingSet{linalg.Zeros(4, 3), []int{0, 1, 0, 1}}
	svc, err := fit(table(good.x, good.y, "0", "1"), "svc", method.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := twoGaussians(0)
	if err != nil {
		t.Fatal(err)
	}
	ten, err := rdaPopulation(4, 4)
	if err != nil {
		t.Fatal(err)
	}
	folds := make([]int, len(good.y))
	for i := range folds {
		folds[i] = i / 2 % 2
	}
	nan, shape := new(*linalg.NonFiniteError), new(*linalg.ShapeError)
	for what, c := range map[string]struct {
		as   any
		call func() error
	}{
		"fit":      {nan, func() error { _, err := fit(table(spoilt.x, spoilt.y, "0", "1"), "lda", method.Options{}); return err }},
		"cost":     {nan, func() error { _, err := fitCost(spoilt, 1, nil); return err }},
		"closest":  {nan, func() error { _, err := closeTo(spoilt.x, spoilt.y); return err }},
		"noise":    {nan, func() error { _, err := fitNoise([]*trainingSet{good, spoilt}, good); return err }},
		"svc":      {nan, func() error { _, err := fitNoisy(1, spoilt, good); return err }},
		"refusals": {nan, func() error { _, err := refusals([]*trainingSet{good, spoilt}); return err }},
		"planes":   {nan, func() error { _, err := manyPlanes(new(Result), spoilt, 1); return err }},
		"orders":   {nan, func() error { return orders(new(Result), spoilt, 1) }},
		"path":     {nan, func() error { _, err := pathLogLoss(spoilt.x, spoilt.y, folds, []float64{1}); return err }},
		"scaling": {nan, func() error {
			_, _, err := scalings()[1].apply(spoilt, good)
			return err
		}},
		"quantiles": {nan, func() error { _, _, err := scalings()[2].apply(spoilt, good); return err }},
		"Bayes rule, other features": {shape, func() error {
			_, err := freshErrors(ten, []fitted{{"Bayes", two}}, 10, 1)
			return err
		}},
		"fresh rows, other features": {shape, func() error { _, err := fitNoisy(2, good, wide); return err }},
		"errors, other features":     {shape, func() error { _, err := errorOf(svc.model, wide.x, wide.y); return err }},
		"margins, other features": {shape, func() error {
			p, err := hyperplane.NewPlane([]float64{1, 2}, 0)
			if err != nil {
				return err
			}
			_, err = marginOf(p, wide)
			return err
		}},
		"transformed, other features": {shape, func() error {
			f, err := feature.FitStandardizer(good.x, nil)
			if err != nil {
				return err
			}
			_, _, err = transformed(f, wide, good)
			return err
		}},
	} {
		if err := c.call(); !errors.As(err, c.as) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := fit(table(good.x, good.y, "0", "1"), "nosuch", method.Options{}); err == nil {
		t.Error("a method that is not there is fitted")
	}
	if _, _, _, err := compareLDALogistic(two, 1, 10, 1); err == nil || !strings.Contains(err.Error(), "lda") {
		t.Errorf("two points: %v", err)
	}
	why := errors.New("no reason")
	failing := &Experiment{Name: "failing", run: func(uint64) (*Result, error) { return new(Result), why }}
	if r, err := failing.Run(1); r != nil || !errors.Is(err, why) || !strings.Contains(err.Error(), "experiment failing") {
		t.Errorf("%v, %v", r, err)
	}
}
