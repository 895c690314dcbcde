package hyperplane

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"halfspace/linalg"
	lt "halfspace/linalg/linalgtest"
	"halfspace/linalg/sample"
)

// drawn is a small table with a plane about some origin, multipliers that obey no bound, and
// weights of which some are 0.
func drawn(seed uint64) (x *linalg.Dense, sign []float64, plane *Plane, alpha, weights []float64, r *rand.Rand) {
	r = rand.New(rand.NewPCG(seed, 14))
	n, p := 6+r.IntN(6), 1+r.IntN(3)
	x, sign, alpha, weights = lt.Normal(seed, n, p), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		sign[i], weights[i] = float64(2*(i%2)-1), float64(r.IntN(3))
		if r.IntN(2) == 0 {
			alpha[i] = 2 * r.NormFloat64()
		}
	}
	weights[0], weights[1] = 2, 1
	plane = planeAt(x.Col(nil, 0)[:p], nil, r.NormFloat64())
	if seed%2 == 0 {
		plane.origin = x.Row(2)
	}
	return x, sign, plane, alpha, weights, r
}

// supportOf lists the multipliers that are not 0.
func supportOf(alpha []float64) (support []int, multipliers []float64) {
	for i, a := range alpha {
		if a != 0 {
			support, multipliers = append(support, i), append(multipliers, a)
		}
	}
	return support, multipliers
}

// about is the row less the plane's origin.
func about(p *Plane, row []float64) []float64 {
	d := append([]float64(nil), row...)
	if p.origin != nil {
		linalg.Axpy(d, -1, p.origin)
	}
	return d
}

// stationarity returns the largest |b − Σ|ⱼ/Σ|·|ⱼ for the terms a·(x−c).
func stationarity(x *linalg.Dense, p *Plane, a []float64, through bool) (worst float64, sum []float64) {
	sum = make([]float64, x.Cols)
	balance, total, most := 0.0, 0.0, 0.0
	for j := range sum {
		size := 0.0
		for i, v := range a {
			term := v * about(p, x.Row(i))[j]
			sum[j] += term
			size += math.Abs(term)
		}
		worst, most = max(worst, math.Abs(p.beta()[j]-sum[j])), max(most, size)
	}
	worst /= most
	for _, v := range a {
		balance += v
		total += math.Abs(v)
	}
	if !through {
		worst = max(worst, math.Abs(balance)/total)
	}
	return worst, sum
}

// Every number of the conditions of a classifier, for a plane and multipliers that are far from
// any solution, is what its documentation says, of rows stored dense and sparse.
func TestConditionsAreWhatTheySay(t *testing.T) {
	for seed := range uint64(80) {
		x, sign, plane, alpha, weights, r := drawn(seed)
		for i := range alpha {
			alpha[i] = math.Abs(alpha[i])
			if weights[i] == 0 {
				alpha[i] = 0
			}
		}
		alpha[0] += 0.1
		loss, c, y := Loss(seed%3/2), 0.5+r.Float64(), make([]int, len(sign))
		alpha[1] = c // on its bound
		for i, s := range sign {
			y[i] = int(s+1) / 2
		}
		support, multipliers := supportOf(alpha)
		m := &SVC{c: c, loss: loss, classWeights: []float64{1, 2}, noIntercept: seed%5 == 0}
		m.classes = []int{0, 1}
		m.list = []Machine{{Plane: plane, Support: support, Multipliers: multipliers}}
		m.classWeights[1] = 1 + float64(seed%2)
		got, err := m.Conditions(0, x, y, weights)
		if err != nil {
			t.Fatal(err)
		}
		want := Conditions{Primal: linalg.Dot(plane.beta(), plane.beta()) / 2}
		total, signed := linalg.Sum(alpha), make([]float64, len(sign))
		for i, s := range sign {
			a, price := alpha[i], c*weights[i]*(1+float64(y[i])*(m.classWeights[1]-1))
			signed[i] = s * a
			margin := s * plane.Value(x.Row(i))
			slack, mu, where := max(0, 1-margin), price-a, Outside
			switch {
			case price > 0 && (a >= price || loss == SquaredHinge && a > 0):
				where = Inside
			case a > 0:
				where = OnMargin
			case price == 0:
				where = Outside
			}
			if loss == SquaredHinge && price > 0 {
				mu = 0
			}
			if got.Rows[i] != i || got.Case[i] != where {
				t.Errorf("seed %d: row %d is %d, %v: α %g of %g", seed, i, got.Rows[i], got.Case[i], a, price)
			}
			lt.CloseSlice(t, "margin, slack, α, μ", []float64{got.Margin[i], got.Slack[i], got.Alpha[i], got.Mu[i]}, []float64{margin, slack, a, mu}, 1e-13)
			want.Dual += a
			if price == 0 {
				continue
			}
			if margin < 0 {
				want.Misclassified++
			}
			if loss == SquaredHinge {
				want.Primal += price * slack * slack
				want.Dual -= a * a / 4 / price
				want.ComplementarySlackness = max(want.ComplementarySlackness, math.Abs(a-2*price*slack)/total)
				continue
			}
			want.Primal += price * slack
			want.PrimalFeasibility = max(want.PrimalFeasibility, 1-slack-margin)
			want.DualFeasibility = max(want.DualFeasibility, (a-price)/price)
			want.ComplementarySlackness = max(want.ComplementarySlackness, a*math.Abs(margin-1+slack)/price, math.Abs(mu)*slack/price)
		}
		var sum []float64
		want.Stationarity, sum = stationarity(x, plane, signed, m.noIntercept)
		want.Dual -= linalg.Dot(sum, sum) / 2
		sparse, err := m.Conditions(0, lt.Sparse(x), y, weights)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []*Conditions{got, sparse} {
			if k.Misclassified != want.Misclassified {
				t.Errorf("seed %d: %d misclassified, want %d", seed, k.Misclassified, want.Misclassified)
			}
			lt.CloseSlice(t, "stationarity, feasibility of both, slackness, objectives",
				[]float64{k.Stationarity, k.PrimalFeasibility, k.DualFeasibility, k.ComplementarySlackness, k.Primal, k.Dual},
				[]float64{want.Stationarity, want.PrimalFeasibility, want.DualFeasibility, want.ComplementarySlackness, want.Primal, want.Dual}, 1e-12)
		}
	}
}

// On paper: f = x, rows 2, 0.5, 0, −0.5, −1 and −1.5 with signs + + − − + +. Of a hard margin
// with Σα = 2 the rows have y·f−1 = 1, −½, −1, −½, −2, −2½. A row on the plane has ξ = 1, and is
// not counted as misclassified.
func TestHardConditionsOnPaper(t *testing.T) {
	x := lt.Rows(t, []float64{2}, []float64{0.5}, []float64{0}, []float64{-0.5}, []float64{-1}, []float64{-1.5})
	m := &HardMargin{machines{classes: []int{3, 5}}}
	m.list = []Machine{{Plane: plane(t, []float64{1}, 0), Support: []int{0, 1, 3, 4}, Multipliers: []float64{1, 0.75, 0.5, -0.25}}}
	k, err := m.Conditions(0, x, []int{5, 5, 3, 3, 5, 5}, []float64{1, 1, 1, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	// Σαyx = 2 + 0.375 + 0.25 + 0.25, Σ|αx| = 2 + 0.375 + 0.25 + 0.25; Σαy is not asked of a plane through 0.
	lt.CloseSlice(t, "conditions", []float64{k.Stationarity, k.PrimalFeasibility, k.DualFeasibility, k.ComplementarySlackness, k.Primal, k.Dual},
		[]float64{1.875 / 2.875, 2, 0.125, 0.5, 0.5, 2 - 2.875*2.875/2}, 1e-15)
	if want := []MarginCase{OnMargin, OnMargin, Outside, OnMargin, Outside, Outside}; k.Misclassified != 1 || len(k.Case) != 6 {
		t.Errorf("%v", k)
	} else {
		for i, c := range k.Case {
			if c != want[i] {
				t.Errorf("row %d is %v, want %v", i, c, want[i])
			}
		}
	}
	m.list[0].Plane = plane(t, []float64{1}, 0.5) // Σαy = 1 + 0.75 − 0.5 − 0.25
	if k, err = m.Conditions(0, x, []int{5, 5, 3, 3, 5, 5}, nil); err != nil || k.Stationarity != 1.875/2.875 {
		t.Errorf("stationarity %v, %v", k.Stationarity, err)
	}
	m.list[0].Multipliers = []float64{1, 0.75, 0.75, 0}
	m.list[0].Plane = plane(t, []float64{2.75}, 0.5) // β = Σαyx, and Σαy = 1 of 2.5 is left
	if k, err = m.Conditions(0, x, []int{5, 5, 3, 3, 5, 5}, nil); err != nil || k.Stationarity != 0.4 {
		t.Errorf("stationarity %v, %v", k.Stationarity, err)
	}
}

// So is every number of the conditions of a regression.
func TestTubeConditionsAreWhatTheySay(t *testing.T) {
	for seed := range uint64(80) {
		x, _, plane, alpha, weights, r := drawn(seed)
		if seed%6 == 1 {
			plane.offset, plane.origin = 0, nil
		}
		through := plane.offset == 0 && plane.origin == nil
		m := &SVR{plane: plane, c: 0.5 + r.Float64(), epsilon: float64(seed%3) / 2}
		alpha[0], alpha[1] = m.c, -m.c // inside its price, and at it
		for i := range alpha {
			if weights[i] == 0 {
				alpha[i] = 0
			}
		}
		m.support, m.multipliers = supportOf(alpha)
		y := make([]float64, len(alpha))
		mean, count := 0.0, 0.0
		for i := range y {
			if y[i] = 1 + 2*r.NormFloat64(); weights[i] > 0 {
				mean, count = mean+y[i], count+1
			}
		}
		mean /= count
		want := TubeConditions{Primal: linalg.Dot(plane.beta(), plane.beta()) / 2}
		shift := mean
		if through {
			shift = 0
		}
		level := 0.0
		for i, v := range y {
			if weights[i] > 0 {
				level = max(level, math.Abs(v-shift))
			}
		}
		got, err := m.Conditions(x, y, weights)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range alpha {
			left, price := y[i]-plane.Value(x.Row(i)), m.c*weights[i]
			slack := max(0, math.Abs(left)-m.epsilon)
			lt.CloseSlice(t, "residual, slack, a", []float64{got.Residual[i], got.Slack[i], got.Alpha[i]}, []float64{left, slack, a}, 1e-13)
			if price == 0 {
				continue
			}
			want.Primal += price * slack
			want.Dual += a*(y[i]-shift) - m.epsilon*math.Abs(a)
			want.DualFeasibility = max(want.DualFeasibility, math.Abs(a)/price-1)
			want.ComplementarySlackness = max(want.ComplementarySlackness, (price-math.Abs(a))*slack/price/level,
				(math.Abs(a)*(m.epsilon+slack)-a*left)/price/level)
		}
		var sum []float64
		want.Stationarity, sum = stationarity(x, plane, alpha, through)
		want.Dual -= linalg.Dot(sum, sum) / 2
		sparse, err := m.Conditions(lt.Sparse(x), y, weights)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []*TubeConditions{got, sparse} {
			lt.CloseSlice(t, "stationarity, feasibility, slackness, objectives", []float64{k.Stationarity, k.DualFeasibility, k.ComplementarySlackness, k.Primal, k.Dual},
				[]float64{want.Stationarity, want.DualFeasibility, want.ComplementarySlackness, want.Primal, want.Dual}, 1e-12)
		}
	}
}

// Conditions of other data than those of the fit are refused, with what they should be.
func TestConditionsRefuse(t *testing.T) {
	x, y := clouds(8, 20, 2, 0.3)
	m := mustSVC(t, x, y, nil)
	last := m.Support()[len(m.Support())-1]
	response := lt.Normal(3, 20, 1).Data
	tube, err := FitSVR(x, response, nil)
	if err != nil {
		t.Fatal(err)
	}
	most := tube.Support()[len(tube.Support())-1]
	var option *sample.OptionError
	for _, k := range []int{-1, 1} {
		if _, err := m.Conditions(k, x, y, nil); !errors.As(err, &option) || option.Value != float64(k) || option.Want != "0 to 0" {
			t.Errorf("machine %d: %v", k, err)
		}
	}
	var shape *linalg.ShapeError
	if _, err := m.Conditions(0, x.RowRange(0, last), y[:last], nil); !errors.As(err, &shape) || shape.Want != last+1 || shape.Got != last {
		t.Errorf("a row less: %v", err)
	}
	if _, err := m.Conditions(0, x.RowRange(0, last+1), y[:last+1], nil); err != nil {
		t.Errorf("rows up to the last of the support: %v", err)
	}
	if _, err := m.Conditions(0, lt.Normal(1, 20, 3), y, nil); !errors.As(err, &shape) || shape.Want != 2 {
		t.Errorf("a column more: %v", err)
	}
	if _, err := tube.Conditions(x.RowRange(0, most), response[:most], nil); !errors.As(err, &shape) || shape.Want != most+1 || shape.Got != most {
		t.Errorf("a row less for a tube: %v", err)
	}
	if _, err := tube.Conditions(x.RowRange(0, most+1), response[:most+1], nil); err != nil {
		t.Errorf("rows up to the last of the support of a tube: %v", err)
	}
	if _, err := tube.Conditions(lt.Normal(1, 20, 3), response, nil); !errors.As(err, &shape) || shape.Want != 2 {
		t.Errorf("a column more for a tube: %v", err)
	}
	if _, err := tube.Conditions(x, response, []float64{1}); err == nil {
		t.Error("one weight for 20 rows")
	}
}

// A coefficient of rounding in a column that the support leaves empty is measured by the others, and the second
// words of multipliers count in β and in the dual objective.
func TestConditionsDespiteRounding(t *testing.T) {
	x := lt.Rows(t, []float64{-1, 0}, []float64{1, 0}, []float64{3, 4})
	m := &SVC{c: 2, machines: machines{classes: []int{0, 1}}}
	m.list = []Machine{{Plane: plane(t, []float64{1, 1e-31}, 0), Support: []int{0, 1}, Multipliers: []float64{0.5, 0.5}}}
	k, err := m.Conditions(0, x, []int{0, 1, 1}, nil)
	if err != nil || !(k.Stationarity <= 1e-31) {
		t.Errorf("stationarity %g, %v", k.Stationarity, err)
	}
	s := &SVR{plane: plane(t, []float64{1, 1e-31}, 0), c: 2, support: []int{0, 1}, multipliers: []float64{-0.5, 0.5}}
	tube, err := s.Conditions(x, []float64{-1, 1, 3}, nil)
	if err != nil || !(tube.Stationarity <= 1e-31) {
		t.Errorf("stationarity of a tube %g, %v", tube.Stationarity, err)
	}
	x = lt.Rows(t, []float64{1, 0}, []float64{1, 0}, []float64{3, 4})
	m.c, m.noIntercept = 1e20, true
	m.list[0].Multipliers, m.list[0].Remainders = []float64{1e16, 1e16}, []float64{0.5, 0.25}
	m.list[0].Plane = plane(t, []float64{-0.25, 0}, 0)
	if k, err = m.Conditions(0, x, []int{0, 1, 1}, nil); err != nil || k.Stationarity != 0 {
		t.Errorf("stationarity of two words %g, %v", k.Stationarity, err)
	}
	m.noIntercept = false
	if k, err = m.Conditions(0, x, []int{0, 1, 1}, nil); err != nil || k.Stationarity != 0.25/2e16 {
		t.Errorf("balance of two words %g, %v", k.Stationarity, err)
	}
}
