package report_test

import (
	"bytes"
	"os"
	"path/filepath"
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

// A device of characters is a terminal, a file is none.
func TestTerminalsAreDevicesOfCharacters(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "t"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if report.Terminal(file) || report.Terminal(new(bytes.Buffer)) {
		t.Error("a file passes for a terminal")
	}
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip("no /dev/zero here")
	}
	defer zero.Close()
	if !report.Terminal(zero) {
		t.Error("a device of characters is none")
	}
}
