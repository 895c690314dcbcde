package dataset_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"halfspace/sim/dataset"
)

func ExampleRead() {
	text := `age,famhist,chd
52,Present,yes
63,Absent,no
46,Present,yes
`
	d, err := dataset.Read("heart.csv", strings.NewReader(text), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Features())
	for i, k := range d.Labels {
		fmt.Println(d.X.Row(i), d.Names[k])
	}
	// Output:
	// [age famhist=Present]
	// [52 1] yes
	// [63 0] no
	// [46 1] yes
}

// What cannot be read is named by file, line and column.
func ExampleRead_error() {
	_, err := dataset.Read("heart.csv", strings.NewReader("age,chd\n52,yes\nunknown,no\n"), nil)
	fmt.Println(err)
	// Output: heart.csv:3: column "age": "unknown" is not a number
}

// A schema, saved with a model, reads new tables into the same features.
func ExampleSchema() {
	d, err := dataset.Read("heart.csv", strings.NewReader("age,famhist,chd\n52,Present,yes\n63,Absent,no\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	saved, _ := json.Marshal(d.Schema)
	fmt.Println(string(saved))

	s := new(dataset.Schema)
	if err := json.Unmarshal(saved, s); err != nil {
		fmt.Println(err)
		return
	}
	d, err = s.Read("new.csv", strings.NewReader("famhist,patient,age\nPresent,17,41\n"), &dataset.Options{NoLabels: true})
	fmt.Println(d.X.Row(0), d.Extra, err)
	_, err = s.Read("new.csv", strings.NewReader("famhist,age\nUnknown,41\n"), &dataset.Options{NoLabels: true})
	fmt.Println(err)
	// Output:
	// {"columns":[{"name":"age"},{"name":"famhist","levels":["Absent","Present"]}],"label":"chd","names":["no","yes"]}
	// [41 1] [patient] <nil>
	// new.csv:2: column "famhist": "Unknown" is not a level; they are "Absent", "Present"
}

func ExampleIris() {
	d := dataset.Iris()
	fmt.Println(d.X.Rows, d.Features())
	fmt.Println(d.X.Row(149), d.Names[d.Labels[149]])
	// Output:
	// 150 [sepal_length sepal_width petal_length petal_width]
	// [5.9 3 5.1 1.8] virginica
}
