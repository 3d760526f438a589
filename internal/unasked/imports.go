package unasked

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// opencode is one program with its libraries in it, and what these import that is not there its runtime (Bun) looks for in
// the directory that it is started in and those above: in node_modules, in the package that lies there, and where
// tsconfig.json says. Measured with 1.18.33: as soon as it starts it imports esprima, which is not there, and by their
// absolute names the plugins, ours among them.

// opencodeImports are the packages that are not in it.
var opencodeImports = strings.Fields("esprima node-fetch @aws-sdk/signature-v4-crt")

// opencodeImported is the one of them that it imports whatever it does.
const opencodeImported = "esprima"

// esprimaPublished are the SHA-256 of what npm has as package.json and main file of esprima 4.0.1, 4.0.0 and 2.7.3
// (https://registry.npmjs.org/esprima), which lie in many a node_modules.
var esprimaPublished = strings.Fields(`
	860df2e62153db26b370badf352d95edbf18e1eb54bdc2a479429b97155205b2
	6c36c0e60387f5398f98f68ac76ae832688b32fa9162eae4cc9b6b2cad5f554e

	61ec38bf1f9fc49106fa50ea421b0e4f025cc930602a2355fca6266f49a6d37d
	dab9700f91429f4c5beb07d9504ded02c545e2f0372e801ef969ce9bca381286

	1fa1f22cfc4780233a6c748cba15867bb5abd72c1c0cbd14eb98fe280b7ec6f7
	019b7147e2978038b6865e1dd313de4cde019471fe1b3a90fbb25578a32a1bf9`)

func opencodeImportsFrom(dir string) (found []Finding) {
	told := func(what string, files ...string) {
		found = append(found, Finding{Dir: dir, Files: files, What: what})
	}
	for _, at := range resolved(dir, "node_modules", opencodeImported) {
		if files, all := filesIn(dir, at); !publishedEsprima(dir, at) {
			if !all {
				files = nil
			}
			told(filepath.Join(dir, at)+" is code that opencode loads", files...)
		}
	}
	const own = "package.json"
	about, _ := text(dir, own)
	if names, plain := membersOf(about); slices.ContainsFunc(opencodeImports, func(name string) bool {
		return slices.Contains(names["name"], name) || !plain && bytes.Contains(about, []byte(name))
	}) {
		told(filepath.Join(dir, own)+" has its code loaded by opencode", own)
	}
	for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
		if why, files := importsLed(dir, name); why != "" {
			told(filepath.Join(dir, name)+" "+why, files...)
		}
	}
	return found
}

// resolved lists what in a directory may be meant by the name of a package: that, or a file of one of many endings.
func resolved(dir, in, name string) (names []string) {
	if ofAProcess(filepath.Join(dir, in)) {
		return []string{in}
	}
	entries, _ := os.ReadDir(filepath.Join(dir, in, filepath.Dir(name)))
	for _, entry := range entries {
		base, is := filepath.Base(name), strings.ToLower(entry.Name())
		if is == base || strings.HasPrefix(is, base+".") {
			names = append(names, filepath.Join(in, filepath.Dir(name), entry.Name()))
		}
	}
	return names
}

// publishedEsprima reports whether a directory has esprima in it, as npm has it.
func publishedEsprima(dir, at string) bool {
	var about struct {
		Main string `json:"main"`
	}
	data, _ := text(dir, filepath.Join(at, "package.json"))
	if json.Unmarshal(data, &about) != nil || about.Main == "" {
		return false
	}
	main, _ := text(dir, filepath.Join(at, about.Main))
	of := slices.Index(esprimaPublished, sum(data))
	return of >= 0 && of%2 == 0 && esprimaPublished[of+1] == sum(main)
}

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}

// mostExtends bounds the files that a tsconfig.json goes by.
const mostExtends = 20

// importsLed says why settings of TypeScript's lead what opencode imports to files of the repository's, and in which files
// that stands; "" where they do not.
func importsLed(dir, name string) (why string, files []string) {
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		if slices.Contains(files, queue[0]) {
			continue
		}
		if len(files) == mostExtends {
			return "extends more files than are looked at", nil
		}
		data, cannot := text(dir, queue[0])
		if data == nil && cannot == "" {
			continue
		}
		files = append(files, queue[0])
		said, plain := membersOf(data)
		if cannot != "" || !plain {
			return "has settings that cannot be told", files
		}
		for _, pattern := range said["paths"] {
			if mayMean(pattern) {
				return "leads what opencode loads to files of the repository", files
			}
		}
		in := filepath.Dir(queue[0])
		for _, base := range said["baseUrl"] {
			for _, imported := range opencodeImports {
				if len(resolved("", joined(filepath.Join(dir, in), base), imported)) > 0 {
					return "leads what opencode loads to files of the repository", files
				}
			}
		}
		for _, other := range said["extends"] {
			ofPackage := filepath.Join("node_modules", other)
			for _, other := range []string{other, other + ".json", ofPackage, ofPackage + ".json",
				filepath.Join(ofPackage, "tsconfig.json")} {
				if at, err := filepath.Rel(dir, joined(filepath.Join(dir, in), other)); err == nil {
					queue = append(queue, at)
				}
			}
		}
	}
	return "", files
}

// membersOf reads JSON in which there may be comments, all of its depths as one; false where it cannot be read.
func membersOf(data []byte) (said map[string][]string, plain bool) {
	data = plainJSON(bytes.TrimPrefix(data, []byte("\ufeff")))
	if !json.Valid(data) {
		return nil, false
	}
	said = map[string][]string{}
	saidOf(json.NewDecoder(bytes.NewReader(data)), "", said)
	return said, true
}

// saidOf collects what is said in JSON that is valid: the names of what stands in paths, and the texts of other members. A
// name that stands there twice is read twice, since readers differ in which of these counts.
func saidOf(dec *json.Decoder, name string, said map[string][]string) {
	t, err := dec.Token()
	if err != nil {
		return
	}
	switch t := t.(type) {
	case string:
		said[name] = append(said[name], t)
	case json.Delim:
		for dec.More() {
			inner := name
			if t == '{' {
				key, _ := dec.Token()
				inner, _ = key.(string)
				if name == "paths" {
					said[name] = append(said[name], inner)
				}
			}
			saidOf(dec, inner, said)
		}
		_, _ = dec.Token() // its end
	}
}

// mayMean reports whether a pattern of paths means something that opencode imports.
func mayMean(pattern string) bool {
	begins, ends, open := strings.Cut(pattern, "*")
	return strings.HasPrefix(pattern, "*") || strings.HasPrefix(pattern, "/") ||
		slices.ContainsFunc(opencodeImports, func(name string) bool {
			return name == pattern || open && strings.HasPrefix(name, begins) && strings.HasSuffix(name, ends)
		})
}
