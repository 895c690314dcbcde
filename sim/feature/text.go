package feature

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"halfspace/linalg"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
)

const textKind = "halfspace/feature/text"

// TextSettings say how documents become rows. The zero value is tf-idf of single words as
// scikit-learn's TfidfVectorizer has it by default.
type TextSettings struct {
	NGrams    int  `json:"ngrams,omitempty"`    // terms are 1, …, NGrams words in a row; 0 is 1
	MinDocs   int  `json:"min_docs,omitempty"`  // a term of the vocabulary is in so many documents at least; 0 is any
	HashBits  int  `json:"hash_bits,omitempty"` // not 0: 2^HashBits columns by a hash of the terms, without a vocabulary
	Counts    bool `json:"counts,omitempty"`    // how often a term is there, without idf and length 1
	Sublinear bool `json:"sublinear,omitempty"` // 1 + log of how often
}

// mostHashBits is 2²⁴ columns.
const mostHashBits = 24

func (s TextSettings) check() error {
	if _, err := sample.Count("NGrams", s.NGrams, 1); err != nil {
		return err
	}
	if _, err := sample.Count("MinDocs", s.MinDocs, 1); err != nil {
		return err
	}
	switch {
	case s.HashBits < 0 || s.HashBits > mostHashBits:
		return &sample.OptionError{Name: "HashBits", Value: float64(s.HashBits), Want: "between 1 and 24 (0 for a vocabulary)"}
	case s.HashBits > 0 && s.MinDocs > 1:
		return &sample.OptionError{Name: "MinDocs", Value: float64(s.MinDocs), Want: "0 with HashBits, which knows no terms"}
	}
	return nil
}

// Text turns documents into sparse rows of terms. Words are the longest runs of two or more
// letters, numbers and underscores, in lower case (as Python has it: ΣΑΣ is σας); an n-gram is words in a row, joined by
// spaces. A column is a term of the vocabulary, in byte order, or a hash of terms (FNV-1a).
// With n documents, of which d have the term, and t of them in this one, the value is
//
//	t·(log((1+n)/(1+d)) + 1)
//
// divided by the length of the row (scikit-learn's smooth idf and norm l2), with 1 + log t for
// t where Sublinear asks for it. It is immutable and safe for any number of goroutines.
type Text struct {
	settings TextSettings
	terms    []string // ascending; nil where they are hashed
	column   map[string]int32
	idf      []float64 // by column; nil for counts
}

// FitText finds the vocabulary and the frequencies of its terms in the documents, which count
// as often as their weights say; nil is once each.
//
// Errors: *[sample.OptionError], *[linalg.ShapeError] where no document has a term that is
// frequent enough, and those of [sample.Weights].
func FitText(documents []string, weights []float64, s TextSettings) (*Text, error) {
	if err := s.check(); err != nil {
		return nil, wrap(err)
	}
	n, err := sample.Weights(weights, len(documents))
	if err != nil {
		return nil, wrap(err)
	}
	t := &Text{settings: s}
	if s.HashBits > 0 {
		if !s.Counts {
			found := make([]frequency, t.Outputs())
			t.count(documents, weights, func(term []byte) *frequency { return &found[t.hash(term)] })
			t.setIDF(n, func(c int) float64 { return found[c].documents })
		}
		return t, nil
	}
	found := make(map[string]*frequency)
	t.count(documents, weights, func(term []byte) *frequency {
		f := found[string(term)]
		if f == nil {
			f = new(frequency)
			found[string(term)] = f
		}
		return f
	})
	for term, f := range found {
		if f.documents > 0 && f.documents >= float64(s.MinDocs) {
			t.terms = append(t.terms, term)
		}
	}
	if t.terms == nil {
		return nil, wrap(&linalg.ShapeError{Want: 1, WantOf: "term needed", Got: 0, GotOf: fmt.Sprintf("in %d documents or more", max(1, s.MinDocs))})
	}
	slices.Sort(t.terms)
	t.index()
	t.setIDF(n, func(c int) float64 { return found[t.terms[c]].documents })
	return t, nil
}

// frequency says how many documents have a term, by their weights.
type frequency struct {
	documents float64
	last      int // of them, counted from 1
}

// count adds each document to the frequencies of its terms, which find has.
func (t *Text) count(documents []string, weights []float64, find func(term []byte) *frequency) {
	for i, d := range documents {
		t.eachTerm(d, func(term []byte) {
			if f := find(term); f.last != i+1 {
				f.documents += sample.WeightAt(weights, i)
				f.last = i + 1
			}
		})
	}
}

// index makes the columns of the terms.
func (t *Text) index() {
	t.column = make(map[string]int32, len(t.terms))
	for c, term := range t.terms {
		t.column[term] = int32(c)
	}
}

// setIDF sets the weights of the columns, which so many of n documents have.
func (t *Text) setIDF(n float64, documents func(column int) float64) {
	if t.settings.Counts {
		return
	}
	t.idf = make([]float64, t.Outputs())
	for c := range t.idf {
		t.idf[c] = math.Log((1+n)/(1+documents(c))) + 1
	}
}

// Settings returns the settings.
func (t *Text) Settings() TextSettings { return t.settings }

// Outputs returns the number of columns.
func (t *Text) Outputs() int {
	if t.settings.HashBits > 0 {
		return 1 << t.settings.HashBits
	}
	return len(t.terms)
}

// Names returns the terms by column; "hash 7" where they are hashed.
func (t *Text) Names() []string {
	if t.terms != nil {
		return slices.Clone(t.terms)
	}
	names := make([]string, t.Outputs())
	for c := range names {
		names[c] = fmt.Sprintf("hash %d", c)
	}
	return names
}

// Apply appends the columns of a document, ascending, and their values. Terms that are not in
// the vocabulary do not count.
func (t *Text) Apply(index []int32, value []float64, document string) ([]int32, []float64) {
	from := len(index)
	t.eachTerm(document, func(term []byte) {
		if t.column == nil {
			index = append(index, t.hash(term))
		} else if c, ok := t.column[string(term)]; ok {
			index = append(index, c)
		}
	})
	slices.Sort(index[from:])
	to, square, first := from, 0.0, len(value)
	for k := from; k < len(index); {
		c, count := index[k], 0.0
		for ; k < len(index) && index[k] == c; k++ {
			count++
		}
		if t.settings.Sublinear {
			count = 1 + math.Log(count)
		}
		if t.idf != nil {
			count *= t.idf[c]
		}
		index[to] = c
		value, square = append(value, count), square+count*count
		to++
	}
	if t.idf != nil && square > 0 {
		linalg.Scale(value[first:], 1/math.Sqrt(square))
	}
	return index[:to], value
}

// Rows returns the rows of the documents.
//
// Errors: *[linalg.ShapeError] for no documents.
func (t *Text) Rows(documents []string) (*linalg.CSR, error) {
	const piece = 256
	n := len(documents)
	type part struct {
		start []int
		index []int32
		value []float64
	}
	parts := make([]part, (n+piece-1)/piece)
	linalg.For(n, piece, 0, func(lo, hi int) {
		var p part
		for _, d := range documents[lo:hi] {
			p.start = append(p.start, len(p.value))
			p.index, p.value = t.Apply(p.index, p.value, d)
		}
		parts[lo/piece] = p
	})
	stored := 0
	for _, p := range parts {
		stored += len(p.value)
	}
	start, index, value := make([]int, 0, n+1), make([]int32, 0, stored), make([]float64, 0, stored)
	for _, p := range parts {
		for _, s := range p.start {
			start = append(start, len(value)+s)
		}
		index, value = append(index, p.index...), append(value, p.value...)
	}
	a, err := linalg.NewCSR(n, t.Outputs(), append(start, stored), index, value)
	return a, wrap(err)
}

// hash returns the column of a term: FNV-1a of 32 bits, folded.
func (t *Text) hash(term []byte) int32 {
	h := uint32(2166136261)
	for _, b := range term {
		h = (h ^ uint32(b)) * 16777619
	}
	bits := t.settings.HashBits
	return int32((h ^ h>>bits) & (1<<bits - 1))
}

// eachTerm calls visit with the terms of a document, in their order; the bytes are valid
// during the call.
func (t *Text) eachTerm(document string, visit func(term []byte)) {
	most := max(1, t.settings.NGrams)
	text := make([]byte, 0, len(document)+16)              // words in lower case, each behind a space
	from := -1                                             // of the word under way
	starts := make([]int, 0, min(most, len(document)/2+1)) // of the last words, the oldest first
	end := func() {
		if from < 0 {
			return
		}
		if utf8.RuneCount(text[from:]) < 2 {
			text = text[:max(0, from-1)]
		} else {
			if len(starts) == most {
				starts = slices.Delete(starts, 0, 1)
			}
			starts = append(starts, from)
			for k := len(starts) - 1; k >= 0; k-- {
				visit(text[starts[k]:])
			}
		}
		from = -1
	}
	for i, r := range document {
		if !isWord(r) {
			end()
			continue
		}
		if from < 0 {
			if len(text) > 0 {
				text = append(text, ' ')
			}
			from = len(text)
		}
		switch {
		case r == 'Σ' && endsWord(document, i):
			text = append(text, "ς"...)
		case r == 'İ': // its dot is a mark in lower case, and no letter
			text = append(text, 'i')
			end()
		default:
			text = utf8.AppendRune(text, unicode.ToLower(r))
		}
	}
	end()
}

// endsWord reports whether the Σ at a position of the document is ς in lower case: there is a
// letter of two cases before it and none behind it, but for marks between (The Unicode
// Standard, table 3-17, Final_Sigma).
func endsWord(document string, at int) bool {
	before := strings.TrimRightFunc(document[:at], caseIgnorable)
	behind := strings.TrimLeftFunc(document[at+len("Σ"):], caseIgnorable)
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(behind)
	return cased(last) && !cased(next)
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·\u0387\u055f\u05f4‘’․‧\ufe13\ufe52\ufe55＇．：", r)
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// textJSON has the terms as lines, which are smaller than quoted ones.
type textJSON struct {
	Settings TextSettings `json:"settings"`
	Terms    string       `json:"terms,omitempty"`
	IDF      []float64    `json:"idf,omitempty"`
}

// MarshalJSON writes a versioned record with a checksum; UnmarshalJSON reads it back bit for
// bit.
func (t *Text) MarshalJSON() ([]byte, error) {
	return record.MarshalFitted(textKind, version, t.Outputs() > 0, func() any {
		return textJSON{t.settings, strings.Join(t.terms, "\n"), t.idf}
	})
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it.
func (t *Text) UnmarshalJSON(b []byte) error {
	var j textJSON
	if _, err := record.Unmarshal(b, textKind, version, &j); err != nil {
		return wrap(err)
	}
	if err := j.Settings.check(); err != nil {
		return wrap(&record.DamageError{Reason: err.Error()})
	}
	read := &Text{settings: j.Settings, idf: j.IDF}
	if j.Settings.HashBits == 0 {
		read.terms = strings.Split(j.Terms, "\n")
		read.index()
	}
	ascending := slices.IsSortedFunc(read.terms, func(a, b string) int {
		return cmp.Or(strings.Compare(a, b), -1) // a term that is there twice is out of order
	})
	if err := damaged(ascending && (j.Terms == "") == (j.Settings.HashBits > 0), "terms are not ascending"); err != nil {
		return err
	}
	if err := damaged(j.Settings.Counts && j.IDF == nil || !j.Settings.Counts && finite(j.IDF, read.Outputs()), "weights of terms that do not fit"); err != nil {
		return err
	}
	*t = *read
	return nil
}

// String returns the number of terms that documents are counted by.
func (t *Text) String() string { return fmt.Sprintf("counts of %d terms", t.Outputs()) }
