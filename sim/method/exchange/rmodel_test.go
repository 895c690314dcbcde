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

// What the snippet writes of models at its edges: one of cross-validation, at its own λ; a response and a column of
// truth values; a column that another determines, which R leaves out; a class without rows; an offset in a formula.
func TestSnippetOfRAtItsEdges(t *testing.T) {
	if os.Getenv("HALFSPACE_LONG") == "" || exec.Command("Rscript", "-e", "library(MASS); library(glmnet)").Run() != nil {
		t.Skip("no R with MASS and glmnet, or HALFSPACE_LONG is not set")
	}
	script := `suppressPackageStartupMessages({library(MASS); library(glmnet)}); source("testdata/snippet.R"); set.seed(1)
d <- data.frame(a = rnorm(90), b = rnorm(90), y3 = factor(rep(c("r", "s", "t"), 30))); d$flag <- d$a + rnorm(90) > 0; d$twice <- 2*d$a
show <- function(m, ...) { file <- tempfile(); save_model(m, file, ...); writeLines(readLines(file)) }
`
	var want []string // the classes, or a part of the error
	for _, c := range [][2]string{
		{`cv.glmnet(as.matrix(d[, 1:2]), d$flag, family = "binomial"), s = "lambda.min"`, `["FALSE" "TRUE"]`},
		{`cv.glmnet(as.matrix(d[, 1:2]), d$a)`, `[]`},
		{`glm(flag ~ a, binomial, d)`, `["FALSE" "TRUE"]`},
		{`glm(y3 == "r" ~ flag, binomial, d)`, `["FALSE" "TRUE"]`},
		{`glm(a ~ b + flag, gaussian, d)`, `[]`},
		{`glm(b ~ a + twice, gaussian, d)`, `[]`},
		{`suppressWarnings(lda(y3 ~ a + b, d[d$y3 != "s", ]))`, `["r" "t"]`},
		{`glm(flag ~ a + offset(b), binomial, d)`, "a model with an offset"},
	} {
		script += "show(" + c[0] + ")\n"
		want = append(want, c[1])
	}
	out, err := exec.Command("Rscript", "-e", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(files) != len(want) {
		t.Fatalf("%d files, want %d", len(files), len(want))
	}
	for k, text := range files {
		m, err := exchange.ReadR(strings.NewReader(text))
		switch {
		case err != nil && !strings.Contains(err.Error(), want[k]):
			t.Errorf("%s: %v", text, err)
		case err == nil && fmt.Sprintf("%q", m.Schema.Names) != want[k]:
			t.Errorf("%s: classes %q, want %s", text, m.Schema.Names, want[k])
		}
	}
}

func TestDamagedModelsOfRAreRefused(t *testing.T) {
	good := `{"R":["R"],"class":["glm","lm"],"names":["(Intercept)","age","fPresent"],"terms":["age","f"],"levels":null,"xlevels":{"f":["Absent","Present"]},
		"contrasts":{"f":["contr.treatment"]},"link":["binomial","logit"],"coef":[1,2,3],"prior":null,"means":null,"scaling":null}`
	for _, open := range []string{`{`, "{ \n\t"} {
		if _, err := exchange.Read(strings.NewReader(open + good[1:])); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{`"logit"`, `"probit"`, `"probit"`},
		{`contr.treatment`, `contr.sum`, `contrasts ["contr.sum"]`},
		{`"age","fPresent"`, `"I(age^2)","fPresent"`, `the term "I(age^2)"`},
		{`"age","fPresent"`, `"age","fOther"`, `the term "fOther"`},
		{`[1,2,3]`, `[1,2,"NA"]`, "string"},
		{`[1,2,3]`, `[1,2,null]`, "null is no number"},
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

// An offset is part of the scores and not of the coefficients; a coefficient that two terms could
// have given has no one column.
func TestModelsOfRThatCoefficientsDoNotTellAreRefused(t *testing.T) {
	for _, c := range []struct{ class, names, terms, xlevels, call, want string }{
		{`"glm"`, `"a"`, `"a"`, `null`, `"","formula"`, ""},
		{`"glm"`, `"a"`, `"a"`, `null`, `"","formula","offset"`, "a model with an offset"},
		{`"lognet"`, `"a"`, `"a"`, `null`, `"","x","y","offset"`, "a model with an offset"},
		{`"cv.glmnet"`, ``, ``, `null`, `""`, "cv.glmnet"},
		{`"glm"`, `"fab","fab"`, `"f","fa"`, `{"f":["1","ab"],"fa":["1","b"]}`, `""`, "more than one term"},
		{`"glm"`, `"fv","fv"`, `"f","fv"`, `{"f":["u","v"]}`, `""`, "more than one term"},
		{`"glm"`, `"cut(a, 2)v"`, `"cut(a, 2)"`, `{"cut(a, 2)":["u","v"]}`, `""`, "no column of the table"},
	} {
		text := fmt.Sprintf(`{"R":["R"],"class":[%s],"names":["(Intercept)",%s],"terms":[%s],"levels":null,"xlevels":%s,"link":["binomial","logit"],"coef":[1,2%s],"call":[%s]}`,
			c.class, c.names, c.terms, c.xlevels, strings.Repeat(",3", strings.Count(c.names, `",`)), c.call)
		_, err := exchange.Read(strings.NewReader(strings.Replace(text, `,]`, `]`, 1)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", text, err, c.want)
		}
	}
}

// Truth values are factors that R keeps no levels of, names that are no words stand in backticks,
// and factor(k) is the column k.
func TestFactorsOfRAreColumns(t *testing.T) {
	for _, c := range []struct{ name, term, xlevels, column, cell string }{
		{"flagTRUE", "flag", `null`, "flag", "TRUE"}, {"`a flag`TRUE", "`a flag`", `null`, "a flag", "TRUE"}, {"flagTRUE", "flag", `{"flag":["FALSE","TRUE"]}`, "flag", "TRUE"},
		{"`my f`c", "`my f`", `{"my f":["b","c"]}`, "my f", "c"}, {"factor(k)2", "factor(k)", `{"factor(k)":["1","2"]}`, "k", "2"}, {"as.factor(`a k`)2", "as.factor(`a k`)", "{\"as.factor(`a k`)\":[\"1\",\"2\"]}", "a k", "2"},
	} {
		text := fmt.Sprintf(`{"R":["R"],"class":["glm"],"names":["(Intercept)",%q],"terms":[%q],"levels":null,"xlevels":%s,"link":["gaussian","identity"],"coef":[1,2]}`, c.name, c.term, c.xlevels)
		if v := valueOf(t, strings.NewReader(text), []string{c.column}, c.cell); v != 3 {
			t.Errorf("%s: f is %v, want 3", c.name, v)
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
