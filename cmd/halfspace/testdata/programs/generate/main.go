// Command generate trains on a table with categories and gaps, and writes the model as Go.
package main

import (
	"log"
	"os"
	"strings"

	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
	"halfspace/sim/method/codegen"
)

const table = "age,dose,site,outcome\n61,2.5,left,ill\n48,,mid,well\n70,3.1,right,ill\n55,1.2,mid,well\nNA,2.9,right,ill\n39,0.8,left,well\n"

func generate() ([]byte, error) {
	d, err := dataset.Read("patients.csv", strings.NewReader(table), &dataset.Options{Missing: dataset.Keep})
	if err != nil {
		return nil, err
	}
	logistic, err := method.Named("logistic")
	if err != nil {
		return nil, err
	}
	model, err := logistic.Fit(d, &method.Options{Lambda: 1, Steps: []feature.Step{feature.Impute{By: feature.Median}}})
	if err != nil {
		return nil, err
	}
	return codegen.Generate(model, "predictor")
}

func main() {
	code, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("predictor/predictor.go", code, 0o644); err != nil {
		log.Fatal(err)
	}
}
