package editor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Client is a program that starts or calls MCP servers by what a file of it says.
type Client struct {
	Name  string // what `a2a-acp editor enable NAME` calls it
	Title string
	// file is where it looks in a person's home, and project below a project's directory; "" for nowhere.
	file    func(Dirs) string
	project string
	section string // the member that lists its servers; of codex the table
	toml    bool
	// stdio and url write an entry; a nil url is a client that starts programs only.
	stdio func(Server) any
	url   func(Server) any
	own   owner
}

// owner is the program whose entry is ours: it has the name of the program's file.
type owner struct{ name, verb string }

// Of returns the client with entries of another program, which is an MCP server when it is started with the verb.
// It is an error for the program's name to be none that every client takes.
func (c Client) Of(program, verb string) (Client, error) {
	if program == "" || strings.Trim(program, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return c, fmt.Errorf("the program is called %q; an entry can have letters, digits, - and _ in its name", program)
	}
	c.own = owner{program, verb}
	return c, nil
}

// ServerName is the name of our server in the settings of clients.
const ServerName = "a2a-acp"

// Server is our MCP server, as it is entered.
type Server struct {
	Command string   // absolute
	Args    []string // of it: mcp, and more
	Env     map[string]string
	URL     string // in place of all that
	Token   string // the variable that has the token for the URL; "" for none
}

// IsPlainSecret reports whether a variable of a server would stand in the settings for everybody to read: its name is that
// of a secret, and its value no reference that the client fills in.
func IsPlainSecret(name, value string) bool {
	if strings.Contains(value, "{") || strings.HasPrefix(value, "$") {
		return false
	}
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "CREDENTIAL"},
		func(part string) bool { return strings.Contains(name, part) })
}

// File returns the file of a client: a person's own, or that of a project.
func (c Client) File(p Dirs, project string) (string, error) {
	if project == "" {
		return c.file(p), nil
	}
	if c.project == "" {
		return "", fmt.Errorf("%s has no settings of a project", c.Title)
	}
	return filepath.Join(project, filepath.FromSlash(c.project)), nil
}

// OfProjects reports whether the client reads settings of a project.
func (c Client) OfProjects() bool { return c.project != "" }

// Listed is a server in a client's settings.
type Listed struct {
	Name    string `json:"name"`
	Command string `json:"command"` // or the URL
	Ours    bool   `json:"ours"`
}

// written is what of any client's entry says whose it is.
type written struct {
	Command   any    `json:"command" toml:"command"` // a text, of opencode a list
	Args      []any  `json:"args" toml:"args"`
	URL       string `json:"url" toml:"url"`
	HTTPURL   string `json:"httpUrl" toml:"httpUrl"`
	ServerURL string `json:"serverUrl" toml:"serverUrl"`
}

// listed returns an entry by what it says. Ours is one that starts our program as an MCP server, or one of our
// name that has nothing but an URL.
func (w written) listed(name string, own owner) Listed {
	words := []string{}
	switch command := w.Command.(type) {
	case string:
		words = append(words, command)
	case []any:
		for _, word := range command {
			words = append(words, fmt.Sprint(word))
		}
	}
	for _, word := range w.Args {
		words = append(words, fmt.Sprint(word))
	}
	if len(words) > 0 {
		return Listed{name, words[0], len(words) > 1 && filepath.Base(words[0]) == own.name && words[1] == own.verb}
	}
	url := w.URL + w.HTTPURL + w.ServerURL
	return Listed{name, url, name == own.name && strings.HasSuffix(url, "/mcp")}
}

// Servers lists the servers in a client's file; none where there is no file.
func (c Client) Servers(path string) ([]Listed, error) {
	_, data, err := read(path)
	if err != nil {
		return nil, err
	}
	list, err := c.servers(data)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return list, nil
}

func (c Client) servers(data []byte) ([]Listed, error) {
	if c.toml {
		return tomlServers(data, c.section, c.own)
	}
	s, err := parse(data)
	if err != nil {
		return nil, err
	}
	list, err := s.section(c.section)
	if list == nil || err != nil {
		return nil, err
	}
	var found []Listed
	for _, m := range list.Members {
		name := m.Name.Value.(hujson.Literal).String()
		if _, err := member(list, name); err != nil {
			return nil, err
		}
		plain := m.Value.Clone()
		plain.Standardize()
		var entry written
		_ = json.Unmarshal(plain.Pack(), &entry) // else it is another kind of entry, and none of ours
		found = append(found, entry.listed(name, c.own))
	}
	return found, nil
}

// Enable returns the change that enters our server in a client's file. One of ours that is there already is
// replaced; it is an error for somebody else's to have our name.
func (c Client) Enable(path string, server Server) (Change, error) {
	change, err := begin(path)
	if err != nil {
		return change, err
	}
	there, err := c.servers(change.Before)
	if err == nil {
		change.After, err = c.entered(change.Before, server)
	}
	if err != nil {
		return change, unreadable(path, err)
	}
	change.keeps = change.Before != nil && !hasOurs(there)
	if _, err := os.Lstat(change.backup); err == nil {
		change.keeps = false // it is of what was there before anything of ours
	}
	return change, nil
}

func hasOurs(list []Listed) bool {
	for _, l := range list {
		if l.Ours {
			return true
		}
	}
	return false
}

// entered returns a client's settings with our server.
func (c Client) entered(data []byte, server Server) ([]byte, error) {
	there, err := c.servers(data)
	if err != nil {
		return nil, err
	}
	for _, l := range there {
		if l.Name == c.own.name && !l.Ours {
			return nil, fmt.Errorf("%s %q is there, and is not ours: rename it", c.section, c.own.name)
		}
	}
	write := c.stdio
	if server.URL != "" {
		if write = c.url; write == nil {
			return nil, fmt.Errorf("%s starts programs only, and takes no URL", c.Title)
		}
	}
	if program := filepath.Base(server.Command); server.URL == "" && program != c.own.name {
		return nil, fmt.Errorf("this program's file is called %q, and its entry would not be found again: call it %s",
			program, c.own.name)
	}
	if c.toml {
		return tomlEntered(data, c.section, c.own, server)
	}
	s, err := parse(data)
	if err != nil {
		return nil, err
	}
	if err := s.set(c.section, c.own.name, write(server)); err != nil {
		return nil, err
	}
	return s.bytes(), nil
}

// Disable returns the change that takes our server out of a client's file. Where the file is what Enable has made
// of the backup, it becomes that again, byte for byte.
func (c Client) Disable(path string) (Change, error) {
	change, err := begin(path)
	if err != nil || change.Before == nil {
		return change, err
	}
	return change, c.takeOut(path, &change)
}

// takeOut takes our server out of what a file becomes.
func (c Client) takeOut(path string, change *Change) error {
	there, err := c.servers(change.After)
	if err != nil {
		return unreadable(path, err)
	}
	if !hasOurs(there) {
		return nil
	}
	if c.toml {
		change.After, err = tomlRemoved(change.After, c.section, c.own, there)
	} else {
		change.After, err = c.removed(change.After, there)
	}
	if err != nil {
		return unreadable(path, err)
	}
	return c.restore(change)
}

// removed takes the entries of ours out of JSON.
func (c Client) removed(data []byte, there []Listed) ([]byte, error) {
	s, err := parse(data)
	if err != nil {
		return nil, err
	}
	list, err := s.section(c.section)
	if list == nil || err != nil {
		return nil, err
	}
	for i := len(there) - 1; i >= 0; i-- {
		if there[i].Ours {
			remove(list, i)
		}
	}
	return s.bytes(), nil
}

// restore has a file become what it was before us, where nobody else has changed it since: what the backup with
// our entry would be is what the file was.
func (c Client) restore(change *Change) error {
	_, before, err := read(change.backup)
	if err != nil {
		return err
	}
	server, err := c.ours(change.Before)
	if err != nil || server == nil {
		return err
	}
	made, err := c.withRaw(before, server)
	if err == nil && bytes.Equal(made, change.Before) {
		change.After, change.restores = before, before != nil
	}
	return nil
}

// ours returns our entry as it stands in settings; nil for none.
func (c Client) ours(data []byte) ([]byte, error) {
	if c.toml {
		return tomlOurs(data, c.section, c.own), nil
	}
	s, err := parse(data)
	if err != nil {
		return nil, err
	}
	list, err := s.section(c.section)
	if list == nil || err != nil {
		return nil, err
	}
	m, err := member(list, c.own.name)
	if m == nil || err != nil {
		return nil, err
	}
	value := m.Value.Clone()
	value.BeforeExtra, value.AfterExtra = nil, nil
	return value.Pack(), nil
}

// withRaw returns settings with our entry as it stood.
func (c Client) withRaw(data, entry []byte) ([]byte, error) {
	if c.toml {
		return tomlAppended(data, entry), nil
	}
	s, err := parse(data)
	if err != nil {
		return nil, err
	}
	if err := s.setRaw(c.section, c.own.name, hujson.Literal(entry)); err != nil {
		return nil, err
	}
	return s.bytes(), nil
}

// section returns the object of a name; nil where there is none. Two are an error: one reader takes the first,
// another the last.
func (s *settings) section(name string) (*hujson.Object, error) {
	at, err := member(s.root.Value.(*hujson.Object), name)
	if at == nil || err != nil {
		return nil, err
	}
	list, ok := at.Value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s is no object", name)
	}
	return list, nil
}

// set puts a value under a name of a section.
func (s *settings) set(section, name string, value any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(strings.Repeat(s.indent, 2), s.indent)
	if err := enc.Encode(value); err != nil {
		return err
	}
	text := strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", s.newline)
	return s.setRaw(section, name, hujson.Literal(text))
}

func (s *settings) setRaw(section, name string, value hujson.Literal) error {
	list, err := s.section(section)
	if err != nil {
		return err
	}
	if list == nil {
		list = &hujson.Object{}
		s.add(s.root.Value.(*hujson.Object), 0, section, list)
	}
	old, err := member(list, name)
	switch {
	case err != nil:
		return err
	case old == nil:
		s.add(list, 1, name, value)
	default:
		old.Value.Value = value
	}
	return nil
}

// DisableAll returns the change that takes everything of ours out of the settings of an editor that has both:
// agents, and our server.
func DisableAll(e Editor, c Client, p Dirs) (Change, error) {
	change, err := e.Disable(p)
	if err != nil || change.Before == nil || change.restores || change.After == nil {
		return change, err
	}
	path, err := c.File(p, "")
	if err != nil {
		return change, err
	}
	before := change.After
	if err := c.takeOut(path, &change); err != nil {
		return change, err
	}
	if change.restores || change.After == nil || bytes.Equal(before, change.After) {
		return change, nil
	}
	_, kept, err := read(change.backup)
	if err == nil && kept != nil && bytes.Equal(kept, change.After) {
		change.restores = true
	}
	return change, err
}
