package path

import (
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/design"
	"halfspace/linalg/linalgtest"
	"halfspace/optimize"
	"halfspace/optimize/glm"
	"halfspace/optimize/loss"
)

// Lassos and paths of rows that may not be copied are those of others, by passes over the rows.
func TestRowsThatMayNotBeCopiedAreNot(t *testing.T) {
	for _, c := range []struct {
		n, p, k int // of one class the labels are numbers
		sparse  bool
	}{{400, 30, 2, true}, {120, 220, 4, true}, {60, 220, 10, false}, {200, 30, 2, false}, {200, 30, 1, false}} {
		x, labels := linalgtest.LabeledRows(c.n, c.p, max(2, c.k))
		var rows linalg.Rows = x
		if c.sparse {
			for i := range x.Data {
				if i%9 > 0 {
					x.Data[i] = 0
				}
			}
			rows = linalgtest.Sparse(x)
		}
		problem := func(rows linalg.Rows) *Problem {
			d, err := design.New(rows, c.n, "labels", design.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			y := make([]float64, c.n)
			for i, l := range labels {
				y[i] = float64(l)
			}
			o := glm.NewMulti(d, y, loss.Softmax{K: c.k}, nil, nil)
			switch c.k {
			case 1:
				o = glm.New(d, y, loss.Squared{}, nil)
			case 2:
				o = glm.New(d, signs(labels), loss.Logistic{}, nil)
			}
			p, err := New(o, Penalty{L1Ratio: 0.9}, make([]float64, o.Scores()), nil)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		fit := func(p *Problem) (objectives []float64) {
			_, report, err := p.Fit(0.2*p.LambdaMax(), nil, &optimize.Control{Tol: 1e-9})
			if err != nil {
				t.Error(err)
			}
			err = p.Run(Settings{Count: 5, MinRatio: 0.1, Tol: 1e-9, Add: func(f Fit) error {
				objectives = append(objectives, f.Objective)
				return nil
			}})
			if err != nil {
				t.Error(err)
			}
			return append(objectives, report.Objective())
		}
		held, far := problem(rows), problem(linalgtest.Remote{Rows: rows})
		want := fit(held)
		linalgtest.CloseSlice(t, "objectives", fit(far), want, 1e-7)
		if held.columns == nil && !held.batched() || far.columns != nil || far.batched() {
			t.Errorf("%+v: of a file there is a copy", c)
		}
	}
}
