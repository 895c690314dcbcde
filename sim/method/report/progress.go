package report

import (
	"fmt"
	"io"
	"os"
	"time"

	"halfspace/optimize"
)

// Terminal reports whether w is a terminal: tables are aligned and progress is shown there,
// and plain in a pipe.
func Terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a device of characters that nobody reads
	return err != nil || !os.SameFile(info, null)
}

// Count sets a trace that counts its calls on w once a second, on a terminal only, and returns
// a function that clears the line.
func Count(w io.Writer, trace *func(optimize.Step) error, what string) (done func()) {
	if !Terminal(w) {
		return func() {}
	}
	last, calls := time.Now(), 0
	*trace = func(optimize.Step) error {
		if calls++; time.Since(last) > time.Second {
			last = time.Now()
			fmt.Fprintf(w, "\r\033[K%s %d", what, calls)
		}
		return nil
	}
	return func() { fmt.Fprint(w, "\r\033[K") }
}
