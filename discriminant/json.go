package discriminant

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/optimize"
)

// Kinds of the records that models are saved as; all are at version 1.
const (
	kindLDA       = "halfspace/lda"
	kindQDA       = "halfspace/qda"
	kindReduced   = "halfspace/rrlda"
	kindIndicator = "halfspace/indicator"
	version       = 1
)

// marshal writes the body of a fitted model.
func marshal(kind string, fitted bool, body func() any) ([]byte, error) {
	b, err := record.MarshalFitted(kind, version, fitted, body)
	return b, wrap(err)
}

// unmarshal reads a record into body, and lets build make a model of it. An error of
// build is damage.
func unmarshal(data []byte, kind string, body any, build func() error) error {
	if _, err := record.Unmarshal(data, kind, version, body); err != nil {
		return wrap(err)
	}
	err := build()
	if _, damage := err.(*record.DamageError); err != nil && !damage {
		err = &record.DamageError{Reason: err.Error()}
	}
	return wrap(err)
}

// header holds the fields that all models share.
type header struct {
	Classes  []int           `json:"classes"`
	Features int             `json:"features"`
	Priors   []float64       `json:"priors,omitempty"`
	Costs    []float64       `json:"costs,omitempty"`
	Origin   []float64       `json:"origin"`
	Report   optimize.Report `json:"report"`
}

func newHeader(classes []int, priors []float64, costs *linalg.Dense, origin []float64, r optimize.Report) header {
	h := header{Classes: classes, Features: len(origin), Priors: priors, Origin: origin, Report: r}
	if costs != nil {
		h.Costs = costs.Data
	}
	return h
}

// check validates the header and returns the costs.
func (h *header) check(priors bool) (*linalg.Dense, error) {
	k := len(h.Classes)
	if !sample.Ascend(h.Classes) {
		return nil, fmt.Errorf("classes %v are not two or more, ascending", h.Classes)
	}
	if h.Features < 1 {
		return nil, fmt.Errorf("%d features", h.Features)
	}
	if err := vector("origin", h.Origin, h.Features); err != nil {
		return nil, err
	}
	if priors {
		if _, err := checkPriors(h.Priors, k); err != nil {
			return nil, err
		}
	}
	if h.Costs == nil {
		return nil, nil
	}
	return matrix("costs", h.Costs, k, k)
}

func vector(what string, v []float64, n int) error {
	if len(v) != n {
		return &linalg.ShapeError{Want: n, WantOf: "values of " + what, Got: len(v), GotOf: "in the file"}
	}
	return linalg.CheckFinite(what, v)
}

func matrix(what string, v []float64, n, p int) (*linalg.Dense, error) {
	if n > math.MaxInt/8/p {
		return nil, fmt.Errorf("%s of %d × %d", what, n, p)
	}
	if err := vector(what, v, n*p); err != nil {
		return nil, err
	}
	return linalg.NewDense(n, p, v)
}

type linearJSON struct {
	Coef      []float64 `json:"coef"`
	Intercept []float64 `json:"intercept"`
}

func (l *linear) json() linearJSON { return linearJSON{l.coef.Data, l.intercept} }

func (j *linearJSON) build(h *header, costs *linalg.Dense) (linear, error) {
	coef, err := matrix("coef", j.Coef, len(h.Classes), h.Features)
	if err != nil {
		return linear{}, err
	}
	if err := vector("intercept", j.Intercept, len(h.Classes)); err != nil {
		return linear{}, err
	}
	l := linear{h.Classes, h.Origin, coef, j.Intercept, costs}
	return l, l.check()
}

// cholesky reads a factor that was saved with linalg.PackLower.
func cholesky(v []float64, p int) (*linalg.Cholesky, error) {
	l, err := linalg.UnpackLower(v, p)
	if err != nil {
		return nil, err
	}
	return linalg.CholeskyOf(l)
}

type ldaJSON struct {
	header
	linearJSON
	Deviations []float64 `json:"deviations"`
	Factor     []float64 `json:"factor"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it
// back bit for bit.
func (l *LDA) MarshalJSON() ([]byte, error) {
	return marshal(kindLDA, l.coef != nil, func() any {
		return ldaJSON{newHeader(l.classes, l.priors, l.costs, l.origin, l.report), l.json(), l.dev.Data, linalg.PackLower(l.chol.L())}
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: those of package record, and *[record.DamageError] for numbers that do
// not describe a model.
func (l *LDA) UnmarshalJSON(data []byte) error {
	var j ldaJSON
	return unmarshal(data, kindLDA, &j, func() error {
		costs, err := j.check(true)
		if err != nil {
			return err
		}
		m := LDA{linearRule: linearRule{priors: j.Priors}, report: j.Report}
		if m.linear, err = j.build(&j.header, costs); err != nil {
			return err
		}
		if m.dev, err = matrix("deviations", j.Deviations, len(j.Classes), j.Features); err != nil {
			return err
		}
		if m.chol, err = cholesky(j.Factor, j.Features); err != nil {
			return err
		}
		*l = m
		return nil
	})
}

type qdaJSON struct {
	header
	Alpha      float64     `json:"alpha"`
	Shrinkage  float64     `json:"shrinkage"`
	Deviations []float64   `json:"deviations"`
	Factors    [][]float64 `json:"factors"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it
// back bit for bit.
func (q *QDA) MarshalJSON() ([]byte, error) {
	return marshal(kindQDA, q.density != nil, func() any {
		j := qdaJSON{newHeader(q.classes, q.priors, q.costs, q.origin, q.report), q.alpha, q.shrinkage, q.dev.Data, nil}
		for _, g := range q.density {
			j.Factors = append(j.Factors, linalg.PackLower(g.l))
		}
		return j
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: those of package record, and *[record.DamageError] for numbers that do
// not describe a model.
func (q *QDA) UnmarshalJSON(data []byte) error {
	var j qdaJSON
	return unmarshal(data, kindQDA, &j, func() error {
		costs, err := j.check(true)
		if err != nil {
			return err
		}
		m := QDA{classes: j.Classes, priors: j.Priors, origin: j.Origin, costs: costs, report: j.Report, alpha: j.Alpha, shrinkage: j.Shrinkage}
		if m.dev, err = matrix("deviations", j.Deviations, len(j.Classes), j.Features); err != nil {
			return err
		}
		if err := errors.Join(sample.Fraction("alpha", j.Alpha), sample.Fraction("shrinkage", j.Shrinkage)); err != nil {
			return err
		}
		if len(j.Factors) != len(j.Classes) {
			return fmt.Errorf("%d factors for %d classes", len(j.Factors), len(j.Classes))
		}
		for k, f := range j.Factors {
			chol, err := cholesky(f, j.Features)
			if err != nil {
				return err
			}
			f := newSPD(chol)
			if err := linalg.CheckFinite("inverse of a factor", f.linv.Data); err != nil {
				return err
			}
			g, offset := m.classDensity(k, f)
			m.density, m.offset = append(m.density, g), append(m.offset, offset)
		}
		*q = m
		return nil
	})
}

type reducedJSON struct {
	header
	linearJSON
	Total    float64   `json:"total"`
	Rank     int       `json:"rank"`
	Values   []float64 `json:"values"`
	Vectors  []float64 `json:"vectors"`
	Centroid []float64 `json:"centroids"`
	Zero     []float64 `json:"zero"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it
// back bit for bit.
func (r *ReducedRank) MarshalJSON() ([]byte, error) {
	return marshal(kindReduced, r.coef != nil, func() any {
		return reducedJSON{newHeader(r.classes, r.priors, r.costs, r.origin, r.report), r.json(), r.total, r.rank, r.values, r.vectors.Data, r.centroid.Data, r.zero}
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: those of package record, and *[record.DamageError] for numbers that do
// not describe a model.
func (r *ReducedRank) UnmarshalJSON(data []byte) error {
	var j reducedJSON
	return unmarshal(data, kindReduced, &j, func() error {
		costs, err := j.check(true)
		if err != nil {
			return err
		}
		n := len(j.Values)
		unknown := j.Total == 0 && j.Report.Status() == optimize.Imported
		if n < 1 || j.Rank < 1 || j.Rank > n || !(j.Total > 0) && !unknown {
			return fmt.Errorf("rank %d of %d coordinates, %g rows", j.Rank, n, j.Total)
		}
		m := ReducedRank{linearRule: linearRule{priors: j.Priors}, values: j.Values, zero: j.Zero, rank: j.Rank, total: j.Total, report: j.Report}
		if m.linear, err = j.build(&j.header, costs); err != nil {
			return err
		}
		if err := errors.Join(vector("values", j.Values, n), vector("zero", j.Zero, n)); err != nil {
			return err
		}
		if least := slices.Min(j.Values); least < 0 {
			return fmt.Errorf("an eigenvalue of %g", least)
		}
		if m.vectors, err = matrix("vectors", j.Vectors, n, j.Features); err != nil {
			return err
		}
		if m.centroid, err = matrix("centroids", j.Centroid, len(j.Classes), n); err != nil {
			return err
		}
		*r = m
		return nil
	})
}

type indicatorJSON struct {
	header
	linearJSON
	Softmax bool `json:"softmax"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it
// back bit for bit.
func (f *Indicator) MarshalJSON() ([]byte, error) {
	return marshal(kindIndicator, f.coef != nil, func() any {
		return indicatorJSON{newHeader(f.classes, nil, nil, f.origin, f.report), f.json(), f.softmax}
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
//
// Errors: those of package record, and *[record.DamageError] for numbers that do
// not describe a model.
func (f *Indicator) UnmarshalJSON(data []byte) error {
	var j indicatorJSON
	return unmarshal(data, kindIndicator, &j, func() error {
		_, err := j.check(false)
		if err != nil {
			return err
		}
		m := Indicator{softmax: j.Softmax, report: j.Report}
		if m.linear, err = j.build(&j.header, nil); err != nil {
			return err
		}
		*f = m
		return nil
	})
}
