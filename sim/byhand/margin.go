package byhand

import (
	"fmt"
	"math/big"
	"strings"

	"halfspace/linalg"
)

// MarginCase is the guess that some rows, and no others, have α > 0.
type MarginCase struct {
	Support   []int
	Alpha     []*big.Rat // of the support
	Beta      []*big.Rat // Σαyx
	Intercept *big.Rat
	Verdict   string // "solution", or the condition that fails
}

// MarginCases are the cases tried; the last one is the solution where there is one.
type MarginCases struct {
	Cases  []MarginCase
	Solved bool
}

// HardMargin finds the widest margin as one solves its Karush-Kuhn-Tucker conditions on
// paper: for two rows, three rows, … up to p+1 as support it solves y·f = 1 on them with
// Σαy = 0, in exact fractions, and looks whether α ≥ 0 and y·f ≥ 1 elsewhere. The number of
// cases grows like n^(p+1).
//
// Errors: those of [Perceptron].
func HardMargin(x linalg.Rows, y []int) (*MarginCases, error) {
	rows, err := fractions(x, len(y))
	if err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	sign, err := signs(y)
	if err != nil {
		return nil, fmt.Errorf("byhand: %w", err)
	}
	m := new(MarginCases)
	for size := 2; size <= len(rows[0])+1 && size <= len(rows) && !m.Solved; size++ {
		m.choose(rows, sign, size, 0, nil)
	}
	return m, nil
}

// choose tries all supports of a size that begin with the rows given.
func (m *MarginCases) choose(rows [][]*big.Rat, sign []*big.Rat, size, from int, support []int) {
	if len(support) == size {
		c := tryCase(rows, sign, support)
		m.Cases = append(m.Cases, c)
		m.Solved = c.Verdict == "solution"
		return
	}
	for i := from; i < len(rows) && !m.Solved; i++ {
		m.choose(rows, sign, size, i+1, append(support[:len(support):len(support)], i))
	}
}

// tryCase solves y·f = 1 on the support, in (α, β₀).
func tryCase(rows [][]*big.Rat, sign []*big.Rat, support []int) MarginCase {
	c := MarginCase{Support: support}
	n := len(support)
	a, b := make([][]*big.Rat, n+1), zeros(n+1)
	a[n] = zeros(n + 1)
	for r, i := range support {
		a[r] = zeros(n + 1)
		for k, j := range support {
			v := dot(rows[i], rows[j])
			a[r][k].Mul(v.Mul(v, sign[i]), sign[j])
		}
		a[r][n].Set(sign[i])
		a[n][r].Set(sign[i])
		b[r].SetInt64(1)
	}
	if !solve(a, b) {
		c.Verdict = "no unique solution of y·f = 1 and Σαy = 0"
		return c
	}
	c.Alpha, c.Intercept, c.Beta = b[:n], b[n], zeros(len(rows[0]))
	for r, i := range support {
		add(c.Beta, new(big.Rat).Mul(b[r], sign[i]), rows[i])
		if b[r].Sign() <= 0 && c.Verdict == "" {
			c.Verdict = fmt.Sprintf("α of row %d is %s", i+1, b[r].RatString())
		}
	}
	for i := range rows {
		f := dot(c.Beta, rows[i])
		f.Mul(f.Add(f, c.Intercept), sign[i])
		if f.Cmp(big.NewRat(1, 1)) < 0 && c.Verdict == "" {
			c.Verdict = fmt.Sprintf("row %d has y·f = %s", i+1, f.RatString())
		}
	}
	if c.Verdict == "" {
		c.Verdict = "solution"
	}
	return c
}

// String returns a list of the cases.
func (m *MarginCases) String() string {
	var b strings.Builder
	for _, c := range m.Cases {
		var rows []string
		for _, i := range c.Support {
			rows = append(rows, fmt.Sprint(i+1))
		}
		fmt.Fprintf(&b, "support rows %s: ", strings.Join(rows, ", "))
		if c.Alpha != nil {
			fmt.Fprintf(&b, "α = %s, β = %s, β₀ = %s: ", text(c.Alpha), text(c.Beta), c.Intercept.RatString())
		}
		fmt.Fprintf(&b, "%s\n", c.Verdict)
	}
	if !m.Solved {
		b.WriteString("no solution: no plane separates the classes\n")
	}
	return b.String()
}
