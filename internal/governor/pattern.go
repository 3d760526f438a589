package governor

import (
	"regexp"
	"strings"
	"sync"
)

// pattern is the shape of one kind of secret. Each is anchored in letters that its issuer chose so that it
// can be found, or in the words around it; none is a guess by randomness, which would take hashes and ids
// for secrets.
type pattern struct {
	name string
	// hint is in every match, in lower case: a text without it is not searched.
	hint string
	// expression's first group, or all of it, is the secret. It is compiled when a text with the hint is
	// seen first: most processes see none, and all of them together are the largest thing that this program
	// would make at every start.
	expression func() *regexp.Regexp
}

// patterns are the known shapes, with the page of the issuer that describes them where there is one.
var patterns = []pattern{
	// AWS: IAM identifiers, "Understanding unique ID prefixes".
	shape("AWS access key id", "a", `\b((?:AKIA|ASIA)[A-Z2-7]{16})\b`),
	shape("AWS secret access key", "aws",
		`(?i)aws.{0,20}?(?:secret|session).{0,20}?["' \t:=]+([A-Za-z0-9/+]{40,}={0,2})`),
	// GitHub: "GitHub's token formats".
	shape("GitHub token", "gh", `\b(gh[pousr]_[A-Za-z0-9]{36,255})\b`),
	shape("GitHub fine-grained token", "github_pat_", `\b(github_pat_[A-Za-z0-9_]{22,255})\b`),
	shape("GitLab token", "gl", `\b(gl(?:pat|ptt|dt|rt|cbt|soat|ft|oas)-[A-Za-z0-9_\-.]{20,})`),
	shape("Slack token", "xox", `\b(xox[abeoprs]-(?:\d-)?[A-Za-z0-9-]{10,})`),
	shape("Slack app token", "xapp-", `\b(xapp-\d-[A-Z0-9]+-\d+-[a-fA-F0-9]+)`),
	shape("Slack webhook", "hooks.slack.com",
		`(https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,})`),
	shape("OpenAI or Anthropic key", "sk-", `\b(sk-(?:proj|svcacct|admin|ant|None|or)-[A-Za-z0-9_-]{20,})`),
	shape("sk- key", "sk-", `\b(sk-[A-Za-z0-9]{20,})\b`),
	shape("Stripe key", "_live_", `\b([rs]k_live_[A-Za-z0-9]{16,})\b`),
	shape("Stripe webhook secret", "whsec_", `\b(whsec_[A-Za-z0-9+/=]{24,})`),
	shape("Google API key", "aiza", `\b(AIza[A-Za-z0-9_-]{35})`),
	shape("Google OAuth token", "ya29.", `\b(ya29\.[A-Za-z0-9_-]{20,})`),
	shape("Google OAuth secret", "gocspx-", `\b(GOCSPX-[A-Za-z0-9_-]{28})`),
	shape("Hugging Face token", "hf_", `\b(hf_[A-Za-z]{34,})\b`),
	shape("npm token", "npm_", `\b(npm_[A-Za-z0-9]{36})\b`),
	shape("PyPI token", "pypi-", `\b(pypi-AgE[A-Za-z0-9_-]{50,})`),
	shape("DigitalOcean token", "_v1_", `\b(do[opr]_v1_[a-f0-9]{64})\b`),
	shape("SendGrid key", "sg.", `\b(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})`),
	shape("Twilio key", "sk", `(?i:twilio).{0,40}?\b(SK[a-f0-9]{32})\b`),
	shape("Telegram bot token", ":aa", `\b(\d{8,10}:AA[A-Za-z0-9_-]{33})`),
	shape("Shopify token", "shp", `\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b`),
	shape("Azure storage key", "accountkey=", `(?i:AccountKey)=([A-Za-z0-9+/]{86}==)`),
	shape("age secret key", "age-secret-key-", `\b(AGE-SECRET-KEY-1[A-Z0-9]{58})`),
	shape("HashiCorp Vault token", "hvs.", `\b(hvs\.[A-Za-z0-9_-]{24,})`),
	// RFC 7519: three parts, of which the first two are JSON objects.
	shape("JSON web token", "eyj", `\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})`),
	shape("password in a URL", "://", `[a-z][a-z0-9+.-]{1,20}://[^\s/:@"'<>]{1,100}:([^\s/@"'<>]{3,200})@[^\s]`),
	shape("HTTP authorization", "authorization",
		`(?i:authorization)["']?[ \t]*[:=][ \t]*["']?(?i:basic|bearer|token)[ \t]+([A-Za-z0-9+/=._~-]{16,})`),
	// RFC 7468. One that does not end is a secret to where the text ends.
	shape("private key", "-----begin",
		`(-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z))`),
}

func shape(name, hint, expression string) pattern {
	return pattern{name: name, hint: hint,
		expression: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// find returns where in a text the secret stands: pairs of begin and end.
func (p *pattern) find(text, lower string) [][]int {
	if !strings.Contains(lower, p.hint) {
		return nil
	}
	var spans [][]int
	for _, match := range p.expression().FindAllStringSubmatchIndex(text, -1) {
		if len(match) >= 4 && match[2] >= 0 {
			match = match[2:4]
		}
		spans = append(spans, match[:2:2])
	}
	return spans
}
