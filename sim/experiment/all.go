package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// All are the experiments, in the order of the page.
var All = []*Experiment{exercise, masking, gaussians, quadratic, rda, fisher, reduced, generative, ldaLogistic, outliers,
	irls, lasso, perceptron, scaling, cost, noise, losses, descent, landscape, separation}

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
