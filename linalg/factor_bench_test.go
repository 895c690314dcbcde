package linalg_test

import (
	"fmt"
	"testing"

	"halfspace/linalg"
	"halfspace/linalg/linalgtest"
)

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{20, 100, 500, 1000} {
		a := spd(1, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := linalg.NewCholesky(a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSymEigen(b *testing.B) {
	for _, n := range []int{20, 100, 500, 1000} {
		a := spd(1, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := linalg.SymEigen(a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSymEigenValues(b *testing.B) {
	a := spd(1, 500)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := linalg.SymEigenValues(a); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQR(b *testing.B) {
	for _, s := range [][2]int{{100, 100}, {2000, 100}, {500, 500}} {
		x := linalgtest.Normal(1, s[0], s[1])
		b.Run(fmt.Sprintf("%dx%d", s[0], s[1]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := linalg.NewQR(x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTallQR(b *testing.B) {
	for _, s := range [][2]int{{20000, 50}, {20000, 100}, {5000, 500}, {2000, 2000}} {
		x := linalgtest.Normal(1, s[0], s[1])
		b.Run(fmt.Sprintf("%dx%d", s[0], s[1]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := linalg.NewTallQR(x, nil, nil, nil, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSVD(b *testing.B) {
	x := linalgtest.Normal(1, 1000, 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := linalg.NewSVD(x); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckRank(b *testing.B) {
	for name, noise := range map[string]float64{"screened": 1, "qr": 1e-6} {
		x := linalgtest.Normal(1, 20000, 50)
		for i := range x.Rows {
			r := x.Row(i)
			r[7] = r[3] + noise*r[7]
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := linalg.CheckRank(x, nil, true, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
