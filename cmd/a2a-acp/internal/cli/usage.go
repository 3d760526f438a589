package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
)

// SayUsage has a command, and those below it, say what they take to somebody who gave something else. The
// library only counts: "requires at least 2 arg(s), only received 0".
func SayUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			var coded *codedError
			if err == nil || errors.As(err, &coded) {
				return err
			}
			return Fail(exit.Usage, errors.New(usageOf(cmd, args)))
		}
	}
	cmd.SetFlagErrorFunc(flagError)
	for _, sub := range cmd.Commands() {
		SayUsage(sub)
	}
}

// usageOf says what a command takes, what was given, and gives an example.
func usageOf(cmd *cobra.Command, args []string) string {
	_, takes, _ := strings.Cut(cmd.Use, " ")
	given := "nothing was given"
	switch {
	case len(args) == 1:
		given = "found only " + display.Line(args[0])
	case len(args) > 1:
		given = "found " + display.Line(strings.Join(args, " "))
	}
	if takes == "" {
		return fmt.Sprintf("%s takes no arguments, and found %s%s", verb(cmd),
			display.Line(strings.Join(args, " ")), seeHelp(cmd))
	}
	return fmt.Sprintf("%s takes %s; %s%s%s", verb(cmd), takes, given, exampleOf(cmd), seeHelp(cmd))
}

// exampleOf returns the first of a command's examples, on a line of its own.
func exampleOf(cmd *cobra.Command) string {
	for line := range strings.Lines(cmd.Example) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return "\nfor example: " + line
		}
	}
	return ""
}

// verb is a command without the program's name.
func verb(cmd *cobra.Command) string {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	return name
}

func seeHelp(cmd *cobra.Command) string {
	return "\nhint: " + cmd.CommandPath() + " --help lists its flags"
}

// flagError says what is wrong with a flag, and which one was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var text string
	switch {
	case errors.As(err, &unknown):
		text = unknownFlag(cmd, unknown)
	case errors.As(err, &bare):
		text = fmt.Sprintf("%s: %s needs a value after it: %s", verb(cmd), flagName(bare.GetFlag()),
			valueOf(bare.GetFlag()))
	case errors.As(err, &wrong):
		text = fmt.Sprintf("%s: %s: %s; found %q", verb(cmd), flagName(wrong.GetFlag()), whatIsWrong(wrong),
			display.Line(wrong.GetValue()))
	default:
		text = fmt.Sprintf("%s: %v", verb(cmd), err)
	}
	return Fail(exit.Usage, errors.New(text+seeHelp(cmd)))
}

// whatIsWrong says what a flag's value is not. Of numbers the library gives Go's own words.
func whatIsWrong(wrong *pflag.InvalidValueError) string {
	var number *strconv.NumError
	switch {
	case !errors.As(wrong, &number):
		return wrong.Unwrap().Error()
	case wrong.GetFlag().Value.Type() == "bool":
		return "want true or false"
	}
	return "want a number in its range"
}

func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	name, dashes := unknown.GetSpecifiedName(), "--"
	if unknown.GetSpecifiedShortnames() != "" {
		dashes = "-"
	}
	text := fmt.Sprintf("%s has no flag %s%s", verb(cmd), dashes, display.Line(name))
	if near := spelling.Nearest(name, names); near != "" && len(name) > 1 {
		text += "; did you mean --" + near + "?"
	}
	return text
}

// flagName is how people write a flag.
func flagName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + ", --" + f.Name
	}
	return "--" + f.Name
}

// valueOf says what a flag is followed by, in the words of its help.
func valueOf(f *pflag.Flag) string { return strings.ReplaceAll(f.Usage, "\n", " ") }

// VerbsOnly refuses a word that is no verb, with the one that was probably meant.
func VerbsOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var verbs []string
	for _, verb := range cmd.Commands() {
		verbs = append(verbs, verb.Name())
	}
	if near := spelling.Nearest(args[0], verbs); near != "" {
		return Fail(exit.Usage, fmt.Errorf("%s has no command %q; did you mean %s?", cmd.CommandPath(), args[0], near))
	}
	return Fail(exit.Usage, fmt.Errorf("%s has no command %q; its commands: %s", cmd.CommandPath(), args[0],
		strings.Join(verbs, ", ")))
}
