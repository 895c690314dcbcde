//go:build !linux

package pages

// Large does nothing here.
func Large(any) {}

// Plenty is false here.
func Plenty() bool { return false }
