package cliimport

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mostFlags is how many flags of a command are looked at.
const mostFlags = 600

// flag is a flag of a command, with what has been found out about it.
type flag struct {
	name      string
	spelled   string // as it is written where that is not --name
	about     string // by its completion
	help      helpFlag
	inHelp    bool
	inherited bool
	required  bool
	kind      pflagkind.Kind
	own       *ownFlag // what the program says of it by itself; nil where it does not
	doubt     string   // what a person should look at; "" where all that says something of it agrees
	left      string   // why no parameter is made of it
}

// prober finds out the flags of commands. Flags of several commands that are told alike are tried once.
type prober struct {
	a     Asker
	wants func(c *command, f *flag) string // why a flag is left out; "" where it is wanted

	mu    sync.Mutex
	known map[string]*tried
}

// tried is what was found out about a flag that other commands may have, too.
type tried struct {
	once sync.Once
	done atomic.Bool
	kind pflagkind.Kind
	said string
	err  error
}

// flagName is what a flag can be called.
var flagName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.:@+-]{0,62}$`)

// find finds the flags of a command. above are the flags that the commands above it offer.
func (p *prober) find(ctx context.Context, c *command, above map[string]string) error {
	offered, err := complete(ctx, p.a, append(slices.Clone(c.path), "--")...)
	if err != nil || !offered.ok {
		return notAnswered(offered, err)
	}
	c.flags = c.flagsOf(offered, above)
	unread := false
	if !offered.has("--help") {
		if unread, err = p.unread(ctx, c); err != nil {
			return err
		}
	}
	if !offered.has("--help") && !unread { // all that it offers may be what it requires
		with := slices.Clone(c.path)
		for _, f := range c.flags {
			if err := p.try(ctx, c, f, nil); err != nil {
				return err
			}
			with = append(with, "--"+f.name+"="+sample(f.kind))
		}
		more, err := complete(ctx, p.a, append(with, "--")...)
		if err != nil {
			return err
		}
		if others := c.flagsOf(more, above); more.ok && slices.ContainsFunc(others, func(f *flag) bool { return !c.has(f.name) }) {
			if err := p.require(ctx, c); err != nil {
				return err
			}
			for _, f := range others {
				if !c.has(f.name) {
					c.flags = append(c.flags, f)
				}
			}
		}
	}
	c.useOwn()
	var wanted []*flag
	for _, f := range c.flags {
		if f.left = p.wants(c, f); f.left == "" || f.required {
			wanted = append(wanted, f)
		}
	}
	if c.unread = unread; unread {
		for _, f := range wanted {
			f.byHelp()
		}
		return nil
	}
	if err := p.batch(ctx, c, wanted); err != nil {
		return err
	}
	for _, f := range wanted {
		if err := p.try(ctx, c, f, c.required()); err != nil {
			return err
		}
		f.compareOwn()
	}
	return nil
}

// noFlag is a flag that no command has.
const noFlag = "--no-such-flag-of-import"

// unread reports whether a command hands its flags on unread (Cobra's DisableFlagParsing): it says nothing of one that
// it does not have. What it says of the others tells nothing then, here or of flags elsewhere that are told alike.
func (p *prober) unread(ctx context.Context, c *command) (bool, error) {
	o, err := complete(ctx, p.a, append(slices.Clone(c.path), noFlag, "--")...)
	return o.ok && !strings.Contains(o.said, noFlag), err
}

// require marks the flags that a command requires, where those that it offers are all that it lets come first. One of
// several may be enough (Cobra's MarkFlagsOneRequired): a flag without which the others are offered, too, is not required.
func (p *prober) require(ctx context.Context, c *command) error {
	for _, f := range c.flags {
		f.required = true
	}
	if len(c.flags) < 2 {
		return nil
	}
	var spare []*flag
	for _, without := range c.flags {
		words := slices.Clone(c.path)
		for _, f := range c.flags {
			if f != without {
				words = append(words, "--"+f.name+"="+sample(f.kind))
			}
		}
		o, err := complete(ctx, p.a, append(words, "--")...)
		if err != nil {
			return err
		}
		if o.ok && slices.ContainsFunc(c.flagsOf(o, nil), func(f *flag) bool { return !c.has(f.name) }) {
			spare = append(spare, without)
		}
	}
	for _, f := range spare {
		f.required = false
	}
	return nil
}

func notAnswered(o offers, err error) error {
	if err == nil {
		err = fmt.Errorf("%s", o.why)
	}
	return err
}

func (c *command) has(name string) bool {
	return slices.ContainsFunc(c.flags, func(f *flag) bool { return f.name == name })
}

// required are the words that the command's required flags are given with.
func (c *command) required() (words []string) {
	for _, f := range c.flags {
		if f.required {
			words = append(words, "--"+f.name+"="+sample(f.kind))
		}
	}
	return words
}

// flagsOf makes flags of what is offered.
func (c *command) flagsOf(o offers, above map[string]string) []*flag {
	var flags []*flag
	for _, one := range o.list {
		name, isLong := strings.CutPrefix(one.word, "--")
		name = strings.TrimSuffix(name, "=")
		cobras := name == "help" || name == "version" && len(c.path) == 0
		if !isLong || cobras || !flagName.MatchString(name) || len(flags) >= mostFlags ||
			slices.ContainsFunc(flags, func(f *flag) bool { return f.name == name }) {
			continue
		}
		f := &flag{name: name, about: one.about}
		f.help, f.inHelp = c.help.flags[name]
		// Where the help has no place for those of the commands above, it leaves them out.
		same, isAbove := above[name]
		f.inherited = f.help.inherited || isAbove && same == one.about && !f.inHelp
		flags = append(flags, f)
	}
	return flags
}

// try finds out what a flag takes, unless one that is told alike has been tried.
func (p *prober) try(ctx context.Context, c *command, f *flag, required []string) error {
	if f.kind.Of != "" {
		return nil
	}
	t := p.entry(f)
	t.once.Do(func() {
		l := look{p.a, c.path, required, f.name}
		t.kind, t.said, t.err = l.kind(ctx, f)
		t.done.Store(true)
	})
	f.kind, f.doubt = t.kind, t.said
	return t.err
}

// byHelp takes over what the help says of a flag that nothing else tells of.
func (f *flag) byHelp() {
	said, ok := pflagkind.InHelp(f.help.word)
	if f.kind = said; !ok || !f.help.isPflag || f.help.untyped {
		f.kind = pflagkind.Kind{Of: tool.TypeString}
	}
	f.doubt = "its command reads its flags by itself, so the help alone says what it takes"
}

// look finds out about one flag by its parser.
type look struct {
	a        Asker
	path     []string
	required []string
	name     string
}

// parse has the program parse values of the flag. No command runs, and nothing that completes a value: what is asked
// for is the names of flags that may follow.
func (l look) parse(ctx context.Context, values ...string) (o offers, reason string, err error) {
	words := slices.Clone(l.path)
	for _, word := range l.required {
		if !strings.HasPrefix(word, "--"+l.name+"=") {
			words = append(words, word)
		}
	}
	for _, value := range values {
		words = append(words, "--"+l.name+"="+value)
	}
	if o, err = complete(ctx, l.a, append(words, "--")...); err != nil {
		return o, "", err
	}
	// Some end in place of an answer, and say what is wrong nevertheless.
	if m := invalid.FindStringSubmatch(o.said); m != nil && slices.Contains(strings.FieldsFunc(m[1], isSeparator), "--"+l.name) {
		reason = m[2]
	} else if strings.Contains(o.said, "invalid argument") && strings.Contains(o.said, l.name) {
		reason = o.said
	}
	return o, reason, nil
}

// invalid is how pflag says what a parser does not take.
var invalid = lazyregexp.New(`(?s)invalid argument ".*?" for "([^"]*)" flag: (.*)`)

func isSeparator(r rune) bool { return r == ',' || r == ' ' }

// kind finds out what the flag takes; doubt says what does not agree.
func (l look) kind(ctx context.Context, f *flag) (k pflagkind.Kind, doubt string, err error) {
	o, reason, err := l.parse(ctx, noValue)
	if err != nil {
		return k, "", err
	}
	known := true
	switch {
	case !o.ok && reason == "":
		k, known, doubt = pflagkind.Kind{Of: tool.TypeString}, false, "its parser could not be asked: "+o.why
	case reason == "":
		k = pflagkind.Kind{Of: tool.TypeString}
	case isPlain(reason):
		if k, known, err = l.plainKind(ctx); err != nil {
			return k, "", err
		}
	default:
		if k, known = kindOf(reason); !known && len(k.Enum) == 0 {
			k.Enum = named(f.about) // what refuses a value takes some only
		}
	}
	if !known && doubt == "" && len(k.Enum) == 0 && f.help.hasValue {
		// the default is a value that it takes
		if _, wrong, err := l.parse(ctx, unquoted(f.help.value)); err != nil || wrong != "" {
			return k, "", err
		}
	}
	if k.List, err = l.repeats(ctx, k, known, f); err != nil {
		return k, "", err
	}
	if known {
		if err := l.form(ctx, &k, f); err != nil {
			return k, "", err
		}
	}
	if doubt == "" {
		doubt = f.disagrees(k, known)
	}
	if len(k.Enum) == 0 && known && k.Of == tool.TypeString && k.Format == "" {
		k.Enum, err = l.enum(ctx, f)
	}
	return k, doubt, err
}

// plainReason is all that the standard library's flag package says of a value that it does not take.
const plainReason = "parse error"

func isPlain(reason string) bool {
	line, _, _ := strings.Cut(reason, "\n")
	return strings.TrimSpace(line) == plainReason
}

// plainKind finds out what a flag of that package takes, by values of which some types take some.
func (l look) plainKind(ctx context.Context) (k pflagkind.Kind, known bool, err error) {
	takes := map[string]bool{}
	for _, value := range []string{"true", "-2", "2", "2.5", "2s"} {
		o, reason, err := l.parse(ctx, value)
		if err != nil {
			return k, false, err
		}
		takes[value] = o.ok && reason == ""
	}
	switch {
	case takes["2.5"]:
		return pflagkind.Kind{Of: tool.TypeNumber}, true, nil
	case takes["2"] && !takes["true"]:
		return pflagkind.Kind{Of: tool.TypeInteger, From0: !takes["-2"]}, true, nil
	case takes["2s"]:
		return pflagkind.Kind{Of: tool.TypeString, Format: tool.FormatDuration}, true, nil
	case takes["true"] && !takes["2"]:
		return pflagkind.Kind{Of: tool.TypeBoolean}, true, nil
	}
	return pflagkind.Kind{Of: tool.TypeString}, false, nil
}

// repeats reports whether the flag is offered again once it has been given.
func (l look) repeats(ctx context.Context, k pflagkind.Kind, known bool, f *flag) (bool, error) {
	if k.Of == tool.TypeObject || !known && len(k.Enum) == 0 {
		return false, nil
	}
	o, reason, err := l.parse(ctx, sample(k))
	if err != nil || !o.ok || reason != "" {
		return false, err
	}
	said, _ := pflagkind.InHelp(f.help.word)
	return o.has("--"+l.name) || f.help.isPflag && said.List && said.Of == k.Of, nil
}

// form finds out how the program splits a value.
func (l look) form(ctx context.Context, k *pflagkind.Kind, f *flag) error {
	switch {
	case k.Of == tool.TypeObject:
		_, reason, err := l.parse(ctx, `a=b,c="`)
		if k.Form = tool.FormPlain; strings.Contains(reason, "parse error on line") {
			k.Form = tool.FormCSV
		}
		return err
	case k.List && k.Of == tool.TypeString && k.Format == "":
		_, reason, err := l.parse(ctx, `"`)
		switch {
		case strings.Contains(reason, "parse error on line"):
			k.Form = tool.FormCSV
		case !f.help.isPflag || f.help.word != "stringArray":
			k.Form = tool.FormPlain // it may split at commas, which nothing tells
		}
		return err
	}
	return nil
}

// enum asks for the values that the flag is completed with. They are all there are only where the program offers no
// files beside them, and none is the beginning of a longer one.
func (l look) enum(ctx context.Context, f *flag) ([]string, error) {
	o, err := complete(ctx, l.a, append(slices.Clone(l.path), "--"+l.name, "")...)
	if err != nil || !o.ok {
		return nil, err
	}
	alone := o.directive&directiveNoFile != 0 && o.directive&(directiveError|directiveNoSpace) == 0
	if !alone || len(o.list) < 2 || len(o.list) > mostValues {
		return nil, nil
	}
	var values []string
	for _, one := range o.list {
		open := strings.HasSuffix(one.word, "=") || strings.Contains(f.about+f.help.about, one.word+"=") ||
			strings.HasPrefix(one.word, "-")
		if open || !isValue(one.word) {
			return nil, nil
		}
		values = append(values, one.word)
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// mostValues is how many values of a flag are listed.
const mostValues = 50

// isValue reports whether a value of a flag can stand in a list of them.
func isValue(s string) bool {
	const longest = 64
	return s != "" && s == toolyaml.Clean(s) && len(s) <= longest
}

// disagrees says what the help says otherwise; "" where it does not.
func (f *flag) disagrees(k pflagkind.Kind, known bool) string {
	said, isType := pflagkind.InHelp(f.help.word)
	switch {
	case !f.inHelp && !f.inherited:
		return "the help does not name it"
	case !f.inHelp:
		return ""
	case !known && len(k.Enum) == 0 && (!isType || f.help.word == ""):
		return fmt.Sprintf("its values have a form that nobody here knows (%s)", toolyaml.Clean(f.help.word))
	case !f.help.isPflag || f.help.untyped || !isType:
		return ""
	case f.help.word == "" && k.Of == tool.TypeBoolean, said.Of == k.Of && said.Format == k.Format && said.List == k.List:
		return ""
	case f.help.word == "string" && len(k.Enum) > 0:
		return ""
	}
	return fmt.Sprintf("the help says %s, and its parser takes a %s", inWords(said), inWords(k))
}

func unquoted(s string) string { return strings.Trim(s, `"'`) }
