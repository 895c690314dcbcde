package logistic

import (
	bin "encoding/binary"
	"fmt"
	"halfspace/linalg"
	"halfspace/optimize"
	"math"
	"os"
	"testing"
	"time"
)

func load(name string, n, p int) (*linalg.Dense, []int) {
	b, _ := os.ReadFile("/tmp/work/" + name + ".f64")
	d := make([]float64, n*p)
	for i := range d {
		d[i] = math.Float64frombits(bin.LittleEndian.Uint64(b[8*i:]))
	}
	b, _ = os.ReadFile("/tmp/work/" + name + ".y")
	y := make([]int, n)
	for i := range y {
		y[i] = int(math.Float64frombits(bin.LittleEndian.Uint64(b[8*i:])))
	}
	x, _ := linalg.NewDense(n, p, d)
	return x, y
}
func TestZZ(t *testing.T) {
	x, y := load("logit", 100000, 100)
	for _, l := range []float64{1, 0} {
		best := math.Inf(1)
		for r := 0; r < 4; r++ {
			t0 := time.Now()
			m, err := Fit(x, y, &Options{Lambda: l, Trace: func(s optimize.Step) error {
				if r == 3 {
					fmt.Println(s.Iteration, s.Objective, s.Certificate, time.Since(t0))
				}
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(t0).Seconds())
			if r == 3 {
				fmt.Println(l, best, m.Report())
			}
		}
	}
}
