package main

import (
	"testing"
)

func TestCrossValidation(t *testing.T) {
	args := []string{"cv", "-json", "-method", "svc", "-grid", "C=0.01,1", "-folds", "5", iris(t)}
	j := decode(t, ok(t, "", args...))
	points := j["points"].([]any)
	if len(points) != 2 || j["best"] != 1.0 {
		t.Errorf("%v", j)
	}
	loss := points[1].(map[string]any)["loss"].(float64)
	if loss <= 0 || loss > 0.1 {
		t.Errorf("error %v at C = 1", loss)
	}
	if again := ok(t, "", append(args[:len(args)-1:len(args)-1], "-workers", "1", iris(t))...); again != ok(t, "", args...) {
		t.Error("the result depends on the number of workers")
	}
}
