package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The README names every flag of every command.
func TestReadmeNamesEveryFlag(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for _, m := range regexp.MustCompile("[` ]-([A-Za-z][a-z0-9-]*)").FindAllSubmatch(text, -1) {
		named[string(m[1])] = true
	}
	flags := 0
	for _, c := range commands() {
		fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		c.setup(&app{stdin: os.Stdin, stdout: io.Discard, stderr: io.Discard}, fs)
		fs.VisitAll(func(f *flag.Flag) {
			if flags++; !named[f.Name] {
				t.Errorf("the README does not name -%s of %s", f.Name, c.name)
			}
		})
	}
	if flags < 100 {
		t.Errorf("%d flags of all commands", flags)
	}
}
