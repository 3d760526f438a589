package display

import "strings"

// ShellWord writes a text as one word of a command that a person may copy into a shell: whoever chose the text does not
// choose another command with it. What is not seen in it stands as escapes, as in Line, and is another text to the shell.
func ShellWord(text string) string {
	text = Line(text)
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
