package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	compilations = 41   // that are timed; each compiled template is rendered in every shape, and then once more
	maxCompile   = 2    // milliseconds, for all ways to fill the sections in
	maxNewShape  = 0.2  // milliseconds to render and verify what was not rendered before
	maxWarm      = 0.02 // milliseconds to render it again
	maxBigValue  = 5    // milliseconds to render 6 MB
	bigValue     = 6 << 20
)

// webRequest is the largest template of the original system's documentation.
const webRequest = `#!/bin/bash
curl -X {{method}} "{{url}}" \
     -H "Content-Type: application/json" \
     {{#headers}} -H "{{key}}: {{value}}" {{/headers}} \
     {{#data}} -d '{{data}}' {{/data}} \
     -w "STATUS:%{http_code}\n" \
     --max-time {{timeout|default(30)}}
`

func webParameters() []tool.Parameter {
	return []tool.Parameter{
		{Name: "method", Type: tool.TypeString, Required: true},
		{Name: "url", Type: tool.TypeString, Required: true},
		{Name: "headers", Type: tool.TypeObject}, {Name: "data", Type: tool.TypeString},
		{Name: "timeout", Type: tool.TypeNumber},
	}
}

// webCalls are calls of different shapes.
func webCalls() []map[string]any {
	var calls []map[string]any
	for headers := range 4 {
		for _, data := range []string{"", `{"name": "it's"}`} {
			call := map[string]any{"method": "POST", "url": "https://api.example.com/users", "data": data,
				"timeout": json.Number("10")}
			named := map[string]any{}
			for i := range headers {
				named[fmt.Sprintf("X-Header-%d", i)] = "value"
			}
			call["headers"] = named
			calls = append(calls, call)
		}
	}
	return calls
}

// templates takes the rows of the template engine.
func templates() []row {
	rows := []row{
		within("template: compile", "ms", maxCompile),
		within("template: render and verify a new shape", "ms", maxNewShape),
		within("template: render a known shape", "ms", maxWarm),
		within("template: render a value of 6 MB", "ms", maxBigValue),
	}
	samples := make([][]float64, len(rows))
	big := map[string]any{"method": "POST", "url": "u", "data": strings.Repeat("it's $(x)\n", bigValue/10)}
	err := func() error {
		for i := range compilations + 1 {
			var template *render.Template
			take := func(into int, f func() error) error {
				taken, err := timed(f)
				if i > 0 {
					samples[into] = append(samples[into], taken)
				}
				return err
			}
			if err := take(0, func() error {
				var findings []render.Finding
				if template, findings = render.Compile(webRequest, webParameters(),
					render.Options{}); template == nil {
					return fmt.Errorf("the template is refused: %v", findings)
				}
				return nil
			}); err != nil {
				return err
			}
			for pass := range 2 {
				for _, call := range webCalls() {
					if err := take(1+pass, func() error {
						_, err := template.Render(call)
						return err
					}); err != nil {
						return err
					}
				}
			}
			if err := take(3, func() error {
				_, err := template.Render(big)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	}()
	for i, r := range rows {
		if err != nil {
			rows[i] = r.unmeasured(err)
		} else {
			rows[i] = r.measured(median(samples[i]), 0, fmt.Sprint(len(samples[i])))
		}
	}
	return rows
}
