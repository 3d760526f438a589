package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
)

// Resources are what a Server lets clients read. Safe for concurrent use.
type Resources interface {
	// List returns the resources that a client is told of, in a stable order, and Templates what others are
	// called.
	List(ctx context.Context, client *Client) ([]Resource, error)
	Templates(ctx context.Context, client *Client) ([]ResourceTemplate, error)
	// Read returns a resource. It is ErrNoResource for one that there is not for this client.
	Read(ctx context.Context, client *Client, uri string) (ReadResult, error)
}

// ErrNoResource is what Resources.Read returns for a URI that means nothing to a client.
var ErrNoResource = errors.New("there is no such resource")

// Resource is a resource as MCP lists it.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Type        string `json:"mimeType,omitempty"`
	Size        int64  `json:"size,omitempty"`
}

// ResourceTemplate says what a group of resources is called (RFC 6570).
type ResourceTemplate struct {
	Template    string `json:"uriTemplate"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Type        string `json:"mimeType,omitempty"`
}

// ReadResult is what a resource holds.
type ReadResult struct {
	Contents []ResourceContents `json:"contents"`
}

// ResourceContents is a part of a resource, or all of it.
type ResourceContents struct {
	URI  string         `json:"uri"`
	Type string         `json:"mimeType,omitempty"`
	Text *string        `json:"text,omitempty"`
	Blob []byte         `json:"blob,omitempty"`
	Meta map[string]any `json:"_meta,omitempty"`
}

// Prompts are texts that a person picks by name. Safe for concurrent use.
type Prompts interface {
	// List returns the prompts that a client is told of, in a stable order.
	List(ctx context.Context, client *Client) ([]Prompt, error)
	// Get returns a prompt. It is ErrNoPrompt for a name that List does not give, and a *ProtocolError for
	// arguments that do not fit.
	Get(ctx context.Context, call PromptCall) (PromptResult, error)
}

// ErrNoPrompt is what Prompts.Get returns for a name that List does not give.
var ErrNoPrompt = errors.New("there is no such prompt")

// Prompt is a prompt as MCP lists it.
type Prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
}

// PromptArgument is one argument of a Prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// PromptCall is a prompt that a client wants.
type PromptCall struct {
	Client    *Client
	Name      string
	Arguments map[string]string
	Round
}

// PromptResult is a prompt with its arguments filled in.
type PromptResult struct {
	Description string          `json:"description,omitempty"`
	Messages    []PromptMessage `json:"messages"`
	// Input, when it is set, is told in place of all that.
	Input *InputRequired `json:"-"`
}

// PromptMessage is one message of a prompt; its content is a block as MCP has it.
type PromptMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// Completer suggests values for arguments of prompts and resource templates.
type Completer interface {
	// Complete returns what a value may become, the likeliest first. ref is the prompt or template, as MCP
	// has it.
	Complete(ctx context.Context, client *Client, ref json.RawMessage, argument, value string) ([]string, error)
}

// TextBlock returns a text as a block of content.
func TextBlock(text string) json.RawMessage {
	return block(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
}

func imageBlock(image Image) json.RawMessage {
	return block(struct {
		Type string `json:"type"`
		Data []byte `json:"data"`
		MIME string `json:"mimeType"`
	}{"image", image.Data, image.Type})
}

func block(v any) json.RawMessage {
	text, err := encode(v)
	if err != nil { // of texts and bytes there is none
		return json.RawMessage(`{"type":"text","text":""}`)
	}
	return text
}
