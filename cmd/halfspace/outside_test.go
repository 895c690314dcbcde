package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A module outside uses the library in each of the ways that the README shows,
// without a network: it fits, saves, loads and predicts. A module that has
// vendored the library works without the library's sources.
func TestModulesOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, tool := range []string{"go", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not on the path")
		}
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	t.Setenv("GOFLAGS", "-trimpath") // builds in other folders are then the same, and cached
	ways, names := blocks(t, "bash"), []string{"replace", "work file", "vendoring"}
	ways = slices.DeleteFunc(ways, func(way string) bool { return !strings.HasPrefix(way, "go ") }) // recipes for parts
	if len(ways) != len(names) {
		t.Fatalf("the README shows %d ways to use the module, want %q", len(ways), names)
	}
	for i, way := range ways {
		t.Run(names[i], func(t *testing.T) {
			dir := t.TempDir()
			library, module := filepath.Join(dir, "halfspace"), filepath.Join(dir, "outside")
			if err := os.Symlink(root, library); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(module, os.DirFS(filepath.Join("testdata", "outside"))); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				addPrograms(t, root, module)
			}
			run(t, module, "go", "mod", "init", "outside")
			run(t, module, "sh", "-e", "-c", way)
			if i == 0 {
				run(t, module, "go", "run", "./generate")
			}
			if names[i] == "vendoring" {
				if err := os.Remove(library); err != nil {
					t.Fatal(err)
				}
			}
			run(t, module, "go", "test", "-count=1", "./...")
		})
	}
}

// addPrograms adds to a module the programs of the documentation, which train from a table with
// gaps and categories, save, load and serve a model, cross-validate an elastic net, judge ten
// classes, calibrate, stop by a context, and generate code that takes the raw row.
func addPrograms(t *testing.T, root, module string) {
	t.Helper()
	if err := os.CopyFS(module, os.DirFS(filepath.Join("testdata", "programs"))); err != nil {
		t.Fatal(err)
	}
	for folder, file := range map[string]string{"models": "sim/method/example_test.go", "judged": "sim/validate/example_programs_test.go", "predictor": ""} {
		if err := os.Mkdir(filepath.Join(module, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if file == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, folder, "example_test.go"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
