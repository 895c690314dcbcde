package optimize

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestReportJSON(t *testing.T) {
	r := Report{MaxIterations, 7, 0.1, Certificate{"gradient", 2e-3, 1e-8}}
	b, err := json.Marshal(r)
	want := `{"status":"max_iterations","iterations":7,"objective":0.1,"certificate":{"kind":"gradient","value":0.002,"tol":1e-8}}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	var back Report
	if err := json.Unmarshal(b, &back); err != nil || back != r {
		t.Errorf("%+v, %v", back, err)
	}
	r.Objective, r.Certificate.Value = math.Inf(-1), math.NaN()
	if b, err = json.Marshal(r); err != nil || strings.Count(string(b), "null") != 2 {
		t.Errorf("%s, %v", b, err)
	}
	if err := json.Unmarshal(b, &back); err != nil || !math.IsNaN(back.Objective) || !math.IsNaN(back.Certificate.Value) {
		t.Errorf("%+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"status":"content"}`), &back); err == nil || !strings.Contains(err.Error(), "content") {
		t.Errorf("an unknown status: %v", err)
	}
}

func TestReportErr(t *testing.T) {
	for s := Direct; s <= NotFinite; s++ {
		var back Status
		text, _ := s.MarshalText()
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%v: %v, %v", s, back, err)
		}
		err := Report{Status: s}.Err(nil)
		if ok := s == Direct || s == Converged; (err == nil) != ok || !ok && !errors.Is(err, ErrNotConverged) {
			t.Errorf("%v: %v", s, err)
		}
	}
	cause := errors.New("enough")
	if err := (Report{Status: Stopped}).Err(cause); !errors.Is(err, cause) || !errors.Is(err, ErrNotConverged) {
		t.Errorf("cause: %v", err)
	}
	if s := Status(77).String(); s != "Status(77)" {
		t.Error(s)
	}
}
