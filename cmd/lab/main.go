//go:build !js

// Command lab makes a page on which points can be moved while the library fits models to
// them, certificates included.
//
//	go run ./cmd/lab              serve it on 127.0.0.1
//	go run ./cmd/lab -o lab.html  write it as one file, which opens without a network
//
// The page holds the library as compressed WebAssembly, which the go command builds, and
// wasm_exec.js of that go command's own release. Reading order: main.go, wasm.go (the
// part of the command that runs in the page), package engine.
package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/ascii85"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "", "write the page to this `file` and do not serve it")
	flag.Parse()
	page, err := build()
	if err == nil && *out != "" {
		err = os.WriteFile(*out, page, 0o644)
	} else if err == nil {
		err = serve(page)
	}
	if err != nil {
		log.Fatal("lab: ", err)
	}
}

// serve prints an address and answers every request there with the page.
func serve(page []byte) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(page)
	}))
}

// build builds the library for the page, and the page.
func build() ([]byte, error) {
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "lab.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", binary}
	for _, text := range []string{"encoding/...", "fmt", "internal/reflectlite", "reflect", "strconv"} { // in no loop of a fit: calls are shorter than what they call
		args = append(args, "-gcflags="+text+"=-l")
	}
	command := exec.Command("go", append(args, "halfspace/cmd/lab")...)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if said, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build for js/wasm: %w\n%s", err, said)
	}
	library, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	return assemble(library, support)
}

//go:embed page
var parts embed.FS

// assemble makes one file of the parts: style and scripts without margins and comments, and, compressed, the library,
// the page's program, and the worker's after Go's support.
func assemble(library, support []byte) ([]byte, error) {
	own, err := parts.ReadFile("page/worker.js")
	if err != nil {
		return nil, err
	}
	var program, page bytes.Buffer
	all := template.Must(template.ParseFS(parts, "page/*"))
	if err := all.ExecuteTemplate(&program, "program.js", nil); err != nil {
		return nil, err
	}
	err = all.ExecuteTemplate(&page, "index.html", map[string]string{"library": pack(library),
		"worker": pack(slices.Concat(support, []byte("\n"), own)), "program": pack(margins.ReplaceAll(program.Bytes(), nil))})
	return margins.ReplaceAll(page.Bytes(), nil), err
}

// margins are spaces before lines, and lines of comments, which a file of at most three megabytes does without.
var margins = regexp.MustCompile(`(?m)^ *(//.*\n)?`)

// pack compresses a part and writes five characters for four bytes, also where these are 0, with
// v for the < that begins marks of HTML. Base64 would be longer by a fifteenth.
func pack(part []byte) string {
	var text, packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that exists
	z.Write(part)                                              // a Buffer takes everything
	z.Close()
	w := ascii85.NewEncoder(&text)
	w.Write(packed.Bytes())
	w.Close()
	return strings.NewReplacer("z", "!!!!!", "<", "v").Replace(text.String())
}
