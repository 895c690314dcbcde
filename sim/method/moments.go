package method

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"halfspace/linalg"
	"halfspace/linalg/moments"
	"halfspace/linalg/record"
	"halfspace/sim/dataset"
)

// Part is the moments of some rows of a table with the meaning of its columns
// and class codes. `halfspace moments` writes it, and models are fitted to several
// where no machine holds the whole table.
type Part struct {
	Schema  *dataset.Schema
	Moments *moments.ByClass
}

// Rows returns the number of rows of positive weight.
func (p *Part) Rows() int {
	if p.Moments == nil {
		return 0
	}
	n := 0
	for _, r := range p.Moments.Rows() {
		n += r
	}
	return n
}

// Gather returns the moments of d. One pass, O(np²). Rows in a file are read a part at a time.
//
// Errors: data that a discriminant analysis would refuse.
func Gather(d *dataset.Data, workers int) (*Part, error) {
	d, err := (&Method{Name: "moments", weighted: true}).suits(d)
	if err != nil {
		return nil, err
	}
	_, p := d.Dims()
	m, err := moments.New(p, false)
	if err != nil {
		return nil, err
	}
	if err := m.AddAll(d.Rows(), d.Labels, d.Weights, workers); err != nil {
		return nil, err
	}
	return &Part{d.Schema, m}, nil
}

// MergeParts adds up parts of one table. A part may lack classes that another
// has; the columns must be the same in all.
func MergeParts(parts []*Part) (*Part, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("method: %w", &linalg.ShapeError{Want: 1, WantOf: "part needed", Got: 0, GotOf: "parts"})
	}
	lists := make([][]string, len(parts))
	for i, p := range parts {
		if reason := p.wrong(); reason != "" {
			return nil, fmt.Errorf("method: part %d has %s", i+1, reason)
		}
		if err := sameSchema(parts[0].Schema, p.Schema); err != nil {
			return nil, fmt.Errorf("method: part %d: %w", i+1, err)
		}
		lists[i] = p.Schema.Names
	}
	names, code := dataset.Union(lists...)
	whole, err := moments.New(parts[0].Moments.Features(), false)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		m, err := p.Moments.Relabel(func(k int) int { return code[i][k] })
		if err == nil {
			err = whole.Merge(m)
		}
		if err != nil {
			return nil, fmt.Errorf("method: part %d: %w", i+1, err)
		}
	}
	s := *parts[0].Schema
	s.Names = names
	return &Part{&s, whole}, nil
}

// wrong says what is wrong with a part, "" if nothing is.
func (p *Part) wrong() (reason string) {
	if p == nil || p.Schema == nil || p.Moments == nil {
		return "no moments or no schema"
	}
	if p.Schema.Width() != p.Moments.Features() {
		return "a schema of other columns than its moments"
	}
	if c := p.Moments.Classes(); len(c) > 0 && (c[0] < 0 || c[len(c)-1] >= len(p.Schema.Names)) {
		return "classes without names"
	}
	return ""
}

func sameSchema(a, b *dataset.Schema) error {
	first, here := a.All(), b.All()
	if len(first) != len(here) {
		return &linalg.ShapeError{Want: len(first), WantOf: "columns in the first part", Got: len(here), GotOf: "here"}
	}
	for j, c := range first {
		d := here[j]
		if c.Name != d.Name || !slices.Equal(c.Levels, d.Levels) {
			return fmt.Errorf("column %d is %q with levels %q, in the first part %q with %q", j+1, d.Name, d.Levels, c.Name, c.Levels)
		}
	}
	if same, err := sameText(a.Text, b.Text); err != nil || !same {
		return cmp.Or(err, errors.New("the words of documents are not those of the first part; count them by hashes (-text-hash, -text-counts)"))
	}
	return nil
}

// sameText reports whether columns of documents have the same terms and weights of them.
func sameText(a, b *dataset.TextColumn) (bool, error) {
	if a == b || a == nil || b == nil {
		return a == b, nil
	}
	first, err := a.Terms.MarshalJSON()
	if err != nil {
		return false, err
	}
	here, err := b.Terms.MarshalJSON()
	return a.Name == b.Name && bytes.Equal(first, here), err
}

// version is that of the files of parts.
const version = 1

// maxFile bounds the bytes that ReadJSON reads: a model of 10⁶ coefficients has some
// 25 MB.
const maxFile = 1 << 30

// ReadJSON reads one JSON object of at most 1 GB. The first byte decides whether the rest is
// worth reading. How much there is tells the end of what can be sought: the state of a file holds a
// time, which for its JSON brings 80 kB of formats and zones into a program.
func ReadJSON(r io.Reader) ([]byte, error) {
	var first [1]byte
	_, err := io.ReadFull(r, first[:])
	if err == io.EOF {
		err = &record.DamageError{Reason: "empty"}
	} else if err == nil && first[0] != '{' {
		err = &record.DamageError{Reason: "not a JSON object"}
	}
	if err != nil {
		return nil, fmt.Errorf("method: %w", err)
	}
	var b bytes.Buffer
	if f, ok := r.(io.Seeker); ok {
		if at, err := f.Seek(0, io.SeekCurrent); err == nil { // room that need not grow, by which it would be copied
			end, _ := f.Seek(0, io.SeekEnd)
			if _, err = f.Seek(at, io.SeekStart); err != nil {
				return nil, err
			}
			b.Grow(int(min(max(0, end-at), maxFile)) + 2*bytes.MinRead)
		}
	}
	b.WriteByte('{')
	n, err := b.ReadFrom(io.LimitReader(r, maxFile))
	if err == nil && n == maxFile {
		err = fmt.Errorf("method: %w", &record.DamageError{Reason: "larger than 1 GB"})
	}
	return b.Bytes(), err
}

const momentsKind = "halfspace/moments-of-table"

type partJSON struct {
	Schema  *dataset.Schema  `json:"schema"`
	Moments *moments.ByClass `json:"moments"`
}

// MarshalJSON writes the part, with a version and a checksum.
func (p *Part) MarshalJSON() ([]byte, error) {
	return record.MarshalFitted(momentsKind, version, p.Moments != nil, func() any { return partJSON(*p) })
}

// Save writes the part and a line end, see [Part.MarshalJSON].
func (p *Part) Save(w io.Writer) error {
	b, err := p.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// LoadPart reads a part that Save wrote; see [Load] for limits and errors.
func LoadPart(r io.Reader) (*Part, error) {
	p := new(Part)
	b, err := ReadJSON(r)
	if err == nil {
		err = p.UnmarshalJSON(b)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// UnmarshalJSON reads what MarshalJSON wrote, and checks it.
func (p *Part) UnmarshalJSON(b []byte) error {
	var j partJSON
	if _, err := record.Unmarshal(b, momentsKind, version, &j); err != nil {
		return fmt.Errorf("method: %w", err)
	}
	read := Part(j)
	if reason := read.wrong(); reason != "" {
		return fmt.Errorf("method: %w", &record.DamageError{Reason: reason})
	}
	*p = read
	return nil
}

// String returns the numbers of rows and of features, and the classes.
func (p *Part) String() string {
	if p.Moments == nil {
		return "moments of nothing"
	}
	return fmt.Sprintf("moments of %d rows, %d features, classes %q", p.Rows(), p.Moments.Features(), p.Schema.Names)
}

// FitMoments fits the method to moments whose classes are codes of the schema's
// labels; a label that none of the rows had is an error, as in [Method.Fit].
func (m *Method) FitMoments(mo *moments.ByClass, s *dataset.Schema, o *Options) (*Model, error) {
	e, ok := m.entry.(momentsEntry)
	if !ok {
		return nil, fmt.Errorf("%s cannot be fitted from moments", m.Name)
	}
	if mo == nil || s == nil {
		return nil, fmt.Errorf("%s: no moments or no schema is given", m.Name)
	}
	if o == nil {
		o = new(Options)
	}
	if err := m.refuse(o); err != nil {
		return nil, err
	}
	if o.Steps != nil {
		return nil, fmt.Errorf("%s: steps need rows, not moments", m.Name)
	}
	if o.ClassWeight != "" {
		return nil, fmt.Errorf("%s: class weights need rows; moments hold the weights of theirs", m.Name)
	}
	if p := s.Width(); mo.Features() != p {
		return nil, fmt.Errorf("%s: %w", m.Name, &linalg.ShapeError{Want: p, WantOf: "features in the schema", Got: mo.Features(), GotOf: "in the moments"})
	}
	f, err := e.fitMoments(mo, s, o)
	if f == nil {
		return nil, m.named(err, s.Names, s.Features)
	}
	return &Model{m, s, nil, f, o.objective(m)}, err
}
