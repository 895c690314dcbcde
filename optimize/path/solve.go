package path

import (
	"slices"

	"halfspace/optimize"
)

// run fits one batch after the other and reports whether the path ends with them; λ
// that need the general solver are left.
func (b *batches) run() (end bool, err error) {
	for len(b.lambdas) > 0 {
		fits, err := b.solve(b.lambdas[:b.length()])
		if err != nil {
			return true, err
		}
		done, end, err := b.publish(fits)
		if end || err != nil || done < len(fits) || done == 0 {
			return end, err
		}
		b.keep(fits)
	}
	return true, nil
}

// length returns how many λ the next batch has: one, where all features are in the set and
// many, for a fit costs least from the one before.
func (b *batches) length() int {
	if len(b.set) == b.Parameters() && b.manyFeatures() {
		return 1
	}
	size := 1
	for size < min(b.size, len(b.lambdas)) && b.lambdas[size] >= batchRatio*min(b.last().lambda, b.lambdas[0]) {
		size++
	}
	return size
}

// publish hands the fits to the path, in order, up to one that is not done, and returns
// how many.
func (b *batches) publish(fits []*candidate) (done int, end bool, err error) {
	slowest := 0
	for _, t := range fits {
		if !t.done {
			return done, false, nil
		}
		report := t.run.Report()
		f := b.fit(t.lambda, t.theta, report.Certify(report.Objective(), t.proven))
		f.Value, f.Gradient = t.value, t.known
		if end, err := b.add(f); end || err != nil {
			return done, true, err
		}
		done++
		slowest = max(slowest, report.Iterations())
	}
	if slowest > usualRounds+1 {
		b.size = max(1, b.size/2)
	} else if slowest <= usualRounds {
		b.size = min(longestBatch, 2*b.size)
	}
	return done, false, nil
}

// keep makes the candidates the last fits; the memory of those that are forgotten is
// used again.
func (b *batches) keep(fits []*candidate) {
	b.past = append(b.past, fits...)
	for _, t := range b.past[:len(b.past)-1] {
		t.face = optimize.NearFace{}
	}
	old := max(0, len(b.past)-longestBatch-1)
	for _, t := range b.past[:old] {
		b.spare = append(b.spare, t.theta, t.g, t.known)
	}
	b.past = b.past[old:]
}

// solve fits the given λ as far as it gets; nil fits are a working set that is too
// wide.
func (b *batches) solve(lambdas []float64) ([]*candidate, error) {
	b.choose(b.mobile(lambdas[len(lambdas)-1]))
	if !b.grow(b.last().theta) {
		return nil, nil
	}
	fits, err := b.foresee(lambdas)
	if err != nil {
		return nil, err
	}
	for {
		open, full := b.open(fits)
		if len(open) == 0 {
			return fits, nil
		}
		features, err := b.evaluateNear(open, full)
		if err != nil {
			return nil, err
		}
		if open, err = b.certify(open, features, full); err != nil {
			return nil, err
		}
		if !b.grow(b.last().theta) {
			return fits, nil
		}
		b.correct(fits, open)
	}
}

// open returns the unfinished candidates; full is true if all of them hold on the near
// features, if these are at least half of all, or if it is the last look at one.
func (b *batches) open(fits []*candidate) (open []*candidate, full bool) {
	full, last := true, false
	for _, t := range fits {
		if !t.done && !t.abandoned {
			open = append(open, t)
			full = full && t.holds
			last = last || t.run.Report().Iterations() >= b.rounds-1
		}
	}
	if full || last || 2*b.near >= b.P {
		return open, true
	}
	return slices.DeleteFunc(open, func(t *candidate) bool { return t.holds }), false
}
