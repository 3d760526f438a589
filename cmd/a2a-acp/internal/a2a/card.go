package a2a

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

func cardCommand(env *cli.Environment) *cobra.Command {
	extended := false
	cmd := &cobra.Command{
		Use:   "card URL",
		Short: "Show who an A2A server is, and what it can do",
		Long: `card reads the agent card of an A2A server, by the server's URL or the card's own. --json prints the card as
it came. A card that is signed is held against the key that the server publishes, and refused where it is not what was
signed. That says no more than that the server says so: with --key it has to be signed by a key that you have from elsewhere.`,
		Example: `  a2a-acp card http://127.0.0.1:8642
  a2a-acp card https://agent.example/ --json
  a2a-acp card https://agent.example/ --extended --token env:TOKEN
  a2a-acp card https://agent.example/ --key agent.jwks`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	s := addServer(env, cmd)
	cmd.Flags().BoolVar(&extended, "extended", false, "the card for those whom the server knows")
	f := cli.AddFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := s.within(cmd.Context())
		defer stop()
		card, _, err := s.discover(ctx, args[0])
		if err == nil && extended {
			var client *a2aclient.Client
			if client, err = s.connect(ctx, args[0]); err == nil {
				card, err = client.ExtendedCard(ctx)
				err = failure(err)
			}
		}
		if err != nil {
			return err
		}
		if *f != cli.FormatTable {
			return cli.WriteData(env.Stdout, *f, card.Raw)
		}
		writeCard(env, card)
		return nil
	}
	return cmd
}

// writeCard shows a card to people.
func writeCard(env *cli.Environment, card *a2aclient.Card) {
	about := cli.Table{Head: []string{"", ""}, Whole: true}
	add := func(name, value string) {
		if value != "" {
			about.Add(name, display.Line(value))
		}
	}
	add("name", card.Name)
	add("version", card.Version)
	add("about", card.Description)
	add("provider", card.Provider)
	add("documentation", card.Documentation)
	var can []string
	for _, c := range []struct {
		has  bool
		name string
	}{{card.Streaming, "streaming"}, {card.Push, "push notifications"}, {card.Extended, "an extended card"}} {
		if c.has {
			can = append(can, c.name)
		}
	}
	add("can", strings.Join(can, ", "))
	add("extensions", strings.Join(card.Extensions, " "))
	add("takes", strings.Join(card.InputModes, ", "))
	add("gives", strings.Join(card.OutputModes, ", "))
	for _, i := range card.Interfaces {
		at := i.URL
		if i.Tenant != "" {
			at += " (tenant " + i.Tenant + ")"
		}
		add("at", i.Binding+" "+i.Version+" "+at)
	}
	for _, scheme := range card.Schemes {
		add("login", strings.Join(strings.Fields(fmt.Sprint(scheme.Name, ": ", scheme.Type, " ", scheme.Scheme, " ", scheme.In, " ",
			scheme.Param)), " "))
	}
	add("signed", signed(card.Signature))
	about.WriteRows(env.Stdout)
	if len(card.Skills) == 0 {
		return
	}
	fmt.Fprintln(env.Stdout)
	skills := cli.Table{Head: []string{"SKILL", "NAME", "WHAT IT DOES"}}
	for _, skill := range card.Skills {
		skills.Add(display.Line(skill.ID), display.Line(skill.Name), cli.FirstLine(skill.Description))
	}
	skills.Write(env.Stdout)
}

// signed says what is known of who has signed a card.
func signed(s a2aclient.Signature) string {
	switch {
	case s.State == a2aclient.Unsigned:
		return "by nobody"
	case s.State == a2aclient.Unchecked:
		return "not checked: " + s.Why
	case s.From == a2aclient.YourKey:
		return fmt.Sprintf("by your key %s, and it holds", s.Key)
	}
	return fmt.Sprintf("by the key %s of %s, and it holds", s.Key, s.From)
}
