package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/profile"
)

// ConfineFlags say how an agent is to be confined, if it is to be.
type ConfineFlags struct {
	Profile    string
	BestEffort bool
	Allow, Env []string
}

// ownProfile stands for the profile that has the agent's name.
const ownProfile = "auto"

// noProfile says that an agent is not confined, whatever the settings have by default.
const noProfile = "off"

// AddTo gives a verb the flags.
func (f *ConfineFlags) AddTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Profile, "confine", "",
		"run the agent in the sandbox, under a profile; the agent's own when none is named; "+
			"off: not, whatever a2a-acp.yaml has by default")
	cmd.Flags().Lookup("confine").NoOptDefVal = ownProfile
	cmd.Flags().StringArrayVar(&f.Allow, "allow", nil,
		"with --confine: PATH[:ro], a file or directory that the agent may use too; may be repeated")
	cmd.Flags().StringArrayVar(&f.Env, "env", nil,
		"with --confine: NAME[=VALUE], a variable that the agent gets too; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("confine", CompleteProfiles)
	cmd.Flags().BoolVar(&f.BestEffort, "best-effort", false,
		"with --confine: start it even if this machine cannot confine it fully")
}

// On reports whether an agent is to be confined, by a flag or by settings.
func (f *ConfineFlags) On(settings config.Settings) bool {
	return f.Profile != noProfile && (f.Profile != "" || settings.ConfineByDefault)
}

// Off reports whether a flag says that an agent is not to be confined.
func (f *ConfineFlags) Off() bool { return f.Profile == noProfile }

// Confinement finds out how an agent is to be confined. agent is its name, "" for one that is not known.
func (f *ConfineFlags) Confinement(env *Environment, settings config.Settings, agent string,
	command []string) (confine.Confinement, error) {
	on := f.On(settings)
	if !on && (len(f.Allow) > 0 || len(f.Env) > 0 || f.BestEffort) {
		return confine.Confinement{},
			errors.New("--allow, --env and --best-effort say more about --confine; give that too")
	}
	if !on {
		return confine.Confinement{}, nil
	}
	name := f.Profile
	switch {
	case name != "" && name != ownProfile:
	case agent != "":
		name = agent
	case name == "":
		return confine.Confinement{},
			fmt.Errorf("a2a-acp.yaml says `confine: default`, and there is no profile for %s; "+
				"name one (--confine=terminal), see a2a-acp sandbox exec --help, or say --confine=off", command[0])
	default:
		return confine.Confinement{},
			fmt.Errorf("--confine: there is no profile for %s; "+
				"name one (--confine=terminal), see a2a-acp sandbox exec --help", command[0])
	}
	if _, err := profile.Named(name); err != nil {
		return confine.Confinement{}, fmt.Errorf("--confine: %w", err)
	}
	dir := env.AppOptions(nil, nil).Dir
	return confine.Confinement{Profile: name, Allow: Allowed(dir, f.Allow), Environment: f.Env,
		BestEffort: f.BestEffort}, nil
}
