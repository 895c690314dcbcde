package report_test

import (
	"os"
	"testing"

	"halfspace/sim/method/report"
)

// Nobody reads the null device, which is one of characters as terminals are.
func TestTheNullDeviceIsNoTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if report.Terminal(null) {
		t.Errorf("%s passes for a terminal", null.Name())
	}
}
