package experiment

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// All are the experiments, in the order of the page.
var All = []*Experiment{exercise, gaussians, quadratic, rda, fisher, reduced, generative, unlabelled,
	masking, codings, outliers, prior, ldaLogistic, multinomial, irls, lasso, separation, sampling,
	perceptron, scaling, margin, cost, noise, tube, losses, fewest, descent, landscape, slips}

// Named returns the experiments of the given names, all of them for none.
func Named(names ...string) ([]*Experiment, error) {
	if len(names) == 0 {
		return All, nil
	}
	var list []*Experiment
	for _, n := range names {
		k := slices.IndexFunc(All, func(e *Experiment) bool { return e.Name == n })
		if k < 0 {
			return nil, fmt.Errorf("no experiment %q; there are %s", n, strings.Join(Names(), " "))
		}
		list = append(list, All[k])
	}
	return list, nil
}

// Names lists the experiments in the order of the page.
func Names() []string {
	names := make([]string, len(All))
	for i, e := range All {
		names[i] = e.Name
	}
	return names
}

// WriteList lists experiments under their topics, with the sections of the book.
func WriteList(w io.Writer, list []*Experiment) error {
	var topics []string
	for _, e := range list {
		if !slices.Contains(topics, e.Topic) {
			topics = append(topics, e.Topic)
		}
	}
	for _, topic := range topics {
		if _, err := fmt.Fprintln(w, topic); err != nil {
			return err
		}
		for _, e := range list {
			if e.Topic != topic {
				continue
			}
			if _, err := fmt.Fprintf(w, "  %-14s %s  [ESL %s]\n", e.Name, e.Title, e.ESL); err != nil {
				return err
			}
		}
	}
	return nil
}
