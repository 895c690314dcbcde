//go:build ignore

// Mutate flips one operator of a package at a time and runs the package's short tests:
// a change that they do not notice is either without effect or a hole. A mutant is caught too
// when the tests take five times the processor seconds that they take without it, and ten more, or five minutes.
//
//	go run .ci/mutate.go [-count 20] [-seed 1] [PACKAGE ...]      (default ./...)
//
// It prints a line for each mutant that survives or hangs, and counts. No file is changed: the
// compiler reads the mutant in the place of the file (go help build: -overlay).
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// flips are the operators and their replacements.
var flips = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
}

// site is an operator in a file.
type site struct {
	file string
	at   token.Position
	op   token.Token
}

func main() {
	log.SetFlags(0)
	count := flag.Int("count", 20, "mutants of each package, at most")
	seed := flag.Uint64("seed", 1, "of the choice of operators")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	dir, err := os.MkdirTemp("", "mutate")
	check(err)
	defer os.RemoveAll(dir)
	caught, survived := 0, 0
	for _, p := range packages(patterns) {
		limit, ok := patience(p)
		if !ok {
			log.Printf("%s: without tests that pass", p.ImportPath)
			continue
		}
		all := sites(p)
		r := rand.New(rand.NewPCG(*seed, 0)) // afresh, so that a package has the same mutants in any list
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		tried := 0
		for _, s := range all {
			if tried == *count {
				break
			}
			fate := try(dir, p.ImportPath, s, limit)
			switch fate {
			case "":
				continue
			case "survives":
				survived++
			default:
				caught++
			}
			tried++
			if fate != "fails" {
				fmt.Printf("%s:%d:%d: %s to %s %s\n", s.file, s.at.Line, s.at.Column, s.op, flips[s.op], fate)
			}
		}
		log.Printf("%s: %d mutants; so far %d caught, %d survived", p.ImportPath, tried, caught, survived)
	}
	fmt.Printf("%d mutants, %d caught, %d survived\n", caught+survived, caught, survived)
}

// listed is a package as go list describes it.
type listed struct {
	Dir, ImportPath                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func packages(patterns []string) (all []listed) {
	out, err := exec.Command("go", append([]string{"list", "-json=Dir,ImportPath,GoFiles,TestGoFiles,XTestGoFiles"}, patterns...)...).Output()
	check(err)
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		check(d.Decode(&p))
		all = append(all, p)
	}
	return all
}

// patience is how many processor seconds the tests of a mutant may take, which do not depend on
// the load of the machine, and whether those of the package pass.
func patience(p listed) (limit string, ok bool) {
	if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
		return "", false
	}
	c := exec.Command("go", "test", "-short", "-vet=off", "-count=1", p.ImportPath)
	err := c.Run()
	return fmt.Sprintf("%.0f", 10+5*(c.ProcessState.UserTime()+c.ProcessState.SystemTime()).Seconds()), err == nil
}

// sites lists the operators of the package's files.
func sites(p listed) (all []site) {
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		check(err)
		ast.Inspect(f, func(n ast.Node) bool {
			if b, ok := n.(*ast.BinaryExpr); ok && flips[b.Op] != 0 {
				all = append(all, site{path, set.Position(b.OpPos), b.Op})
			}
			return true
		})
	}
	return all
}

// try runs the tests of the package with one operator flipped: it "survives", "fails", "hangs",
// or is "" where the mutant is no program.
func try(dir, pkg string, s site, limit string) string {
	text, err := os.ReadFile(s.file)
	check(err)
	mutant := filepath.Join(dir, "mutant.go")
	at := s.at.Offset
	check(os.WriteFile(mutant, []byte(string(text[:at])+flips[s.op].String()+string(text[at+len(s.op.String()):])), 0o600))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {s.file: mutant}})
	check(err)
	list := filepath.Join(dir, "overlay.json")
	check(os.WriteFile(list, overlay, 0o600))
	out, err := exec.Command("sh", "-c", `ulimit -t "$0" && exec "$@"`, limit,
		"go", "test", "-short", "-vet=off", "-failfast", "-timeout=5m", "-overlay", list, pkg).CombinedOutput()
	switch {
	case err == nil:
		return "survives"
	case strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]"):
		return ""
	case strings.Contains(string(out), "signal: "):
		return "hangs"
	}
	return "fails"
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
