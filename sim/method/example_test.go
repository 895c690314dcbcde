package method_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"

	"halfspace/linalg"
	"halfspace/logistic"
	"halfspace/sim"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
)

func Example() {
	m, err := method.Named("lda")
	if err != nil {
		log.Fatal(err)
	}
	model, err := m.Fit(dataset.Iris(), nil)
	if err != nil {
		log.Fatal(err)
	}
	k := model.Classifier().Predict([]float64{5.1, 3.5, 1.4, 0.2})
	fmt.Println(model.Schema.Names[k])
	// Output: setosa
}

// patients is a table with categories and gaps.
const patients = `id,age,dose,site,outcome
1,61,2.5,left,ill
2,48,,mid,well
3,70,3.1,right,ill
4,55,1.2,mid,well
5,NA,2.9,right,ill
6,39,0.8,left,well
7,66,2.2,,well
8,58,1.9,left,ill
9,44,1.1,mid,well
10,73,2.7,right,ill
11,52,NA,mid,ill
12,41,1.4,right,well
`

// A table with gaps and categories: the gaps are filled and the features standardised
// by what the training rows say, and a site that they lack counts as "mid".
func ExampleMethod_Fit() {
	table, err := dataset.Read("patients.csv", strings.NewReader(patients), &dataset.Options{
		Drop:      []string{"id"},
		Reference: map[string]string{"site": "mid"},
		Missing:   dataset.Keep,
		Unseen:    dataset.Reference,
	})
	if err != nil {
		log.Fatal(err)
	}
	logistic, err := method.Named("logistic")
	if err != nil {
		log.Fatal(err)
	}
	model, err := logistic.Fit(table, &method.Options{Lambda: 1, Steps: []feature.Step{
		feature.Impute{By: feature.Median, Indicator: true},
		feature.Standardize{},
	}})
	if err != nil {
		log.Fatal(err)
	}
	coef, intercept, _ := model.Coef()
	fmt.Printf("log-odds of %q:\n%6.2f\n", model.Schema.Names[1], intercept[0])
	for j, name := range model.FeatureNames() {
		fmt.Printf("%6.2f %s\n", coef.At(0, j), name)
	}
	// Output:
	// log-odds of "well":
	//   7.27
	//  -0.08 age
	//  -1.33 dose
	//  -1.34 site=left
	//  -0.46 site=right
	//  -1.13 missing(age)
	//  -0.58 missing(dose)
	//   2.25 missing(site=left)
}

// trained returns the model of the example of Fit.
func trained() *method.Model {
	table, err := dataset.Read("patients.csv", strings.NewReader(patients), &dataset.Options{Drop: []string{"id"}, Missing: dataset.Keep})
	if err != nil {
		log.Fatal(err)
	}
	logistic, err := method.Named("logistic")
	if err != nil {
		log.Fatal(err)
	}
	model, err := logistic.Fit(table, &method.Options{Lambda: 1, Steps: []feature.Step{feature.Impute{}, feature.Standardize{}}})
	if err != nil {
		log.Fatal(err)
	}
	return model
}

// One file has the columns, the steps and the fit. A row is scored by the names of its
// columns.
func ExampleLoad() {
	var file bytes.Buffer // or os.Create("model.json")
	if err := trained().Save(&file); err != nil {
		log.Fatal(err)
	}

	model, err := method.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	row, err := model.Row(nil, map[string]any{"age": 50, "dose": 2.75, "site": nil})
	if err != nil {
		log.Fatal(err)
	}
	c := model.Classifier().(sim.Prober)
	fmt.Printf("%s %.3f\n", model.Schema.Names[c.Predict(row)], c.Proba(nil, row))

	_, err = model.Row(nil, map[string]any{"age": 50, "dose": 2.75, "site": "top"})
	fmt.Println(err)
	// Output:
	// ill [0.536 0.464]
	// dataset: column "site": "top" is not a level; they are "left", "mid", "right"
}

// predictor serves a model's predictions: a JSON object with the cells of a row comes
// in, the probabilities of the classes go out.
func predictor(m *method.Model) http.Handler {
	c := m.Classifier().(sim.Prober)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var cells map[string]any
		if err := json.NewDecoder(r.Body).Decode(&cells); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		row, err := m.Row(nil, cells)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		answer := map[string]float64{}
		for k, p := range c.Proba(nil, row) {
			answer[m.Schema.Names[k]] = math.Round(1e4*p) / 1e4
		}
		json.NewEncoder(w).Encode(answer)
	})
}

// A model is served by net/http: one model and any number of requests at a time.
func Example_serve() {
	server := httptest.NewServer(predictor(trained())) // or http.ListenAndServe
	defer server.Close()
	for _, body := range []string{`{"age": 65, "dose": null, "site": "left"}`, `{"age": "old", "dose": 1, "site": "left"}`} {
		answer, err := http.Post(server.URL, "application/json", strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s", answer.StatusCode, text)
	}
	// Output:
	// 200 {"ill":0.7567,"well":0.2433}
	// 422 dataset: column "age": "old" is not a number
}

// A model of documents scores the words of a new one, without the others of its vocabulary.
func ExampleModel_text() {
	const reviews = "comment,stars,mood\ngood and cheap,5,glad\n\"bad, bad\",1,sad\ngood enough,4,glad\nnot cheap,2,sad\n"
	d, err := dataset.Read("reviews.csv", strings.NewReader(reviews), &dataset.Options{Text: "comment"})
	if err != nil {
		log.Fatal(err)
	}
	logistic, _ := method.Named("logistic")
	model, err := logistic.Fit(d, &method.Options{Lambda: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	index, value, err := model.Schema.SparseRow(nil, nil, map[string]any{"comment": "Good, and never bad!", "stars": 4})
	if err != nil {
		log.Fatal(err)
	}
	p := model.Classifier().(sim.SparseProber).ProbaSparse(nil, index, value)
	fmt.Printf("%d of %d features, %s %.2f\n", len(index), model.Classifier().Features(), model.Schema.Names, p)
	// Output:
	// 4 of 7 features, [glad sad] [0.90 0.10]
}

// An encoder reads rows of text, such as those of encoding/csv, without the map.
func ExampleModel_Encoder() {
	model := trained()
	enc, err := model.Encoder([]string{"site", "dose", "age"})
	if err != nil {
		log.Fatal(err)
	}
	c := model.Classifier()
	var row []float64
	for _, cells := range [][]string{{"left", "0.9", "43"}, {"right", "NA", "71"}} {
		if row, err = enc.Row(row[:0], cells); err != nil {
			log.Fatal(err)
		}
		fmt.Println(row, model.Schema.Names[c.Predict(row)])
	}
	// Output:
	// [43 0.9 0 0] well
	// [71 NaN 0 1] ill
}

// A model of the packages below gets the names of a table, and can be saved with them.
func ExampleNew() {
	d := dataset.Iris()
	fitted, err := logistic.Fit(d.X, d.Labels, &logistic.Options{Lambda: 1})
	if err != nil {
		log.Fatal(err)
	}
	model, err := method.New(d.Schema, nil, fitted)
	if err != nil {
		log.Fatal(err)
	}
	row, err := model.Row(nil, map[string]any{"sepal_length": 5.1, "sepal_width": 3.5, "petal_length": 1.4, "petal_width": 0.2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Schema.Names[model.Classifier().Predict(row)])
	fmt.Println(model.Save(io.Discard))
	// Output:
	// setosa
	// <nil>
}

// Data that are in memory need no schema: the columns are x1, x2, …, and the labels are
// any integers.
func ExampleMethod_Fit_memory() {
	x, err := linalg.FromRows([][]float64{{1, 2}, {2, 1}, {6, 7}, {7, 5}})
	if err != nil {
		log.Fatal(err)
	}
	svc, err := method.Named("svc")
	if err != nil {
		log.Fatal(err)
	}
	model, err := svc.Fit(&dataset.Data{X: x, Labels: []int{3, 3, 8, 8}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	k := model.Classifier().Predict([]float64{5, 5})
	fmt.Println(model.Schema.Features(), model.Schema.Names[k])
	// Output: [x1 x2] 8
}

// The simplest model within one standard error of the best is fitted to all rows and
// saved.
func ExampleCV_At() {
	d := dataset.Iris()
	m, err := method.Named("logistic")
	if err != nil {
		log.Fatal(err)
	}
	folds, err := method.Folds(d, 10, 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	points, err := method.Grid("lambda=0.001,0.01,0.1,1,10")
	if err != nil {
		log.Fatal(err)
	}
	cv, err := m.CrossValidate(d, &method.Options{Steps: []feature.Step{feature.Standardize{}}}, points, folds, nil)
	if err != nil {
		log.Fatal(err)
	}
	model, err := m.Fit(d, cv.At(cv.OneSE()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(method.Label(points[cv.Best()]), method.Label(points[cv.OneSE()]), model.Save(io.Discard))
	// Output: lambda=0.001 lambda=0.1 <nil>
}

// Coefficients from elsewhere are judged by the objective that they are meant for.
func ExampleModel_WithObjective() {
	coef, _ := linalg.FromRows([][]float64{{2}})
	m, err := logistic.New([]int{0, 1}, coef, []float64{-5})
	if err != nil {
		log.Fatal(err)
	}
	model, err := method.New(nil, nil, m)
	if err != nil {
		log.Fatal(err)
	}
	if model, err = model.WithObjective(&method.Options{Lambda: 0.1}); err != nil {
		log.Fatal(err)
	}
	x, _ := linalg.FromRows([][]float64{{1}, {2}, {3}, {4}})
	a, err := model.Audit(&dataset.Data{X: x, Labels: []int{0, 0, 1, 1}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f, the least is %.3f\n", a.Report.Objective(), a.Minimum)
	// Output: 0.924, the least is 0.860
}
