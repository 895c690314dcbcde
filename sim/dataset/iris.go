package dataset

import (
	"bytes"
	_ "embed"
)

//go:embed iris.csv
var iris []byte

// BuiltIn returns the text of a built-in table as a file, or nil: "iris".
func BuiltIn(name string) []byte {
	if name != "iris" {
		return nil
	}
	return bytes.Clone(iris)
}

// Iris returns Fisher's 150 irises: sepal and petal length and width in cm, 50
// each of setosa, versicolor and virginica (R. A. Fisher, The Use of Multiple
// Measurements in Taxonomic Problems, Annals of Eugenics 7, 1936).
func Iris() *Data {
	d, err := Read("iris.csv", bytes.NewReader(iris), nil)
	if err != nil {
		panic(err) // the file is part of the package
	}
	return d
}
