package yamldoc

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// bounds walks a tree as every later reader will, aliases followed, and reports what would make such a walk
// long, endless or ambiguous.
type bounds struct {
	doc   *Document
	nodes int          // seen so far, an alias counted as all that it stands for
	open  []*yaml.Node // mappings and lists that the walk is inside of
	alias *yaml.Node   // the outermost alias that the walk is behind
}

// walk goes through a node that lies depth levels below the root. It returns false at the first bound that is
// passed, which ends the walk: that bounds the time, too, whatever the aliases do.
func (b *bounds) walk(node *yaml.Node, depth int) bool {
	if b.nodes++; b.nodes > maxNodes {
		if b.alias != nil {
			node = b.alias
		}
		b.report(node, RuleTooLarge,
			fmt.Sprintf("more than %d values, with aliases counted as what they stand for", maxNodes), "")
		return false
	}
	if depth > maxDepth {
		b.report(node, RuleTooLarge, fmt.Sprintf("more than %d mappings and lists inside each other",
			maxDepth), "")
		return false
	}
	if node.Kind == yaml.AliasNode {
		if b.alias == nil {
			b.alias = node
			defer func() { b.alias = nil }()
		}
		return b.walk(node.Alias, depth)
	}
	if b.alias != nil && slices.Contains(b.open, node) { // without an alias nothing holds itself
		b.report(node, RuleAlias, fmt.Sprintf("&%s holds an alias to itself", node.Anchor),
			"write the value out")
		return false
	}
	if b.alias == nil { // what an alias stands for stands before it, and is said wrong once
		b.check(node)
	}
	if len(node.Content) == 0 {
		return true
	}
	b.open = append(b.open, node)
	defer func() { b.open = b.open[:len(b.open)-1] }()
	for _, child := range node.Content {
		if !b.walk(child, depth+1) {
			return false
		}
	}
	return true
}

// check looks at one node by itself.
func (b *bounds) check(node *yaml.Node) {
	if node.Style&yaml.TaggedStyle != 0 {
		b.report(node, RuleTag, Shorten(node.Tag)+" is a tag to YAML, and tags are not supported",
			tagHint(node))
	}
	switch node.Kind {
	case yaml.ScalarNode:
		if strings.ContainsRune(node.Value, 0) {
			b.report(node, RuleSyntax, `the text holds NUL (\0), which no program can be given`, "")
		}
	case yaml.MappingNode:
		b.checkKeys(node)
	}
}

// report says what is wrong with a node, of which no more is said then.
func (b *bounds) report(node *yaml.Node, rule, message, hint string) {
	b.doc.markFaulty(node)
	if !b.doc.broken[node.Line] {
		b.doc.report(node.Line, node.Column, rule, message, hint)
	}
}

// checkKeys reports keys that are not scalars, merge keys, and keys that stand twice. 1 and "1" are the same
// key here: where a key is a name they would name the same thing.
func (b *bounds) checkKeys(mapping *yaml.Node) {
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		switch {
		case key.Kind == yaml.AliasNode:
			b.report(key, RuleKey, fmt.Sprintf("a key cannot be an alias (*%s)", key.Value),
				"write the key out")
		case key.Kind != yaml.ScalarNode:
			b.complexKey(mapping, key)
		case key.Tag == "!!merge":
			b.report(key, RuleKey, "merge keys (<<) are not supported",
				"write the keys out, or give a whole value by its alias")
		default:
			if first, twice := seen[key.Value]; twice {
				b.report(key, RuleDuplicate, fmt.Sprintf("the key %s stands here twice, first in line %d",
					Quote(key.Value), first.Line),
					"put both into one, or take one of them out")
			}
			seen[key.Value] = key
		}
	}
}

// complexKey reports a list or mapping where a key belongs. The commonest way there is a text that begins
// with a template's tag: {{x}} is a mapping in a mapping to YAML.
func (b *bounds) complexKey(mapping, key *yaml.Node) {
	if mapping.Style&yaml.FlowStyle == 0 || key.Kind != yaml.MappingNode || key.Style&yaml.FlowStyle == 0 {
		b.report(key, RuleKey, "a key must be a name, found "+Describe(key), "")
		return
	}
	b.report(mapping, RuleKey, "a value that begins with {{ is a mapping to YAML, not a text",
		"put quotes around it: "+b.quoted(mapping))
	b.doc.markFaulty(key)
}

// quoted returns the text of a flow mapping on one line, between quotes.
func (b *bounds) quoted(node *yaml.Node) string {
	if node.Line > len(b.doc.lines) {
		return "'…'"
	}
	line := []rune(b.doc.lines[node.Line-1])
	from, to := node.Column-1, tokenEnd(string(line), node.Column)-1
	if from >= len(line) || to > len(line) {
		return "'…'"
	}
	return singleQuoted(string(line[from:to]))
}

// tagHint is the cure for a tag. An exclamation mark at the beginning of a text is one by mistake.
func tagHint(node *yaml.Node) string {
	if node.Kind == yaml.ScalarNode && strings.HasPrefix(node.Tag, "!") &&
		!strings.HasPrefix(node.Tag, "!!") {
		return "a text that begins with ! needs quotes around it"
	}
	return "take the tag out; quotes make a text"
}

// singleQuoted writes a text of one line between single quotes, in which nothing but the quote itself means
// anything.
func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
