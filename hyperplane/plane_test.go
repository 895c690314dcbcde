package hyperplane

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

func plane(t testing.TB, normal []float64, intercept float64) *Plane {
	t.Helper()
	p, err := NewPlane(normal, intercept)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// On paper: 3x + 4y − 10 = 0 has ‖β‖ = 5; (6, 8) has f = 40, is 8 away, and its
// foot is (6, 8) − 8·(0.6, 0.8) = (1.2, 1.6).
func TestPlaneOnPaper(t *testing.T) {
	p := plane(t, []float64{3, 4}, -10)
	x := []float64{6, 8}
	lt.Close(t, "f", p.Value(x), 40, 0)
	lt.Close(t, "distance", p.SignedDistance(x), 8, 1e-15)
	lt.Close(t, "distance of the origin", p.SignedDistance([]float64{0, 0}), -2, 1e-15)
	lt.CloseSlice(t, "foot", p.Project(nil, x), []float64{1.2, 1.6}, 1e-15)
	lt.Close(t, "slab", p.Slab(), 0.4, 1e-15)
	lt.Close(t, "intercept", p.Intercept(), -10, 0)
}

// A row whose value overflows to no number is not classified rightly.
func TestMarginsOfNoNumberAreWrong(t *testing.T) {
	p, err := NewPlaneAt([]float64{.5, .5}, []float64{-1e308, 1e308}, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := lt.Rows(t, []float64{-.9e308, 1e308}, []float64{1e308, -1e308}, []float64{-1.1e308, 1e308})
	m, err := p.Margins(x, []int{1, 1, 0}, nil)
	if err != nil || !math.IsNaN(m.Functional[1]) || m.Misclassified != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// Margins of four points about x₁ = 1, written with ‖β‖ = 2: distances 1 and 3
// on the positive side, 2 right and 0.5 wrong on the negative.
func TestMarginsOnPaper(t *testing.T) {
	p := plane(t, []float64{2, 0}, -2)
	x := lt.Rows(t, []float64{2, 7}, []float64{4, -1}, []float64{-1, 0}, []float64{1.5, 0})
	m, err := p.Margins(x, []int{9, 9, 4, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "functional", m.Functional, []float64{2, 6, 4, -1}, 0)
	lt.CloseSlice(t, "geometric", m.Geometric, []float64{1, 3, 2, -.5}, 0)
	lt.CloseSlice(t, "d₊ d₋ margin", []float64{m.Plus, m.Minus, m.Margin()}, []float64{1, -.5, -.5}, 0)
	if m.Misclassified != 1 {
		t.Errorf("%d misclassified, want 1", m.Misclassified)
	}
	one, err := p.Margins(x.RowRange(0, 2), []int{9, 9}, []int{4, 9})
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "one class", []float64{one.Plus, one.Minus}, []float64{1, math.Inf(1)}, 0)
}

func TestProjectionLiesOnThePlane(t *testing.T) {
	x := lt.Normal(1, 50, 6)
	for i := 1; i < x.Rows; i++ {
		p := plane(t, x.Row(0), x.At(i, 0))
		foot := p.Project(nil, x.Row(i))
		lt.Close(t, "distance of the foot", p.SignedDistance(foot), 0, 1e-14)
		step := make([]float64, len(foot))
		for j := range step {
			step[j] = x.At(i, j) - foot[j]
		}
		lt.Close(t, "length of the step", linalg.Norm(step), math.Abs(p.SignedDistance(x.Row(i))), 1e-14)
	}
}

func TestPlaneEqualUpToPositiveScale(t *testing.T) {
	p := plane(t, []float64{3, -4}, 5)
	for _, c := range []struct {
		scale float64
		want  bool
	}{{1, true}, {1e-200, true}, {1e200, true}, {-1, false}} {
		q, err := p.Scaled(c.scale)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Equal(q, 1e-14); got != c.want {
			t.Errorf("Equal(%g·p) = %v, want %v", c.scale, got, c.want)
		}
	}
	for _, q := range []*Plane{plane(t, []float64{3, -4}, 5.001), plane(t, []float64{3, -4.001}, 5), plane(t, []float64{3}, 5)} {
		if p.Equal(q, 1e-6) {
			t.Errorf("Equal(%v) = true", *q)
		}
	}
	far := plane(t, []float64{3, -4}, 5e8)
	for offset, want := range map[float64]bool{5.000001e8: true, 5.00001e8: false, -5e8: false} {
		if got := far.Equal(plane(t, []float64{3, -4}, offset), 1e-6); got != want {
			t.Errorf("1e8 from 0, offset %v: %v", offset, got)
		}
	}
	if _, err := p.Scaled(1e308); err == nil {
		t.Error("a scale that overflows is no error")
	}
}

// A plane through a cloud around 1e8 keeps its distances when it is written
// about the middle of the cloud.
func TestPlaneAboutAnOrigin(t *testing.T) {
	p, err := NewPlaneAt([]float64{0.6, 0.8}, []float64{1e8, -1e8}, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	lt.Close(t, "f", p.Value([]float64{1e8 + 1, -1e8 + 0.5}), 1.25, 0)
	lt.Close(t, "intercept", p.Intercept(), 0.25+0.2e8, 1e-15)
	q := plane(t, p.Normal(), p.Intercept())
	if !p.Equal(q, 1e-7) || !q.Equal(p, 1e-7) {
		t.Error("the plain form is another plane")
	}
}

// A sparse row of a column that the plane does not have is a mistake, about an origin too.
func TestPlanesRefuseColumnsThatTheyDoNotHave(t *testing.T) {
	for _, origin := range [][]float64{nil, {1, 2, 3}} {
		p, err := NewPlaneAt([]float64{1, 1, 1}, origin, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, columns := range [][]int32{{7}, {0, 3}, {-1}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("about %v, columns %v: no panic", origin, columns)
					}
				}()
				p.ValueSparse(columns, []float64{5, 5}[:len(columns)])
			}()
		}
	}
}

// β = Σα(x−c): where no row with a multiplier differs from c, it is 0, not what rounding left.
func TestColumnsThatNoMultiplierMeetsHaveCoefficientZero(t *testing.T) {
	x := lt.Rows(t, []float64{0, 2, 5, 0}, []float64{1, 0, 5, 3}, []float64{0, 0, 5, 4}) // the last row has α = 0 and then α⁻
	for name, c := range map[string]struct {
		x             linalg.Table
		origin, alpha []float64
		want          []float64
	}{
		"dense, about 0":       {x, nil, []float64{1, 1, 0}, []float64{1, 2, 3, 4}},
		"a column of one row":  {x, nil, []float64{1, 0, 0}, []float64{0, 2, 3, 0}},
		"about an origin":      {x, []float64{0, 0, 5, 0}, []float64{1, 0, 0}, []float64{0, 2, 0, 0}},
		"stored sparse":        {lt.Sparse(x), nil, []float64{1, 0, 0}, []float64{0, 2, 3, 0}},
		"of 2n multipliers":    {x, nil, []float64{0, 0, 0, 0, 0, 1}, []float64{0, 0, 3, 4}},
		"none":                 {x, nil, []float64{0, 0, 0}, []float64{0, 0, 0, 0}},
		"those of two columns": {x, nil, []float64{0, 1, 1}, []float64{1, 0, 3, 4}},
	} {
		p := planeAt([]float64{1, 2, 3, 4}, c.origin, 0)
		p.clearUnmet(c.x, c.alpha)
		lt.CloseSlice(t, name, p.beta(), c.want, 0)
	}
}

func TestPlaneRefuses(t *testing.T) {
	var shape *linalg.ShapeError
	var finite *linalg.NonFiniteError
	var class *linalg.ClassError
	for _, c := range []struct {
		normal, origin []float64
		offset         float64
		as             any
	}{
		{nil, nil, 0, &shape},
		{[]float64{1}, []float64{1, 2}, 0, &shape},
		{[]float64{1, math.NaN()}, nil, 0, &finite},
		{[]float64{1}, []float64{math.Inf(1)}, 0, &finite},
		{[]float64{1}, nil, math.NaN(), &finite},
	} {
		if p, err := NewPlaneAt(c.normal, c.origin, c.offset); p != nil || !errors.As(err, c.as) {
			t.Errorf("NewPlaneAt(%v, %v, %v) = %v, %v", c.normal, c.origin, c.offset, p, err)
		}
	}
	p := plane(t, []float64{1, 1}, 0)
	x := lt.Rows(t, []float64{1, 2}, []float64{3, 4}, []float64{5, 6})
	for _, c := range []struct {
		x          *linalg.Dense
		y, classes []int
		as         any
	}{
		{x, []int{0, 1}, nil, &shape},
		{lt.Rows(t, []float64{1}), []int{0}, nil, &shape},
		{lt.Rows(t, []float64{1, math.NaN()}), []int{0}, nil, &finite},
		{x, []int{1, 1, 1}, nil, &class},
		{x, []int{0, 1, 2}, nil, &class},
		{x, []int{0, 1, 2}, []int{0, 1}, &class},
		{x, []int{0, 1, 1}, []int{}, &class},
	} {
		if m, err := p.Margins(c.x, c.y, c.classes); m != nil || !errors.As(err, c.as) {
			t.Errorf("Margins(%v, %v) = %v, %v", c.y, c.classes, m, err)
		}
	}
	defer func() {
		if r := recover(); fmt.Sprint(r) != "hyperplane: a row of length 3 for 2 features" {
			t.Errorf("panic: %v", r)
		}
	}()
	p.Value([]float64{1, 2, 3})
}

func TestPlaneRecord(t *testing.T) {
	p, err := NewPlaneAt([]float64{1. / 3, math.Pi}, []float64{1e8, 5e-324}, -0.1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var q Plane
	if err := json.Unmarshal(b, &q); err != nil || !reflect.DeepEqual(p, &q) {
		t.Errorf("%v became %v, %v", p, &q, err)
	}
	var damage *record.DamageError
	for what, text := range map[string]string{
		"a short origin": `{"normal":[1,2],"origin":[3],"offset":4}`, "no normal": `{"offset":4}`,
	} {
		if err := json.Unmarshal([]byte(text), &q); !errors.As(err, &damage) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"normal":[1,2],"offset":4,"more":5}`), &q); err == nil {
		t.Errorf("an unknown field: %v", q)
	}
	if b, err := json.Marshal(new(Plane)); !errors.As(err, &damage) {
		t.Errorf("the zero Plane: %s, %v", b, err)
	}
}

func ExamplePlane() {
	p, err := NewPlane([]float64{3, 4}, -10)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.SignedDistance([]float64{6, 8}))
	fmt.Printf("%.1f\n", p.Project(nil, []float64{6, 8}))
	// Output:
	// 8
	// [1.2 1.6]
}

// The plane from given support vectors and multipliers, worked out on paper: (1,1)
// against (0,0) has α = 1 each, β = (1,1), β₀ = −1; and every fit is its own.
func TestSupportPlane(t *testing.T) {
	x := lt.Rows(t, []float64{1, 1}, []float64{0, 0}, []float64{3, 2})
	y := []int{1, 0, 1}
	p, err := SupportPlane(x, y, []float64{1, 1, 0}, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	lt.CloseSlice(t, "β", p.Normal(), []float64{1, 1}, 0)
	lt.Close(t, "β₀", p.Intercept(), -1, 0)

	z, labels := clouds(8, 60, 2, 1)
	m := mustSVC(t, z, labels, &SVCOptions{C: 2})
	c := m.Machines()[0]
	alpha := make([]float64, len(labels))
	for k, i := range c.Support {
		alpha[i] = c.Multipliers[k]
	}
	if p, err = SupportPlane(z, labels, alpha, 2); err != nil {
		t.Fatal(err)
	}
	samePlane(t, "svc", p, c.Plane, 1e-10)

	var option *sample.OptionError
	var shape *linalg.ShapeError
	for name, c := range map[string]struct {
		alpha []float64
		c     float64
		as    any
	}{
		"short":       {[]float64{1, 1}, 2, &shape},
		"negative":    {[]float64{1, -1, 0}, 2, &option},
		"above c":     {[]float64{1, 3, 0}, 2, &option},
		"NaN":         {[]float64{1, math.NaN(), 0}, 2, &option},
		"all at c":    {[]float64{2, 2, 0}, 2, &option},
		"infinite":    {[]float64{1, math.Inf(1), 0}, math.Inf(1), &option},
		"no such c":   {[]float64{1, 1, 0}, math.NaN(), &option},
		"all zeros":   {[]float64{0, 0, 0}, 2, &option},
		"no c at all": {[]float64{0, 0, 0}, 0, &option},
	} {
		if p, err := SupportPlane(x, y, c.alpha, c.c); p != nil || !errors.As(err, c.as) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}
