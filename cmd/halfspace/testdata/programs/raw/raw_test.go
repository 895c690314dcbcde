package raw_test

import (
	"fmt"
	"log"
	"math"

	"outside/predictor"
)

// The generated predictor takes the cells of a row, gaps and words.
func Example() {
	row := predictor.Row{Age: 65, Dose: math.NaN(), Site: "left"}
	x, err := row.Encode()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("class %d, probabilities %.2f\n", predictor.Predict(&x), predictor.Proba(&x))
	row.Site = "top"
	_, err = row.Encode()
	fmt.Println(err)
	// Output:
	// class 0, probabilities [0.99 0.01]
	// "site" has no level top
}
