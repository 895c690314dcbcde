package exchange_test

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"halfspace/sim/method/exchange"
)

//go:embed testdata/r.json
var rJSON []byte

func TestModelsOfRAreImported(t *testing.T) {
	snippetCases(t, rJSON).check(t, exchange.ReadR)
}

// The snippet runs here where R, MASS and glmnet are.
func TestModelsOfRHereAreImported(t *testing.T) {
	if os.Getenv("HALFSPACE_LONG") == "" || exec.Command("Rscript", "-e", "library(MASS); library(glmnet)").Run() != nil {
		t.Skip("no R with MASS and glmnet, or HALFSPACE_LONG is not set; the golden is its output")
	}
	out, err := exec.Command("Rscript", "testdata/r.R", "../../../linalg/linalgtest/testdata").Output()
	if err != nil {
		t.Fatal(err)
	}
	snippetCases(t, out).check(t, exchange.ReadR)
}

func TestDamagedModelsOfRAreRefused(t *testing.T) {
	good := `{"R":["R"],"class":["glm","lm"],"names":["(Intercept)","age","fPresent"],"terms":["age","f"],"levels":null,"xlevels":{"f":["Absent","Present"]},
		"contrasts":{"f":["contr.treatment"]},"link":["binomial","logit"],"coef":[1,2,3],"prior":null,"means":null,"scaling":null}`
	if _, err := exchange.Read(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"logit"`, `"probit"`, `"probit"`},
		{`contr.treatment`, `contr.sum`, `contrasts ["contr.sum"]`},
		{`"age","fPresent"`, `"I(age^2)","fPresent"`, `the term "I(age^2)"`},
		{`"age","fPresent"`, `"age","fOther"`, `the term "fOther"`},
		{`[1,2,3]`, `[1,2,"NA"]`, "string"},
		{`[1,2,3]`, `[1,2]`, "2 coefficients"},
		{`[1,2,3]`, `[1,2,3,4,5,6]`, "2 rows"},
		{`"glm","lm"`, `"lm"`, "models of class"},
		{`"glm","lm"`, `"lda"`, "means"},
		{`"(Intercept)","age","fPresent"`, ``, "no features"},
		{`"age","fPresent"`, `"","fPresent"`, "term"},
		{`"scaling":null}`, `"scaling":null`, "unexpected end"},
	} {
		_, err := exchange.Read(strings.NewReader(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}

// Discriminant vectors have a value for each feature, and those of QDA are a square for each class.
func TestScalingsOfRHaveTheirSize(t *testing.T) {
	for _, c := range []struct {
		class, scaling string
		want           string // of the error
	}{
		{"lda", "[1,2]", ""}, {"lda", "[]", "2 features but 0 values of discriminant vectors"}, {"lda", "[1,2,3]", "2 features but 3 values of discriminant vectors"},
		{"qda", "[1,0,0,1,1,0,0,1]", ""}, {"qda", "[1,0,0,1]", "8 values of scaling but 4 given"}, {"qda", "[1,0,0,1,1,0,0,1,1]", "8 values of scaling but 9 given"},
	} {
		text := fmt.Sprintf(`{"R":["R"],"class":[%q],"names":["a","b"],"terms":["a","b"],"levels":["u","v"],"xlevels":null,"contrasts":null,"link":null,
			"coef":null,"prior":[0.5,0.5],"means":[1,2,3,4],"scaling":%s}`, c.class, c.scaling)
		_, err := exchange.Read(strings.NewReader(text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s of %s: %v, want %q", c.scaling, c.class, err, c.want)
		}
	}
}

func FuzzR(f *testing.F) {
	for _, c := range snippetCases(f, rJSON).Cases {
		f.Add([]byte(c.File))
	}
	f.Fuzz(func(t *testing.T, text []byte) { _ = fuzz(t, text) })
}
