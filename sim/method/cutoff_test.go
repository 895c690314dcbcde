package method_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"halfspace/linalg/moments"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
)

// A file of a model or of a part's moments that ends early is an error, whichever of its
// bytes is the last.
func TestFilesThatEndEarlyAreRefused(t *testing.T) {
	refused := func(what string, text []byte, load func([]byte) error) {
		text = bytes.TrimRight(text, "\n")
		if err := load(text); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for n := range text {
			if load(text[:n]) == nil {
				t.Errorf("%s: %d of %d bytes are read", what, n, len(text))
			}
		}
	}
	for _, m := range method.All() {
		text, err := os.ReadFile(filepath.Join(fixtures, m.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 5000 {
			text = nil
			var b bytes.Buffer
			if err := methodtest.Must(t, m, methodtest.Clouds(m, 1, 12, 2), methodtest.Options(m)).Save(&b); err != nil {
				t.Fatal(err)
			}
			text = b.Bytes()
		}
		refused(m.Name, text, func(b []byte) error {
			_, err := method.Load(bytes.NewReader(b))
			return err
		})
	}
	d, err := dataset.Read("t.csv", bytes.NewReader([]byte("a,b,y\n1,2,u\n2,1,v\n3,5,u\n4,1,v\n")), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := moments.New(2, false)
	if err == nil {
		err = whole.AddRows(d.X, d.Labels, nil, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := (&method.Part{Schema: d.Schema, Moments: whole}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	refused("moments", text, func(b []byte) error {
		_, err := method.LoadPart(bytes.NewReader(b))
		return err
	})
}
