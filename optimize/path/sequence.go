package path

import (
	"fmt"
	"strings"

	"halfspace/linalg/record"
	"halfspace/optimize"
)

// Path is a sequence of fits of one model M, from the most to the least penalised.
type Path[M any] struct {
	Parameter string // of the penalty: "lambda", or "alpha" of a regularised discriminant analysis
	Points    []Point[M]
}

// Point is one fit of a path.
type Point[M any] struct {
	Penalty   float64 // the value of Path.Parameter
	DF        float64 // features with a non-zero coefficient; of a ridge regression the trace of the hat matrix
	DevRatio  float64 // share of the null deviance that the fit explains, R² of a regression; NaN where there is none
	Objective float64 // penalty included
	Report    optimize.Report
	Model     M
}

// Penalties returns the grid of the path.
func (p *Path[M]) Penalties() []float64 {
	grid := make([]float64, len(p.Points))
	for k, point := range p.Points {
		grid[k] = point.Penalty
	}
	return grid
}

// Models returns the models of the path, nil for a nil path.
func (p *Path[M]) Models() []M {
	if p == nil {
		return nil
	}
	models := make([]M, len(p.Points))
	for k, point := range p.Points {
		models[k] = point.Model
	}
	return models
}

// String returns a table with a line for each point, as R's print of a glmnet.
func (p *Path[M]) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%8s %10s %12s %12s\n", "df", "dev.ratio", p.Parameter, "objective")
	for _, q := range p.Points {
		fmt.Fprintf(&b, "%8.4g %10.4f %12.5g %12.6g\n", q.DF, q.DevRatio, q.Penalty, q.Objective)
	}
	return b.String()
}

// MarshalJSON writes the points with their models; UnmarshalJSON reads them back.
func (p Path[M]) MarshalJSON() ([]byte, error) { return record.Plain(p) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Path[M]) UnmarshalJSON(data []byte) error { return record.ReadPlain(data, p) }
