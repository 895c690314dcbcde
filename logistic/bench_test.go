package logistic_test

import (
	"testing"

	"halfspace/linalg/linalgtest"
	"halfspace/logistic"
	lt "halfspace/logistic/internal/logistictest"
)

func benchmarkFit(b *testing.B, n, p, k int, o *logistic.Options) {
	x, y := linalgtest.LabeledRows(n, p, k)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := logistic.Fit(x, y, o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLikelihood(b *testing.B) { benchmarkFit(b, 20000, 50, 2, nil) }

func BenchmarkRidge(b *testing.B) { benchmarkFit(b, 40000, 100, 2, &logistic.Options{Lambda: 1}) }

func BenchmarkLasso(b *testing.B) {
	benchmarkFit(b, 20000, 50, 2, &logistic.Options{Lambda: 100, L1Ratio: 1})
}

func BenchmarkThreeClasses(b *testing.B) {
	benchmarkFit(b, 20000, 50, 3, &logistic.Options{Lambda: 1})
}

func BenchmarkTenClasses(b *testing.B) { benchmarkFit(b, 40000, 100, 10, &logistic.Options{Lambda: 1}) }

func benchmarkPath(b *testing.B, n, p int) {
	x, y := linalgtest.LabeledRows(n, p, 2)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := logistic.FitPath(x, y, &logistic.PathOptions{Options: logistic.Options{L1Ratio: 1, Standardize: true}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPathTall(b *testing.B) { benchmarkPath(b, 20000, 50) }

func BenchmarkPathWide(b *testing.B) { benchmarkPath(b, 200, 2000) }

func BenchmarkPredict(b *testing.B) {
	x, y := linalgtest.LabeledRows(2000, 50, 3)
	m := lt.MustFit(b, x, y, &logistic.Options{Lambda: 1})
	p := make([]float64, 0, 3)
	b.ReportAllocs()
	for b.Loop() {
		p = m.Proba(p[:0], x.Row(0))
	}
}
