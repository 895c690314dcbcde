// Package sim and the packages below it lie between a file and a model. Sim itself
// holds the interfaces that the others ask of a model, and tables of results.
//
// [Classifier], [Prober], [Linear] and [Regressor] are interfaces of the consumer:
// the models of discriminant, logistic and hyperplane satisfy them and do not
// import them. [Table] is a small table of text, aligned for a reader and
// tab-separated for a pipe.
//
// # The packages below
//
//   - population: Gaussians, mixtures, samples to draw from
//   - validate: splits, folds, cross-validation, scores
//   - dataset: CSV and LIBSVM files to numbers and back
//   - feature: transforms of columns
//   - method: the models by name, saved and loaded with the meaning of their columns;
//     below it report prints, codegen writes Go source, draw makes pictures
//   - plot: pictures
//   - experiment: the textbook experiments
//   - byhand: the methods step by step, as on paper
//
// # Files, in reading order
//
// model.go (the interfaces), table.go.
package sim
