package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"halfspace/linalg/record"
	"halfspace/sim/method/report"
)

// Coefficients of very many features are those that are not 0, and come back.
func TestCoefOfManyFeatures(t *testing.T) {
	for _, p := range []int{3, 10_000, 10_001} {
		c := report.Coef{make([]record.Number, p), make([]record.Number, p)}
		c[0][1], c[1][p-1] = 0.5, -2
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if sparse := strings.HasPrefix(string(b), `{"p":10001,"rows":[{"index":[1],"value":[0.5]},{"index":[10000],"value":[-2]}]}`); sparse != (p > 10_000) {
			t.Errorf("%d features: %.80s", p, b)
		}
		var back report.Coef
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%d features do not come back: %v", p, err)
		}
	}
	var back report.Coef
	for _, bad := range []string{`{"p":3,"rows":[{"index":[3],"value":[1]}]}`, `{"p":3,"rows":[{"index":[1]}]}`, `{"p":-1}`, `{"p":99999999999,"rows":[{}]}`, `{`, `3`} {
		if json.Unmarshal([]byte(bad), &back) == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
