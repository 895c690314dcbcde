package experiment

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Entry is an experiment with its result, for [WritePage].
type Entry struct {
	*Experiment
	*Result
}

// WritePage writes one self-contained HTML page with the entries: pictures
// inline, light and dark as the reader's system asks, readable on a phone.
func WritePage(w io.Writer, seed uint64, entries []Entry) error {
	return page.Execute(w, struct {
		Seed    uint64
		Entries []Entry
	}{seed, entries})
}

var svgWidth = regexp.MustCompile(`^<svg [^>]* width="(\d+)"`)

// inline returns a picture as an element of the page. On a narrow screen it shrinks
// to two thirds and then scrolls: its text must stay large enough to read.
func inline(p Picture) (template.HTML, error) {
	var b strings.Builder
	if err := p.SVG(&b); err != nil {
		return "", err
	}
	svg := b.String()
	m := svgWidth.FindStringSubmatch(svg)
	if m == nil {
		return "", errors.New("a picture without a width")
	}
	width, err := strconv.Atoi(m[1])
	return template.HTML(fmt.Sprintf(`<svg style="min-width:%dpx"`, 2*width/3) + svg[len("<svg"):]), err
}

var page = template.Must(template.New("page").Funcs(template.FuncMap{"svg": inline}).Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>halfspace: experiments</title>
<style>
:root { --ink: #1d2430; --paper: #fdfdfb; --rule: #d5d8dd; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ec; --paper: #14171c; --rule: #3a404a; --link: #7db7f0; } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 60rem; padding: 1rem; }
p { max-width: 46rem; }
a { color: var(--link); }
nav a { margin-right: .8em; white-space: nowrap; }
section { border-top: 1px solid var(--rule); margin-top: 2.5rem; }
figure { margin: 1.2rem 0; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { font-size: .9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { text-align: right; padding: .15rem .7rem; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { text-align: left; }
</style>
<h1>Experiments on linear classification</h1>
<p>Seed {{.Seed}}. <code>halfspace demo -seed {{.Seed}} -out DIR</code> makes this page again, bit for bit.</p>
<nav>{{range .Entries}}<a href="#{{.Name}}">{{.Name}}</a> {{end}}</nav>
{{range .Entries}}
<section id="{{.Name}}">
<h2>{{.Title}}</h2>
{{range .Text}}<p>{{.}}</p>
{{end}}
{{range .Tables}}<div class="scroll"><table>{{if .Title}}<caption>{{.Title}}</caption>{{end}}
{{if .Head}}<tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr>{{end}}
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table></div>
{{end}}
{{range .Figures}}<figure><div class="scroll">{{svg .Picture}}</div><figcaption>{{.Caption}}</figcaption></figure>
{{end}}
</section>
{{end}}
</html>
`))
