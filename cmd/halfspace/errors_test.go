package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrorsAreOneLineWithAStatus(t *testing.T) {
	dir := write(t, "bad.csv", "a,b,class\n1,2,x\n3,abc,y\n")
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("one.csv", "a,class\n1,x\n2,x\n")
	put("nan.csv", "a,class\n1,x\nNaN,y\n")
	put("empty.csv", "a,class\n1,x\n,y\n")
	put("ragged.csv", "a,class\n1,x\n2,3,y\n")
	put("text.csv", "a,y\n1,x\n2,z\n")
	put("model.json", "{}")
	put("sep.csv", "a,class\n1,x\n2,x\n3,y\n4,y\n")
	put("negative.csv", "a,w,class\n1,1,x\n2,-1,y\n")
	put("twice.csv", "a,b,class\n1,2,x\n2,4,y\n3,6,x\n5,10,y\n")
	put("flat.csv", "a,b,class\n1,2,x\n2,2,x\n3,2,x\n5,1,y\n4,3,y\n6,7,y\n")
	put("far.csv", "a,b,class\n1,1e300,x\n2,2,y\n3,1,x\n")
	put("mixed.csv", "a,class\n1,x\n2,y\n3,x\n4,y\n")
	if r := halfspace(t, dir, "", "moments", "-o", "moments.json", "sep.csv"); r.status != 0 {
		t.Fatal(r.stderr)
	}
	ok(t, dir, "fit", "-method", "lda", "-o", "lda.json", "mixed.csv")
	ok(t, dir, "fit", "-method", "qda", "-o", "qda.json", "mixed.csv")
	ok(t, dir, "fit", "-method", "logistic", "-lambda", "1", "-save-prior", "prior.json", "mixed.csv")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"", 2, "usage"},
		{"frobnicate", 2, `no command "frobnicate"`},
		{"fit bad.csv", 2, "-method is missing"},
		{"fit -method nosuch bad.csv", 2, `no method "nosuch"`},
		{"fit -method lda -lambda 1 bad.csv", 2, "lda takes no -lambda"},
		{"fit -method lda", 2, "want DATA"},
		{"fit -method svc -C abc bad.csv", 2, "invalid value"},
		{"fit -nosuchflag", 2, "-nosuchflag"},
		{"fit -method lda bad.csv", 1, `halfspace: bad.csv:3: column "b": "abc" is not a number`},
		{"fit -method lda nan.csv", 1, "halfspace: nan.csv:3: column \"a\""},
		{"fit -method lda empty.csv", 1, "halfspace: empty.csv:3: column \"a\""},
		{"fit -method lda ragged.csv", 1, "halfspace: ragged.csv:3:"},
		{"fit -method lda nofile.csv", 1, "nofile.csv"},
		{"fit -method logistic -start nofile.json mixed.csv", 1, "halfspace: open nofile.json"},
		{"fit -method logistic -prior nofile.json mixed.csv", 1, "halfspace: open nofile.json"},
		{"fit -method logistic -start bad.csv -prior nofile.json mixed.csv", 1, "halfspace: bad.csv:"},
		{"fit -moments -method lda moments.json ./moments.json", 1, "halfspace: ./moments.json is given twice"},
		{"fit -method lda one.csv", 1, "only class"},
		{"fit -method logistic sep.csv", 1, "separated"},
		{"fit -method lda -label nosuch sep.csv", 1, "nosuch"},
		{"predict", 2, "want MODEL.json DATA"},
		{"predict model.json sep.csv", 1, "halfspace: model.json:"},
		{"predict nofile.json sep.csv", 1, "nofile.json"},
		{"eval bad.csv sep.csv", 1, "halfspace: bad.csv:"},
		{"cv -method lda -grid lambda sep.csv", 2, "grid"},
		{"cv -method lda -grid lambda=1 sep.csv", 2, "lda takes no -lambda"},
		{"cv -method svc -grid C=x -folds 2 sep.csv", 2, "option C"},
		{"cv -method svc -grid C=1 -grid C= sep.csv", 2, "grid"},
		{"cv -method svc -grid C=1 -grid C=2 sep.csv", 2, "another has too"},
		{"cv -method svc -grid C=1 -C 2 sep.csv", 2, "a flag of the same option"},
		{"cv -method svc -lambdas 3 sep.csv", 2, "-lambdas needs -path"},
		{"sums -at nofile.json -weights a sep.csv", 2, "takes no -weights"},
		{"cv -method svc -folds 1 sep.csv", 2, "-folds is 1"},
		{"cv -method svc -folds 9 sep.csv", 1, "9 folds but 4 rows"},
		{"fit -method svc -format xml sep.csv", 2, "csv or libsvm"},
		{"fit -method rda -gamma 2 sep.csv", 2, "0 to 1"},
		{"fit -method lda -moments -weights a model.json", 2, "-weights needs rows"},
		{"fit -method lda -moments -text a model.json", 2, "-text needs rows"},
		{"fit -method lda -moments -stream model.json", 2, "-stream needs rows"},
		{"fit -method logistic -sums -sep ; -o state.json model.json", 2, "-sep needs rows"},
		{"fit -method lda -moments", 2, "want the files of parts"},
		{"fit -method logistic -sums -o state.json", 2, "want the files of parts"},
		{"import -as liblinear qda.json", 1, "qda is not linear"},
		{"fit -method logistic -prior prior.json -lambda 2 mixed.csv", 1, "Lambda is 2"},
		{"fit -method logistic -moments moments.json", 2, "logistic takes no -moments"},
		{"fit -method perceptron -weights a sep.csv", 2, "perceptron takes no -weights"},
		{"cv -method lda -offset a sep.csv", 2, "lda takes no -offset"},
		{"fit -method lda -weights w negative.csv", 1, `halfspace: negative.csv:3: column "w": "-1" is a negative weight`},
		{"fit -method lda twice.csv", 1, `column 1 is "b"`},
		{"fit -method lda far.csv", 1, `column 1 is "b"`},
		{"fit -method logistic -lambda 1 far.csv", 1, `column 1 is "b"`},
		{"fit -method qda flat.csv", 1, `class 0 is "x"`},
		{"fit -method hardmargin mixed.csv", 1, `class 1 is "y", class 0 is "x"`},
		{"path -method svc -l1-ratio 1 sep.csv", 2, "-l1-ratio"},
		{"path -method logistic -lambdas 0 sep.csv", 2, "-lambdas is 0"},
		{"gen -package a-b model.json", 2, "not a name"},
		{"gen -package _ model.json", 2, "not a name"},
		{"import -as foo model.json", 2, `"foo"`},
		{"plot -kind foo model.json sep.csv", 2, `"foo"`},
		{"audit -C 1 lda.json sep.csv", 2, "lda takes no -C"},
		{"audit -bias 1 -fix fixed.json lda.json sep.csv", 2, "-fix saves a fit of our own objective, and takes no -bias"},
		{"audit -lambda 0 lda.json sep.csv", 2, "lda takes no -lambda"},
		{"fit -method lda -drop class sep.csv", 1, `"class" cannot be two things`},
		{"demo -steps exercise", 2, "-steps no NAME"},
		{"demo -list -out pictures", 2, "no -out"},
		{"demo nosuch", 2, `no experiment "nosuch"`},
	} {
		r := halfspace(t, dir, "", strings.Fields(c.args)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.says) {
			t.Errorf("halfspace %s: status %d, want %d; said %q, want %q", c.args, r.status, c.status, r.stderr, c.says)
		}
		if c.args != "" && (strings.Count(r.stderr, "\n") != 1 || r.stdout != "") {
			t.Errorf("halfspace %s: want one line on standard error and nothing on standard output, got %q and %q", c.args, r.stderr, r.stdout)
		}
	}
}

func TestHelp(t *testing.T) {
	if out := ok(t, "", "-h"); !strings.Contains(out, "halfspace fit") {
		t.Errorf("-h: %s", out)
	}
	for _, c := range commands() {
		out := ok(t, "", c.name, "-h")
		if !strings.Contains(out, "example: halfspace "+c.name) || !strings.HasPrefix(out, "usage: halfspace "+c.name) {
			t.Errorf("%s -h: %s", c.name, out)
		}
	}
}
