package discriminant_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"halfspace/discriminant"
	"halfspace/linalg"
	"halfspace/optimize"
)

// palette holds the values that small arbitrary matrices are made of, up to the
// ends of the range that a fit takes, and a few beyond.
var palette = []float64{0, 1, -1, 2, 1 + 1e-15, 1e-7, 1e8, 0x1p450, -0x1p450, 0x1p-450, 1e-100, 1e100, -1e100, math.NaN(), 1e150, 0.1}

// FuzzFit fits every model to a small arbitrary matrix: either there is an error,
// or a model whose certificate holds, whose probabilities are probabilities, and
// that survives being saved. Far from 1 a certificate may fail, with an error
// that says so.
func FuzzFit(f *testing.F) {
	f.Add([]byte{2, 4, 0, 0, 1, 3, 2, 1, 0, 1, 2, 0, 1, 2, 0, 1, 3, 2, 1})
	f.Add([]byte{1, 6, 1, 4, 0, 1, 2, 3, 5, 6, 0, 1, 0, 1, 0, 1})
	f.Add([]byte{3, 8, 2, 0, 9, 9, 9, 12, 12, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 0, 1, 2, 3})
	for _, found := range []string{"210000000710000000001020", " 9208001092001", "0001120009911", "170007090001",
		"0010000+%00011", "10000000Z0120121", "1!00000%001000001101011"} {
		f.Add([]byte(found))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		next := func() int {
			if len(b) == 0 {
				return 0
			}
			v := b[0]
			b = b[1:]
			return int(v)
		}
		p, n := next()%4+1, next()%9+1
		o := &discriminant.Options{Divisor: discriminant.Divisor(next() % 2), Alpha: float64(next()%3) / 2, Shrinkage: float64(next()%3) / 2,
			Ridge: []float64{0, 0, 1e-3, 1e150}[next()%4], Uniform: next()%2 == 0}
		x, y := linalg.Zeros(n, p), make([]int, n)
		far := o.Ridge > 1e12
		for i := range x.Data {
			x.Data[i] = palette[next()%len(palette)]
			size := math.Abs(x.Data[i])
			far = far || size > 1e12 || size < 1e-12 && size != 0
		}
		for i := range y {
			y[i] = next() % 3
		}
		if next()%2 == 1 {
			o.Weights = make([]float64, n)
			for i := range o.Weights {
				o.Weights[i] = float64(next() % 3)
			}
		}
		for method, fit := range fits {
			m, err := fit(x, y, o)
			if err != nil {
				if !isNil(m) && !(far && errors.Is(err, optimize.ErrNotConverged)) {
					t.Fatalf("%s on %v, %v, %+v: a model and %v", method, x.Data, y, *o, err)
				}
				continue
			}
			checkFuzzed(t, fmt.Sprintf("%s on %v, %v, %+v", method, x.Data, y, *o), m, x, o.Weights)
		}
	})
}

func checkFuzzed(t *testing.T, what string, m any, x *linalg.Dense, w []float64) {
	c := m.(interface {
		scorer
		Report() optimize.Report
	})
	if r := c.Report(); !r.Certificate().Holds() {
		t.Fatalf("%s: %+v", what, r)
	}
	for i := range x.Rows {
		if w != nil && w[i] == 0 {
			continue
		}
		total, finite := 0.0, true
		for _, v := range c.Scores(nil, x.Row(i)) {
			finite = finite && v-v == 0
		}
		for _, v := range c.Proba(nil, x.Row(i)) {
			total += v
		}
		if !finite || math.Abs(total-1) > 1e-12 {
			t.Fatalf("%s: scores %v, probabilities %v", what, c.Scores(nil, x.Row(i)), c.Proba(nil, x.Row(i)))
		}
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	back := reflect.New(reflect.TypeOf(m).Elem()).Interface()
	if err := json.Unmarshal(b, back); err != nil {
		t.Fatalf("%s: %v: %s", what, err, b)
	}
}
