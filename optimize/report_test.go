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
	r.objective, r.certificate.Value = math.Inf(-1), math.NaN()
	if b, err = json.Marshal(r); err != nil || strings.Count(string(b), "null") != 2 {
		t.Errorf("%s, %v", b, err)
	}
	if err := json.Unmarshal(b, &back); err != nil || !math.IsNaN(back.Objective()) || !math.IsNaN(back.Certificate().Value) {
		t.Errorf("%+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"status":"content"}`), &back); err == nil || !strings.Contains(err.Error(), "content") {
		t.Errorf("an unknown status: %v", err)
	}
}

// ended returns a report with the status s.
func ended(s Status) Report { return Report{status: s, iterations: 3} }

func TestReportErr(t *testing.T) {
	success := map[Status]bool{Direct: true, Converged: true, Imported: true, Audited: true}
	for s := None; s <= Audited; s++ {
		var back Status
		text, _ := s.MarshalText()
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%v: %v, %v", s, back, err)
		}
		err := ended(s).Err(nil)
		if ok := success[s]; (err == nil) != ok || !ok && !errors.Is(err, ErrNotConverged) {
			t.Errorf("%v: %v", s, err)
		}
	}
	if err := ended(Audited).Certify(1, Certificate{KindGap, 1, 0}).Err(nil); !errors.Is(err, ErrNotConverged) {
		t.Errorf("an audit that finds a gap: %v", err)
	}
	cause := errors.New("enough")
	for _, s := range []Status{None, Stopped, Undecided} {
		if err := ended(s).Err(cause); !errors.Is(err, cause) || !errors.Is(err, ErrNotConverged) {
			t.Errorf("cause of %v: %v", s, err)
		}
	}
	if s := Status(77).String(); s != "Status(77)" {
		t.Error(s)
	}
	if err := (Report{}).Err(nil); err == nil {
		t.Error("the zero report is a success")
	}
}

func TestCertify(t *testing.T) {
	holds, fails := Certificate{KindGap, 1e-9, 1e-8}, Certificate{KindGap, 1e-7, 1e-8}
	for s, want := range map[Status][2]Status{
		None: {Direct, LineSearch}, Direct: {Direct, LineSearch}, Converged: {Converged, LineSearch},
		MaxIterations: {Converged, MaxIterations}, LineSearch: {Converged, LineSearch},
		Stopped: {Stopped, Stopped}, NotFinite: {NotFinite, NotFinite}, Undecided: {Undecided, Undecided},
		Imported: {Audited, Audited}, Audited: {Audited, Audited},
	} {
		for k, c := range []Certificate{holds, fails, {KindGap, math.NaN(), 1e-8}} {
			if r := ended(s).Certify(7, c); r.Status() != want[min(k, 1)] || r.Iterations() != 3 || r.Objective() != 7 || k < 2 && r.Certificate() != c {
				t.Errorf("%v, %v: %+v", s, c, r)
			}
		}
	}
}

func TestCombine(t *testing.T) {
	a := Report{Converged, 3, 1, Certificate{KindGap, 1e-9, 1e-8}}
	b := Report{MaxIterations, 4, 2, Certificate{KindGap, 1e-3, 1e-8}}
	c := Report{Direct, 0, 4, Certificate{KindResidual, 0, 1e-8}}
	if r := Combine(a, b, c); r != (Report{MaxIterations, 7, 7, b.certificate}) {
		t.Errorf("%+v", r)
	}
	if r := Combine(a, c); r != (Report{Direct, 3, 5, a.certificate}) {
		t.Errorf("%+v", r)
	}
	for _, r := range []Report{Combine(a, Report{}), Combine(Report{}, a)} {
		if r.Status() != None || !math.IsNaN(r.Certificate().Value) || r.Err(nil) == nil {
			t.Errorf("with one that was not solved: %+v", r)
		}
	}
	b.certificate.Value = math.NaN()
	for _, r := range []Report{Combine(a, b, c), Combine(b, a)} {
		if !math.IsNaN(r.Certificate().Value) {
			t.Errorf("a certificate that is not a number is lost: %+v", r)
		}
	}
}

// A fit without iterations is shown once, and the caller ends where the trace says so.
func TestShowTellsTheTraceOnce(t *testing.T) {
	r := Report{status: Direct, objective: 3, certificate: Certificate{KindGap, 1e-15, 1e-9}}
	if err := r.Show(nil, 2, nil); err != nil {
		t.Error(err)
	}
	calls, enough := 0, errors.New("enough")
	for _, want := range []error{nil, enough} {
		err := r.Show(func(s Step) error {
			calls++
			if s.Iteration != 2 || s.Objective != 3 || s.Certificate != 1e-15 || s.X[0] != 7 {
				t.Errorf("%+v", s)
			}
			return want
		}, 2, []float64{7})
		if !errors.Is(err, want) || errors.Is(err, ErrNotConverged) != (want != nil) {
			t.Errorf("%v after %v", err, want)
		}
	}
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
}

// A gap is a share of the objective, which is not below 0; other certificates are as they are,
// and bound nothing.
func TestAuditOfAGapIsAShare(t *testing.T) {
	for _, c := range []struct {
		kind                 Kind
		value, share, bounds float64
	}{{KindGap, 3, 1, 0}, {KindGap, 0.25, 0.25, 6}, {KindKKT, 3, 3, math.NaN()}} {
		a := NewAudit(8, Certificate{c.kind, c.value, 1e-9})
		if a.Own.Value != c.share || a.Report.Certificate().Value != c.share || a.Minimum != c.bounds && a.Minimum == a.Minimum || (a.Minimum != a.Minimum) != (c.bounds != c.bounds) {
			t.Errorf("%+v: %+v", c, a)
		}
	}
}
