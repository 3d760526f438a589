package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// toolsMappings are the mappings of a tools file with their keys. TestSchemaKnowsEveryMapping keeps the list
// complete.
func toolsMappings() map[string]func() (string, []string) {
	return map[string]func() (string, []string){
		"rootMapping": named(rootMapping), "toolMapping": named(toolMapping),
		"a2aMapping":  named(a2aMapping),
		"execMapping": named(execMapping), "parameterMapping": named(parameterMapping), "itemsMapping": named(itemsMapping),
		"propertyMapping": named(propertyMapping), "httpMapping": named(httpMapping), "httpSourceMapping": named(httpSourceMapping),
		"authOfSourceMapping": named(authOfSourceMapping), "basicMapping": named(basicMapping), "keyMapping": named(keyMapping),
		"clientCredentialsMapping": named(clientCredentialsMapping), "tokenExchangeMapping": named(tokenExchangeMapping),
		"clientCertificateMapping": named(clientCertificateMapping), "resultMapping": named(resultMapping),
		"pagesMapping": named(pagesMapping), "cursorMapping": named(cursorMapping),
		"pollMapping": named(pollMapping), "cancelMapping": named(cancelMapping),
		"fieldMapping": named(fieldMapping), "styleMapping": named(styleMapping), "partMapping": named(partMapping),
		"importMapping": named(importMapping), "selectorMapping": named(selectorMapping), "flagSelectorMapping": named(flagSelectorMapping),
		"sandboxMapping": named(sandboxMapping), "limitsMapping": named(limitsMapping),
		"allowedPathMapping": named(allowedPathMapping),
		"profileMapping":     named(profileMapping), "conditionMapping": named(conditionMapping),
		"mappedErrorMapping": named(mappedErrorMapping), "annotationsMapping": named(annotationsMapping),
		"retryMapping":          named(retryMapping),
		"rateLimitMapping":      named(rateLimitMapping),
		"circuitBreakerMapping": named(circuitBreakerMapping), "cachingMapping": named(cachingMapping),
		"exampleMapping": named(exampleMapping),
		"expectMapping":  named(expectMapping), "exampleFileMapping": named(exampleFileMapping),
		"matchMapping":     named(matchMapping),
		"fileMatchMapping": named(fileMatchMapping), "outputMapping": named(outputMapping),
		"surfaceMapping":  named(surfaceMapping),
		"resourceMapping": named(resourceMapping), "promptMapping": named(promptMapping),
		"promptArgumentMapping": named(promptArgumentMapping), "promptMessageMapping": named(promptMessageMapping),
		"groupMapping": named(groupMapping), "toolSelectorMapping": named(toolSelectorMapping),
		"accessMapping": named(accessMapping), "claimMatcherMapping": named(claimMatcherMapping),
		"middlewareMapping": named(middlewareMapping), "middlewareMatchMapping": named(middlewareMatchMapping),
		"middlewareLimitMapping": named(middlewareLimitMapping), "middlewareValidateMapping": named(middlewareValidateMapping),
		"referenceMapping": named(referenceMapping),
	}
}

func named[T any](of func() yamldoc.Mapping[T]) func() (string, []string) {
	return func() (string, []string) { return of().Name, of().Names() }
}

// otherMappings are those of other files, which have no schema.
var otherMappings = []string{
	"policyFileMapping", "ruleMapping", "commandsMapping", "decisionMapping", "defaultsMapping",
	"matcherMapping", "requestMapping", "riskMapping", "limitMapping", "actMapping",
	"policyTestMapping", "settingsMapping", "maskMapping", "sandboxSettingsMapping", "peopleMapping",
	"auditMapping", "checkpointsMapping", "telemetryMapping",
	"serveMapping", "serveLimitsMapping", "tlsMapping", "acmeMapping", "pushMapping", "tasksMapping", "principalMapping", "principalMCPMapping", "issuerMapping", "claimsMapping",
	"webhookMapping", "quietMapping", "authMapping", "webhookRetryMapping",
	"agentMapping", "confineMapping",
	"governorsFileMapping", "governorSettingsMapping", "governorMapping", "governorLimitMapping",
}

// TestSchemaKnowsEveryMapping looks through the sources for mappings that nobody has told the schema of.
func TestSchemaKnowsEveryMapping(t *testing.T) {
	t.Parallel()
	declared := regexp.MustCompile(`(?m)^func (\w+)\(\) yamldoc\.Mapping\[`)
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	known, found := toolsMappings(), 0
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range declared.FindAllSubmatch(text, -1) {
			found++
			if name := string(match[1]); known[name] == nil && !slices.Contains(otherMappings, name) {
				t.Errorf("%s: %s has no place in the schema of tools files, nor among the mappings of other files", source, name)
			}
		}
	}
	if found < len(known) {
		t.Errorf("%d mappings were found in the sources, and %d are known", found, len(known))
	}
}

// TestSchemaRows: every key of the loader has a row in words, and no row is about a key that the loader does
// not have.
func TestSchemaRows(t *testing.T) {
	t.Parallel()
	rows := schemaRows()
	seen := map[string]bool{}
	for source, of := range toolsMappings() {
		name, keys := of()
		seen[name] = true
		for _, key := range keys {
			if rows[name][key].about == "" {
				t.Errorf("%s: the key %s of %s has no row in schemarows.go", source, key, name)
			}
		}
		for key := range rows[name] {
			if !slices.Contains(keys, key) {
				t.Errorf("the row %s of %s is about no key", key, name)
			}
		}
	}
	for name := range rows {
		if !seen[name] {
			t.Errorf("rows of %q, which is no mapping of a tools file", name)
		}
	}
}

// TestSchemaIsMadeOnce: init makes it, and a person waits. Made anew for each key, its rows took two seconds.
func TestSchemaIsMadeOnce(t *testing.T) {
	if n := testing.AllocsPerRun(1, func() {
		if _, err := ToolsSchema(); err != nil {
			t.Error(err)
		}
	}); n > 200_000 {
		t.Errorf("%.0f allocations", n)
	}
}

// toolsSchema compiles the schema, as a validator of its dialect reads it.
func toolsSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := ToolsSchema()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("tools.schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("tools.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if compiled.DraftVersion != 7 {
		t.Fatalf("the schema is of draft %d", compiled.DraftVersion)
	}
	return compiled
}

// validate holds the tools of a YAML file against the schema.
func validate(compiled *jsonschema.Schema, data []byte) error {
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		return fmt.Errorf("no YAML: %w", err)
	}
	value, err := asJSON(&node)
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// asJSON returns a document as an editor's YAML server sees it: names are texts, dates too.
func asJSON(node *yaml.Node) (any, error) {
	var plain any
	if err := node.Decode(&plain); err != nil {
		return nil, fmt.Errorf("no YAML: %w", err)
	}
	text, err := json.Marshal(plainJSON(plain))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// TestSchemaTakesWhatIsGood: every file that the loader takes fits the schema, those of the documents and of
// the seed among them.
func TestSchemaTakesWhatIsGood(t *testing.T) {
	t.Parallel()
	compiled := toolsSchema(t)
	read := 0
	try := func(name string, data []byte) {
		if _, err := ReadTools(File{Name: name, Data: data}); err != nil {
			return
		}
		read++
		if err := validate(compiled, data); err != nil {
			t.Errorf("%s is good, and the schema says:\n%v\n%s", name, err, data)
		}
	}
	paths := []string{"../../tools.yaml"}
	for _, pattern := range []string{"testdata/ok/tools_*.yaml", "testdata/seed/*.yaml",
		"testdata/err/tools_*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		try(path, data)
		for name, part := range toolByTool(data) {
			try(path+" "+name, part)
		}
	}
	for _, path := range []string{"../../README.md", "../../docs/tools.md", "../../docs/sandbox.md", "../../docs/secrets.md"} {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindAllSubmatch(page, -1) {
			if !bytes.Contains(block[1], []byte("auto_approval_policies")) {
				try(fmt.Sprintf("%s, block %d", path, i+1), block[1])
			}
		}
	}
	if read < 40 {
		t.Errorf("only %d good files were read", read)
	}
}

// toolByTool returns a file for each tool of a file, so that each mistake is looked at by itself.
func toolByTool(data []byte) map[string][]byte {
	var file struct {
		Version yaml.Node            `yaml:"version"`
		Tools   map[string]yaml.Node `yaml:"tools"`
	}
	parts := map[string][]byte{}
	if yaml.Unmarshal(data, &file) != nil {
		return parts
	}
	for name, node := range file.Tools {
		whole := map[string]any{"tools": map[string]any{name: &node}}
		if file.Version.Kind != 0 {
			whole["version"] = &file.Version
		}
		if text, err := yaml.Marshal(whole); err == nil {
			parts[name] = text
		}
	}
	return parts
}

// TestSchemaRefusesWhatIsWrong: a key that is unknown or missing, and a value of another type, are a schema's
// matter. A tool that the loader refuses for one of those the schema refuses too.
func TestSchemaRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	compiled := toolsSchema(t)
	paths, err := filepath.Glob("testdata/err/tools_*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parts := toolByTool(data)
		parts["as a whole"] = data
		for name, part := range parts {
			// {{…}} without quotes is YAML of another kind to every reader
			if strings.Contains(path, "tools_curly") {
				continue
			}
			_, err := ReadTools(File{Name: filepath.Base(path), Data: part})
			for _, e := range yamldoc.List(err) {
				if e.Severity != yamldoc.SeverityError || e.Rule != yamldoc.RuleUnknown &&
					e.Rule != yamldoc.RuleMissing && e.Rule != yamldoc.RuleType {
					continue
				}
				refused++
				if validate(compiled, part) == nil {
					t.Errorf("%s, %s: the schema takes what the loader refuses: %v\n%s", path, name, e, part)
				}
				break
			}
		}
	}
	if refused < 25 {
		t.Errorf("only %d mistakes were a schema's matter", refused)
	}
}

// contexts are, for each mapping, a tool in which %s is a key of that mapping with its value.
var contexts = map[string]string{
	"profileMapping": "version: 2\nsources: {s: {base_url: 'https://a.example'}}\n" +
		"tools: {t: {execution_profile: {url_template: 'https://a.example/x', %s}}}",
	"conditionMapping": "version: 2\nsources: {s: {base_url: 'https://a.example'}}\n" +
		"tools: {t: {http: {source: s, get: /x}, error_mapping: {when: [{if: 'status == 1', code: 1, %s}]}}}",
	"httpMapping":         "version: 2\nsources: {s: {base_url: 'https://a.example'}}\ntools: {t: {http: {source: s, post: /x, %s}}}",
	"httpSourceMapping":   "version: 2\nsources: {s: {base_url: 'https://a.example', %s}}\ntools: {}",
	"authOfSourceMapping": "version: 2\nsources: {s: {base_url: 'https://a.example', auth: {%s}}}\ntools: {}",
	"basicMapping":        "version: 2\nsources: {s: {base_url: 'https://a.example', auth: {basic: {username: a, password: {secret: B}, %s}}}}\ntools: {}",
	"keyMapping":          "version: 2\nsources: {s: {base_url: 'https://a.example', auth: {api_key: {name: a, value: {secret: B}, %s}}}}\ntools: {}",
	"resultMapping":       "version: 2\nsources: {s: {base_url: 'https://a.example'}}\ntools: {t: {http: {source: s, get: /x, result: {%s}}}}",
	"pagesMapping": "version: 2\nsources: {s: {base_url: 'https://a.example'}}\n" +
		"tools: {t: {http: {source: s, get: /x, paginate: {next: link, items: /, %s}}}}",
	"pollMapping":   "version: 2\nsources: {s: {base_url: 'https://a.example'}}\ntools: {t: {http: {source: s, post: /x, poll: {%s}}}}",
	"cancelMapping": "version: 2\nsources: {s: {base_url: 'https://a.example'}}\ntools: {t: {http: {source: s, post: /x, poll: {cancel: {%s}}}}}",
	"cursorMapping": "version: 2\nsources: {s: {base_url: 'https://a.example'}}\n" +
		"tools: {t: {http: {source: s, get: /x, paginate: {next: {cursor: /a, parameter: b, %s}, items: /}}}}",
	"clientCredentialsMapping": "version: 2\nsources: {s: {base_url: 'https://a.example', auth: {client_credentials: {token_url: 'https://b.example/t', " +
		"client_id: a, client_secret: {secret: B}, %s}}}}\ntools: {}",
	"tokenExchangeMapping": "version: 2\nsources: {s: {base_url: 'https://a.example', auth: {token_exchange: {token_url: 'https://b.example/t', " +
		"client_id: a, client_secret: {secret: B}, subject: caller, %s}}}}\ntools: {}",
	"clientCertificateMapping": "version: 2\nsources: {s: {base_url: 'https://a.example', client_certificate: {certificate: {file: /a}, " +
		"key: {secret: B}, %s}}}\ntools: {}",
	"fieldMapping":          "version: 2\nsources: {s: {base_url: 'https://a.example'}}\ntools: {t: {http: {source: s, get: /x, query: {q: {value: a, %s}}}}}",
	"styleMapping":          "version: 2\nsources: {s: {base_url: 'https://a.example'}}\ntools: {t: {http: {source: s, get: /x, path_styles: {q: {%s}}}}}",
	"partMapping":           "version: 2\nsources: {s: {base_url: 'https://a.example'}}\ntools: {t: {http: {source: s, post: /x, multipart: {q: {content: a, %s}}}}}",
	"toolMapping":           `%s`,
	"execMapping":           `exec: {command: echo, %s}`,
	"a2aMapping":            `a2a: {url: "https://agent.example", %s}`,
	"importMapping":         "version: 2\nimports: {p: {command: echo, %s}}\ntools: {}",
	"selectorMapping":       "version: 2\nimports: {p: {command: echo, selectors: [{%s}]}}\ntools: {}",
	"flagSelectorMapping":   "version: 2\nimports: {p: {command: echo, selectors: [{local_flags: {%s}}]}}\ntools: {}",
	"parameterMapping":      `parameters: [{name: a, %s}]`,
	"propertyMapping":       `parameters: [{name: a, type: object, properties: {x: {type: string, %s}}}]`,
	"itemsMapping":          `parameters: [{name: a, type: array, items: {type: string, %s}}]`,
	"sandboxMapping":        `sandbox: {%s}`,
	"limitsMapping":         `resource_limits: {%s}`,
	"allowedPathMapping":    `sandbox: {allowed_paths: [{path: a, %s}]}`,
	"mappedErrorMapping":    `error_mapping: {1: {code: 1, %s}}`,
	"annotationsMapping":    `annotations: {%s}`,
	"retryMapping":          `retry: {%s}`,
	"circuitBreakerMapping": `circuit_breaker: {%s}`,
	"rateLimitMapping":      "version: 2\nsources: {s: {base_url: 'https://a.example', rate_limit: {requests: 1, per: 1, %s}}}\ntools: {}",
	"cachingMapping":        `caching: {enabled: false, %s}`,
	"exampleMapping":        `examples: [{%s}]`,
	"expectMapping":         `examples: [{expect: {%s}}]`,
	"exampleFileMapping":    `examples: [{files: {b: {%s}}}]`,
	"matchMapping":          `examples: [{expect: {stdout: {%s}}}]`,
	"fileMatchMapping":      `examples: [{expect: {files: {b: {%s}}}}]`,
	"outputMapping":         `output: {%s}`,
	"surfaceMapping":        `surface: {%s}`,
	"referenceMapping":      `sandbox: {environment_variables: {A: {%s}}}`,
}

// besideTools are the contexts of mappings that do not stand in a tool.
var besideTools = map[string]string{
	"resourceMapping":           "resources: {r: {%s}}",
	"promptMapping":             "prompts: {p: {%s}}",
	"promptArgumentMapping":     "prompts: {p: {text: x, arguments: [{%s}]}}",
	"promptMessageMapping":      "prompts: {p: {messages: [{%s}]}}",
	"groupMapping":              "access: [{everybody: true, allowed_group_ids: [g]}]\ngroups: {g: {explicit_tool_ids: [t], %s}}",
	"toolSelectorMapping":       "access: [{everybody: true, allowed_group_ids: [g]}]\ngroups: {g: {selectors: [{%s}]}}",
	"accessMapping":             "groups: {g: {selectors: [{name_pattern: '*'}]}}\naccess: [{%s}]",
	"claimMatcherMapping":       "groups: {g: {selectors: [{name_pattern: '*'}]}}\naccess: [{allowed_group_ids: [g], claim_matchers: [{json_path: a, operator: exists, %s}]}]",
	"middlewareMapping":         `middleware: [{%s}]`,
	"middlewareMatchMapping":    `middleware: [{log: full, match: {%s}}]`,
	"middlewareLimitMapping":    `middleware: [{limit: {per: 1m, %s}}]`,
	"middlewareValidateMapping": `middleware: [{validate: {%s}}]`,
}

// TestSchemaAgreesOnEachKey returns every key of every mapping values of all kinds: what the loader takes the
// schema takes, and what the loader refuses for its type, or because the key is unknown, the schema refuses.
func TestSchemaAgreesOnEachKey(t *testing.T) {
	t.Parallel()
	compiled := toolsSchema(t)
	values := []string{"7", "2.5", "-1", "true", "word", "on", "''", "2030-01-01", "[]", "[a]", "[7]",
		"[[a]]", "{}", "{a: b}", "{a: {b: c}}", "{a: [7]}", "[{a: b}]", "~"}
	taken, refused, every := 0, 0, 1
	if testing.Short() {
		every = 4
	}
	for source, of := range toolsMappings() {
		if source == "rootMapping" {
			continue
		}
		context, ok := contexts[source]
		beside, isBeside := besideTools[source]
		if context = cmp.Or(context, beside); !ok && !isBeside {
			t.Errorf("there is no context for %s", source)
			continue
		}
		_, keys := of()
		for _, key := range append(keys, "bogus") {
			if strings.Contains(context, " "+key+":") || strings.Contains(context, "{"+key+":") {
				continue // it would stand there twice
			}
			for i, value := range values {
				if i%every > 0 {
					continue
				}
				data := []byte("version: 2\ntools: {t: {script: echo, " +
					fmt.Sprintf(context, key+": "+value) + "}}")
				if source == "execMapping" || source == "a2aMapping" {
					data = []byte("version: 2\ntools: {t: {" + fmt.Sprintf(context, key+": "+value) + "}}")
				}
				if isBeside {
					data = []byte("version: 2\ntools: {t: {script: echo}}\n" + fmt.Sprintf(context, key+": "+value))
				}
				if key == "script" {
					data = []byte("version: 2\ntools: {t: {script: " + value + "}}")
				}
				if strings.HasPrefix(context, "version:") {
					data = fmt.Appendf(nil, context, key+": "+value)
				}
				_, err := ReadTools(File{Name: "x", Data: data})
				matters := slices.ContainsFunc(yamldoc.List(err), func(e yamldoc.Error) bool {
					return e.Severity == yamldoc.SeverityError &&
						(e.Rule == yamldoc.RuleType || e.Rule == yamldoc.RuleUnknown)
				})
				switch verdict := validate(compiled, data); {
				case err == nil && verdict != nil:
					t.Errorf("the loader takes it, and the schema does not:\n%s\n%v", data, verdict)
				case matters && verdict == nil:
					t.Errorf("the schema takes it, and the loader does not:\n%s\n%v", data, err)
				case err == nil:
					taken++
				case matters:
					refused++
				}
			}
		}
	}
	if taken < 200/every || refused < 500/every {
		t.Errorf("%d were taken and %d refused", taken, refused)
	}
	for _, data := range []string{"version: 2\ntools: {}\nbogus: 1", "t: {script: echo, bogus: 1}"} {
		if validate(compiled, []byte(data)) == nil {
			t.Errorf("the schema takes %q", data)
		}
	}
}
