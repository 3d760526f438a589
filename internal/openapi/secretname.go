package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
)

// secretsOf names the secrets of a source, one for each scheme. The title of a document is its author's to choose, and with
// it the name: so one that is not free ends in the server's, and no two are called alike.
func (m *maker) secretsOf(s Source) []Secret {
	if all, known := m.secrets[s.Name]; known {
		return all
	}
	const most, longest = 16, 64 - 4 // of a name, less what tells apart those that are alike
	var all []Secret
	for _, scheme := range s.schemes {
		wanted := secretOf(s.Name)
		if len(s.schemes) > 1 {
			name := words(scheme)
			wanted = secretOf(s.Name + "_" + name[:min(len(name), most)])
		}
		wanted = wanted[:min(len(wanted), longest)]
		to := config.OriginOf(cmp.Or(m.tokenURLOf(scheme, s.Server), s.Server))
		secret := Secret{Name: wanted, To: to}
		if m.Free != nil && !m.Free(wanted, to) {
			_, host, _ := strings.Cut(to, "://")
			secret.Name += "_" + strings.ToUpper(words(host))
			secret.Name = secret.Name[:min(len(secret.Name), longest)]
		}
		for m.isTaken(secret.Name, to, all) {
			secret.Name += "_"
		}
		if secret.Name != wanted {
			secret.InsteadOf = wanted
		}
		all = append(all, secret)
	}
	m.secrets[s.Name] = all
	return all
}

// isTaken reports whether something else is called so; mine are those that are named just now.
func (m *maker) isTaken(name, to string, mine []Secret) bool {
	is := func(s Secret) bool { return s.Name == name }
	if slices.ContainsFunc(mine, is) || m.Free != nil && !m.Free(name, to) {
		return true
	}
	for _, others := range m.secrets {
		if slices.ContainsFunc(others, is) {
			return true
		}
	}
	return false
}

// secretOf names the secret of a source. Such a name begins with no digit.
func secretOf(source string) string {
	name := strings.ToUpper(strings.ReplaceAll(source, "-", "_"))
	if name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}
