// Package outside is a user's module: it fits a model, saves it, loads it and
// predicts.
package outside

import (
	"bytes"
	"encoding/json"

	"halfspace/logistic"
	"halfspace/sim/dataset"
	"halfspace/sim/method"
)

// Species returns the predictions of a logistic regression that has been to JSON
// and back.
func Species(rows [][]float64) ([]string, error) {
	d := dataset.Iris()
	m, err := logistic.Fit(d.X, d.Labels, &logistic.Options{Lambda: 1})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	loaded := new(logistic.Model)
	if err := json.Unmarshal(text, loaded); err != nil {
		return nil, err
	}
	var names []string
	for _, row := range rows {
		names = append(names, d.Names[loaded.Predict(row)])
	}
	return names, nil
}

// Saved returns a model by name, as it is after saving and loading.
func Saved(name string) (fitted, loaded *method.Model, err error) {
	by, err := method.Named(name)
	if err != nil {
		return nil, nil, err
	}
	o := method.Defaults()
	if fitted, err = by.Fit(dataset.Iris(), &o); err != nil {
		return nil, nil, err
	}
	var file bytes.Buffer
	if err := fitted.Save(&file); err != nil {
		return nil, nil, err
	}
	loaded, err = method.Load(&file)
	return fitted, loaded, err
}
