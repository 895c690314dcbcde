//go:build ignore

// Types checks that the module and its tests compile on other platforms, without compiling: it
// parses and type-checks each package and what it imports, with the platform's files and its sizes
// of numbers, in a tenth of the time that code takes to be generated.
//
//	go run .ci/types.go GOOS/GOARCH ...
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is what go list says of a package.
type listed struct {
	Dir, ImportPath string
	Standard        bool
	GoFiles, SFiles []string
	ImportMap       map[string]string // packages by the names in the source
}

func main() {
	log.SetFlags(0)
	for _, platform := range os.Args[1:] {
		goos, goarch, _ := strings.Cut(platform, "/")
		n, err := checked(goos, goarch)
		if err != nil {
			log.Fatalf("%s: %v", platform, err)
		}
		fmt.Printf("%s: %d packages\n", platform, n)
	}
}

// checked checks the packages, each after its imports, and counts those of the module.
func checked(goos, goarch string) (n int, err error) {
	list := exec.Command("go", "list", "-deps", "-test", "-json=Dir,ImportPath,Standard,GoFiles,SFiles,ImportMap", "./...")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := list.Start(); err != nil {
		return 0, err
	}
	all := map[string]*types.Package{types.Unsafe.Path(): types.Unsafe}
	for decoder := json.NewDecoder(out); ; {
		p := new(listed)
		if err := decoder.Decode(p); err == io.EOF {
			return n, list.Wait()
		} else if err != nil {
			return 0, err
		}
		if p.ImportPath == types.Unsafe.Path() || strings.HasSuffix(p.ImportPath, ".test") { // its main is generated
			continue
		}
		if all[p.ImportPath], err = p.check(all, goarch); err != nil {
			return 0, err
		}
		if !p.Standard {
			n++
		}
	}
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// check type-checks a package. Of the standard library it leaves out the bodies of functions.
func (p *listed) check(all map[string]*types.Package, goarch string) (*types.Package, error) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil && !p.Standard && len(p.SFiles) == 0 {
				return nil, fmt.Errorf("%s: %s has no body, and its package no assembly", set.Position(f.Pos()), f.Name)
			}
		}
		files = append(files, file)
	}
	config := types.Config{IgnoreFuncBodies: p.Standard, Sizes: types.SizesFor("gc", goarch), Importer: importer(func(path string) (*types.Package, error) {
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		if q := all[path]; q != nil {
			return q, nil
		}
		return nil, fmt.Errorf("%s is not listed", path)
	})}
	path, _, _ := strings.Cut(p.ImportPath, " ") // a package built for its tests is named with them
	return config.Check(path, set, files, nil)
}
