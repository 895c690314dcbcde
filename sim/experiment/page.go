package experiment

import (
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"halfspace/sim"
	"halfspace/sim/plot"
)

// Entry is an experiment with its result, for [WritePage].
type Entry struct {
	*Experiment
	*Result
}

// Output is a file that belongs to a page.
type Output struct {
	Name  string
	Write func(io.Writer) error
}

// Outputs returns the pictures of the entries as SVG, their data as CSV, and last the page
// index.html, which links to them.
func Outputs(seed uint64, entries []Entry) []Output {
	var list []Output
	for _, e := range entries {
		for _, f := range e.Figures {
			list = append(list, Output{f.Name + ".svg", f.Picture.SVG})
		}
		for _, f := range e.Files {
			list = append(list, Output{f.Name, f.Write})
		}
	}
	return append(list, Output{"index.html", func(w io.Writer) error { return WritePage(w, seed, entries) }})
}

// WritePage writes one self-contained HTML page with the entries: pictures
// inline, light and dark as the reader's system asks, readable on a telephone, with links to the
// files of pictures and data that lie beside it.
func WritePage(w io.Writer, seed uint64, entries []Entry) error {
	type topic struct {
		Name    string
		Entries []Entry
	}
	var topics []topic
	command := fmt.Sprintf("halfspace demo -seed %d -out DIR", seed)
	for _, e := range entries {
		k := slices.IndexFunc(topics, func(t topic) bool { return t.Name == e.Topic })
		if k < 0 {
			k, topics = len(topics), append(topics, topic{Name: e.Topic})
		}
		topics[k].Entries = append(topics[k].Entries, e)
		if len(entries) < len(All) {
			command += " " + e.Name
		}
	}
	return page.Execute(w, struct {
		Seed    uint64
		Command string
		Topics  []topic
		Entries []Entry
	}{seed, command, topics, entries})
}

const pageWidth = 480 // of a picture: text keeps three quarters of its size on a telephone

// svg is a picture inline.
type svg struct {
	Picture template.HTML
	Title   string
}

// inline returns the plots of a picture, each on its own and redrawn narrow, so that they
// stand beside one another on a wide screen and below one another on a narrow one.
func inline(p Picture) ([]svg, error) {
	plots := []Picture{p}
	switch g := p.(type) {
	case *plot.Panels:
		plots = nil
		for _, one := range g.Plots {
			plots = append(plots, one)
		}
	}
	var list []svg
	for _, p := range plots {
		title := ""
		if one, ok := p.(*plot.Plot); ok {
			narrow := *one
			narrow.Width, narrow.Height = pageWidth, pageHeight(one)
			p, title = &narrow, one.Title
		}
		var b strings.Builder
		if err := p.SVG(&b); err != nil {
			return nil, err
		}
		list = append(list, svg{template.HTML(b.String()), title})
	}
	return list, nil
}

// pageHeight keeps the form of a plot; a wide one becomes as high as it can be read.
func pageHeight(p *plot.Plot) int {
	if p.Width == 0 || p.Height == 0 {
		return pageWidth * 7 / 8
	}
	return max(pageWidth*p.Height/p.Width, pageWidth*5/8)
}

var (
	hyphenMinus  = regexp.MustCompile(`(^|[^\p{L}\p{N}]|[0-9]e)-([0-9.]|Inf)`) // not that of 0-1
	unitsOfValue = regexp.MustCompile(`([0-9]) ([%°])`)
	ratio        = regexp.MustCompile(`/([^\s])`)
)

// unbroken keeps a number and its unit on one line.
func unbroken(text string) string { return unitsOfValue.ReplaceAllString(text, "$1\u00a0$2") }

// typeset is a text of a table, unbroken also after a stroke of division, and with the minus
// signs of the pictures' axes.
func typeset(text string) string {
	return ratio.ReplaceAllString(hyphenMinus.ReplaceAllString(unbroken(text), "${1}−${2}"), "/\u2060${1}")
}

// named returns the head of column j, which stands before each cell where a table is too wide
// for the screen, or nothing for a table of at most three columns, which fits on all.
func named(t *sim.Table, j int) string {
	if len(t.Head) <= 3 {
		return ""
	}
	return typeset(t.Head[j])
}

var page = template.Must(template.New("page").Funcs(template.FuncMap{"svg": inline, "unbroken": unbroken, "typeset": typeset, "named": named}).Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>halfspace: experiments</title>
<style>
:root { --ink: #1d2430; --paper: #fdfdfb; --rule: #d5d8dd; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ec; --paper: #14171c; --rule: #3a404a; --link: #7db7f0; } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 60rem; padding: 1rem; }
p { max-width: 46rem; }
p, figcaption { text-wrap: pretty; }
h1, h2, caption { text-wrap: balance; }
a[download] { white-space: nowrap; }
a { color: var(--link); }
nav a { margin-right: .8em; white-space: nowrap; }
main > section { border-top: 1px solid var(--rule); margin-top: 2.5rem; }
figure { margin: 2rem 0; }
.plots { display: flex; flex-wrap: wrap; row-gap: 2rem; margin-bottom: .8rem; }
.plots svg { display: block; max-width: 100%; height: auto; }
figcaption, .about { font-size: .9rem; }
.about code { overflow-wrap: anywhere; }
.formula { font-family: "Latin Modern Math", "STIX Two Math", Cambria, serif; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { text-align: right; padding: .15rem .7rem; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { text-align: left; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
@media print { nav, .skip, a[download] { display: none; } body { font-size: 10pt; max-width: none; } figure, table, h2 { break-inside: avoid; } h2 { break-after: avoid; } }
@media (max-width: 40rem) {
  body { padding: .5rem; }
  table { font-size: .8rem; }
  th, td { padding: .12rem .4em; }
}
@media (max-width: 46rem) {
  .scroll { position: relative; }
  .wide, .wide caption, .wide tbody, .wide tbody tr { display: block; }
  .wide { font-size: .9rem; }
  .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .wide tbody tr { border-bottom: 1px solid var(--rule); padding: .4rem 0; }
  .wide tbody td { display: flex; justify-content: space-between; gap: .8em; border: 0; padding: .05rem 0; }
  .wide td[data-name]::before { content: attr(data-name); content: attr(data-name) / ""; text-align: left; }
  .wide td:first-child { font-weight: 600; }
}
</style>
</head>
<body>
<a class="skip" href="#experiments">To the experiments</a>
<header>
<h1>Experiments on linear classification</h1>
<p>Seed {{.Seed}}. <code>{{.Command}}</code> makes this page again, bit for bit. ESL is T. Hastie, R. Tibshirani and J. Friedman, <i>The Elements of Statistical Learning</i>, second edition.</p>
</header>
<nav aria-label="Experiments"><ul>
{{range .Topics}}<li>{{.Name}}: {{range .Entries}}<a href="#{{.Name}}">{{.Name}}</a> {{end}}</li>
{{end}}</ul></nav>
<main id="experiments" tabindex="-1">
{{range .Entries}}{{$entry := .}}
<section id="{{.Name}}" aria-labelledby="{{.Name}}-title">
<h2 id="{{.Name}}-title">{{.Title}}</h2>
<p class="about">{{with .Formula}}<span class="formula">{{.}}</span><br>{{end}}{{with .ESL}}ESL {{.}}. {{end}}<code>halfspace demo -seed {{$.Seed}} -out DIR {{.Name}}</code>{{range .Files}} · <a href="{{.Name}}" download>{{.Name}}</a>{{end}}</p>
{{range .Text}}<p>{{unbroken .}}</p>
{{end}}
{{range $i, $t := .Tables}}<section class="scroll" tabindex="0" aria-label="{{with .Title}}{{typeset .}}{{else}}table {{$i}}{{end}} ({{$entry.Name}})"><table{{if gt (len .Head) 3}} class="wide"{{end}}>{{with .Title}}<caption>{{typeset .}}</caption>{{end}}
{{if .Head}}<thead><tr>{{range .Head}}{{if .}}<th scope="col">{{typeset .}}</th>{{else}}<td></td>{{end}}{{end}}</tr></thead>{{end}}
<tbody>{{range .Rows}}<tr>{{range $j, $cell := .}}<td{{with named $t $j}} data-name="{{.}}"{{end}}>{{typeset $cell}}</td>{{end}}</tr>
{{end}}</tbody></table></section>
{{end}}
{{range .Figures}}<figure><div class="plots">{{range svg .Picture}}{{.Picture}}{{end}}</div><figcaption>{{unbroken .Caption}} <a href="{{.Name}}.svg" download>{{.Name}}.svg</a></figcaption></figure>
{{end}}
</section>
{{end}}
</main>
</body>
</html>
`))
