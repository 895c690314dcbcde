package experiment

// All are the experiments, in the order of the page.
var All = []*Experiment{exercise, masking, gaussians, quadratic, rda, fisher, reduced, generative, ldaLogistic, outliers,
	irls, lasso, perceptron, scaling, cost, noise, losses, descent, landscape, separation}
