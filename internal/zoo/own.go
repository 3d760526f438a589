package zoo

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// choice is a value of a program's own that is one of a few.
type choice struct{ value string }

func (c *choice) String() string { return c.value }

func (c *choice) Set(text string) error {
	switch text {
	case "red", "green", "blue":
		c.value = text
		return nil
	}
	return errors.New("must be one of red, green, blue")
}

func (c *choice) Type() string { return "colour" }

// size is a number of bytes with a unit.
type size struct{ text string }

func (s *size) String() string { return s.text }

func (s *size) Set(text string) error {
	digits := strings.TrimRight(text, "kMG")
	if _, err := strconv.ParseUint(digits, 10, 63); err != nil || len(text) > len(digits)+1 {
		return fmt.Errorf("invalid size: %q", text)
	}
	s.text = text
	return nil
}

func (s *size) Type() string { return "bytes" }

// commas is a list that is split at commas, which nothing can quote.
type commas struct{ items []string }

func (c *commas) String() string { return strings.Join(c.items, ",") }

func (c *commas) Set(text string) error {
	c.items = append(c.items, strings.Split(text, ",")...)
	return nil
}

func (c *commas) Type() string { return "list" }

func (c *commas) GetSlice() []string { return c.items }

func (c *commas) Append(text string) error { return c.Set(text) }

func (c *commas) Replace(items []string) error {
	c.items = items
	return nil
}
