package pages

import (
	"syscall"
	"testing"
)

// TestPlentyMindsALimit sets one on the addresses of this process and takes it back.
func TestPlentyMindsALimit(t *testing.T) {
	if !Plenty() {
		t.Skip("a limit is set, or large pages cannot be asked for")
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 1 << 40, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_AS, &old) }()
	if Plenty() {
		t.Error("addresses are plenty although they are limited")
	}
}
