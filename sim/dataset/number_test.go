package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"halfspace/linalg/linalgtest"
)

// checkScan compares scan with strconv on one text.
func checkScan(t *testing.T, s string) {
	t.Helper()
	want, err := strconv.ParseFloat(s, 64)
	got, ok := number([]byte(s))
	switch {
	case err != nil && ok:
		t.Errorf("number(%q) = %v, strconv says %v", s, got, err)
	case err == nil && !ok:
		t.Errorf("number(%q) is none, strconv says %v", s, want)
	case err == nil && math.Float64bits(got) != math.Float64bits(want):
		t.Errorf("number(%q) = %v (%#x), strconv says %v (%#x)", s, got, math.Float64bits(got), want, math.Float64bits(want))
	}
}

func TestNumberEqualsStrconv(t *testing.T) {
	for _, s := range []string{"0", "-0", "+0", "1", "-1.5", ".5", "5.", "1e22", "1e23", "1e-22", "9007199254740993", "9007199254740992e3",
		"18446744073709551615", "18446744073709551616", "0.0000000000000000001", "9999999999999999999e-19", "1e308", "1e-320", "4.9e-324", "1e-400",
		"1e400", "-1e400", "0e400", "0.000000000000000000000000000001", "00000000000000000000001", "1.7976931348623157e308", "1E+05", "1e", "1e+", "e5",
		".", "+", "-", "", "--1", "1-", "1.2.3", "1.00000000000000011102230246251565", "9007199254740992.5", "9007199254740993.5", "1e99999999999999999999"} {
		checkScan(t, s)
	}
	// A value half-way between two float64 and its neighbours in the 19th digit.
	for _, s := range []string{"0.5000000000000000555", "4503599627370496.5", "4503599627370497.5", "4503599627370496.501", "1152921504606846.977"} {
		checkScan(t, s)
	}
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		v := math.Float64frombits(r.Uint64())
		if v-v != 0 {
			continue
		}
		checkScan(t, strconv.FormatFloat(v, 'g', -1, 64))
		checkScan(t, strconv.FormatFloat(r.NormFloat64(), 'f', -1, 64))
		checkScan(t, fmt.Sprintf("0.%0*d", 9+r.IntN(18), r.Uint64N(1<<r.IntN(64))))
		checkScan(t, strconv.FormatFloat(r.ExpFloat64(), 'g', 1+r.IntN(19), 64))
		checkScan(t, fmt.Sprintf("%d.%de%d", r.Uint64N(1e10), r.Uint64N(1e9), r.IntN(60)-30))
	}
}

// A tie goes to the even neighbour, and what is next to a tie, by less than the 64
// bits of the quotient show, to the nearer one: of numbers with 19 digits one in
// 2048.
func TestQuotientTies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		checkScan(t, fmt.Sprintf("0.%019d", r.Uint64N(1e19)))
	}
	for range 10_000 {
		// (2m+1)/2 with m of 53 bits is a tie; times 5 over 10.
		m := uint64(1)<<52 + r.Uint64N(1<<52)
		checkScan(t, fmt.Sprintf("%d.5", m))
		checkScan(t, fmt.Sprintf("%d.25", m>>1))
	}
}

// Numbers of 16 to 19 digits with as many behind the point or more, halves between two
// float64 among them, and those a digit from one.
func TestLongMantissasEqualStrconv(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range linalgtest.Rounds(20_000, 2_000_000) {
		checkScan(t, fmt.Sprintf("%de-%d", r.Uint64()>>r.IntN(12), 1+r.IntN(30)))
		v := math.Float64frombits(uint64(1023-r.IntN(60))<<52 | r.Uint64()>>12)
		half := new(big.Float).SetPrec(54).SetFloat64(v)
		half.Add(half, big.NewFloat((math.Nextafter(v, 2*v)-v)/2))
		checkScan(t, half.Text('e', 15+r.IntN(4)))
		checkScan(t, fmt.Sprintf("%s%d", half.Text('f', 17), r.IntN(10)))
	}
}

// What follows a number, of any bytes, does not change its value or its length.
func TestScanEndsAtTheFirstOtherByte(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range linalgtest.Rounds(50_000, 1_000_000) {
		text := strconv.AppendFloat(nil, r.NormFloat64(), 'f', r.IntN(18), 64)
		if r.IntN(4) == 0 {
			text = append([]byte("+0"), bytes.TrimLeft(text, "-")...)
		}
		want, n := scan(text, point)
		end := byte(r.Uint32())
		if end-'0' <= 9 || end|0x20 == 'e' || end == '.' {
			continue
		}
		tail := binary.LittleEndian.AppendUint64(nil, r.Uint64())
		got, k := scan(append(append(text, end), tail...), point)
		if math.Float64bits(got) != math.Float64bits(want) || k != n || n != len(text) {
			t.Fatalf("scan of %q and others = %v in %d bytes, alone %v in %d", text, got, k, want, n)
		}
	}
}

func TestNumberRefusesOtherGrammars(t *testing.T) {
	for _, s := range []string{"NaN", "nan", "Inf", "+Inf", "infinity", "0x1p-2", "1_000", " 1", "1 ", "1,5", "abc", "1e5x", "١"} {
		if v, ok := number([]byte(s)); ok {
			t.Errorf("number(%q) = %v", s, v)
		}
	}
}
