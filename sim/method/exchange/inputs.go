package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"halfspace/sim/dataset"
	"halfspace/sim/feature"
)

// feed is one feature that a step or an estimator takes: a column of numbers, or the
// indicator of a level of one of text. It is filled where it is missing, then standardised.
type feed struct {
	column   int
	level    string // of a categorical column
	fill     float64
	filled   bool
	gaps     bool // of a categorical column with a level of missing cells, which fill is as well
	mean, sd float64
	scaled   bool
}

// inputs are the columns of a table and what becomes of them before the estimator.
type inputs struct {
	names  []string
	feeds  []feed
	levels map[int][]string // of the categorical columns, in the encoder's order
	base   map[int]string   // the level that has no indicator, of columns that have one
	unseen map[int]bool     // columns whose unknown levels are zeros in all indicators
	filled map[int]string   // the level that stands for a missing cell
}

func emptyInputs() *inputs {
	return &inputs{levels: map[int][]string{}, base: map[int]string{}, unseen: map[int]bool{}, filled: map[int]string{}}
}

// newInputs returns the columns of the first of the estimators that has names, or x1, x2, …:
// at most so many, as a file has numbers of each.
func newInputs(whole *estimator, all []*estimator, most int) (*inputs, error) {
	in := emptyInputs()
	for _, e := range append([]*estimator{whole}, all...) {
		if e.attribute("feature_names_in_", &in.names) == nil {
			in.names = trimmed(in.names)
			break
		}
		var p int
		if e.attribute("n_features_in_", &p) == nil && in.names == nil {
			if p < 1 || p > most {
				return nil, e.wrong(fmt.Errorf("%d features", p))
			}
			for j := range p {
				in.names = append(in.names, "x"+strconv.Itoa(j+1))
			}
			break
		}
	}
	if in.names == nil {
		return nil, whole.wrong(errors.New("no \"n_features_in_\""))
	}
	for j := range in.names {
		in.feeds = append(in.feeds, feed{column: j, sd: 1})
	}
	return in, nil
}

// step applies a step of a pipeline to all that the one before it gives.
func (in *inputs) step(e *estimator) error {
	if e.Type == "ColumnTransformer" {
		return in.columns(e)
	}
	out, err := in.transform(e, in.feeds)
	in.feeds = out
	return err
}

// columns applies each transformer of a ColumnTransformer to its columns.
func (in *inputs) columns(e *estimator) error {
	var weights map[string]any
	if text := e.Params["transformer_weights"]; text != nil && (json.Unmarshal(text, &weights) != nil || len(weights) > 0) {
		return errors.New("transformer_weights cannot be imported")
	}
	var list [][3]json.RawMessage
	if err := e.attribute("transformers_", &list); err != nil {
		return err
	}
	place := make(map[string]int)
	for k := len(in.feeds) - 1; k >= 0; k-- {
		if f := in.feeds[k]; f.level == "" {
			place[in.names[f.column]] = k
		}
	}
	var out []feed
	for _, t := range list {
		var word string
		named := json.Unmarshal(t[1], &word) == nil
		if word == "drop" {
			continue
		}
		own, err := in.chosen(t[2], place)
		switch {
		case err != nil:
			return err
		case word == "passthrough":
			out = append(out, own...)
			continue
		case named:
			return fmt.Errorf("transformer %s", quoted(word))
		}
		one := new(estimator)
		if err := json.Unmarshal(t[1], one); err != nil {
			return err
		}
		steps, last, err := one.split()
		if err != nil {
			return err
		}
		for _, s := range append(steps, last) {
			if own, err = in.transform(s, own); err != nil {
				return s.wrong(err)
			}
		}
		out = append(out, own...)
	}
	in.feeds = out
	return nil
}

// chosen returns the features that a transformer of a ColumnTransformer takes: a list of
// names, whose places are given, of positions or of truth values, or one name. Versions 1.5 and 1.6 have the positions of the remainder in a list of their
// own, which the snippet writes as text.
func (in *inputs) chosen(text json.RawMessage, place map[string]int) ([]feed, error) {
	var list []any
	if json.Unmarshal(text, &list) != nil {
		var one any
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, err
		}
		list = []any{one}
		if name, ok := one.(string); ok && strings.HasPrefix(name, "[") {
			if _, ok := place[strings.Trim(name, " \t")]; !ok {
				_ = json.Unmarshal([]byte(name), &list)
			}
		}
	}
	var out []feed
	for i, v := range list {
		at := -1
		switch v := v.(type) {
		case string:
			if k, ok := place[strings.Trim(v, " \t")]; ok {
				at = k
			}
		case float64:
			if at = int(v); at < 0 {
				at += len(in.feeds)
			}
		case bool:
			if !v {
				continue
			}
			at = i
		}
		if at < 0 || at >= len(in.feeds) {
			return nil, fmt.Errorf("column %.60q of a ColumnTransformer is none of the table's: columns are lists of names or positions", fmt.Sprint(v))
		}
		out = append(out, in.feeds[at])
	}
	return out, nil
}

// transform applies a transformer to features.
func (in *inputs) transform(e *estimator, own []feed) ([]feed, error) {
	own = slices.Clone(own)
	switch e.Type {
	case "StandardScaler":
		return own, in.scale(e, own)
	case "SimpleImputer":
		return own, in.impute(e, own)
	case "OneHotEncoder":
		return in.encode(e, own)
	case "FunctionTransformer":
		var f string
		if e.param("func", &f) != nil && e.param("inverse_func", &f) != nil {
			return own, nil // the identity, which stands for "passthrough"
		}
	}
	return nil, fmt.Errorf("the step %s cannot be imported", quotedName(e.Type))
}

// scale composes a StandardScaler with what was before it: (x−m)/s of (x−mean)/sd. One that
// does not centre has means all the same, of which it made the scales.
func (in *inputs) scale(e *estimator, own []feed) error {
	mean, errMean := e.vector("mean_")
	var centered bool
	if errMean == nil && e.param("with_mean", &centered) == nil && !centered {
		mean = make([]float64, len(mean))
	}
	sd, errSD := e.vector("scale_")
	for k := range own {
		f := &own[k]
		if errMean == nil && len(mean) != len(own) || errSD == nil && len(sd) != len(own) {
			return fmt.Errorf("%d means and %d scales of %d features", len(mean), len(sd), len(own))
		}
		if errMean == nil {
			f.mean += f.sd * mean[k]
		}
		if errSD == nil {
			f.sd *= sd[k]
		}
		if f.scaled = true; !(f.sd > 0) || math.IsInf(f.sd, 0) || f.mean-f.mean != 0 {
			return fmt.Errorf("column %q: mean %v, scale %v", in.names[f.column], f.mean, f.sd)
		}
	}
	return nil
}

// impute sets the values of missing cells.
func (in *inputs) impute(e *estimator, own []feed) error {
	var marks bool
	if e.param("add_indicator", &marks) == nil && marks {
		return errors.New("add_indicator=True cannot be imported")
	}
	if of := e.setting("missing_values"); of != "NaN" && of != "nan" && string(e.Params["missing_values"]) != "null" {
		return errors.New("missing values other than NaN cannot be imported")
	}
	var fill []any
	if err := e.attribute("statistics_", &fill); err != nil {
		return err
	}
	if len(fill) != len(own) {
		return fmt.Errorf("%d statistics of %d features", len(fill), len(own))
	}
	levels, err := spelled(fill)
	for k, v := range fill {
		f := &own[k]
		number, isNumber := v.(float64)
		switch _, is := in.filled[f.column]; {
		case err != nil:
			return err
		case f.level != "":
			return errors.New("an imputer behind a OneHotEncoder cannot be imported")
		case f.filled || is:
			continue // nothing is missing any more
		case isNumber:
			f.fill, f.filled = f.mean+number*f.sd, true
		}
		in.filled[f.column] = levels[k]
	}
	return nil
}

// ignoring are the settings of encoders that make zeros of a level they do not know, where none of theirs is infrequent.
var ignoring = []string{"ignore", "infrequent_if_exist", "warn"}

// encode replaces each column by the indicators of its levels.
func (in *inputs) encode(e *estimator, own []feed) ([]feed, error) {
	var categories [][]any
	if err := e.attribute("categories_", &categories); err != nil {
		return nil, err
	}
	if len(categories) != len(own) {
		return nil, fmt.Errorf("categories of %d columns, want %d", len(categories), len(own))
	}
	var infrequent []any
	if e.attribute("infrequent_categories_", &infrequent) == nil && slices.ContainsFunc(infrequent, func(v any) bool { return v != nil }) {
		return nil, errors.New("infrequent categories cannot be imported")
	}
	drop := make([]*int, len(own))
	if err := e.attribute("drop_idx_", &drop); err != nil {
		drop = make([]*int, len(own))
	}
	if len(drop) != len(own) {
		return nil, fmt.Errorf("%d dropped levels of %d columns", len(drop), len(own))
	}
	var out []feed
	for k, f := range own {
		for l, v := range categories[k] {
			if v == nil { // None, as pandas has it in place of NaN
				categories[k][l] = missing
			}
		}
		levels, err := spelled(categories[k])
		switch {
		case err != nil:
			return nil, fmt.Errorf("column %q: %w", in.names[f.column], err)
		case f.scaled || f.level != "" || in.levels[f.column] != nil:
			return nil, fmt.Errorf("column %q is no column of the table any more", in.names[f.column])
		case drop[k] != nil && (*drop[k] < 0 || *drop[k] >= len(levels)):
			return nil, fmt.Errorf("column %q: level %d of %d is dropped", in.names[f.column], *drop[k], len(levels))
		}
		in.levels[f.column] = levels
		if slices.Contains(ignoring, e.setting("handle_unknown")) {
			in.unseen[f.column] = true
		}
		for l, level := range levels {
			if drop[k] != nil && *drop[k] == l {
				in.base[f.column] = level
				continue
			}
			out = append(out, in.indicator(f, level, slices.Contains(levels, missing)))
		}
	}
	return out, nil
}

// missing is the level that an encoder makes of NaN.
const missing = "NaN"

// indicator returns the feature of a level of a column that has a level of missing cells or none.
func (in *inputs) indicator(f feed, level string, gaps bool) feed {
	i := feed{column: f.column, level: level, gaps: gaps, sd: 1}
	by, ok := in.filled[f.column]
	if i.filled = ok; !ok && gaps {
		by = missing
	}
	if (ok || gaps) && by == level {
		i.fill = 1
	}
	return i
}

// other names the reference of levels that all have indicators, none of which is 1 for it.
func other(levels []string) string {
	name := "(other)"
	for slices.Contains(levels, name) {
		name = "(" + name + ")"
	}
	return name
}

// arranged returns the schema's columns and, for each of its features, the place that the
// feature has among those that the estimator takes.
func (in *inputs) arranged() (columns []dataset.Column, place []int, err error) {
	at := make(map[string]int)
	key := func(column int, level string) string { return strconv.Itoa(column) + "=" + level }
	used := make(map[int]bool)
	for k, f := range in.feeds {
		name := key(f.column, f.level)
		if _, twice := at[name]; twice {
			return nil, nil, fmt.Errorf("column %q is used twice", in.names[f.column])
		}
		at[name], used[f.column] = k, true
	}
	for j, name := range in.names {
		c := dataset.Column{Name: name}
		switch levels := in.levels[j]; {
		case !used[j]:
			continue
		case levels == nil:
			place = append(place, at[key(j, "")])
		default:
			base, ok := in.base[j]
			if !ok {
				base = other(levels)
			}
			rest := slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(levels), func(l string) bool { return ok && l == base })))
			c.Levels, c.Closed = append([]string{base}, rest...), !in.unseen[j] && len(in.unseen) > 0
			for _, l := range rest {
				k, is := at[key(j, l)]
				if !is {
					return nil, nil, fmt.Errorf("column %q is partly a number", name)
				}
				place = append(place, k)
			}
		}
		columns = append(columns, c)
	}
	if len(place) != len(in.feeds) {
		return nil, nil, errors.New("the columns are numbers in one place and levels in another")
	}
	return columns, place, nil
}

// finish returns the schema and the steps.
func (in *inputs) finish(columns []dataset.Column, place []int, classes []string) (*dataset.Schema, feature.Chain, error) {
	s := &dataset.Schema{Columns: columns, Names: classes}
	fill, mean, sd := make([]float64, len(place)), make([]float64, len(place)), make([]float64, len(place))
	var filled, scaled bool
	for k, at := range place {
		f := in.feeds[at]
		if fill[k], mean[k], sd[k] = f.fill, f.mean, f.sd; !f.filled && !f.gaps {
			if _, based := in.base[f.column]; based || !in.unseen[f.column] { // else a gap is none of the levels
				fill[k] = math.NaN()
			}
		}
		filled, scaled = filled || f.filled || f.gaps, scaled || f.scaled
	}
	if len(in.unseen) > 0 {
		s.Unseen = dataset.Reference
	}
	var chain feature.Chain
	if filled {
		s.Missing = dataset.Keep
		t, err := feature.NewImputer(fill)
		if err != nil {
			return nil, nil, err
		}
		chain = append(chain, t)
	}
	if scaled {
		t, err := feature.NewStandardizer(mean, sd)
		if err != nil {
			return nil, nil, err
		}
		chain = append(chain, t)
	}
	return s, chain, nil
}
