package regression_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"halfspace/hyperplane/regression"
	"halfspace/linalg"
)

// reference is one of the linear regressions of the Statistical Reference Datasets of
// the National Institute of Standards and Technology (NIST), with the coefficients and
// standard errors that it certifies, which are in the public domain. One column with
// more certified coefficients is a polynomial.
type reference struct {
	name        string
	columns     [][]float64
	y           []float64
	noIntercept bool
	coef, se    []float64
	want        [2]float64 // digits of the coefficients and of the standard errors, at least
}

// table returns the rows of the regression.
func (r *reference) table() *linalg.Dense {
	p := len(r.coef)
	if !r.noIntercept {
		p--
	}
	x := linalg.Zeros(len(r.y), p)
	for i := range x.Rows {
		for j := range p {
			if len(r.columns) == p {
				x.Set(i, j, r.columns[j][i])
			} else {
				x.Set(i, j, power(r.columns[0][i], j+1))
			}
		}
	}
	return x
}

// power returns xᵏ, correctly rounded on every machine.
func power(x float64, k int) float64 {
	p := big.NewFloat(1).SetPrec(1000)
	for range k {
		p.Mul(p, big.NewFloat(x))
	}
	v, _ := p.Float64()
	return v
}

// digits returns the number of correct decimal digits of the worst value: −log₁₀ of its
// relative error, of its error where 0 is certified; 15 is as many as are certified.
func digits(got, certified []float64) float64 {
	worst := 15.0
	for i, c := range certified {
		e := math.Abs(got[i] - c)
		if c != 0 {
			e /= math.Abs(c)
		}
		worst = math.Min(worst, -math.Log10(e))
	}
	return worst
}

// The certified regressions come out to at least the digits wanted; the README has those of one machine. go test -v
// -run NIST prints the table.
func TestNISTCertifiedRegressions(t *testing.T) {
	t.Logf("%-9s %12s %15s", "data set", "coefficients", "standard errors")
	for _, r := range references() {
		x := r.table()
		_, summary, err := regression.Summarize(x, r.y, &regression.Options{NoIntercept: r.noIntercept})
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		var coef, se []float64
		for _, term := range summary.Terms {
			coef, se = append(coef, term.Estimate), append(se, term.SE)
		}
		found := [2]float64{digits(coef, r.coef), digits(se, r.se)}
		t.Logf("%-9s %12.1f %15.1f", r.name, found[0], found[1])
		for k, of := range []string{"coefficients", "standard errors"} {
			if !(found[k] >= r.want[k]) {
				t.Errorf("%s: %.1f digits of the %s, want %g", r.name, found[k], of, r.want[k])
			}
		}
	}
}

// A summary without rows prints.
func TestEmptySummaryPrints(t *testing.T) {
	if s := new(regression.Summary).Table(nil); !strings.Contains(s, "Residual standard error") || strings.Contains(s, "Residuals:") {
		t.Errorf("%q", s)
	}
}

// sequence returns n values from the first on, apart by step.
func sequence(n int, first, step float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = first + float64(i)*step
	}
	return v
}

func ones(n int, v float64) []float64 { return sequence(n, v, 0) }

func references() []reference {
	x21 := [][]float64{sequence(21, 0, 1)}
	wampler := func(name string, noise float64, want [2]float64) reference {
		// 1 + x + … + x⁵ and a disturbance that is orthogonal to the powers.
		disturbance := []float64{759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048, -2048, 1838, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 759}
		r := reference{name: name, columns: x21, coef: ones(6, 1), want: want}
		for i, x := range x21[0] {
			r.y = append(r.y, 1+x*(1+x*(1+x*(1+x*(1+x))))+noise*disturbance[i])
		}
		for _, s := range []float64{2152.32624678170, 2363.55173469681, 779.343524331583, 101.475507550350, 5.64566512170752, 0.112324854679312} {
			r.se = append(r.se, noise*s)
		}
		return r
	}
	wampler2 := reference{name: "Wampler2", columns: x21, se: ones(6, 0), want: [2]float64{12.5, 13}}
	for k := range 6 {
		wampler2.coef = append(wampler2.coef, math.Pow(10, -float64(k)))
	}
	for _, v := range []float64{1.00000, 1.11111, 1.24992, 1.42753, 1.65984, 1.96875, 2.38336, 2.94117, 3.68928, 4.68559, 6.00000, 7.71561,
		9.92992, 12.75603, 16.32384, 20.78125, 26.29536, 33.05367, 41.26528, 51.16209, 63.00000} {
		wampler2.y = append(wampler2.y, v)
	}
	pontius := sequence(20, 150000, 150000)
	return []reference{
		{name: "Norris", columns: [][]float64{norrisX}, y: norrisY,
			coef: []float64{-0.262323073774029, 1.00211681802045}, se: []float64{0.232818234301152, 0.429796848199937e-3}, want: [2]float64{12, 12}},
		{name: "Pontius", columns: [][]float64{append(pontius, pontius...)}, y: pontiusY,
			coef: []float64{0.673565789473684e-3, 0.732059160401003e-6, -0.316081871345029e-14},
			se:   []float64{0.107938612033077e-3, 0.157817399981659e-9, 0.486652849992036e-16}, want: [2]float64{11, 12}},
		{name: "NoInt1", columns: [][]float64{sequence(11, 60, 1)}, y: sequence(11, 130, 1), noIntercept: true,
			coef: []float64{2.07438016528926}, se: []float64{0.165289256198347e-1}, want: [2]float64{14, 13}},
		{name: "NoInt2", columns: [][]float64{{4, 5, 6}}, y: []float64{3, 4, 4}, noIntercept: true,
			coef: []float64{0.727272727272727}, se: []float64{0.420827318078432e-1}, want: [2]float64{14, 13}},
		{name: "Filip", columns: [][]float64{filipX}, y: filipY,
			coef: []float64{-1467.48961422980, -2772.17959193342, -2316.37108160893, -1127.97394098372, -354.478233703349, -75.1242017393757,
				-10.8753180355343, -1.06221498588947, -0.670191154593408e-1, -0.246781078275479e-2, -0.402962525080404e-4},
			se: []float64{298.084530995537, 559.779865474950, 466.477572127796, 227.204274477751, 71.6478660875927, 15.2897178747400,
				2.23691159816033, 0.221624321934227, 0.142363763154724e-1, 0.535617408889821e-3, 0.896632837373868e-5}, want: [2]float64{7.5, 7.5}},
		{name: "Longley", columns: longleyX(), y: longleyY,
			coef: []float64{-3482258.63459582, 15.0618722713733, -0.358191792925910e-1, -2.02022980381683, -1.03322686717359, -0.511041056535807e-1, 1829.15146461355},
			se:   []float64{890420.383607373, 84.9149257747669, 0.334910077722432e-1, 0.488399681651699, 0.214274163161675, 0.226073200069370, 455.478499142212}, want: [2]float64{12, 12}},
		wampler("Wampler1", 0, [2]float64{9.4, 9}),
		wampler2,
		wampler("Wampler3", 1, [2]float64{9.3, 13}),
		wampler("Wampler4", 100, [2]float64{9.3, 13}),
		wampler("Wampler5", 10000, [2]float64{8.7, 13}),
	}
}

var norrisX = []float64{0.2, 337.4, 118.2, 884.6, 10.1, 226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4, 0.6, 775.5, 666.9, 338.0, 447.5, 11.6,
	556.0, 228.1, 995.8, 887.6, 120.2, 0.3, 0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1, 118.3, 229.2, 669.1, 448.9, 0.5}

var norrisY = []float64{0.1, 338.8, 118.1, 888.0, 9.2, 228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3, 0.1, 778.1, 668.8, 339.3, 448.9, 10.8,
	557.7, 228.3, 998.0, 888.8, 119.6, 0.3, 0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2, 117.6, 228.9, 668.4, 449.2, 0.2}

var pontiusY = []float64{.11019, .21956, .32949, .43899, .54803, .65694, .76562, .87487, .98292, 1.09146, 1.20001, 1.30822, 1.41599, 1.52399,
	1.63194, 1.73947, 1.84646, 1.95392, 2.06128, 2.16844, .11052, .22018, .32939, .43886, .54798, .65739, .76596, .87474, .98300, 1.09150,
	1.20004, 1.30818, 1.41613, 1.52408, 1.63159, 1.73965, 1.84696, 1.95445, 2.06177, 2.16829}

var longleyY = []float64{60323, 61122, 60171, 61187, 63221, 63639, 64989, 63761, 66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551}

func longleyX() [][]float64 {
	return [][]float64{
		{83.0, 88.5, 88.2, 89.5, 96.2, 98.1, 99.0, 100.0, 101.2, 104.6, 108.4, 110.8, 112.6, 114.2, 115.7, 116.9},
		{234289, 259426, 258054, 284599, 328975, 346999, 365385, 363112, 397469, 419180, 442769, 444546, 482704, 502601, 518173, 554894},
		{2356, 2325, 3682, 3351, 2099, 1932, 1870, 3578, 2904, 2822, 2936, 4681, 3813, 3931, 4806, 4007},
		{1590, 1456, 1616, 1650, 3099, 3594, 3547, 3350, 3048, 2857, 2798, 2637, 2552, 2514, 2572, 2827},
		{107608, 108632, 109773, 110929, 112075, 113270, 115094, 116219, 117388, 118734, 120445, 121950, 123366, 125368, 127852, 130081},
		sequence(16, 1947, 1),
	}
}

var filipY = []float64{0.8116, 0.9072, 0.9052, 0.9039, 0.8053, 0.8377, 0.8667, 0.8809, 0.7975, 0.8162, 0.8515, 0.8766, 0.8885, 0.8859, 0.8959, 0.8913,
	0.8959, 0.8971, 0.9021, 0.909, 0.9139, 0.9199, 0.8692, 0.8872, 0.89, 0.891, 0.8977, 0.9035, 0.9078, 0.7675, 0.7705, 0.7713, 0.7736, 0.7775, 0.7841,
	0.7971, 0.8329, 0.8641, 0.8804, 0.7668, 0.7633, 0.7678, 0.7697, 0.77, 0.7749, 0.7796, 0.7897, 0.8131, 0.8498, 0.8741, 0.8061, 0.846, 0.8751, 0.8856,
	0.8919, 0.8934, 0.894, 0.8957, 0.9047, 0.9129, 0.9209, 0.9219, 0.7739, 0.7681, 0.7665, 0.7703, 0.7702, 0.7761, 0.7809, 0.7961, 0.8253, 0.8602,
	0.8809, 0.8301, 0.8664, 0.8834, 0.8898, 0.8964, 0.8963, 0.9074, 0.9119, 0.9228}

var filipX = []float64{-6.860120914, -4.324130045, -4.358625055, -4.358426747, -6.955852379, -6.661145254, -6.355462942, -6.118102026, -7.115148017,
	-6.815308569, -6.519993057, -6.204119983, -5.853871964, -6.109523091, -5.79832982, -5.482672118, -5.171791386, -4.851705903, -4.517126416,
	-4.143573228, -3.709075441, -3.499489089, -6.300769497, -5.953504836, -5.642065153, -5.031376979, -4.680685696, -4.329846955, -3.928486195,
	-8.56735134, -8.363211311, -8.107682739, -7.823908741, -7.522878745, -7.218819279, -6.920818754, -6.628932138, -6.323946875, -5.991399828,
	-8.781464495, -8.663140179, -8.473531488, -8.247337057, -7.971428747, -7.676129393, -7.352812702, -7.072065318, -6.774174009, -6.478861916,
	-6.159517513, -6.835647144, -6.53165267, -6.224098421, -5.910094889, -5.598599459, -5.290645224, -4.974284616, -4.64454848, -4.290560426,
	-3.885055584, -3.408378962, -3.13200249, -8.726767166, -8.66695597, -8.511026475, -8.165388579, -7.886056648, -7.588043762, -7.283412422,
	-6.995678626, -6.691862621, -6.392544977, -6.067374056, -6.684029655, -6.378719832, -6.065855188, -5.752272167, -5.132414673, -4.811352704,
	-4.098269308, -3.66174277, -3.2644011}
