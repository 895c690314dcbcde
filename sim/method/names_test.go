package method_test

import (
	"errors"
	"strings"
	"testing"

	"halfspace/hyperplane"
	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// Errors of fits name the columns and classes that they count.
func TestErrorsNameColumnsAndClasses(t *testing.T) {
	lda, _ := method.Named("lda")
	qda, _ := method.Named("qda")
	logit, _ := method.Named("logistic")
	hard, _ := method.Named("hardmargin")
	svc, _ := method.Named("svc")
	twin := methodtest.Clouds(lda, 1, 60, 3)
	for i := range twin.X.Rows {
		twin.X.Row(i)[2] = twin.X.Row(i)[0]
	}
	flat := methodtest.Clouds(lda, 1, 60, 3)
	for i, k := range flat.Labels {
		if k == 1 {
			flat.X.Row(i)[1] = 4
		}
	}
	apart := methodtest.Clouds(hard, 1, 60, 3)
	mixed := methodtest.Clouds(lda, 1, 60, 3)
	empty := methodtest.Clouds(lda, 1, 60, 3)
	for i := range empty.Labels {
		empty.Labels[i] = 2 * (i % 2)
	}
	for what, c := range map[string]struct {
		m    *method.Method
		d    *dataset.Data
		o    *method.Options
		as   any
		says string
	}{
		"two columns alike":          {lda, twin, new(method.Options), new(*linalg.RankError), `column 2 is "c"`},
		"a class on a plane":         {qda, flat, new(method.Options), nil, `class 1 is "v"`},
		"classes apart":              {logit, apart, new(method.Options), new(*logistic.SeparationError), ""},
		"overlapping, in pairs":      {hard, mixed, new(method.Options), new(*hyperplane.InfeasibleError), `is "u"`},
		"overlapping, against rest":  {hard, mixed, &method.Options{Multi: "ovr"}, new(*hyperplane.InfeasibleError), `is "`},
		"a class without rows":       {svc, empty, new(method.Options), new(*linalg.ClassError), `class 1 is "v"`},
		"balanced, without its rows": {svc, empty, &method.Options{ClassWeight: "balanced"}, new(*linalg.ClassError), `method: class 1 (0 rows) has no rows (class 1 is "v")`},
	} {
		model, err := c.m.Fit(c.d, c.o)
		if model != nil || err == nil || !strings.Contains(err.Error(), c.says) || c.as != nil && !errors.As(err, c.as) {
			t.Errorf("%s: %v, %v", what, model, err)
		}
	}
}
