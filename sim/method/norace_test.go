//go:build !race

package method_test

const racing = false
