package render

import (
	"testing"
)

func webArguments() map[string]any {
	return map[string]any{"method": "GET", "url": "https://example.com", "headers": map[string]any{"A": "1", "B": "2"}, "data": "x", "timeout": number("30")}
}

// Goal: 2 ms.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if template, findings := Compile(webRequest, webParameters, Options{}); template == nil {
			b.Fatal(report(findings))
		}
	}
}

// Goal: 0.2 ms.
func BenchmarkRenderNewShape(b *testing.B) {
	template := compile(b, webRequest, webParameters, Options{})
	arguments := webArguments()
	for b.Loop() {
		template.shapes.Purge()
		if _, err := template.Render(arguments); err != nil {
			b.Fatal(err)
		}
	}
}

// Goal: 20 µs.
func BenchmarkRenderKnownShape(b *testing.B) {
	template := compile(b, webRequest, webParameters, Options{})
	arguments := webArguments()
	for b.Loop() {
		if _, err := template.Render(arguments); err != nil {
			b.Fatal(err)
		}
	}
}
