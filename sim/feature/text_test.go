package feature_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
	"halfspace/linalg/record"
	"halfspace/linalg/sample"
	"halfspace/sim/feature"
)

var documents = []string{
	"The cat sat on the mat.",
	"A dog, the DOG_1 and 2 cats: l'été Ünder x",
	"",
	"cat cat cat the the",
}

// Terms are words of two letters or more, in lower case, in byte order; the values are those
// that scikit-learn 1.2's TfidfVectorizer and CountVectorizer give for the same documents.
func TestText(t *testing.T) {
	text, err := feature.FitText(documents, nil, feature.TextSettings{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"and", "cat", "cats", "dog", "dog_1", "mat", "on", "sat", "the", "été", "ünder"}
	if got := text.Names(); !slices.Equal(got, want) || text.Outputs() != len(want) {
		t.Errorf("terms %q", got)
	}
	x, err := text.Rows(documents)
	if err != nil {
		t.Fatal(err)
	}
	if n, p := x.Dims(); n != 4 || p != 11 {
		t.Fatalf("%d×%d", n, p)
	}
	if index, _ := x.Row(2); len(index) != 0 {
		t.Error("an empty document has terms")
	}
	// Of the last document: tf-idf 3·(log(5/3)+1) and 2·(log(5/4)+1), over their length.
	a, b := 3*(math.Log(5.0/3)+1), 2*(math.Log(5.0/4)+1)
	index, value := x.Row(3)
	if !slices.Equal(index, []int32{1, 8}) {
		t.Fatalf("columns %v", index)
	}
	linalgtest.CloseSlice(t, "tf-idf", value, []float64{a / math.Hypot(a, b), b / math.Hypot(a, b)}, 1e-15)

	counts, err := feature.FitText(documents, nil, feature.TextSettings{Counts: true, MinDocs: 2, NGrams: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := counts.Names(); !slices.Equal(got, []string{"cat", "the"}) {
		t.Errorf("terms in two documents: %q", got)
	}
	if index, value := counts.Apply(nil, nil, "the cat the unknown"); !slices.Equal(index, []int32{0, 1}) || !slices.Equal(value, []float64{1, 2}) {
		t.Errorf("counts %v %v", index, value)
	}
	sub, err := feature.FitText(documents, nil, feature.TextSettings{Counts: true, Sublinear: true, NGrams: 3})
	if err != nil {
		t.Fatal(err)
	}
	names := sub.Names()
	for _, term := range []string{"the cat sat", "cat sat", "dog_1 and cats", "cat cat cat", "cats été"} {
		if !slices.Contains(names, term) {
			t.Errorf("no term %q in %q", term, names)
		}
	}
	index, value = sub.Apply(nil, nil, documents[3])
	if at := slices.Index(names, "cat"); value[slices.Index(index, int32(at))] != 1+math.Log(3) {
		t.Errorf("1 + log 3 is %v at %v", value, index)
	}
}

// A weight counts a document as often as it says, and 0 leaves it out.
func TestTextCountsWeightsAsDocuments(t *testing.T) {
	w := []float64{2, 0, 1, 3}
	var repeated []string
	for i, d := range documents {
		for range int(w[i]) {
			repeated = append(repeated, d)
		}
	}
	for _, s := range []feature.TextSettings{{}, {MinDocs: 3}, {NGrams: 2, Sublinear: true}, {HashBits: 8}} {
		weighted, err := feature.FitText(documents, w, s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := feature.FitText(repeated, nil, s)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(weighted, want) {
			t.Errorf("%+v: %q, want %q", s, weighted.Names(), want.Names())
		}
	}
	var shape *linalg.ShapeError
	if _, err := feature.FitText(documents, w[:3], feature.TextSettings{}); !errors.As(err, &shape) {
		t.Errorf("three weights of four documents: %v", err)
	}
}

// Lower case is that of Python's str.lower, by which scikit-learn goes: Σ is ς at the end of a
// word, and İ an i with a mark behind it, which is no letter. Marks part words.
func TestTextInLowerCase(t *testing.T) {
	text, err := feature.FitText([]string{"ΟΔΟΣ ΣΟΦΟΣ, ΣΣ σοφος Σ 1Σ ΑΣ1 xσ ΑΣ'α ΑΣ' ΑΣ.1 ΒΣ\u0301α", "İstanbul BİR", "中文 हिन्दी e\u0301te\u0301 ÉTÉ", "a\r\nbb\r\n_ __ \xffcc\xff"}, nil, feature.TextSettings{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1σ", "__", "bb", "bi", "cc", "stanbul", "te", "xσ", "été", "ας", "ας1", "ασ", "βσ", "οδος", "σοφος", "σς", "中文"}
	if got := text.Names(); !slices.Equal(got, want) {
		t.Errorf("terms %q, want %q", got, want)
	}
}

// Hashed terms need no vocabulary, and what was not met has a column too.
func TestHashedText(t *testing.T) {
	text, err := feature.FitText(documents, nil, feature.TextSettings{HashBits: 10})
	if err != nil || text.Outputs() != 1024 {
		t.Fatal(err)
	}
	index, value := text.Apply(nil, nil, "never met words")
	if len(index) != 3 || !slices.IsSorted(index) {
		t.Errorf("columns %v", index)
	}
	linalgtest.Close(t, "length", linalg.Norm(value), 1, 1e-15)
	more, _ := text.Apply(index, value, "cat") // appended
	if len(more) != 4 || !slices.Equal(more[:3], index) {
		t.Errorf("columns %v", more)
	}
}

// A text comes back from JSON with the same bits, and a damaged one does not.
func TestTextJSON(t *testing.T) {
	for _, s := range []feature.TextSettings{{}, {NGrams: 2, Sublinear: true}, {HashBits: 6}, {HashBits: 5, Counts: true}, {Counts: true}} {
		text, err := feature.FitText(documents, nil, s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var back feature.Text
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(&back, text) {
			t.Errorf("%+v: %v, %+v", s, err, back)
		}
		b[len(b)/2] ^= 1
		if json.Unmarshal(b, &back) == nil {
			t.Error("a damaged text is read")
		}
	}
	if _, err := json.Marshal(new(feature.Text)); err == nil {
		t.Error("a text that was not fitted is written")
	}
}

// Terms of a file ascend, and none is there twice.
func TestTermsOfAFileAscend(t *testing.T) {
	for terms, good := range map[string]bool{"aa\nbb": true, "aa\naa": false, "bb\naa": false} {
		b, err := record.Marshal("halfspace/feature/text", 1, map[string]any{"settings": feature.TextSettings{}, "terms": terms, "idf": []float64{1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		var text feature.Text
		var damage *record.DamageError
		if err := json.Unmarshal(b, &text); (err == nil) != good || !good && !errors.As(err, &damage) {
			t.Errorf("terms %q: %v", terms, err)
		}
	}
}

// Settings that mean nothing, and documents without words, are refused.
func TestTextErrors(t *testing.T) {
	var option *sample.OptionError
	for _, s := range []feature.TextSettings{{NGrams: -1}, {MinDocs: -1}, {HashBits: -1}, {HashBits: 25}, {HashBits: 4, MinDocs: 2}} {
		if _, err := feature.FitText(documents, nil, s); !errors.As(err, &option) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	var shape *linalg.ShapeError
	if _, err := feature.FitText([]string{"a b", ""}, nil, feature.TextSettings{}); !errors.As(err, &shape) {
		t.Errorf("no words: %v", err)
	}
}

// Terms of more words than there are in any document are none, and take no room.
func TestTermsOfManyWords(t *testing.T) {
	want, err := feature.FitText(documents, nil, feature.TextSettings{NGrams: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1000, math.MaxInt32, math.MaxInt} {
		got, err := feature.FitText(documents, nil, feature.TextSettings{NGrams: most})
		if err != nil || !slices.Equal(got.Names(), want.Names()) {
			t.Errorf("up to %d words: %v", most, err)
		}
	}
}
