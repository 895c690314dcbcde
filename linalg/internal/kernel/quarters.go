//go:build gc && !purego && (amd64 || arm64)

package kernel

// tileByQuarters is Tile for processors whose registers hold 4×8 sums. A part
// of the tile that C has not room for is summed beside it.
func tileByQuarters(c []float64, ldc, mr, nr int, a []float64, ra, ka int, b []float64, m int) {
	for i := 0; i < mr; i += 4 {
		for j := 0; j < nr; j += 8 {
			q, at := c[i*ldc+j:], &a[i*ra]
			if mr-i >= 4 && nr-j >= 8 {
				tile4x8(&q[0], ldc, at, ra, ka, &b[j], m)
				continue
			}
			var s [4][8]float64
			tile4x8(&s[0][0], 8, at, ra, ka, &b[j], m)
			for ii := range min(4, mr-i) {
				for jj, v := range s[ii][:min(8, nr-j)] {
					q[ii*ldc+jj] += v
				}
			}
		}
	}
}
