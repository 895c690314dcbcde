package method_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"halfspace/linalg/linalgtest"
	"halfspace/sim/dataset"
	"halfspace/sim/feature"
	"halfspace/sim/method"
)

// served is a model of 20 columns, 5 of them with levels, and the JSON of some rows.
func served(t testing.TB) (*method.Model, []string) {
	t.Helper()
	x := linalgtest.Normal(1, 400, 20)
	var b strings.Builder
	for j := range 20 {
		fmt.Fprintf(&b, "c%d,", j)
	}
	b.WriteString("y\n")
	var bodies []string
	for i := range x.Rows {
		cells := map[string]any{}
		for j, v := range x.Row(i) {
			name := fmt.Sprintf("c%d", j)
			cells[name] = float64(int(1000*v)) / 1000
			if j%4 == 0 {
				cells[name] = []string{"low", "mid", "high"}[int(3*max(0, min(0.99, v/4+0.5)))]
			}
			fmt.Fprintf(&b, "%v,", cells[name])
		}
		fmt.Fprintf(&b, "%v\n", x.At(i, 1)+linalgtest.Normal(uint64(i), 1, 1).At(0, 0) > 0)
		body, err := json.Marshal(cells)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(body))
	}
	d, err := dataset.Read("t.csv", strings.NewReader(b.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := method.Named("logistic")
	if err != nil {
		t.Fatal(err)
	}
	model, err := m.Fit(d, &method.Options{Lambda: 1, Steps: []feature.Step{feature.Impute{}, feature.Standardize{}}})
	if err != nil {
		t.Fatal(err)
	}
	return model, bodies
}

// post sends bodies from so many clients at a time and returns the latencies, ascending.
func post(t testing.TB, url string, bodies []string, clients, each int) []time.Duration {
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	took := make([][]time.Duration, clients)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				start := time.Now()
				answer, err := client.Post(url, "application/json", strings.NewReader(bodies[(c+i)%len(bodies)]))
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if answer.StatusCode != http.StatusOK {
					t.Errorf("status %d", answer.StatusCode)
					return
				}
				took[c] = append(took[c], time.Since(start))
			}
		}()
	}
	wg.Wait()
	all := slices.Concat(took...)
	slices.Sort(all)
	return all
}

// Sixteen clients get the answers that one gets.
func TestServingManyClients(t *testing.T) {
	model, bodies := served(t)
	handler := predictor(model)
	want := make(map[string]string)
	for _, body := range bodies {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
		want[body] = w.Body.String()
	}
	if len(slices.Compact(slices.Sorted(maps.Values(want)))) < 100 {
		t.Fatal("the rows have few different answers")
	}
	var mu sync.Mutex
	wrong := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got := httptest.NewRecorder()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(got, r)
		if got.Body.String() != want[string(body)] {
			mu.Lock()
			wrong++
			mu.Unlock()
		}
	}))
	defer server.Close()
	if got := post(t, server.URL, bodies, 16, 25); len(got) != 400 || wrong > 0 {
		t.Errorf("%d answers of 400, %d of them wrong", len(got), wrong)
	}
}

// Sixteen clients on one model over HTTP, beside a handler that returns a constant.
func BenchmarkServe(b *testing.B) {
	model, bodies := served(b)
	for name, handler := range map[string]http.Handler{
		"model": predictor(model),
		"constant": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, `{"false":0.5,"true":0.5}`+"\n")
		}),
	} {
		b.Run(name, func(b *testing.B) {
			server := httptest.NewServer(handler)
			defer server.Close()
			post(b, server.URL, bodies, 16, 50)
			b.ResetTimer()
			start := time.Now()
			all := post(b, server.URL, bodies, 16, (b.N+15)/16)
			b.ReportMetric(float64(len(all))/time.Since(start).Seconds(), "requests/s")
			b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// A row of 20 columns, 5 of them with levels, from a map.
func BenchmarkRow(b *testing.B) {
	model, bodies := served(b)
	var cells map[string]any
	if err := json.Unmarshal([]byte(bodies[0]), &cells); err != nil {
		b.Fatal(err)
	}
	row := make([]float64, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		row, _ = model.Row(row[:0], cells)
	}
}
