package pages

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"strings"
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
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &now); err != nil || now.Cur != 1<<40 {
		t.Skip("limits are not heard here") // by QEMU
	}
	if Plenty() {
		t.Error("addresses are plenty although they are limited")
	}
}

// TestLargeAsks reads in the system's table of the process what it has been asked for.
func TestLargeAsks(t *testing.T) {
	table, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer table.Close()
	if b, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || strings.Contains(string(b), "[never]") {
		t.Skip("no large pages here")
	}
	v := make([]float64, 4*Worthwhile)
	lo, hi := inside(reflect.ValueOf(v).Pointer(), uintptr(8*len(v)))
	if _, _, failed := syscall.RawSyscall(syscall.SYS_MADVISE, lo, hi-lo, 12345); failed == 0 {
		t.Skip("advice is not heard here") // by QEMU
	}
	Large(v[:len(v)/2])
	at, read := reflect.ValueOf(v).Pointer(), 0
	for lines := bufio.NewScanner(table); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			lo, hi = from, to
		}
		flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:")
		for inner, want := range map[uintptr]bool{large: true, uintptr(8*len(v)) - large: false} {
			if !ok || at+inner < lo || at+inner >= hi {
				continue
			}
			if read++; strings.Contains(flags+" ", " hg ") != want {
				t.Errorf("flags at %d of %d bytes, of which the first half was asked for:%s", inner, 8*len(v), flags)
			}
		}
	}
	if read == 0 {
		t.Skip("the table does not name them")
	}
}
