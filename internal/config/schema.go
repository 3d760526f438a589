package config

import (
	"encoding/json"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/grant"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// SchemaDialect is what the schema is written in: the newest that editors' YAML servers read
// (github.com/redhat-developer/yaml-language-server).
const SchemaDialect = "http://json-schema.org/draft-07/schema#"

// schema is a JSON Schema that is being made.
type schema = map[string]any

// ToolsSchema returns the JSON Schema of tools files, for editors: what keys there are, what each means, and
// what may stand there. It is made from the tables that the loader reads by, so that it knows the same keys.
// A file that it refuses the loader refuses too; what only the loader sees are mistakes in templates, and
// what belongs together.
func ToolsSchema() ([]byte, error) {
	entry := requireObject(object(toolMapping()))
	entry["oneOf"] = []schema{{"required": []string{"script"}}, {"required": []string{"exec"}},
		{"required": []string{"http"}}, {"required": []string{"execution_profile"}}, {"required": []string{"a2a"}}}
	root := rootMapping()
	withTools := object(root, "tools")
	withTools["dependencies"] = schema{"groups": []string{"access"}}
	bare := schema{
		"properties": schema{
			// A tool may be called version or template_safety, too.
			"version":         anyOf(rowOf(root.Name, "version"), ref("tool")),
			"template_safety": anyOf(rowOf(root.Name, "template_safety"), ref("tool")),
		},
		"additionalProperties": ref("tool"),
	}
	top := schema{
		"$schema":     SchemaDialect,
		"title":       "Tools of a2a-acp",
		"description": "Bash scripts that agents may call. `a2a-acp tools check` says more than an editor can.",
		"type":        "object",
		// Said once more than the branches say it, for editors that complete by this alone.
		"properties": schema{"tools": schema{}, "version": schema{}, "template_safety": schema{}},
		"if":         schema{"required": []string{"tools"}},
		"then":       withTools,
		"else":       bare,
		"definitions": schema{
			"tool":    entry,
			"exec":    object(execMapping(), "command"),
			"a2a":     object(a2aMapping(), "url"),
			"profile": requireObject(object(profileMapping(), "url_template")),
			"http":    requestSchema(),
			"source":  requireObject(object(httpSourceMapping(), "base_url")),
			"auth":    object(authOfSourceMapping()),
			"basic":   requireObject(object(basicMapping(), "username", "password")),
			"api_key": requireObject(object(keyMapping(), "name", "value")),

			"result": object(resultMapping()),
			"pages":  requireObject(object(pagesMapping(), "next", "items")),
			"cursor": requireObject(object(cursorMapping())),

			"poll":   object(pollMapping()),
			"cancel": requireObject(object(cancelMapping())),

			"client_credentials": requireObject(object(clientCredentialsMapping(), "token_url", "client_id", "client_secret")),
			"token_exchange":     requireObject(object(tokenExchangeMapping(), "token_url", "client_id", "client_secret", "subject")),
			"client_certificate": requireObject(object(clientCertificateMapping(), "certificate", "key")),

			"field":      requireObject(object(fieldMapping(), "value")),
			"style":      requireObject(object(styleMapping())),
			"part":       requireObject(object(partMapping(), "content")),
			"import":     object(importMapping(), "command"),
			"selector":   object(selectorMapping()),
			"flags":      object(flagSelectorMapping()),
			"parameter":  object(parameterMapping(), "name"),
			"items":      object(itemsMapping(), "type"),
			"property":   requireObject(object(propertyMapping(), "type")),
			"sandbox":    object(sandboxMapping()),
			"limits":     object(limitsMapping()),
			"path":       object(allowedPathMapping(), "path"),
			"error":      object(mappedErrorMapping(), "code"),
			"condition":  requireObject(object(conditionMapping(), "if", "code")),
			"hints":      object(annotationsMapping()),
			"retry":      object(retryMapping()),
			"breaker":    object(circuitBreakerMapping()),
			"rate_limit": requireObject(object(rateLimitMapping(), "requests", "per")),
			"caching":    object(cachingMapping(), "enabled"),
			"output":     object(outputMapping()),
			"surface":    object(surfaceMapping()),
			"reference":  object(referenceMapping()),
			"example":    object(exampleMapping()),
			"expect":     object(expectMapping()),
			"file":       requireObject(object(exampleFileMapping())),
			"match":      requireObject(object(matchMapping())),
			"file_match": requireObject(object(fileMatchMapping())),

			"resource":        object(resourceMapping()),
			"prompt":          object(promptMapping()),
			"prompt_argument": object(promptArgumentMapping(), "name"),
			"prompt_message":  object(promptMessageMapping()),

			"group":         requireObject(object(groupMapping())),
			"tool_selector": requireObject(object(toolSelectorMapping())),
			"access":        object(accessMapping(), "allowed_group_ids"),
			"claim_matcher": object(claimMatcherMapping(), "json_path", "operator"),

			"middleware":  object(middlewareMapping()),
			"match_tools": object(middlewareMatchMapping()),
			"call_limit":  object(middlewareLimitMapping(), "count", "per"),
			"validate":    object(middlewareValidateMapping()),
		},
	}
	return json.MarshalIndent(top, "", "  ")
}

// object is the schema of a mapping: its keys and no others. Where nothing stands, none of them was given.
func object[T any](n yamldoc.Mapping[T], required ...string) schema {
	properties := schema{}
	for _, name := range n.Names() {
		properties[name] = rowOf(n.Name, name)
	}
	s := schema{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["type"], s["required"] = "object", required
	}
	return s
}

// requireObject is an object in whose place nothing may not stand.
func requireObject(s schema) schema {
	s["type"] = "object"
	return s
}

// schemaTable is schemaRows, made once.
var schemaTable = sync.OnceValue(schemaRows)

// rowOf returns the schema of one key. A key without a row may hold anything, and a test asks for the row.
func rowOf(mapping, name string) schema {
	row, ok := schemaTable()[mapping][name]
	if !ok {
		return schema{}
	}
	s := schema{}
	for key, value := range row.is {
		s[key] = value
	}
	if _, isRef := s["$ref"]; isRef {
		s = schema{"allOf": []schema{s}} // beside a reference nothing else counts in this dialect
	}
	s["description"] = row.about
	return s
}

// schemaRow is what is said about one key: in words, for whoever writes it, and as a schema.
type schemaRow struct {
	about string
	is    schema
}

func ref(name string) schema { return schema{"$ref": "#/definitions/" + name} }

func anyOf(schemas ...schema) schema { return schema{"anyOf": schemas} }

// The shapes of values, as the methods of value read them.

func aText() schema   { return schema{"type": "string"} }
func aBool() schema   { return schema{"type": "boolean"} }
func aNumber() schema { return schema{"type": "number"} }

func anEnum[T any](values ...T) schema { return schema{"enum": values} }

func aWhole(low, high int64) schema {
	return schema{"type": "integer", "minimum": low, "maximum": high}
}

// aLiteral is a text, or a number that is taken as it is written.
func aLiteral() schema { return schema{"type": []string{"string", "number"}} }

// aDuration is a number of seconds, or a Go duration.
func aDuration(longest float64) schema {
	return anyOf(schema{"type": "number", "exclusiveMinimum": 0, "maximum": longest},
		schema{"type": "string", "pattern": `^\+?([0-9]*\.?[0-9]+(ns|us|µs|ms|s|m|h))+$`})
}

func aPath() schema { return schema{"type": "string", "minLength": 1, "pattern": `^[^~$]`} }

func aList(of schema) schema { return schema{"type": []string{"array", "null"}, "items": of} }

// someTexts is one text, or a list of them.
func someTexts() schema { return anyOf(aText(), schema{"type": "array", "items": aText()}) }

func aMapping(of schema) schema {
	return schema{"type": []string{"object", "null"}, "additionalProperties": of}
}

func withDefault(s schema, value any) schema {
	s["default"] = value
	return s
}

func typeNames() []string {
	var all []string
	for _, t := range tool.Types() {
		all = append(all, string(t))
	}
	return all
}

// grantNames lists the grants there are. The file that they stand in is embedded, and a test reads it.
func grantNames() []string {
	grants, _ := grant.All()
	var all []string
	for _, g := range grants {
		all = append(all, g.Name)
	}
	return all
}

func formatNames() []string {
	var all []string
	for _, f := range tool.Formats() {
		all = append(all, string(f))
	}
	return all
}
