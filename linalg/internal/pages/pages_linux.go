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

// Plenty reports whether large pages can be asked for, and addresses are not scarce.
func Plenty() bool {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit)
	return strconv.IntSize == 64 && err == nil && limit.Cur == ^uint64(0)
}
