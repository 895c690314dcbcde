package inference_test

import (
	"encoding/json"
	"strings"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	"halfspace/logistic/inference"
)

// An inference without rows, of the zero value or from JSON, prints its table, and its tests
// are errors.
func TestInferenceWithoutRows(t *testing.T) {
	for _, k := range []int{0, 2, 3} {
		inf, table := new(inference.Inference), ""
		if k > 0 {
			x, y := linalgtest.LabeledRows(60, 2, k)
			m, err := logistic.Fit(x, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			full, err := inference.Of(m, x, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(full)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(b, inf); err != nil {
				t.Fatal(err)
			}
			table = full.String()
		}
		if s := inf.String(); k > 0 && s != table || k == 0 && !strings.Contains(s, "Estimate") {
			t.Errorf("%d classes: prints %s, want %s", k, s, table)
		}
		inf.Wald(0.95)
		_, drop := inf.Drop(nil)
		_, score := inf.Score(linalg.Zeros(60, 1))
		_, _, profile := inf.Profile(0, 0.95)
		_, residuals := inf.Residuals()
		_, ratio := inference.LikelihoodRatio(inf, inf)
		for what, err := range map[string]error{"LikelihoodRatio": ratio, "Drop": drop, "Score": score, "Profile": profile, "Residuals": residuals} {
			if err == nil {
				t.Errorf("%d classes: %s needs no rows", k, what)
			}
		}
	}
}
