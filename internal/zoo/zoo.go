package zoo

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Heard is what the program has understood.
type Heard struct {
	Command string         `json:"command"` // with those above it
	Flags   map[string]any `json:"flags"`   // those that were given: a text, a list of texts, or an object of texts
	Args    []string       `json:"args"`
}

// New returns the program's commands. They print to out.
func New(out io.Writer) *cobra.Command {
	root := &cobra.Command{Use: "zoo", Short: "A flag of every kind", SilenceUsage: true, Version: "1.2.3"}
	root.SetOut(out)
	root.PersistentFlags().CountP("loud", "v", "more words")
	root.PersistentFlags().String("config", "zoo.yaml", "the file with settings")
	root.PersistentFlags().String("api-token", "", "the token for the keeper")
	root.PersistentFlags().String("as", "", "who to be: impersonates somebody")
	all := leaf("all [NAME...]", "Every type of flag")
	exactly := everyFlag(all.Flags())
	all.RunE = func(cmd *cobra.Command, args []string) error { return tell(cmd, args, exactly) }
	_ = all.Flags().MarkDeprecated("old-flag", "use --string")
	_ = all.Flags().MarkHidden("hidden-flag")
	_ = all.RegisterFlagCompletionFunc("completed",
		cobra.FixedCompletions([]string{"json\tas JSON", "yaml\tas YAML", "wide"}, cobra.ShellCompDirectiveNoFileComp))
	need := leaf("create NAME", "Make an animal")
	need.Flags().String("image", "", "what it looks like")
	need.Flags().Int("legs", 0, "how many `N` legs it has")
	need.Flags().Bool("tame", false, "whether it bites")
	_ = need.MarkFlagRequired("image")
	_ = need.MarkFlagRequired("legs")
	twin := leaf("create-twin NAME", "Make an animal like another")
	twin.Flags().String("of", "", "which one, by its name")
	twin.Flags().Int("number", 0, "which one, by its number")
	twin.Flags().Bool("tame", false, "whether it bites")
	twin.MarkFlagsOneRequired("of", "number")
	twin.MarkFlagsMutuallyExclusive("of", "number")
	list := leaf("list_animals", "List the animals")
	list.Flags().StringP("output", "o", "table", "one of json, yaml or table")
	_ = list.RegisterFlagCompletionFunc("output",
		cobra.FixedCompletions([]string{"json", "yaml", "table"}, cobra.ShellCompDirectiveNoFileComp))
	remove := leaf("delete NAME", "Delete an animal")
	remove.Flags().Bool("force", false, "without asking")
	house := leaf("house", "Look at the houses, or at one of them")
	show := leaf("show NAME", "Show a house")
	show.Flags().String("config", "", "another file than that of all commands")
	burn := leaf("burn NAME", "Burn a house down")
	house.AddCommand(show, burn)
	hidden := leaf("secret-door", "Nobody knows")
	hidden.Hidden = true
	old := leaf("old", "From another time")
	old.Deprecated = "use all"
	run := leaf("exec NAME -- COMMAND", "Run a command where an animal lives")
	root.AddCommand(all, need, twin, list, remove, house, hidden, old, run)
	return root
}

// leaf is a command that prints what it has heard.
func leaf(use, short string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: short + ".\n\nThe animals are not real.",
		RunE: func(cmd *cobra.Command, args []string) error { return tell(cmd, args, nil) }}
}

// tell prints what a command has heard. Of flags whose text does not tell all, exactly has the meaning.
func tell(cmd *cobra.Command, args []string, exactly map[string]func() any) error {
	heard := Heard{Command: cmd.CommandPath(), Flags: map[string]any{}, Args: append([]string{}, args...)}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		switch value := exactly[f.Name]; {
		case value != nil:
			heard.Flags[f.Name] = value()
		case isList:
			heard.Flags[f.Name] = list.GetSlice()
		default:
			heard.Flags[f.Name] = f.Value.String()
		}
	})
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetEscapeHTML(false)
	return encoder.Encode(heard)
}

// everyFlag defines a flag of every type. It returns what those mean whose text does not tell it all: a text, a list of
// texts, or an object of texts.
func everyFlag(f *pflag.FlagSet) map[string]func() any {
	f.Bool("bool", false, "true or false")
	f.Bool("bool-on", true, "true, unless it is said otherwise")
	f.BoolSlice("bool-slice", nil, "several of them")
	data64 := f.BytesBase64("bytes-base64", nil, "bytes")
	dataHex := f.BytesHex("bytes-hex", nil, "bytes")
	f.Count("count", "how often")
	f.Duration("duration", 90*time.Second, "how long")
	f.DurationSlice("duration-slice", nil, "how long, each")
	single := f.Float32("float32", 0, "a number")
	singles := f.Float32Slice("float32-slice", nil, "numbers")
	double := f.Float64("float64", 1.5, "a number")
	doubles := f.Float64Slice("float64-slice", nil, "numbers")
	f.Int("int", 0, "a whole number")
	f.Int8("int8", 0, "a whole number")
	f.Int16("int16", 0, "a whole number")
	f.Int32("int32", 0, "a whole number")
	f.Int64("int64", 1000000, "a whole number")
	f.IntSlice("int-slice", []int{1, 2}, "whole numbers")
	f.Int32Slice("int32-slice", nil, "whole numbers")
	f.Int64Slice("int64-slice", nil, "whole numbers")
	f.IP("ip", nil, "an address")
	f.IPMask("ip-mask", nil, "a mask")
	network := f.IPNet("ip-net", net.IPNet{}, "a network")
	networks := f.IPNetSlice("ip-net-slice", nil, "networks")
	f.IPSlice("ip-slice", nil, "addresses")
	f.StringP("string", "s", "", "any text")
	f.String("string-set", "a, \"b\"", "any text")
	array := f.StringArray("string-array", nil, "texts")
	slice := f.StringSlice("string-slice", []string{"a", "b"}, "texts")
	toInt := f.StringToInt("string-to-int", nil, "numbers by name")
	toInt64 := f.StringToInt64("string-to-int64", nil, "numbers by name")
	toString := f.StringToString("string-to-string", nil, "texts by name")
	f.Time("time", time.Time{}, []string{time.RFC3339}, "when")
	f.Uint("uint", 0, "a whole number")
	f.Uint8("uint8", 0, "a whole number")
	f.Uint16("uint16", 0, "a whole number")
	f.Uint32("uint32", 0, "a whole number")
	f.Uint64("uint64", 0, "a whole number")
	f.UintSlice("uint-slice", nil, "whole numbers")
	f.TextVar(new(net.IP), "text", net.IP{}, "an address, as a text")
	f.String("dry-run", "none", `one of "none", "server" or "client"`)
	f.Lookup("dry-run").NoOptDefVal = "client"
	f.String("completed", "", "its values are known")
	f.Var(&choice{}, "choice", "which one of them")
	f.Var(&size{}, "size", "how large")
	f.Var(&commas{}, "commas", "split at commas")
	plain := flag.NewFlagSet("", flag.ContinueOnError) // whose parsers say nothing of the type
	plain.Bool("plain-bool", false, "true or false")
	plain.Duration("plain-duration", 0, "how long")
	plain.Float64("plain-float", 0, "a number")
	plain.Int("plain-int", 0, "a whole number")
	plain.Uint("plain-uint", 0, "a whole number")
	f.AddGoFlagSet(plain)
	f.String("back-quoted", "", "the `NAME` of something")
	f.String("old-flag", "", "from another time")
	f.String("hidden-flag", "", "nobody knows")
	f.String("db-password", "", "what opens the door")
	return map[string]func() any{
		"bytes-base64":     func() any { return base64.StdEncoding.EncodeToString(*data64) },
		"bytes-hex":        func() any { return hex.EncodeToString(*dataHex) },
		"float32":          func() any { return short(*single) },
		"float32-slice":    func() any { return each(*singles, short) },
		"float64":          func() any { return long(*double) },
		"float64-slice":    func() any { return each(*doubles, long) },
		"ip-net":           func() any { return network.String() },
		"ip-net-slice":     func() any { return each(*networks, func(n net.IPNet) string { return n.String() }) },
		"string-array":     func() any { return *array },
		"string-slice":     func() any { return *slice },
		"string-to-int":    func() any { return texts(*toInt) },
		"string-to-int64":  func() any { return texts(*toInt64) },
		"string-to-string": func() any { return texts(*toString) },
	}
}

func short(n float32) string { return strconv.FormatFloat(float64(n), 'g', -1, 32) }

func long(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

func each[T any](list []T, text func(T) string) []string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = text(item)
	}
	return texts
}

func texts[T any](object map[string]T) map[string]string {
	all := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		all[key] = fmt.Sprint(object[key])
	}
	return all
}
