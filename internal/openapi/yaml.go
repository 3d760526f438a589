package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// deepest is how deep values may lie in each other in YAML.
const deepest = 1000

// jsonOfYAML writes a YAML document as JSON, aliases as what they stand for.
func jsonOfYAML(data []byte) (out []byte, err error) {
	if len(data) > largestYAML {
		return nil, fmt.Errorf("the document has more than %d MiB of YAML; as JSON it may have %d", largestYAML>>20, largestJSON>>20)
	}
	defer func() {
		if fault := recover(); fault != nil { // yaml.v3 has panicked over made-up files
			out, err = nil, fmt.Errorf("it cannot be read: %v", fault)
		}
	}()
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("it is no YAML: %w", err)
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is no OpenAPI document: a document is a mapping that begins with openapi: 3.0.x or 3.1.x")
	}
	w := &jsonWriter{}
	if err := w.write(root.Content[0], 0); err != nil {
		return nil, err
	}
	return w.out.Bytes(), nil
}

// jsonWriter writes nodes as JSON.
type jsonWriter struct{ out bytes.Buffer }

func (w *jsonWriter) write(n *yaml.Node, depth int) error {
	switch {
	case depth > deepest:
		return fmt.Errorf("%d:%d: values lie more than %d deep in each other, or an alias holds itself", n.Line, n.Column, deepest)
	case w.out.Len() > largestJSON:
		return fmt.Errorf("%d:%d: with its aliases the document has more than %d MiB", n.Line, n.Column, largestJSON>>20)
	case n.Kind == yaml.AliasNode:
		return w.write(n.Alias, depth+1)
	case n.Kind == yaml.SequenceNode:
		return w.list(n, depth)
	case n.Kind == yaml.MappingNode:
		return w.object(n, depth)
	}
	return w.scalar(n)
}

func (w *jsonWriter) list(n *yaml.Node, depth int) error {
	w.out.WriteByte('[')
	for i, item := range n.Content {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := w.write(item, depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte(']')
	return nil
}

func (w *jsonWriter) object(n *yaml.Node, depth int) error {
	w.out.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return fmt.Errorf("%d:%d: a key is a text here, and << is not read", key.Line, key.Column)
		}
		if i > 0 {
			w.out.WriteByte(',')
		}
		if err := w.text(key.Value); err != nil {
			return err
		}
		w.out.WriteByte(':')
		if err := w.write(n.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte('}')
	return nil
}

func (w *jsonWriter) scalar(n *yaml.Node) error {
	switch n.Tag {
	case "!!null":
		w.out.WriteString("null")
		return nil
	case "!!bool":
		w.out.WriteString(strings.ToLower(n.Value))
		return nil
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			w.out.WriteString(n.Value)
			return nil
		}
		var number any
		if err := n.Decode(&number); err == nil {
			if text, err := json.Marshal(number); err == nil {
				w.out.Write(text)
				return nil
			}
		}
	}
	return w.text(n.Value)
}

func (w *jsonWriter) text(s string) error {
	text, err := json.Marshal(s)
	w.out.Write(text)
	return err
}
