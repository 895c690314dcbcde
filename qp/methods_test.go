package qp

// interiorPoint and polish are the methods that Solve puts together, each alone.

func interiorPoint(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, err
	}
	w := newIPM(st)
	w.enter()
	r := w.run(st.tol)
	return r.res, r.err
}

func polish(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, err
	}
	r := newPolisher(st, st.multiplier()).run()
	return r.res, r.err
}

func newton(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, err
	}
	r := newSmoother(st).run(0)
	return r.res, r.err
}

func augmented(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, err
	}
	r := newLagrangian(st).run(st.tol)
	return r.res, r.err
}
