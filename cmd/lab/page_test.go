//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/ascii85"
	"io"
	"regexp"
	"strings"
	"testing"
)

// check fails unless the page is whole: all parts are in it, and nothing is elsewhere.
func check(t *testing.T, page []byte) (library, worker []byte) {
	t.Helper()
	text := string(page)
	if n := strings.Count(text, "</script>"); n != 4 {
		t.Errorf("%d ends of scripts, want 4: a part ends one early", n)
	}
	unpack := func(id string) []byte {
		_, rest, _ := strings.Cut(text, `id="`+id+`">`)
		packed, _, _ := strings.Cut(rest, "</script>")
		z, err := gzip.NewReader(ascii85.NewDecoder(strings.NewReader(strings.ReplaceAll(packed, "v", "<"))))
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return part
	}
	// Packed parts may have any characters side by side.
	readable := regexp.MustCompile(`(?s)id="(library|worker|program)">.*?</script>`).ReplaceAllString(text, "") + string(unpack("program"))
	if left := regexp.MustCompile(`{{|<no value>`).FindString(readable); left != "" {
		t.Errorf("no part is put for %s", left)
	}
	if other := regexp.MustCompile(`(src|href)="[^#"]|import\s*[({"]|fetch\(|@import|url\(`).FindString(readable); other != "" {
		t.Errorf("the page asks for something else: %s", other)
	}
	if !strings.Contains(readable, "async function start()") {
		t.Error("the page has no program")
	}
	return unpack("library"), unpack("worker")
}

func TestPartsMakeOneWholeFile(t *testing.T) {
	want := bytes.Repeat([]byte("\x00asm"), 1000)
	page, err := assemble(want, []byte("globalThis.Go = 1;"))
	if err != nil {
		t.Fatal(err)
	}
	library, worker := check(t, page)
	if !bytes.Equal(library, want) {
		t.Errorf("the library comes back as %d bytes, not %d", len(library), len(want))
	}
	if !bytes.HasPrefix(worker, []byte("globalThis.Go = 1;\n// The worker")) {
		t.Errorf("the worker begins with %.60q, not with Go's support", worker)
	}
}

func TestPageIsAtMostThreeMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the library as WebAssembly")
	}
	page, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if library, _ := check(t, page); !bytes.HasPrefix(library, []byte("\x00asm")) {
		t.Error("the library is no WebAssembly")
	}
	if len(page) > 3_000_000 {
		t.Errorf("%d bytes", len(page))
	}
}
