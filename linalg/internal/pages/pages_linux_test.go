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
	Large(v)
	at := reflect.ValueOf(v).Pointer() + large
	for within, lines := false, bufio.NewScanner(table); lines.Scan(); {
		var lo, hi uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &lo, &hi); n == 2 {
			within = lo <= at && at < hi
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && within {
			if !strings.Contains(flags+" ", " hg ") {
				t.Errorf("flags of the pages:%s", flags)
			}
			return
		}
	}
	t.Skip("the table does not name them")
}
