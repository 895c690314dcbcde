// Package experiment holds the textbook experiments on linear classification
// (The Elements of Statistical Learning, chapters 4 and 12).
//
// An [Experiment] is one of the list [All]; [Named] finds some of them. Run takes a
// seed and returns a [Result]: tables, pictures, paragraphs that say where to look,
// and for some the data as CSV files. The same seed gives the same result, byte for
// byte. Every figure that a text quotes is computed by the run; claims in words about more
// than one draw are tested over a few seeds, and over a hundred where HALFSPACE_LONG is set.
//
// [Result.Write] prints a result for a terminal or a pipe, and [WritePage] sets
// several on one page of HTML without other files: light and dark as the reader's
// system asks, with pictures below one another where the screen is narrow.
//
// # Files, in reading order
//
// experiment.go (experiments and their results), help.go (fits, errors on fresh
// points, styles); a file for each experiment; all.go (the list), page.go.
package experiment
