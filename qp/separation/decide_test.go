package separation_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/qp/separation"
)

// answers are the verdicts of the exact linear program.
var answers = map[linalgtest.Separability]separation.Kind{linalgtest.CompletelySeparated: separation.Complete,
	linalgtest.QuasiSeparated: separation.Quasi, linalgtest.Overlapping: separation.Overlap}

// decided decides a problem and multiplies the evidence out as it comes back from JSON.
func decided(t *testing.T, name any, p *separation.Problem) *separation.Evidence {
	t.Helper()
	e, err := separation.Decide(p)
	if err != nil {
		t.Fatalf("%v: %v", name, err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("%v: %v", name, err)
	}
	back := new(separation.Evidence)
	if err := json.Unmarshal(text, back); err != nil {
		t.Fatalf("%v: %v", name, err)
	}
	if err := back.Verify(p); err != nil {
		t.Errorf("%v: %v, %s", name, err, text)
	}
	settled(t, name, p, e.Kind)
	return e
}

// settled settles a problem, of which the answer is known, and multiplies the evidence out.
func settled(t *testing.T, name any, p *separation.Problem, want separation.Kind) {
	t.Helper()
	e, err := separation.Settle(p)
	if err != nil {
		t.Fatalf("%v: %v", name, err)
	}
	if e.Kind != want {
		t.Errorf("%v: settled as %v, decided as %v", name, e.Kind, want)
	}
	if err := e.Verify(p); err != nil {
		t.Errorf("%v: settled: %v", name, err)
	}
}

func TestVerdictsAreThoseOfTheExactLinearProgram(t *testing.T) {
	tables, undecided, count := linalgtest.Rounds(150, 20_000), 0, map[separation.Kind]int{}
	for seed := range uint64(tables) {
		d := linalgtest.Thin(rand.New(rand.NewPCG(seed, 14)))
		intercept := seed%5 > 0
		want := answers[linalgtest.Separable(d.X, d.Y, d.K, intercept)]
		e := decided(t, seed, &separation.Problem{X: d.X, Code: d.Y, Classes: d.K, ThroughZero: !intercept})
		switch e.Kind {
		case want:
			count[want]++
		case separation.Undecided:
			undecided++
		default:
			t.Errorf("%d, %s: %v, the linear program says %v", seed, d.Name, e.Kind, want)
		}
	}
	if undecided*100 > tables || len(count) < 3 {
		t.Errorf("%d of %d undecided, %v", undecided, tables, count)
	}
	t.Log(count, undecided)
}

func TestRowsOfBothClassesAndRowsLeftOut(t *testing.T) {
	x := linalgtest.Rows(t, []float64{0}, []float64{1}, []float64{2}, []float64{3}, []float64{-5})
	for _, c := range []struct {
		code []int
		want separation.Kind
	}{
		{[]int{0, 0, 1, 1, separation.Left}, separation.Complete},
		{[]int{0, separation.Both, 1, 1, separation.Left}, separation.Quasi},
		{[]int{separation.Both, 0, 1, separation.Both, separation.Left}, separation.Overlap},
		{[]int{0, separation.Both, separation.Both, 1, separation.Left}, separation.Overlap},
		{[]int{0, 0, 1, 1, 1}, separation.Overlap},
	} {
		if e := decided(t, c.code, &separation.Problem{X: x, Code: c.code, Classes: 2}); e.Kind != c.want {
			t.Errorf("%v: %v, want %v", c.code, e.Kind, c.want)
		}
	}
}

func TestColumnsInUse(t *testing.T) {
	x := linalgtest.Rows(t, []float64{1, 0, 7}, []float64{2, 0, 7}, []float64{1, 1, 7}, []float64{2, 1, 7})
	p := &separation.Problem{X: x, Code: []int{0, 0, 1, 1}, Classes: 2, Columns: []int{0, 2}}
	if e := decided(t, "overlapping columns", p); e.Kind != separation.Overlap {
		t.Errorf("%v", e.Kind)
	}
	p.Columns = []int{1}
	e := decided(t, "the column that separates", p)
	if e.Kind != separation.Complete || e.Uses(0) || !e.Uses(1) || e.Features() != 3 {
		t.Errorf("%+v", e)
	}
}

// Two rows of 53 bits and their ties force a direction of some 104 bits.
func TestDirectionInIntegersWhereFloat64HasNone(t *testing.T) {
	x := linalg.Zeros(6, 3)
	r := rand.New(rand.NewPCG(3, 0))
	for i := range 2 { // two rows of both classes, and two beside
		for j := range 3 {
			x.Set(i, j, 1+r.Float64())
			x.Set(i+2, j, x.At(i, j))
		}
	}
	for j := range 3 {
		x.Set(4, j, r.NormFloat64())
		x.Set(5, j, -x.At(4, j))
	}
	e := decided(t, "ties", &separation.Problem{X: x, Code: []int{0, 0, 1, 1, 1, 0}, Classes: 2, ThroughZero: true})
	if e.Kind != separation.Quasi || e.Coef != nil || e.IntegerCoef == nil || len(e.Ties) != 4 || e.IntegerCoef[0][0].Int().BitLen() < 90 {
		t.Errorf("%v, ties %v, float64 %v, integers %v", e.Kind, e.Ties, e.Coef, e.IntegerCoef)
	}
}

func TestVerifyFindsFalseEvidence(t *testing.T) {
	for seed := range uint64(60) {
		d := linalgtest.Thin(rand.New(rand.NewPCG(seed, 15)))
		p := &separation.Problem{X: d.X, Code: d.Y, Classes: d.K}
		for name, spoil := range map[string]func(e *separation.Evidence) bool{
			"kind": func(e *separation.Evidence) bool {
				e.Kind = map[separation.Kind]separation.Kind{separation.Complete: separation.Quasi, separation.Quasi: separation.Complete,
					separation.Overlap: separation.Quasi}[e.Kind]
				return true
			},
			"strict": func(e *separation.Evidence) bool { e.Strict++; return e.Separated() },
			"ties":   func(e *separation.Evidence) bool { e.Ties = append(e.Ties, d.X.Rows-1); return e.Separated() },
			"direction": func(e *separation.Evidence) bool {
				if e.Coef == nil {
					return false
				}
				linalg.Scale(e.Coef.Data, -1)
				return true
			},
			"integers": func(e *separation.Evidence) bool {
				for _, row := range e.IntegerCoef {
					for j, z := range row {
						row[j] = separation.NewInteger(new(big.Int).Neg(z.Int()))
					}
				}
				return e.IntegerCoef != nil
			},
			"multiplier": func(e *separation.Evidence) bool {
				if e.Kind == separation.Complete {
					return false
				}
				e.Multipliers[0].Value = separation.NewInteger(new(big.Int).Lsh(e.Multipliers[0].Value.Int(), 1))
				return true
			},
			"fewer multipliers": func(e *separation.Evidence) bool {
				e.Multipliers = nil
				return e.Kind != separation.Complete
			},
		} {
			e := decided(t, seed, p)
			if spoil(e) && e.Verify(p) == nil {
				t.Errorf("seed %d: a false %s passes", seed, name)
			}
		}
	}
}

// Functions through 0 are about 0: about another origin a row that is the origin would be a proof of
// overlap, and a plane between the rows would pass through 0.
func TestFunctionsThroughZeroHaveNoOtherOrigin(t *testing.T) {
	var damage *record.DamageError
	one := separation.NewInteger(big.NewInt(1))
	p := &separation.Problem{X: linalgtest.Rows(t, []float64{5}), Code: []int{1}, Classes: 2, ThroughZero: true}
	e := &separation.Evidence{Kind: separation.Overlap, Origin: []float64{5}, Multipliers: []separation.Multiplier{{Row: 0, Class: 1, Other: 0, Value: one}}}
	if err := e.Verify(p); !errors.As(err, &damage) {
		t.Errorf("a row at 5 overlaps: %v", err)
	}
	p = &separation.Problem{X: linalgtest.Rows(t, []float64{1}, []float64{2}), Code: []int{0, 1}, Classes: 2, ThroughZero: true}
	e = &separation.Evidence{Kind: separation.Complete, Origin: []float64{1.5}, Coef: linalgtest.Rows(t, []float64{1}), Intercept: []float64{0}, Strict: 2}
	if err := e.Verify(p); !errors.As(err, &damage) {
		t.Errorf("x < 1.5 < x through 0: %v", err)
	}
	if err := e.Check(p, nil); !errors.As(err, &damage) || e.Kind != separation.Undecided {
		t.Errorf("x < 1.5 < x through 0: checked: %v, %v", e.Kind, err)
	}
	p.X, e.Origin = linalgtest.Rows(t, []float64{-1}, []float64{2}), []float64{0}
	if err := e.Check(p, nil); err != nil || e.Kind != separation.Complete || e.Verify(p) != nil {
		t.Errorf("x < 0 < x about 0: %v, %v", e.Kind, err)
	}
}

// Multipliers beside a direction are multiplied out as well: those of weak evidence may say that rows
// coincide, a complete one has none.
func TestMultipliersBesideADirectionAreVerified(t *testing.T) {
	multipliers := func(first, second int64) []separation.Multiplier {
		return []separation.Multiplier{{Row: 0, Class: 0, Other: 1, Value: separation.NewInteger(big.NewInt(first))},
			{Row: 1, Class: 1, Other: 0, Value: separation.NewInteger(big.NewInt(second))}}
	}
	for _, c := range []struct {
		kind          separation.Kind
		at            float64 // the second row of three; the others are at 0 and 2
		level         float64
		strict        int
		ties          []int
		first, second int64
		want          bool
	}{
		{separation.Weak, 0, 0, 1, []int{0, 1}, 1, 1, true},
		{separation.Weak, 0, 0, 1, []int{0, 1}, 1, 2, false},
		{separation.Complete, 1, -0.5, 3, nil, 1, 1, false},
		{separation.Complete, 1, -0.5, 3, nil, 1, 2, false},
	} {
		p := &separation.Problem{X: linalgtest.Rows(t, []float64{0}, []float64{c.at}, []float64{2}), Code: []int{0, 1, 1}, Classes: 2}
		e := &separation.Evidence{Kind: c.kind, Coef: linalgtest.Rows(t, []float64{1}), Intercept: []float64{c.level}, Strict: c.strict, Ties: c.ties}
		if err := e.Verify(p); err != nil {
			t.Errorf("%v, without multipliers: %v", c.kind, err)
		}
		e.Multipliers = multipliers(c.first, c.second)
		var damage *record.DamageError
		if err := e.Verify(p); (err == nil) != c.want || err != nil && !errors.As(err, &damage) {
			t.Errorf("%v, multipliers %d and %d: %v", c.kind, c.first, c.second, err)
		}
	}
}

// Evidence in JSON whose functions have no shape is damage and not a panic of who reads it.
func TestReadingEvidenceRefusesShapes(t *testing.T) {
	for _, text := range []string{
		`{"kind":"complete","intercept":[1],"strict":1}`,
		`{"kind":"complete","coef":[[1]],"intercept":[1,2],"strict":1}`,
		`{"kind":"complete","integer_coef":[["1"],["1","2"]],"integer_intercept":["1","1"],"strict":1}`,
		`{"kind":"complete","integer_coef":[["1"]],"intercept":[1],"strict":1}`,
		`{"kind":"complete","integer_coef":[["1"]],"strict":1}`,
		`{"kind":"complete","coef":[[1]],"intercept":[1],"integer_coef":[["1"]],"integer_intercept":["1"],"strict":1}`,
		`{"kind":"quasi-complete","integer_coef":[["1.5"]],"integer_intercept":["1"],"strict":1}`,
	} {
		e, damage := new(separation.Evidence), (*record.DamageError)(nil)
		if err := json.Unmarshal([]byte(text), e); !errors.As(err, &damage) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// A decision that is a part of what has spent all its work is undecided, where it needs any.
func TestDecisionHasTheWorkThatIsLeft(t *testing.T) {
	const n = 60
	p := &separation.Problem{X: linalgtest.Normal(5, n, 2), Code: make([]int, n), Classes: 3}
	for i := range p.Code {
		p.Code[i] = i % 3
	}
	for _, c := range []struct {
		spent float64
		want  separation.Kind
	}{{0, separation.Overlap}, {.5, separation.Overlap}, {1, separation.Undecided}} {
		p.Spent = c.spent
		if e, err := separation.Decide(p); err != nil || e.Kind != c.want {
			t.Errorf("with %g of the work spent: %v, %v, want %v", c.spent, e.Kind, err, c.want)
		}
	}
}

// A level of one class alone that a part of the rows does not have is beside the overlap of that part: the rows are
// quasi-separated, whatever most of them say.
func TestPartsWithoutAPureLevelDoNotAnswerForAll(t *testing.T) {
	const n = 4000
	x, code := linalgtest.Normal(11, n, 2), make([]int, n)
	noise := linalgtest.Normal(12, n, 1).Data
	for i := range n {
		if x.Set(i, 1, 0); noise[i] > 0 {
			code[i] = 1
		}
	}
	for i := 1; i <= 3; i++ { // rows of no part
		x.Set(i, 1, 1)
		code[i] = 1
	}
	p := &separation.Problem{X: x, Code: code, Classes: 2}
	for name, decide := range map[string]func(*separation.Problem) (*separation.Evidence, error){"decided": separation.Decide, "settled": separation.Settle} {
		e, err := decide(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Verify(p); err != nil || e.Kind != separation.Quasi || e.Strict != 3 {
			t.Errorf("%s: %v with %d strict rows, want quasi-complete with 3: %v", name, e.Kind, e.Strict, err)
		}
	}
}

// Evidence from a file cannot make its reader panic.
func TestEvidenceOfOtherShapesIsRefused(t *testing.T) {
	x := linalg.Zeros(4, 2)
	p := &separation.Problem{X: x, Code: []int{0, 1, 0, 1}, Classes: 2}
	for _, text := range []string{`{"kind":"complete","integer_coef":[]}`, `{"kind":"complete","integer_coef":[["1"]],"integer_intercept":["0"],"strict":2}`,
		`{"kind":"complete","integer_coef":[["1","2","3"]],"integer_intercept":["0"],"strict":2}`} {
		var e separation.Evidence
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			continue
		}
		if err := e.Verify(p); err == nil {
			t.Errorf("%s of two columns (%d features) holds", text, e.Features())
		}
	}
	var e separation.Evidence
	if err := json.Unmarshal([]byte(`{"kind":"overlap","multipliers":[{"row":0,"class":2,"other":0,"value":"3"},{"row":1,"class":2,"other":1,"value":"1"},{"row":2,"class":0,"other":1,"value":"0"}]}`), &e); err != nil {
		t.Fatal(err)
	}
	if w := e.Weights(false); w[0] != 0.75 || w[1] != 0.25 || w[2] != 0 {
		t.Errorf("weights %v", w)
	}
}
