// Package methodtest is part of the tests of sim/method and of the packages below
// it: tables that suit each method, options to fit them with, and reports read back.
package methodtest
