package qp

// interiorPoint and polish are the methods that Solve puts together, each alone.

func interiorPoint(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, err
	}
	w := newIPM(st, p.Sum)
	w.enter()
	r := w.run(st.tol)
	return r.res, r.err
}

func polish(p *Problem, o *Options) (*Result, error) {
	st, err := prepare(p, o)
	if err != nil {
		return nil, err
	}
	r := newPolisher(st, p.Sum, st.multiplier()).run()
	return r.res, r.err
}
