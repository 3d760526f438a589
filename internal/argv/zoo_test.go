package argv

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/zoo"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// animal is a flag of the zoo: how an entry declares it, what a call may give, and what the program then understands.
type animal struct {
	flag   string
	kind   tool.Type
	items  tool.Type
	format tool.Format
	form   tool.FlagForm
	value  func(r *rand.Rand) (given, want any)
}

// nasty are texts that something on the way could take for something else.
var nasty = []string{
	"a", "b c", "", "-x", "--string=evil", "--", "-", "=", "a=b", "a=b=c", ",", "a,b", `"`, `""`, `"a"`, `a"b`, "'", "`", "\\", "\n", "a\nb",
	"\r", "\t", " ", " a", "a ", "$(touch x)", "`id`", "*", "~", "${HOME}", "%s", "é", "日本", "\u202e", "[a b]", "[]", "true", "1e6",
	"null", "#", ";", "|", "&", "a\rb", "\"a,b\"", ",,", "\"\n\"", "@file", "null\x01",
}

func text(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(nasty[r.IntN(len(nasty))])
	}
	return b.String()
}

func texts(r *rand.Rand) (given, want any) {
	return list(r, func() (any, string) { s := text(r); return s, s })
}

func list(r *rand.Rand, item func() (any, string)) (given, want any) {
	var all, told []any
	for range 1 + r.IntN(4) {
		one, as := item()
		all, told = append(all, one), append(told, as)
	}
	return all, told
}

func whole(bits int, signed bool) func(r *rand.Rand) (given, want any) {
	return func(r *rand.Rand) (any, any) { n := number(r, bits, signed); return json.Number(n), n }
}

func wholes(bits int, signed bool) func(r *rand.Rand) (given, want any) {
	return func(r *rand.Rand) (any, any) {
		return list(r, func() (any, string) { n := number(r, bits, signed); return json.Number(n), n })
	}
}

func number(r *rand.Rand, bits int, signed bool) string {
	n := r.Uint64() >> (64 - bits)
	if r.IntN(3) == 0 {
		n = uint64(r.IntN(100))
	}
	if signed {
		return strconv.FormatInt(int64(n<<(64-bits))>>(64-bits), 10)
	}
	return strconv.FormatUint(n, 10)
}

func float(bits int) func(r *rand.Rand) (json.Number, string) {
	return func(r *rand.Rand) (json.Number, string) {
		given := []string{"0", "-0", "1.50", "1e6", "1E-7", "1000000", "0.1", "12345678901234567890", "-2.5e+3"}[r.IntN(9)]
		if r.IntN(2) == 0 {
			given = strconv.FormatFloat(r.NormFloat64()*1e5, 'f', r.IntN(5), 64)
		}
		parsed, _ := strconv.ParseFloat(given, bits)
		return json.Number(given), strconv.FormatFloat(parsed, 'g', -1, bits)
	}
}

func duration(r *rand.Rand) (any, string) {
	given := []string{"1s", "1h30m", "1.5h", "100ms", "0s", "2us"}[r.IntN(6)]
	d, _ := time.ParseDuration(given)
	return given, d.String()
}

func address(r *rand.Rand) (any, string) {
	given := []string{"::1", "127.0.0.1", "2001:DB8::1", "::ffff:1.2.3.4", "fe80::"}[r.IntN(5)]
	return given, net.ParseIP(given).String()
}

func network(r *rand.Rand) (any, string) {
	given := []string{"10.0.0.0/8", "10.1.2.3/8", "2001:db8::/32", "::/0"}[r.IntN(4)]
	_, n, _ := net.ParseCIDR(given)
	return given, n.String()
}

func one(item func(r *rand.Rand) (any, string)) func(r *rand.Rand) (given, want any) {
	return func(r *rand.Rand) (any, any) { given, want := item(r); return given, want }
}

func many(item func(r *rand.Rand) (any, string)) func(r *rand.Rand) (given, want any) {
	return func(r *rand.Rand) (any, any) { return list(r, func() (any, string) { return item(r) }) }
}

func choose(of ...string) func(r *rand.Rand) (given, want any) {
	return func(r *rand.Rand) (any, any) { s := of[r.IntN(len(of))]; return s, s }
}

func truth(r *rand.Rand) (any, string) { b := r.IntN(2) == 0; return b, strconv.FormatBool(b) }

func raw(r *rand.Rand) []byte {
	data := make([]byte, r.IntN(9))
	for i := range data {
		data[i] = byte(r.UintN(256))
	}
	return data
}

func pairs(value func(r *rand.Rand) (any, string)) func(r *rand.Rand) (given, want any) {
	return func(r *rand.Rand) (any, any) {
		object, told := map[string]any{}, map[string]any{}
		for range 1 + r.IntN(3) {
			key := strings.ReplaceAll(text(r), "=", "+")
			object[key], told[key] = value(r)
		}
		return object, told
	}
}

func anyText(r *rand.Rand) (any, string)  { s := text(r); return s, s }
func anyWhole(r *rand.Rand) (any, string) { n := number(r, 64, true); return json.Number(n), n }

// animals are the flags of zoo.New that an import offers.
var animals = []animal{
	{"bool", tool.TypeBoolean, "", "", "", one(truth)},
	{"bool-on", tool.TypeBoolean, "", "", "", one(truth)},
	{"bool-slice", tool.TypeArray, tool.TypeBoolean, "", "", many(truth)},
	{"bytes-base64", tool.TypeString, "", tool.FormatBase64, "", func(r *rand.Rand) (any, any) {
		s := base64.StdEncoding.EncodeToString(raw(r))
		return s, s
	}},
	{"bytes-hex", tool.TypeString, "", tool.FormatHex, "", func(r *rand.Rand) (any, any) {
		s := hex.EncodeToString(raw(r))
		return s, s
	}},
	{"count", tool.TypeInteger, "", "", "", whole(8, true)},
	{"duration", tool.TypeString, "", tool.FormatDuration, "", one(duration)},
	{"duration-slice", tool.TypeArray, tool.TypeString, tool.FormatDuration, "", many(duration)},
	{"float32", tool.TypeNumber, "", "", "", func(r *rand.Rand) (any, any) { return float(32)(r) }},
	{"float32-slice", tool.TypeArray, tool.TypeNumber, "", "", many(func(r *rand.Rand) (any, string) { return float(32)(r) })},
	{"float64", tool.TypeNumber, "", "", "", func(r *rand.Rand) (any, any) { return float(64)(r) }},
	{"float64-slice", tool.TypeArray, tool.TypeNumber, "", "", many(func(r *rand.Rand) (any, string) { return float(64)(r) })},
	{"int", tool.TypeInteger, "", "", "", whole(64, true)},
	{"int8", tool.TypeInteger, "", "", "", whole(8, true)},
	{"int16", tool.TypeInteger, "", "", "", whole(16, true)},
	{"int32", tool.TypeInteger, "", "", "", whole(32, true)},
	{"int64", tool.TypeInteger, "", "", "", whole(64, true)},
	{"int-slice", tool.TypeArray, tool.TypeInteger, "", "", wholes(64, true)},
	{"int32-slice", tool.TypeArray, tool.TypeInteger, "", "", wholes(32, true)},
	{"int64-slice", tool.TypeArray, tool.TypeInteger, "", "", wholes(64, true)},
	{"ip", tool.TypeString, "", tool.FormatIP, "", one(address)},
	{"ip-mask", tool.TypeString, "", "", "", func(r *rand.Rand) (any, any) {
		return []string{"255.255.255.0", "ffffff00"}[r.IntN(2)], "ffffff00"
	}},
	{"ip-net", tool.TypeString, "", tool.FormatCIDR, "", one(network)},
	{"ip-net-slice", tool.TypeArray, tool.TypeString, tool.FormatCIDR, "", many(network)},
	{"ip-slice", tool.TypeArray, tool.TypeString, tool.FormatIP, "", many(address)},
	{"string", tool.TypeString, "", "", "", one(anyText)},
	{"string-set", tool.TypeString, "", "", "", one(anyText)},
	{"string-array", tool.TypeArray, tool.TypeString, "", "", texts},
	{"string-slice", tool.TypeArray, tool.TypeString, "", tool.FormCSV, texts},
	{"string-to-int", tool.TypeObject, "", "", tool.FormPlain, pairs(anyWhole)},
	{"string-to-int64", tool.TypeObject, "", "", tool.FormPlain, pairs(anyWhole)},
	{"string-to-string", tool.TypeObject, "", "", tool.FormCSV, pairs(anyText)},
	{"time", tool.TypeString, "", "", "", choose("2026-11-25T10:00:00Z")},
	{"uint", tool.TypeInteger, "", "", "", whole(64, false)},
	{"uint8", tool.TypeInteger, "", "", "", whole(8, false)},
	{"uint16", tool.TypeInteger, "", "", "", whole(16, false)},
	{"uint32", tool.TypeInteger, "", "", "", whole(32, false)},
	{"uint64", tool.TypeInteger, "", "", "", whole(64, false)},
	{"uint-slice", tool.TypeArray, tool.TypeInteger, "", "", wholes(64, false)},
	{"text", tool.TypeString, "", "", "", choose("192.0.2.1", "2001:db8::1")},
	{"dry-run", tool.TypeString, "", "", "", choose("none", "server", "client", "true", "=")},
	{"completed", tool.TypeString, "", "", "", one(anyText)},
	{"choice", tool.TypeString, "", "", "", choose("red", "green", "blue")},
	{"size", tool.TypeString, "", "", "", choose("1", "10k", "3G")},
	{"commas", tool.TypeArray, tool.TypeString, "", tool.FormPlain, texts},
	{"back-quoted", tool.TypeString, "", "", "", one(anyText)},
}

// everything is a tool with every one of the flags.
func everything() *tool.Tool {
	t := &tool.Tool{ID: "zoo_all", Exec: &tool.Exec{Command: "zoo", Argv: []string{"all"}}}
	for _, a := range animals {
		p := tool.Parameter{Name: a.flag, Flag: "--" + a.flag, Type: a.kind, Format: a.format, Form: a.form}
		if a.kind == tool.TypeArray {
			p.Items, p.Format = &tool.Parameter{Type: a.items, Format: a.format}, ""
		}
		t.Parameters = append(t.Parameters, p)
	}
	t.Parameters = append(t.Parameters,
		tool.Parameter{Name: "args", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}})
	return t
}

// hear has the zoo read words.
func hear(words []string) (zoo.Heard, error) {
	var out, said bytes.Buffer
	root := zoo.New(&out)
	root.SetErr(&said)
	root.SetArgs(words)
	if err := root.Execute(); err != nil {
		return zoo.Heard{}, fmt.Errorf("%w: %s", err, said.String())
	}
	var heard zoo.Heard
	return heard, json.Unmarshal(out.Bytes(), &heard)
}

// TestRandomCalls makes random calls: what the program understands is what the call gave, or the call is refused
// since the program could not be given it.
func TestRandomCalls(t *testing.T) {
	t.Parallel()
	calls := 4_000
	if n, err := strconv.Atoi(os.Getenv("A2A_SOAK")); err == nil { // make soak
		calls = n
	} else if testing.Short() {
		calls = 1_000
	}
	const workers = 4
	every := everything()
	done := make(chan [2]int, workers)
	for worker := range workers {
		go func() { // ends with its calls
			var refused, heard int
			r := rand.New(rand.NewPCG(18, uint64(worker)))
			for range calls / workers {
				if t.Failed() {
					break
				}
				if call(t, every, r) {
					heard++
				} else {
					refused++
				}
			}
			done <- [2]int{heard, refused}
		}()
	}
	var heard, refused int
	for range workers {
		n := <-done
		heard, refused = heard+n[0], refused+n[1]
	}
	t.Logf("%d calls were understood as they were meant, %d refused", heard, refused)
	if heard < refused*3 {
		t.Errorf("%d of %d calls were refused", refused, calls)
	}
}

// call makes one random call, and reports whether it was not refused.
func call(t *testing.T, every *tool.Tool, r *rand.Rand) bool {
	flags, want := map[string]any{}, map[string]any{}
	for range r.IntN(5) {
		a := animals[r.IntN(len(animals))]
		flags[a.flag], want[a.flag] = a.value(r)
		if given := flags[a.flag]; given == "" {
			delete(want, a.flag) // as good as none
		}
	}
	args := []any{}
	for range r.IntN(3) {
		args = append(args, text(r))
	}
	arguments, err := json.Marshal(map[string]any{"flags": flags, "args": args})
	if err != nil {
		t.Error(err)
	}
	checked, failure := every.CheckArguments(arguments)
	if failure != nil {
		t.Errorf("%s: %v", arguments, failure)
		return false
	}
	words, failure := Words(every, checked)
	if failure != nil {
		return false
	}
	heard, err := hear(words)
	if err != nil {
		t.Errorf("%s became %q: %v", arguments, words, err)
		return true
	}
	if len(args) == 0 {
		args = nil
	}
	for name, value := range want {
		if n, ok := value.(json.Number); ok {
			want[name] = string(n)
		}
	}
	var told []any
	for _, arg := range heard.Args {
		told = append(told, arg)
	}
	if !reflect.DeepEqual(heard.Flags, want) || !slices.EqualFunc(args, told, func(a, b any) bool { return a == b }) {
		t.Errorf("%s became %q, and was understood as %q %q, not %q", arguments, words, heard.Flags, heard.Args, want)
	}
	return true
}
