package dataset_test

import (
	"errors"
	"strings"
	"testing"

	"halfspace/sim/dataset"
)

// An error names the line and the column of the cell, counted from one, also far down a file that
// is read in several pieces.
func TestErrorsNameTheCell(t *testing.T) {
	for _, rows := range []int{0, 3, 200_000} {
		text := "a,b,y\n" + strings.Repeat("1,2,u\n3,4,v\n", rows/2+1) + "5,6 kg,u\n1,2,v\n"
		var e *dataset.Error
		_, err := dataset.Read("t.csv", strings.NewReader(text), nil)
		if line := 2*(rows/2+1) + 2; !errors.As(err, &e) || e.File != "t.csv" || e.Line != line || e.Column != 2 || e.Name != "b" {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// A label that is an infinity of either sign or NaN is missing, and none that begins like one.
func TestLabelsWithoutAValue(t *testing.T) {
	for label, missing := range map[string]bool{"inf": true, "+inf": true, "-Inf": true, "Infinity": true, "-infinity": true, "+NaN": true, "NA": true, "": true,
		"infi": false, "+infant": false, "in": false, "--inf": false, "v": false} {
		d, err := dataset.Read("t.csv", strings.NewReader("a,b,y\n1,2,u\n3,4,v\n5,6,"+label+"\n"), &dataset.Options{Missing: dataset.LeaveOut})
		if got := err != nil || d.Len() == 2; got != missing {
			t.Errorf("%q: %v, %v", label, d, err)
		}
	}
}
