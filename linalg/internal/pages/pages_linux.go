package pages

import (
	"reflect"
	"runtime"
	"strconv"
	"syscall"
)

// Large asks for large pages behind the slice v, which should be fresh. It is advice: the values are as they
// were, and where the system does not follow nothing is lost. (madvise(2), MADV_HUGEPAGE.)
func Large(v any) {
	at := reflect.ValueOf(v)
	if lo, hi := inside(at.Pointer(), uintptr(at.Len())*at.Type().Elem().Size()); lo < hi {
		_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, lo, hi-lo, syscall.MADV_HUGEPAGE)
	}
	runtime.KeepAlive(v)
}

// Plenty reports whether room may be asked for that is not used at once: where addresses are 64 bits
// and no limit is set on them, nor has the system to have memory for all that is asked for.
// (proc(5), overcommit_memory.)
func Plenty() bool {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur != ^uint64(0) {
		return false
	}
	file, err := syscall.Open("/proc/sys/vm/overcommit_memory", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(file)
	var policy [1]byte
	n, err := syscall.Read(file, policy[:])
	return n == 1 && err == nil && policy[0] != '2' && strconv.IntSize == 64
}
