package optimize

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
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
	for s, want := range map[Status]string{None: "nothing was fitted", Undecided: "undecided after 3 iterations", MaxIterations: "max_iterations after 3 iterations, gap 0.5 above 0.25"} {
		if err := (Report{s, 3, 1, Certificate{KindGap, 0.5, 0.25}}).Err(nil); err == nil || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("%v: %v", s, err)
		}
	}
	stopped := Report{Stopped, 3, 1, Certificate{KindGap, 0.125, 0.25}}
	if err := stopped.Err(nil); err == nil || !strings.HasSuffix(err.Error(), ": stopped after 3 iterations, gap 0.125 ≤ 0.25") {
		t.Errorf("stopped at a certificate that holds: %v", err)
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
	for _, s := range []Status{Converged, MaxIterations, LineSearch} {
		if r := ended(s).Certify(math.Inf(1), Certificate{KindGap, math.NaN(), 1e-8}); r.Status() != NotFinite {
			t.Errorf("%v, an infinite objective: %+v", s, r)
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
	if r := Combine(a, c); r != (Report{Converged, 3, 5, a.certificate}) || r != Combine(c, a) {
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
	}{{KindGap, 3, 1, 0}, {KindGap, 0.25, 0.25, 6}, {KindGap, 1e-17, 1e-17, 8 - 1e-15}, {KindKKT, 3, 3, math.NaN()}} {
		a := NewAudit(8, Certificate{c.kind, c.value, 1e-9})
		if a.Own.Value != c.share || a.Report.Certificate().Value != c.share || math.Abs(a.Minimum-c.bounds) > 1e-14 || a.Minimum > c.bounds || (a.Minimum != a.Minimum) != (c.bounds != c.bounds) {
			t.Errorf("%+v: %+v", c, a)
		}
	}
}

// A certificate beside a larger objective is a smaller share, of the same excess.
func TestAuditBesideALargerObjective(t *testing.T) {
	a := NewAudit(8, Certificate{KindGap, 0.5, 1e-9}).Beside(16)
	if a.Own.Value != 0.25 || a.Report.Certificate().Value != 0.25 || !(math.Abs(a.Minimum-4) <= 1e-14) {
		t.Errorf("%+v", a)
	}
	if a := NewAudit(8, Certificate{KindGap, 0.5, 1e-9}).Beside(4); a.Own.Value != 0.5 {
		t.Errorf("beside a smaller one: %+v", a)
	}
}

// A fit of the same objective bounds what an audit judges: value − F̂(1 − gap), relative to value,
// is the certificate where it is smaller than the coefficients' own; rows with a part are listed.
func TestAuditAgainstAFit(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	fit := func(objective, gap float64) Report {
		return Report{Converged, 1, objective, Certificate{KindGap, gap, 1e-9}}
	}
	for name, c := range map[string]struct {
		value, own     float64
		refit          Report
		share, minimum float64
		rows           int
	}{
		"a closer bound":           {8, 0.75, fit(6, 0.25), (8 - 4.5) / 8, 4.5, 2},
		"a wider bound":            {8, 0.25, fit(6, 0.5), 0.25, 6, 2},
		"no bound of their own":    {8, nan, fit(6, 0), 0.25, 6, 2},
		"a fit above the value":    {8, 0.75, fit(9, 0), 0, 8, 0},
		"a gap above the whole":    {8, 0.75, fit(6, 3), 0.75, 2, 2},
		"nothing fitted":           {8, 0.75, Report{}, 0.75, 2, 2},
		"another certificate":      {8, 0.75, Report{Converged, 1, 6, Certificate{KindKKT, 0, 1}}, 0.75, 2, 2},
		"no point of the problem":  {inf, 1, fit(6, 0.5), 1, 3, 2},
		"a value far above":        {0x1p60, 1, fit(6, 0.5), 1, 3, 2},
		"what holds is not fitted": {8, 1e-10, fit(6, 0), 1e-10, 8 * (1 - 1e-10), 0},
	} {
		fitted := false
		a, err := NewAudit(c.value, Certificate{KindGap, c.own, 1e-9}).Against(func() (Refit, error) {
			fitted = true
			return Refit{Report: c.refit, Parts: []float64{0, 1, -1, 2}}, nil
		})
		if err != nil || fitted != (c.own != 1e-10) {
			t.Fatal(name, err, fitted)
		}
		if got := a.Report.Certificate().Value; !(math.Abs(got-c.share) <= 1e-15) || !(math.Abs(a.Minimum-c.minimum) <= 1e-14) || len(a.Rows) != c.rows {
			t.Errorf("%s: %+v", name, a)
		}
		if c.rows == 2 && (a.Rows[0] != Part{3, 2} || a.Rows[1] != Part{1, 1}) {
			t.Errorf("%s: rows %v", name, a.Rows)
		}
	}
	cause := errors.New("enough")
	if a, err := NewAudit(8, Certificate{KindGap, 1, 1e-9}).Against(func() (Refit, error) { return Refit{}, cause }); a != nil || !errors.Is(err, cause) {
		t.Errorf("%v, %v", a, err)
	}
}

// Audits side by side have the sum of their minima, the largest certificate, and the parts of each
// row summed, of which the ten largest are named, whatever their parts in each: of equal ones the first.
func TestCombinedAudits(t *testing.T) {
	one, two := NewAudit(8, Certificate{KindGap, 0.5, 1e-9}), NewAudit(4, Certificate{KindGap, 0.25, 1e-9})
	parts := make([]float64, 14)
	for i := range parts {
		parts[i] = float64(i)
	}
	one.AddRows(parts[:12])
	two.AddRows(slices.Repeat([]float64{2}, 14))
	whole := CombineAudits(one, two)
	if !(math.Abs(whole.Minimum-(4+3)) <= 1e-14) || !(math.Abs(whole.Excess()-(12-7)) <= 1e-14) || whole.Own.Value != 0.5 || CombineAudits(two, one).Own.Value != 0.5 {
		t.Errorf("%+v", whole)
	}
	if len(whole.Rows) != mostParts || whole.Rows[0] != (Part{11, 11 + 2}) || whole.Rows[1] != (Part{10, 10 + 2}) || whole.Rows[9] != (Part{2, 2 + 2}) {
		t.Errorf("%v", whole.Rows)
	}
	one.Renumber(func(row int) int { return 100 + row })
	if apart := CombineAudits(one, two); apart.Rows[0] != (Part{111, 11}) || apart.Rows[8] != (Part{103, 3}) || apart.Rows[9] != (Part{0, 2}) {
		t.Errorf("other rows: %v", apart.Rows)
	}
	none := NewAudit(1, Certificate{KindGap, math.NaN(), 1e-9})
	if v := CombineAudits(one, none, two).Own.Value; v == v {
		t.Errorf("of one without a bound: %g", v)
	}
}

// All of an audit comes back from its JSON, numbers that are none and the text of an error too.
func TestAuditComesBackFromJSON(t *testing.T) {
	own := Certificate{KindGap, 0.5, 1e-8}
	a := &Audit{Report: Elsewhere().Certify(3, own), Own: own, Minimum: math.NaN(), Equations: []Equation{{"means", 1e-3}},
		Rows: []Part{{7, 0.25}, {2, 0.125}}, NoMinimum: errors.New("separated")}
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var back Audit
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(&back); err != nil || string(again) != string(b) || back.Minimum == back.Minimum || back.Report != a.Report || back.NoMinimum.Error() != "separated" {
		t.Errorf("%s came back as %s, %v", b, again, err)
	}
}
