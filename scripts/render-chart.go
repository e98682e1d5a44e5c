// Renders the templates of a chart with Go's template engine, which Helm uses, and the functions of Helm that the chart
// uses. It is for machines without Helm: `go run scripts/render-chart.go <folder of the templates> < data.json`, where the
// data is what Helm passes to the templates: Values, Release and Chart.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"text/template"
)

func isEmpty(value any) bool {
	return value == nil || reflect.ValueOf(value).IsZero()
}

func indent(width int, text string) string {
	return "\n" + strings.Repeat(" ", width) + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", width))
}

func main() {
	var data map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&data); err != nil {
		fail(err)
	}
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := root.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"nindent": indent,
		// JSON is YAML.
		"toYaml": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
		"default": func(initial any, value any) any {
			if isEmpty(value) {
				return initial
			}
			return value
		},
		"required": func(message string, value any) (any, error) {
			if isEmpty(value) {
				return nil, fmt.Errorf("%s", message)
			}
			return value, nil
		},
		"quote": func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"list":  func(values ...any) []any { return values },
	})
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*"))
	if err != nil {
		fail(err)
	}
	if _, err := root.ParseFiles(files...); err != nil {
		fail(err)
	}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "_") {
			continue
		}
		fmt.Printf("---\n# %s\n", filepath.Base(file))
		if err := root.ExecuteTemplate(os.Stdout, filepath.Base(file), data); err != nil {
			fail(err)
		}
		fmt.Println()
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
