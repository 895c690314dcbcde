package byhand

import (
	"fmt"
	"math/big"
	"strings"

	"halfspace/linalg"
)

// PerceptronStep is one row that Rosenblatt's rule looks at.
type PerceptronStep struct {
	Epoch, Row int
	YF         *big.Rat   // y·f(x) before
	Moved      bool       // y·f ≤ 0
	Beta       []*big.Rat // after
	Intercept  *big.Rat
	Wrong      int // rows with y·f ≤ 0 after
}

// PerceptronSteps are all steps, and whether the last plane has no row wrong.
type PerceptronSteps struct {
	Steps     []PerceptronStep
	Separated bool
}

// Perceptron runs Rosenblatt's rule from 0 at rate 1, row by row, for at most so many
// epochs (ESL 4.44), in exact fractions.
//
// Errors: *[linalg.ShapeError], *[linalg.NonFiniteError], *[linalg.ClassError].
func Perceptron(x linalg.Rows, y []int, epochs int) (*PerceptronSteps, error) {
	rows, err := fractions(x, len(y))
	if err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	sign, err := signs(y)
	if err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	beta, b0 := zeros(len(rows[0])), new(big.Rat)
	value := func(i int) *big.Rat {
		f := dot(beta, rows[i])
		return f.Mul(f.Add(f, b0), sign[i])
	}
	p := new(PerceptronSteps)
	for epoch, moved := 1, true; epoch <= epochs && moved; epoch++ {
		moved = false
		for i := range rows {
			s := PerceptronStep{Epoch: epoch, Row: i, YF: value(i)}
			if s.YF.Sign() <= 0 {
				add(beta, sign[i], rows[i])
				b0.Add(b0, sign[i])
				s.Moved, moved = true, true
			}
			s.Beta, s.Intercept = clone(beta), new(big.Rat).Set(b0)
			for k := range rows {
				if value(k).Sign() <= 0 {
					s.Wrong++
				}
			}
			p.Steps, p.Separated = append(p.Steps, s), s.Wrong == 0
		}
	}
	return p, nil
}

// String returns a list of the steps.
func (p *PerceptronSteps) String() string {
	var b strings.Builder
	b.WriteString("epoch  row  y·f      moved  β₀, β                 rows wrong\n")
	for _, s := range p.Steps {
		moved := "no"
		if s.Moved {
			moved = "yes"
		}
		fmt.Fprintf(&b, "%5d  %3d  %-7s  %-5s  %-20s  %d\n", s.Epoch, s.Row+1, s.YF.RatString(), moved, s.Intercept.RatString()+", "+text(s.Beta), s.Wrong)
	}
	if !p.Separated {
		b.WriteString("not separated\n")
	}
	return b.String()
}
