package method_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfspace/linalg/record"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/methodtest"
	"halfspace/sim/validate"
)

// A model prints its method, its classes and a line for each feature.
func TestModelsPrint(t *testing.T) {
	for _, m := range method.All() {
		d := methodtest.Clouds(m, 1, 60, 3)
		text := methodtest.Must(t, m, d, methodtest.Options(m)).String()
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if !strings.HasPrefix(text, m.Name+", 3 features") || len(lines) != 6 || !strings.HasPrefix(strings.TrimSpace(lines[5]), "c ") {
			t.Errorf("%s prints\n%s", m.Name, text)
		}
		for _, class := range d.Names {
			if !strings.Contains(lines[0], class) {
				t.Errorf("%s: class %s is not in %q", m.Name, class, lines[0])
			}
		}
		wide := methodtest.Clouds(m, 1, 60, 23)
		if model, err := m.Fit(wide, methodtest.Options(m)); err == nil && !strings.HasSuffix(model.String(), "  … 3 more\n") {
			t.Errorf("%s: 23 features print\n%s", m.Name, model)
		}
	}
	if s := fmt.Sprint(new(method.Model), new(method.CV), new(method.Part)); s != "a model that was not fitted no points moments of nothing" {
		t.Errorf("zero values print %q", s)
	}
}

func ExampleModel_String() {
	m, _ := method.Named("lda")
	model, err := m.Fit(dataset.Iris(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(model)
	fmt.Print(model.Schema)
	// Output:
	// lda, 4 features, classes ["setosa" "versicolor" "virginica"], direct
	//                 setosa  versicolor  virginica
	//   (Intercept)   -15.48      -2.022     -33.54
	//   sepal_length   6.315      -1.531     -4.784
	//   sepal_width    12.14      -4.376     -7.763
	//   petal_length  -16.95       4.696      12.25
	//   petal_width   -20.77       3.063      17.71
	// "sepal_length": a number
	// "sepal_width": a number
	// "petal_length": a number
	// "petal_width": a number
	// classes of "species": "setosa", "versicolor", "virginica"
}

// A cross-validation comes back from JSON with losses, errors and what did not converge,
// and prints its points.
func TestCrossValidationsComeBackAndPrint(t *testing.T) {
	m, err := method.Named("svc")
	if err != nil {
		t.Fatal(err)
	}
	d := methodtest.Clouds(m, 1, 60, 3)
	folds, err := method.Folds(d, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	points, err := method.Grid("C=-1,0.1,10", "max-iter=1,1000")
	if err != nil {
		t.Fatal(err)
	}
	cv, err := m.CrossValidate(d, nil, points, folds, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cv.Failed[0] == nil || cv.Converged() == nil {
		t.Fatalf("every fit has converged: %v", cv)
	}
	b, err := json.Marshal(cv)
	if err != nil {
		t.Fatal(err)
	}
	back := new(method.CV)
	if err := json.Unmarshal(b, back); err != nil {
		t.Fatal(err)
	}
	if back.String() != cv.String() || back.Converged().Error() != cv.Converged().Error() || !slices.Equal(back.Loss.Mean, cv.Loss.Mean) || fmt.Sprint(back.At(2)) != fmt.Sprint(cv.At(2)) {
		t.Errorf("%v became %v", cv, back)
	}
	if again, err := json.Marshal(back); err != nil || !bytes.Equal(again, b) {
		t.Errorf("%s became %s, %v", b, again, err)
	}
	for _, line := range []string{"C=-1 max-iter=1", "C=10 max-iter=1000", "best"} {
		if !strings.Contains(cv.String(), line) {
			t.Errorf("%q is not in\n%v", line, cv)
		}
	}
	for i, short := range []method.CV{
		{Loss: &validate.CV{Mean: cv.Loss.Mean[:1], SE: cv.Loss.SE}},
		{Loss: &validate.CV{Mean: cv.Loss.Mean, SE: cv.Loss.SE[:1]}},
		{Loss: cv.Loss, Failed: cv.Failed[:1]},
		{Loss: cv.Loss, Unconverged: cv.Unconverged[:1]},
	} {
		short.Points, short.LogLoss = cv.Points, cv.LogLoss
		if short.Failed == nil {
			short.Failed = cv.Failed
		}
		if short.Unconverged == nil {
			short.Unconverged = cv.Unconverged
		}
		if b, err := json.Marshal(&short); err != nil || json.Unmarshal(b, back) == nil {
			t.Errorf("a cross-validation with the list %d for one point alone is read: %v", i, err)
		}
	}
	for _, bad := range []string{`{"points":[[]]}`, strings.Replace(string(b), "max-iter", "nosuch", 1), "[]"} {
		if err := json.Unmarshal([]byte(bad), back); err == nil || !strings.HasPrefix(err.Error(), "method: ") {
			t.Errorf("%s is read: %v", bad, err)
		}
	}
}

// Moments of a table come back from JSON as from their file.
func TestPartsMarshal(t *testing.T) {
	m, _ := method.Named("lda")
	part, err := method.Gather(methodtest.Clouds(m, 1, 60, 3), 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	back := new(method.Part)
	if err := errors.Join(part.Save(&file), json.Unmarshal(b, back)); err != nil || file.String() != string(b)+"\n" {
		t.Errorf("%v: json.Marshal writes another text than Save", err)
	}
	if back.String() != part.String() || part.String() != `moments of 60 rows, 3 features, classes ["u" "v" "w"]` {
		t.Errorf("%v became %v", part, back)
	}
	if _, err := json.Marshal(new(method.Part)); !errors.Is(err, record.ErrUnfitted) {
		t.Errorf("moments of nothing: %v", err)
	}
}

// Transforms say what they do.
func TestStepsPrint(t *testing.T) {
	m, _ := method.Named("lda")
	model := methodtest.Must(t, m, methodtest.Clouds(m, 1, 60, 3), &method.Options{Steps: []feature.Step{
		feature.Impute{}, feature.Quantile{Count: 5}, feature.Expand{InteractionsOnly: true}, feature.Standardize{}}})
	want := "gaps of 3 features filled, 0 marked; 3 features to their places among 5 quantiles; 3 features to 6 monomials of degree 2 at most; 6 features standardized"
	if got := model.Steps().String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
