package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

// frame is where a document has the picture.
var frame = regexp.MustCompile("(?s)(<!-- picture: [^\n]* -->\n```text\n)(.*?)(```\n)")

// moment is what differs each time: when it is, and the temporary directory.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\S*/demo-\d+`)

// hang compares the picture in a document with one that was just made, or replaces it.
func hang(document, picture string, write bool) error {
	data, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	place := frame.FindSubmatchIndex(data)
	if place == nil {
		return fmt.Errorf("%s has no place for the picture", document)
	}
	begin, end := place[4], place[5]
	if moment.ReplaceAllString(string(data[begin:end]), "") == moment.ReplaceAllString(picture, "") {
		return nil
	}
	if !write {
		return fmt.Errorf("the picture in %s is not what the program shows; `make picture` replaces it by\n%s", document, picture)
	}
	return os.WriteFile(document, []byte(string(data[:begin])+picture+string(data[end:])), 0o644)
}

// boxed draws a box around a card.
func boxed(card string) string {
	lines := strings.Split(card, "\n")
	width := 0
	for _, line := range lines {
		width = max(width, utf8.RuneCountInString(line))
	}
	edge := strings.Repeat("─", width+2)
	text := "╭" + edge + "╮\n"
	for _, line := range lines {
		text += "│ " + line + strings.Repeat(" ", width-utf8.RuneCountInString(line)) + " │\n"
	}
	return text + "╰" + edge + "╯\n"
}
