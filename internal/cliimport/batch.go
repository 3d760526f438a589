package cliimport

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// fewest is how many flags are worth a batch.
const fewest = 3

// batch finds out what several flags of a command take by a few questions in place of two or three for each. What
// does not come out as the help says is left to be tried alone.
func (p *prober) batch(ctx context.Context, c *command, flags []*flag) error {
	flags = slices.DeleteFunc(slices.Clone(flags), func(f *flag) bool { return f.kind.Of != "" || p.knows(f) })
	var truths, texts []*flag
	for _, f := range flags {
		switch k, isType := pflagkind.InHelp(f.help.word); {
		case !f.inHelp || !f.help.isPflag || f.help.bare != "":
		case isType && k.Of == tool.TypeBoolean && !k.List:
			truths = append(truths, f)
		case !isType, k.Of == tool.TypeString && k.Format == "":
			texts = append(texts, f)
		}
	}
	if len(truths) >= fewest {
		if err := p.truths(ctx, c, truths); err != nil {
			return err
		}
	}
	if len(texts) >= fewest {
		return p.texts(ctx, c, texts)
	}
	return nil
}

// truths confirms flags that are true or false by the help. Given without values none takes the word behind it: that
// flag is not offered any more. Given false none but the last complains, which is given what no type takes.
func (p *prober) truths(ctx context.Context, c *command, flags []*flag) error {
	alone, said := []string{}, []string{}
	for i, f := range flags {
		alone = append(alone, "--"+f.name)
		if value := "=false"; i < len(flags)-1 {
			said = append(said, "--"+f.name+value)
		}
	}
	o, err := complete(ctx, p.a, slices.Concat(c.path, c.required(), alone, []string{"--"})...)
	if err != nil || !o.ok || strings.Contains(o.said, "invalid argument") || len(o.list) == 0 ||
		slices.ContainsFunc(alone, o.has) {
		return err
	}
	last := flags[len(flags)-1]
	_, reason, err := look{p.a, c.path, slices.Concat(c.required(), said), last.name}.parse(ctx, noValue)
	if k, known := kindOf(reason); err != nil || reason == "" || !known || k.Of != tool.TypeBoolean {
		return err
	}
	for _, f := range flags {
		p.keep(f, pflagkind.Kind{Of: tool.TypeBoolean}, "")
	}
	return nil
}

// texts confirms flags that take a text by the help: they take what no other type does. Those that are lists are
// offered again, and are looked at alone.
func (p *prober) texts(ctx context.Context, c *command, flags []*flag) error {
	const most = 6
	for range most {
		var given []string
		for _, f := range flags {
			given = append(given, "--"+f.name+"="+noValue)
		}
		o, err := complete(ctx, p.a, slices.Concat(c.path, c.required(), given, []string{"--"})...)
		if err != nil || !o.ok || len(o.list) == 0 && !strings.Contains(o.said, "invalid argument") {
			return err
		}
		if m := invalid.FindStringSubmatch(o.said); m != nil {
			names := strings.FieldsFunc(m[1], isSeparator)
			before := len(flags)
			flags = slices.DeleteFunc(flags, func(f *flag) bool { return slices.Contains(names, "--"+f.name) })
			if len(flags) == before || len(flags) < fewest {
				return nil
			}
			continue
		}
		for _, f := range flags {
			if said, _ := pflagkind.InHelp(f.help.word); o.has("--"+f.name) || said.List {
				continue
			}
			k := pflagkind.Kind{Of: tool.TypeString}
			if k.Enum, err = (look{p.a, c.path, c.required(), f.name}).enum(ctx, f); err != nil {
				return err
			}
			p.keep(f, k, f.disagrees(k, true))
		}
		return nil
	}
	return nil
}

// key tells what flags are told alike.
func (f *flag) key() string {
	return strings.Join([]string{f.name, f.about, f.help.word, f.help.value, f.help.about, strconv.FormatBool(f.inherited)}, "\x00")
}

// entry returns what is known of a flag that is told so.
func (p *prober) entry(f *flag) *tried {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[string]*tried{}
	}
	t := p.known[f.key()]
	if t == nil {
		t = &tried{}
		p.known[f.key()] = t
	}
	return t
}

// knows reports whether such a flag has been tried.
func (p *prober) knows(f *flag) bool { return p.entry(f).done.Load() }

// keep keeps what was found out about a flag, unless somebody was quicker.
func (p *prober) keep(f *flag, k pflagkind.Kind, doubt string) {
	t := p.entry(f)
	t.once.Do(func() {
		t.kind, t.said = k, doubt
		t.done.Store(true)
	})
}
