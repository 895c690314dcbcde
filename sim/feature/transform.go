package feature

import (
	"encoding/json"
	"fmt"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

// Transform maps rows of Features values to rows of Outputs values.
// *[Imputer], *[Standardizer], *[Quantiles], *[Polynomial] and [Chain] are transforms. So is
// a user's own, whose JSON is an object with the member "kind" ([record.Marshal] makes
// one with a checksum), so that [Unmarshal] can be told how to read it.
type Transform interface {
	// Features returns the length of a row that goes in.
	Features() int
	// Outputs returns the length of a row that comes out.
	Outputs() int
	// Apply appends the image of row to dst, which does not overlap row.
	Apply(dst, row []float64) []float64
	// Names returns names of the outputs for names of the features.
	Names(features []string) []string
	json.Marshaler
}

// ApplyRows returns the images of the rows of x.
//
// Errors: *[linalg.ShapeError], *[linalg.SizeError].
func ApplyRows(t Transform, x *linalg.Dense) (*linalg.Dense, error) {
	if err := x.Check(); err != nil {
		return nil, wrap(err)
	}
	if err := takes(t, x); err != nil {
		return nil, err
	}
	z, err := linalg.NewDense(x.Rows, t.Outputs(), nil)
	if err != nil {
		return nil, wrap(err)
	}
	linalg.For(x.Rows, 1<<10, 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			t.Apply(z.Row(i)[:0], x.Row(i))
		}
	})
	return z, nil
}

// takes refuses rows of another length than t takes, and a transform that is nil.
func takes(t Transform, x linalg.Rows) error {
	want, got := 0, 0
	if x != nil {
		_, got = x.Dims()
	}
	if t != nil {
		want = t.Features()
	}
	if t == nil || want != got {
		return wrap(&linalg.ShapeError{Want: want, WantOf: "features", Got: got, GotOf: "columns"})
	}
	return nil
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("feature: %w", err)
}

func mustLen(want, got int) {
	if want != got {
		panic(fmt.Sprintf("feature: %d features but a row of %d", want, got))
	}
}

const (
	standardizerKind = "halfspace/feature/standardizer"
	quantilesKind    = "halfspace/feature/quantiles"
	polynomialKind   = "halfspace/feature/polynomial"
	imputerKind      = "halfspace/feature/imputer"
	chainKind        = "halfspace/feature/chain"
	version          = 1
)

// damaged returns a record.DamageError if ok is false.
func damaged(ok bool, reason string) error {
	if ok {
		return nil
	}
	return wrap(&record.DamageError{Reason: reason})
}

// finite reports whether v has length n and no NaN or infinity.
func finite(v []float64, n int) bool { return len(v) == n && linalg.CheckFinite("", v) == nil }

// checkRows checks training rows and their weights (nil: ones), and returns the sum of
// the weights.
func checkRows(x *linalg.Dense, w []float64) (sum float64, err error) {
	sum, err = checkWeights(x, w)
	if err == nil {
		err = x.CheckFinite()
	}
	return sum, err
}

// checkWeights is checkRows for rows that may have missing values.
func checkWeights(x *linalg.Dense, w []float64) (sum float64, err error) {
	n := len(w)
	if w == nil && x != nil {
		n = x.Rows
	}
	if _, _, err := sample.Dims(x, n, "weights"); err != nil {
		return 0, err
	}
	return sample.Weights(w, n)
}

// made keeps a nil transform nil.
func made[T any, P interface {
	*T
	Transform
}](t P, err error) (Transform, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}
