package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// Export returns tools as a file that can be given away: as their authors wrote them, with the sources that
// they send requests to, without comments, and with nothing secret in them. What was taken out is told, one
// line each. The error says which entry holds a credential that cannot be taken out.
func Export(set *Set, ids []string) (file []byte, told []string, err error) {
	x := &export{tools: &yaml.Node{Kind: yaml.MappingNode}, sources: &yaml.Node{Kind: yaml.MappingNode}, strict: true}
	for _, id := range ids {
		i := slices.IndexFunc(set.Tools, func(l Loaded) bool { return l.Tool.ID == id })
		if i < 0 {
			return nil, nil, fmt.Errorf("there is no tool %q", id)
		}
		if access := set.Tools[i].Tool.Access; access != nil {
			x.told = append(x.told, fmt.Sprintf("%s: who may call it (access, %s) is left out: whoever takes the file may", id,
				access.Source))
		}
		if row := set.Tools[i].Tool.Middleware; !row.IsZero() {
			x.told = append(x.told, fmt.Sprintf("%s: what its file adds to it (middleware, %s) is left out", id, row.Source))
		}
		if err := x.add(set, &set.Tools[i]); err != nil {
			return nil, nil, fmt.Errorf("%s: tool %q: %w", set.Tools[i].Tool.Source, id, err)
		}
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	if x.strict {
		root.Content = append(root.Content, scalar("version"), &yaml.Node{Kind: yaml.ScalarNode, Value: "2"})
	} else {
		for _, pattern := range x.whole {
			pattern.Value = "^(?:" + pattern.Value + ")$"
		}
		for _, entry := range x.here {
			startHere(entry)
		}
	}
	if x.lenient {
		root.Content = append(root.Content, scalar("template_safety"), scalar("warn"))
	}
	if len(x.sources.Content) > 0 {
		root.Content = append(root.Content, scalar("sources"), x.sources)
	}
	root.Content = append(root.Content, scalar("tools"), x.tools)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(root), encoder.Close()); err != nil {
		return nil, nil, err
	}
	if _, err := ReadTools(File{Name: "export", Data: out.Bytes()}); err != nil {
		return nil, nil, fmt.Errorf("what would be exported does not load: %w", err)
	}
	return out.Bytes(), x.told, nil
}

// export is a file that is being put together.
type export struct {
	tools   *yaml.Node
	sources *yaml.Node // that the tools send requests to
	strict  bool       // all files are of the strict format
	lenient bool       // one says template_safety: warn
	told    []string
	// patterns that are for the whole value, which in a file of the original format has to be said
	whole []*yaml.Node
	// entries that start where their caller works, which has to be said there, too
	here []*yaml.Node
}

// startHere has an entry say that it starts where its caller works, unless it says anything of that.
func startHere(entry *yaml.Node) {
	sandbox := member(entry, "sandbox")
	if sandbox == nil || sandbox.Kind != yaml.MappingNode {
		remove(entry, "sandbox")
		sandbox = &yaml.Node{Kind: yaml.MappingNode}
		entry.Content = append(entry.Content, scalar("sandbox"), sandbox)
	}
	if member(sandbox, "use_temp_isolation") == nil {
		sandbox.Content = append(sandbox.Content, scalar("use_temp_isolation"),
			&yaml.Node{Kind: yaml.ScalarNode, Value: "false"})
	}
}

// add takes an entry over from the file that it was read from.
func (x *export) add(set *Set, loaded *Loaded) error {
	source := loaded.Tool.Source
	i := slices.IndexFunc(set.Files, func(f File) bool {
		return f.Name == source.File && f.Layer == source.Layer
	})
	if i < 0 {
		return errors.New("its file is gone")
	}
	doc := yamldoc.Parse(set.Files[i].Name, set.Files[i].Data, yamldoc.Options{})
	root, ok := doc.Root("")
	if !ok {
		return errors.New("its file cannot be read any more")
	}
	tools := root
	if inner, ok := root.Get("tools"); ok {
		tools = inner
	}
	version, _ := root.Get("version")
	strict := version.Node != nil && version.Node.Value == "2"
	x.strict = x.strict && strict
	if safety, ok := root.Get("template_safety"); ok && safety.Node.Value == "warn" {
		x.lenient = true
	}
	at, ok := tools.Get(loaded.Tool.ID)
	if !ok {
		return errors.New("its file does not have it any more")
	}
	entry := plainCopy(at.Node)
	x.strip(loaded, entry)
	if strict {
		x.here = append(x.here, entry)
	}
	if parameters := member(entry, "parameters"); strict && parameters != nil {
		for _, p := range parameters.Content {
			for ; p != nil; p = member(p, "items") {
				if pattern := member(p, "pattern"); pattern != nil {
					x.whole = append(x.whole, pattern)
				}
			}
		}
	}
	word := credentialIn(entry)
	for _, script := range scripts(entry) {
		if word == "" {
			word = credentialNamedIn(script)
		}
	}
	if word != "" {
		return fmt.Errorf("%s looks like a credential; give it in environment_variables, as {secret: NAME}",
			word)
	}
	if h := loaded.Tool.HTTP; h != nil && h.API.Name != "" {
		if err := x.addSource(root, h.API.Name); err != nil {
			return err
		}
	}
	x.tools.Content = append(x.tools.Content, scalar(loaded.Tool.ID), entry)
	return nil
}

// addSource takes over the source of a tool, once. A request whose URL says it all has none in its file.
func (x *export) addSource(root yamldoc.Value, name string) error {
	sources, _ := root.Get("sources")
	at, ok := sources.Get(name)
	if !ok {
		return nil
	}
	source := plainCopy(at.Node)
	if had := member(x.sources, name); had != nil {
		if !sameNode(had, source) {
			return fmt.Errorf("its source %s is not the source %s of another file: export them one after the other", name, name)
		}
		return nil
	}
	if word := credentialIn(source); word != "" {
		return fmt.Errorf("%s in its source %s looks like a credential; give it as {secret: NAME}", word, name)
	}
	x.sources.Content = append(x.sources.Content, scalar(name), source)
	return nil
}

// sameNode reports whether two plain nodes say the same, in the same order.
func sameNode(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, sameNode)
}

// plainCopy returns a node without comments, anchors and aliases.
func plainCopy(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	c := &yaml.Node{Kind: node.Kind, Style: node.Style, Tag: node.Tag, Value: node.Value}
	if node.Kind == yaml.MappingNode || node.Kind == yaml.SequenceNode {
		c.Tag = ""
	}
	for _, child := range node.Content {
		c.Content = append(c.Content, plainCopy(child))
	}
	return c
}

// strip takes out what is secret: literal variables that are or look like credentials, and defaults and
// examples that give a secret parameter.
func (x *export) strip(loaded *Loaded, entry *yaml.Node) {
	id, secret := loaded.Tool.ID, loaded.Tool.SecretParameters()
	if variables := member(member(entry, "sandbox"), "environment_variables"); variables != nil {
		for i := 0; i+1 < len(variables.Content); i += 2 {
			name, value := variables.Content[i].Value, variables.Content[i+1]
			if value.Kind != yaml.ScalarNode || !credentialNames.MatchString(name) &&
				credential(name, value.Value) == "" {
				continue
			}
			variables.Content[i+1] = &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle,
				Content: []*yaml.Node{scalar("secret"), scalar(name)}}
			x.told = append(x.told, fmt.Sprintf("%s: the variable %s is {secret: %s} now, without its value",
				id, name, name))
		}
	}
	if parameters := member(entry, "parameters"); parameters != nil {
		for _, p := range parameters.Content {
			if name := member(p, "name"); name != nil && secret[name.Value] && remove(p, "default") {
				x.told = append(x.told, fmt.Sprintf("%s: the default of the secret parameter %s is left out",
					id, name.Value))
			}
		}
	}
	if examples := member(entry, "examples"); examples != nil {
		examples.Content = slices.DeleteFunc(examples.Content, func(example *yaml.Node) bool {
			for name := range secret {
				if member(member(example, "params"), name) != nil {
					x.told = append(x.told,
						fmt.Sprintf("%s: an example that gives the secret parameter %s is left out", id,
							name))
					return true
				}
			}
			return false
		})
	}
}

// credentialIn finds a word of an entry that has the shape of a well-known key; what is told of it is where
// it begins.
func credentialIn(node *yaml.Node) string {
	if node.Kind == yaml.ScalarNode {
		if strings.Contains(node.Value, "-----BEGIN ") && strings.Contains(node.Value, "PRIVATE KEY") {
			return "a private key"
		}
		for _, word := range credentialWord().FindAllString(node.Value, -1) {
			if len(word) >= yamldoc.LongLiteral && credentialShapes.MatchString(word) {
				return fmt.Sprintf("%q", word[:4]+"…")
			}
		}
		if found := credentialInText().FindString(node.Value); found != "" {
			return fmt.Sprintf("%q", found[:4]+"…")
		}
	}
	for _, child := range node.Content {
		if found := credentialIn(child); found != "" {
			return found
		}
	}
	return ""
}

// credentialWord is what a key can consist of.
var credentialWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9_.-]+`) })

// member returns the value of a key; nil when there is none, or nothing to look in.
func member(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

func remove(node *yaml.Node, key string) bool {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			node.Content = slices.Delete(node.Content, i, i+2)
			return true
		}
	}
	return false
}

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// PlainJSON returns a YAML text as JSON has it: keys that are numbers, such as exit codes, are texts, and so
// are days.
func PlainJSON(text []byte) (any, error) {
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		return nil, err
	}
	return plainJSON(plain), nil
}

func plainJSON(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = plainJSON(member)
		}
	case map[any]any:
		object := map[string]any{}
		for key, member := range v {
			object[fmt.Sprint(key)] = plainJSON(member)
		}
		return object
	case []any:
		for i, item := range v {
			v[i] = plainJSON(item)
		}
	case time.Time:
		return v.Format(time.DateOnly)
	}
	return value
}
