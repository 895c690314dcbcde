package separation

import (
	"math/big"
	"math/rand/v2"

	"halfspace/linalg"
	"halfspace/linalg/exact"
)

const (
	// sampleRows is how many rows a search begins with, beside a few for each parameter.
	sampleRows, sampleShare = 500, 4
	// joining is how many rows of each class with violated inequalities join the sample at a time, and
	// joiningShare how many for each parameter.
	joining, joiningShare = 24, 0.5
	// rounds is how often inequalities join the sample in one stage of a search.
	rounds = 60
	// allowance is the work that one decision may take beside passes over the rows, in units of
	// some 5 ns: two seconds.
	allowance = 4e8
	// largest is how many elements a square matrix of the search may have, 200 MB.
	largest = 2.5e7
	// sampleSize is how many values the first sample may have, beside a few rows.
	sampleSize = 2e7
	// A decision begins with one row in so many that leastPart of them are left, and partShare
	// for each parameter: classes of which a part overlaps overlap. Where that part is
	// separated one of partGrowth times as many rows is tried, then all. The parts have
	// partAllowance of the work.
	leastPart, partShare, partGrowth, partAllowance = 500, 5, 8, 0.1
)

// search is the state of one decision.
type search struct {
	d      *data
	sample *sampled
	frame  *frame
	ties   *equations
	work   float64
	brief  proof // of an overlap in float64, where that will do; else nil
}

// proof returns evidence of an overlap with multipliers that are yet to be made: from the
// inequalities in a hull's nearest combination and their factors, or, before there is a hull,
// from all of the sample; nil where it has none. As a function it is part of those programs
// alone that settle.
type proof func(s *search, h *hull, active []pair, factors []float64) (*Evidence, error)

// Decide answers whether functions separate the classes of p, with evidence that holds
// exactly. It looks for the direction of the widest margin on a sample of the rows, in
// coordinates in which the sample is well conditioned, adds the rows that violate it, and
// so on. Where rounding keeps that from an answer, the simplex method in integers goes on
// from there. A combination of inequalities that is 0 makes equations of them, and the
// search goes on along the directions that satisfy these, until one is found or none is
// left.
//
// A pass of O(nKp) for each time that rows join, some ten as a rule and 60 at most for each
// rank; each equation system in D = (K−1)·(p+1) unknown integers costs O(D³), a search among
// m rows of the sample O(mD²). Beyond two seconds of these, as a count of operations foretells them,
// a decision is Undecided; so is one with matrices of more than 200 MB. Undecided evidence can have multipliers, which then prove
// that the classes are not separated completely.
//
// Errors: *[linalg.ShapeError], those of the storage, and of [sample.Range] where a row has a NaN or an infinity.
func Decide(p *Problem) (*Evidence, error) { return answer(p, nil) }

// answer is the decision, with multipliers that are yet to be made where it may be brief.
func answer(p *Problem, brief proof) (*Evidence, error) {
	d, err := unmeasured(p)
	if err != nil {
		return nil, err
	}
	for part, m := 0, max(leastPart, partShare*(d.k-1)*d.dim); part < 2 && m*partGrowth <= d.n; part, m = part+1, m*partGrowth {
		e, err := answerPart(p, d.n/m, brief)
		if err != nil { // the decision on all rows meets it again, and knows which row it is, or has matrices that are too large
			break
		}
		if e.Kind == Overlap {
			if all, err := e.spansAll(p); all || err != nil {
				return e, err
			}
		}
	}
	return decide(p, allowance*(1-p.Spent), brief)
}

// spansAll reports whether the inequalities of all rows are in the span of those that have multipliers: of an overlap of
// some rows, others may be strict beside. Multipliers that are yet to be made are of as many independent ones as parameters.
func (e *Evidence) spansAll(p *Problem) (bool, error) {
	if e.Multipliers[0].Value.later != nil {
		return true, nil
	}
	d, err := newData(p, nil)
	if err != nil {
		return false, err
	}
	ties, err := e.equations(d)
	if err != nil || ties.full() {
		return true, err
	}
	out, err := ties.leave(0, 1)
	return len(out.worst) == 0, err
}

// equations returns those that hold beside the multipliers of inequalities.
func (e *Evidence) equations(d *data) (*equations, error) {
	ties, err := newEquations(d)
	if err == nil {
		err = ties.tie(e.pairs())
	}
	return ties, err
}

// pairs returns the inequalities that have multipliers.
func (e *Evidence) pairs() []pair {
	list := make([]pair, len(e.Multipliers))
	for k := range list {
		m := &e.Multipliers[k]
		list[k] = pair{m.Row, m.Class, m.Other}
	}
	return list
}

// answerPart answers for one row in step.
func answerPart(p *Problem, step int, brief proof) (*Evidence, error) {
	x, err := linalg.EveryRow(p.X, step)
	if err != nil {
		return nil, err
	}
	part := *p
	part.X, part.Code = x, nil
	for i := 0; i < len(p.Code); i += step {
		part.Code = append(part.Code, p.Code[i])
	}
	e, err := decide(&part, partAllowance*allowance, brief)
	if err != nil {
		return nil, err
	}
	for k := range e.Multipliers {
		e.Multipliers[k].Row *= step
	}
	return e, nil
}

// decide is the search, among all rows, with so much work.
func decide(p *Problem, work float64, brief proof) (*Evidence, error) {
	s, err := newSearch(p, work)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return &Evidence{}, nil
	}
	if s.brief = brief; brief != nil {
		if e, err := brief(s, nil, nil, nil); e != nil || err != nil {
			return e, err
		}
	}
	return s.run()
}

// newSearch returns a search with its first sample; nil where its matrices would be too large.
func newSearch(p *Problem, work float64) (*search, error) {
	d, err := unmeasured(p)
	if err != nil {
		return nil, err
	}
	if rank := min(d.n*(d.k-1), (d.k-1)*d.dim); float64(rank)*float64((d.k-1)*d.dim) > largest {
		return nil, nil
	}
	if err := d.measure(nil); err != nil {
		return nil, err
	}
	s := &search{d: d, sample: &sampled{d: d, at: map[int]int{}}, work: work}
	if s.ties, err = newEquations(d); err != nil {
		return nil, err
	}
	return s, s.begin()
}

// run ends the search, stage by stage.
func (s *search) run() (*Evidence, error) {
	for stage := 0; stage <= s.ties.size() && !s.ties.full(); stage++ {
		if !s.ties.none() {
			apart, err := s.apart(uint64(stage))
			if err != nil {
				return nil, err
			}
			if !apart {
				return (&Evidence{Kind: Overlap}).with(s.ties), nil
			}
		}
		if e, known, err := s.stage(); e != nil || err != nil {
			return e, err
		} else if !known {
			break
		}
	}
	e := &Evidence{}
	if s.ties.full() {
		e.Kind = Overlap
	}
	return e.with(s.ties), nil
}

// begin takes the first sample, evenly spaced rows.
func (s *search) begin() error {
	want := min(sampleRows+sampleShare*s.d.dim, max(sampleShare, sampleSize/s.d.dim))
	rows := linalg.Sequence(min(want, s.d.n))
	for k := range rows {
		if want < s.d.n {
			rows[k] = int(float64(k) * float64(s.d.n) / float64(want))
		}
	}
	_, err := s.sample.add(rows...)
	return err
}

// apart adds rows to the sample that can have an inequality although the equations hold, and reports whether there are any.
func (s *search) apart(seed uint64) (bool, error) {
	out, err := s.ties.leave(seed, s.joining())
	if err != nil || len(out.worst) == 0 {
		return false, err
	}
	_, err = s.join(out.worst)
	return true, err
}

// leave finds rows that can have an inequality although the equations hold, at most so many of each class, by a random
// direction along which these do.
func (e *equations) leave(seed uint64, most int) (*outcome, error) {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	v := make([]*big.Int, e.size())
	for j := range v {
		v[j] = big.NewInt(r.Int64N(1<<40) + 1)
	}
	return (&scan{f: newFunctions(e.d, e.satisfy(v)), apart: true, most: most}).run()
}

// joining is how many rows of each class join the sample at a time.
func (s *search) joining() int {
	return max(joining, int(joiningShare*float64(s.ties.size())/float64(s.d.k)))
}

// join adds the rows of violations to the sample and reports whether one is new.
func (s *search) join(list []violation) (grown bool, err error) {
	rows := make([]int, len(list))
	for k, v := range list {
		rows[k] = v.row
	}
	return s.sample.add(rows...)
}

// stage ends with evidence of a direction, or with more equations, or, where it knows
// neither, with false.
func (s *search) stage() (e *Evidence, known bool, err error) {
	for _, q := range s.ties.free { // a hull has their rows from the sample
		if _, err := s.sample.add(q.row); err != nil {
			return nil, false, err
		}
	}
	var active []pair
	for range rounds {
		s.frame = s.frame.follow(s.sample)
		h := newHull(s.sample, s.frame, s.ties.free, &s.work)
		var v, factors []float64
		if v, active, factors = h.nearest(); v == nil {
			if s.brief != nil && s.ties.none() {
				e, err = s.brief(s, h, active, factors)
			}
			if e != nil || err != nil {
				return e, true, err
			}
			break
		}
		e, more, err := s.try(h.parameters(v))
		if err != nil || e != nil {
			return e, true, err
		}
		if !more {
			break
		}
	}
	if s.work < 0 {
		return nil, false, nil
	}
	return s.exactly(active)
}

// snapped are the binary digits to which a direction is rounded, shortest first: one of few
// digits reads well, one of all that the search has can be needed.
var snapped = []int{20, 52, 0}

// try returns the evidence if the parameters separate; else it adds violated rows to the
// sample and reports whether one is new.
func (s *search) try(parameters []exact.Sum) (e *Evidence, more bool, err error) {
	for _, digits := range snapped {
		v := s.ties.satisfy(s.d.fromFloats(parameters, digits))
		out, err := (&scan{f: newFunctions(s.d, v), strictly: s.ties.none(), most: s.joining()}).run()
		if err != nil {
			return nil, false, err
		}
		if out.first == nil && out.strict > 0 {
			e, err := publish(s.d, v, s.ties)
			return e, false, err
		}
		joined, err := s.join(out.worst)
		if err != nil || joined {
			return nil, joined, err
		}
	}
	return nil, false, nil
}

// exactly ends a stage in integers, from the active inequalities: as a rule these alone have
// a combination that is 0.
func (s *search) exactly(active []pair) (e *Evidence, known bool, err error) {
	combination, err := combine(s.ties, active, &s.work)
	if err != nil {
		return nil, false, err
	}
	if combination != nil {
		return nil, true, s.ties.add(combination)
	}
	x, err := newSimplex(s.ties, s.sample, active, &s.work)
	if err != nil || x == nil {
		return nil, false, err
	}
	v, combination, err := x.run()
	switch {
	case err != nil:
		return nil, false, err
	case v != nil:
		e, err := publish(s.d, v, s.ties)
		return e, e != nil, err
	case combination != nil:
		return nil, true, s.ties.add(combination)
	}
	return nil, false, nil
}
