// Package sums is a logistic regression of a table whose parts are on several machines, as files:
// what `halfspace sums` and `halfspace fit -sums` read and write. Package logistic/rounds has
// the method.
//
// A part's file names the file that it was computed from, its rows and its checksum, and the
// state that it answers. [Reduce] refuses parts by their names: one that was computed twice, one
// that is missing, one that answers another state, one whose data have changed. Columns, levels
// and classes are agreed in the first round: a part may lack a class, or a level of a
// categorical column of which it has two others. A file carries a checksum over its own numbers.
//
// A fit can be saved as a [Prior], which stands for its rows beside later ones.
//
// Files in reading order: part.go (what one part says), schema.go (one meaning of the columns),
// state.go (where all of them stand), prior.go (a fit that stands for its rows).
package sums
