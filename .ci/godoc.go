// Godoc writes Go's own documentation as a table of documents: one row for each documentation
// comment of the standard library, with the top-level package as its class. Every fifth one
// goes to the second file.
//
//	go run .ci/godoc.go train.csv test.csv
package main

import (
	"encoding/csv"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// fewest is the number of documents from which a package is a class.
const fewest = 150

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: go run .ci/godoc.go TRAIN.csv TEST.csv")
	}
	byPackage := map[string][]string{}
	var packages []string
	root := filepath.Join(runtime.GOROOT(), "src")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal" || d.Name() == "vendor" || top == "cmd"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		for _, text := range comments(path) {
			if byPackage[top] == nil {
				packages = append(packages, top)
			}
			byPackage[top] = append(byPackage[top], text)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	var files [2]*csv.Writer
	for i := range files {
		f, err := os.Create(os.Args[i+1])
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		files[i] = csv.NewWriter(f)
		files[i].Write([]string{"comment", "package"})
		defer files[i].Flush()
	}
	n := 0
	for _, p := range packages {
		for _, text := range byPackage[p] {
			if len(byPackage[p]) >= fewest {
				to := 0
				if n++; n%5 == 0 {
					to = 1
				}
				files[to].Write([]string{text, p})
			}
		}
	}
}

// comments returns the documentation comments of the declarations of a file.
func comments(path string) (texts []string) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil
	}
	for _, d := range f.Decls {
		var doc *ast.CommentGroup
		switch d := d.(type) {
		case *ast.FuncDecl:
			doc = d.Doc
		case *ast.GenDecl:
			doc = d.Doc
		}
		if text := strings.Join(strings.Fields(doc.Text()), " "); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
