package config

import (
	"maps"
	"math"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// schemaRows is what editors are told about each key of each mapping of a tools file. The keys are those of
// the loader's own tables; a test holds the two against each other.
func schemaRows() map[string]map[string]schemaRow {
	limits := limitRows()
	sandbox := sandboxRows()
	for name, row := range limits {
		sandbox[name] = row
	}
	types := typeRows()
	parameter := map[string]schemaRow{
		"name": {"The name by which calls and the script ({{name}}) know it.",
			schema{"type": "string", "pattern": flagName.String()}},
		"required": {"Whether a call must give it; of an object also a list of the members that it must have.",
			withDefault(anyOf(aBool(), schema{"type": "array", "items": aText()}), false)},
		"default": {"What counts when a call does not give it; of the parameter's type.",
			schema{"not": schema{"type": "null"}}},
		"code": {"The value is a program that the agent is meant to write; " +
			"only then may it stand where a program is expected.", anEnum(tool.CodeSQL)},
		"allow_leading_dash": {"Let the value begin with - where a program would read an option.",
			withDefault(aBool(), false)},
		"ask":    {"Have an MCP client ask its person for the value where the model left it out.", withDefault(aBool(), false)},
		"secret": {"Keep the value out of questions, events and the record.", withDefault(aBool(), false)},
		"flag": {"With exec: the flag that the value stands behind. A parameter without one is an argument.",
			schema{"type": "string", "pattern": flagWord.String()}},
		"form": {"How the value stands behind its flag, where that is not --flag=value in one word: csv, plain (split at commas), " +
			"present (the flag alone), count (the flag so many times), apart (two words).", anEnum(tool.FlagForms()...)},
		"empty": {"Whether an empty value is handed on, or as good as none.", withDefault(anEnum("omit", "pass"), "omit")},
		"slash": {"What a slash in the value means in the path of a URL: one segment (%2F), or several. Without it: refused.",
			anEnum(tool.SlashEncoded, tool.SlashSegments)},
	}
	property := map[string]schemaRow{
		"required": {"Whether the object must have it; of an object also a list of the members that it must have.",
			withDefault(anyOf(aBool(), schema{"type": "array", "items": aText()}), false)},
		"default": parameter["default"],
	}
	for name, row := range types {
		parameter[name], property[name] = row, row
	}
	items := maps.Clone(types)
	items["required"] = schemaRow{"The members that each item, an object, must have.", schema{"type": "array", "items": aText()}}
	match := map[string]schemaRow{
		"is":       {"It must be exactly this.", aText()},
		"contains": {"This must stand in it; of a list, all.", someTexts()},
		"lacks":    {"This must not stand in it; of a list, none.", someTexts()},
		"matches":  {"This regular expression (RE2) must fit somewhere in it.", aText()},
	}
	fileMatch := map[string]schemaRow{"absent": {"The file must not be there.", aBool()}}
	for name, row := range match {
		fileMatch[name] = row
	}
	return map[string]map[string]schemaRow{
		"a tools file": {
			"tools": {"The tools, by their ids: what agents call them by.",
				schema{"type": []string{"object", "null"},
					"propertyNames":        schema{"pattern": toolID.String()},
					"additionalProperties": ref("tool")}},
			"sources": {"Services that tools send requests to (http), by their names.",
				schema{"type": []string{"object", "null"}, "propertyNames": schema{"pattern": toolID.String()},
					"additionalProperties": ref("source")}},
			"middleware": {"What is added to the tools of this file that a row matches; the first row counts.",
				aList(ref("middleware"))},
			"groups": {"Tools of this file that rules of access name together, by name.",
				schema{"type": []string{"object", "null"}, "propertyNames": schema{"pattern": toolID.String()},
					"additionalProperties": ref("group")}},
			"access": {"Who may call the tools of this file, by the claims of his token. Whom no rule lets in finds no such tool.",
				schema{"type": "array", "minItems": 1, "items": ref("access")}},
			"resources": {"What MCP clients may read, by name.", schema{"type": []string{"object", "null"},
				"propertyNames": schema{"pattern": offerName.String()}, "additionalProperties": ref("resource")}},
			"prompts": {"Texts that a person picks in an MCP client, by name.", schema{"type": []string{"object", "null"},
				"propertyNames": schema{"pattern": offerName.String()}, "additionalProperties": ref("prompt")}},
			"version": {"The format of the file. 2 is strict: what a template names must be declared. " +
				"Without it the original format counts.", anEnum[any](1, 2, "1", "2")},
			"template_safety": {"warn takes places that need an integer or SQL where the parameter does not say so, " +
				"and checks the values at each call.", withDefault(anEnum("strict", "warn"), "strict")},
			"imports": {"The programs that tools of this file were made of, and how: `a2a-acp import cli --update` does it again.",
				schema{"type": []string{"object", "null"}, "propertyNames": schema{"pattern": importName.String()},
					"additionalProperties": ref("import")}},
		},
		"an import": {
			"command":   {"The program: a name in PATH, or an absolute path.", aText()},
			"version":   {"What it said of its version.", aText()},
			"sha256":    {"The hash of its file.", schema{"type": "string", "pattern": sha256Digits.String()}},
			"pin":       {"Refuse calls where the program's file is another one.", withDefault(aBool(), false)},
			"spec":      {"The carapace spec that its tools were made of, in place of the program's own answers.", aText()},
			"guess":     {"Guess types that the help does not tell.", withDefault(aBool(), false)},
			"prefix":    {"What the names of its tools begin with, in place of the program's.", aText()},
			"grants":    {"What its tools are given.", aList(aText())},
			"selectors": {"Which commands become tools: the first one that a command matches counts.", aList(ref("selector"))},
			"tools":     {"The tools that were made.", aList(aText())},
		},
		"a selector": {
			"allow_cmds":              {"Commands as they are typed; * stands for any words.", aList(aText())},
			"exclude_cmds":            {"Commands that it does not match.", aList(aText())},
			"allow_cmds_containing":   {"Parts of the commands that it matches.", aList(aText())},
			"exclude_cmds_containing": {"Parts of commands that it does not match.", aList(aText())},
			"read_only":               {"Match only commands that, by their names, read.", withDefault(aBool(), false)},
			"local_flags":             {"Which flags of the command itself a call may give.", ref("flags")},
			"inherited_flags":         {"Which flags of the commands above it a call may give.", ref("flags")},
		},
		"a selection of flags": {
			"allow_flags":   {"Only these; * stands for any letters.", aList(aText())},
			"exclude_flags": {"Not these.", aList(aText())},
			"no_flags":      {"None.", withDefault(aBool(), false)},
		},
		"execution_profile": profileRows(),
		"http":              httpRows(), "a source": sourceRows(), "auth": authRows(), "a style": styleRows(), "a field": fieldRows(),
		"client_credentials": clientCredentialsRows(), "token_exchange": tokenExchangeRows(),
		"result": {
			"pick":   {"Where it stands in the answer: a JSON pointer, or names with dots between them.", aText()},
			"stream": {"The answer is a stream, each event of which is a line of the result, told as it comes.", anEnum("sse", "ndjson")},
			"shape":  {"An expression of CEL over status, headers and body that gives it; body is what pick has found.", aText()},
		},
		"poll": pollRows(), "cancel": cancelRows(),
		"paginate": {
			"next": {"Where the next page is told: link (the header), {pointer: /next} (a URL), or {cursor: /next, parameter: after}.",
				anyOf(anEnum(tool.NextLink), ref("cursor"))},
			"items":     {"Where in each page the list stands; / where the page is one.", aText()},
			"max_pages": {"How many pages are read.", withDefault(aWhole(1, mostPages), defaultPages)},
		},
		"next": {
			"pointer":   {"Where in the body the URL of the next page stands.", aText()},
			"cursor":    {"Where in the body the cursor of the next page stands.", aText()},
			"parameter": {"The field of the query that takes the cursor.", aText()},
		},
		"client_certificate": {
			"certificate": {"Where the certificate stands, as PEM.", ref("reference")},
			"key":         {"Where its private key stands, as PEM.", ref("reference")},
		},
		"basic": {
			"username": {"The user's name.", aText()},
			"password": {"Where the password stands.", ref("reference")},
		},
		"api_key": {
			"in":    {"Where the key goes.", withDefault(anEnum(tool.InHeader, tool.InQuery, tool.InCookie), tool.InHeader)},
			"name":  {"The name of the header, the field or the cookie.", aText()},
			"value": {"Where the key stands.", ref("reference")},
		},
		"a part": {
			"content":  {"What the part holds; {{name}} is filled in.", aText()},
			"filename": {"The name of a file; without it the part is a plain field.", aText()},
			"type":     {"The media type of the part.", aText()},
			"base64":   {"The content is base64 of what is sent.", withDefault(aBool(), false)},
		},
		"exec": {
			"command": {"The program: a name in PATH, or an absolute path.", schema{"type": "string", "minLength": 1}},
			"argv":    {"The words that every call begins with, such as subcommands.", aList(aText())},
			"end_of_flags": {"Write -- in front of the arguments, so that the first is none of the commands below.",
				withDefault(aBool(), false)},
			"sha256": {"The hash of the program's file. Calls say where it is another one.",
				schema{"type": "string", "pattern": sha256Digits.String()}},
			"pin": {"Refuse calls where the program's file is another one.", withDefault(aBool(), false)},
		},
		"a resource": {
			"uri":         {"What it is called; with {variables} there is one for each value of them.", aText()},
			"title":       {"Its name for people.", aText()},
			"description": {"What it holds.", aText()},
			"mime_type":   {"What kind of data it is.", aText()},
			"text":        {"What it holds; {{name}} stands for a variable of the uri.", aText()},
			"blob":        {"What it holds, as base64.", aText()},
			"tool":        {"The tool that prints what it holds. Reading it is a call, decided as one.", aText()},
			"params":      {"What the tool is called with, beside the variables of the uri.", schema{"type": "object"}},
		},
		"a prompt": {
			"title":       {"Its name for people.", aText()},
			"description": {"What it is for.", aText()},
			"arguments":   {"What a person fills in.", aList(ref("prompt_argument"))},
			"text":        {"What is said; {{name}} stands for an argument.", aText()},
			"messages":    {"What is said, in several messages.", aList(ref("prompt_message"))},
		},
		"an argument": {
			"name":        {"Its name.", aText()},
			"description": {"What it is.", aText()},
			"required":    {"Whether it must be given.", withDefault(aBool(), false)},
		},
		"a message": {
			"role":      {"Whose words they are.", withDefault(anEnum("user", "assistant"), "user")},
			"text":      {"The words; {{name}} stands for an argument.", aText()},
			"image":     {"A picture, as base64.", aText()},
			"mime_type": {"What kind of picture or resource it is.", aText()},
			"uri":       {"The text is told as the resource of that URI.", aText()},
		},
		"a group": {
			"description": {"What they have in common.", aText()},
			"selectors": {"Which tools are in it: those that one of the selectors fits.",
				schema{"type": "array", "minItems": 1, "items": ref("tool_selector")}},
			"explicit_tool_ids": {"Tools that are in it, too, by their ids.", schema{"type": "array", "minItems": 1, "items": aText()}},
			"excluded_tool_ids": {"Tools that are not in it whatever else is said, by their ids.",
				schema{"type": "array", "minItems": 1, "items": aText()}},
		},
		"a selector of tools": {
			"source_pattern": {"The source that the tool sends its request to. * is any characters, ? is one; " +
				"regex: and a regular expression (RE2).", aText()},
			"name_pattern":   {"The tool's id, likewise.", aText()},
			"path_pattern":   {"The path of its request behind that of the source, as it is written there, likewise.", aText()},
			"method_pattern": {"The method of its request, likewise.", aText()},
			"required_tags":  {"Tags that the tool has, all of them.", aList(aText())},
			"excluded_tags":  {"Tags of which the tool has none.", aList(aText())},
		},
		"a rule of access": {
			"name":        {"What people call the rule.", aText()},
			"description": {"Who that is.", aText()},
			"issuer":      {"Whose tokens count: the name under serve: oidc. Needed where there are several.", aText()},
			"claim_matchers": {"What has to be so of the claims of who calls, all of it.",
				schema{"type": "array", "minItems": 1, "items": ref("claim_matcher")}},
			"everybody":         {"Whoever calls, at every door.", schema{"const": true}},
			"allowed_group_ids": {"The groups of tools that he may call.", schema{"type": "array", "minItems": 1, "items": aText()}},
		},
		"a matcher": {
			"json_path": {"Where the claim stands: names with dots, or a JSON pointer.", aText()},
			"operator":  {"How it is looked at.", anEnum(append(claimOperators(), inCapitals(claimOperators())...)...)},
			"value":     {"What it is compared with.", anyOf(aText(), aBool(), schema{"type": "array", "items": aText()})},
		},
		"a row of middleware": {
			"match":    {"Which tools it is for; all of the file where it is not there.", ref("match_tools")},
			"timeout":  {"Seconds, or 2m30s. Where a tool says one, too, the shorter counts.", aDuration(longestTimeout.Seconds())},
			"limit":    {"How often they may be called.", ref("call_limit")},
			"validate": {"How much a call may give.", ref("validate")},
			"redact":   {"Regular expressions (RE2): what one matches, or its first group, is taken out of the output.", aList(aText())},
			"log": {"How much of their calls is on record, where the tool does not say.",
				anEnum(tool.AuditMetadata, tool.AuditParams, tool.AuditFull)},
		},
		"match": {"tools": {"Ids of tools, which may have * in them.", aList(aText())}},
		"limit": {
			"count": {"So many calls.", aWhole(1, mostLimitCalls)},
			"per":   {"In each such time: seconds, or 1m.", aDuration(longestLimit.Seconds())},
			"key":   {"Which calls are counted together.", withDefault(anEnum("all", "client", "tool", "session"), "all")},
		},
		"validate": {
			"max_args": {"How many arguments a call may have, and items each list among them.", aWhole(1, mostArguments)},
			"max_kb":   {"How long a call's arguments may be, as JSON.", aWhole(1, mostArgumentsKB)},
		},
		"a tool": toolRows(), "sandbox": sandbox, "resource_limits": limits, "a parameter": parameter,
		"items": items, "a property": property,
		"an allowed path": {
			"path":   {"The file or directory; relative to working_directory.", aPath()},
			"access": {"write includes read.", withDefault(anEnum("read", "write"), "write")},
		},
		"an error mapping": errorRows(), "a condition": conditionRows(),
		"a2a": {
			"url":   {"Where the agent is, or its card.", schema{"type": "string", "pattern": "^https?://"}},
			"skill": {"The skill that is run with the call's parameters.", aText()},
			"token": {"Where the token stands that shows the agent whose call it is.", ref("reference")},
			"auth":  {"How the token is shown: bearer, basic or the name of a header; else as the card says.", aText()},
			"allow_addresses": {"Addresses or networks that may be reached although they are not public.",
				aList(aText())},
			"allow_origins": {"Other origins that the agent's card may lead to.", aList(aText())},
		},
		"annotations": {
			"title": {"What people see in place of the name.", aText()},
			"readOnlyHint": {"It changes nothing: the sandbox lets it write nowhere, " +
				"and reach nothing without openWorldHint. Where no rule matches, such a tool is not asked about.", aBool()},
			"destructiveHint": {"It may remove or overwrite something.", aBool()},
			"idempotentHint":  {"Twice is the same as once.", aBool()},
			"openWorldHint":   {"It reaches other machines, or sockets of this one.", aBool()},
		},
		"retry": {
			"attempts": {"Runs in all, the first one included.",
				withDefault(aWhole(1, mostAttempts), tool.DefaultRetry().Attempts)},
			"backoff": {"How the delays grow.",
				withDefault(anEnum(tool.BackoffExponential, tool.BackoffConstant), "exponential")},
			"backoff_multiplier": {"Each delay is so many times the one before.",
				schema{"type": "number", "minimum": 1, "maximum": largestMultiple}},
			"multiplier": {"Each delay is so many times the one before.",
				schema{"type": "number", "minimum": 1, "maximum": largestMultiple}},
			"initial_delay": {"Before the second run: seconds, or 500ms.",
				withDefault(aDuration(longestDelay.Seconds()), 1)},
			"max_delay": {"No delay is longer: seconds, or 30s.",
				withDefault(aDuration(longestDelay.Seconds()), 30)},
		},
		"circuit_breaker": {
			"failure_threshold": {"So many failures within monitoring_period open the circuit.",
				withDefault(aWhole(1, 1000), 5)},
			"monitoring_period": {"Seconds, or 30s.", withDefault(aDuration(86400), 30)},
			"recovery_timeout": {"How long calls are refused then: seconds, or 1m.",
				withDefault(aDuration(86400), 60)},
			"half_open_max_calls": {"So many calls are let through on trial then, and all must succeed.",
				withDefault(aWhole(1, 1000), 1)},
		},
		"rate_limit": {
			"requests": {"So many, and no more.", aWhole(1, mostRequests)},
			"per":      {"Within any time of this length: seconds, or 1m.", aDuration(longestRate.Seconds())},
			"wait": {"How long a request waits for its turn before it fails (rate_limited): seconds, or 10s.",
				withDefault(aDuration(longestTurn.Seconds()), tool.DefaultRateWait.Seconds())},
		},
		"caching": {
			"enabled": {"Whether a result is given to the same call again.", aBool()},
			"ttl": {"For how long: seconds, or 5m.",
				withDefault(aDuration(longestTTL.Seconds()), 300)},
			"max_size": {"How many results are kept.", withDefault(aWhole(1, mostResults), 100)},
			"key_template": {"What makes two calls the same, such as \"{{url}}\". Without it: all arguments.",
				aText()},
			"http": {"Keep the answer to a GET or HEAD for as long as its server lets a private cache (RFC 9111); stands alone.",
				withDefault(aBool(), false)},
		},
		"output": {
			"keep_kb": {"How much of stdout and of stderr is passed on, each: the beginning and the end.",
				aWhole(1, mostKeptKB)},
			"spill":  {"Keep the whole of what is longer, for people.", withDefault(aBool(), false)},
			"json":   {"What it prints on stdout is one JSON value, told as structured content.", withDefault(aBool(), false)},
			"schema": {"The JSON Schema that it fits; another value is a failure.", schema{"type": "object"}},
			"spill_mb": {"How much of each stream is kept then; a call that puts out more is ended. In place of max_output_mb.",
				withDefault(aWhole(1, mostSpilledMB), tool.DefaultSpill>>20)},
		},
		"surface": {
			"mcp": {"How a failed call is told over MCP: as a result that models read, or as an error of the protocol.",
				withDefault(anEnum("result", "protocol_error"), "result")},
		},
		"a variable's value": {
			"secret": {"The name of a secret that `a2a-acp secrets set` keeps.", aText()},
			"env": {"A variable of the environment that this program was started with.",
				schema{"type": "string", "pattern": variableName.String()}},
			"file": {"An absolute path; the file's text, without the last line break.",
				schema{"type": "string", "pattern": "^/"}},
			"command": {"A program and its arguments, such as a password manager; what it prints.",
				schema{"type": "array", "items": aText(), "minItems": 1}},
		},
		"an example": {
			"name":   {"What the example shows.", aText()},
			"params": {"The arguments of the call.", aMapping(schema{})},
			"files": {"What lies in the throw-away directory before the call: a text, {text: …} or {link: …} by name.",
				aMapping(anyOf(aText(), ref("file")))},
			"setup": {"A bash script that makes there what files cannot say, such as a repository; without the network.", aText()},
			"needs": {"Programs without which it cannot work; where one is missing it is skipped.",
				aList(aText())},
			"expect": {"What the call must come to.", ref("expect")},
		},
		"expect": {
			"exit": {"The exit code.", withDefault(aWhole(0, 255), 0)},
			"stdout": {"What it must print: a text, or {contains: …}, {lacks: …}, {matches: …}.",
				anyOf(aText(), ref("match"))},
			"stderr": {"What it must say on stderr.", anyOf(aText(), ref("match"))},
			"files": {"What the files must hold afterwards, by name; {absent: true} for one that must not be there.",
				aMapping(anyOf(aText(), ref("file_match")))},
			"unchanged": {"Nothing in the directory may have changed.", aBool()},
			"error":     {"Why the call must not be carried out.", anEnum(tool.FailureCodes()...)},
		},
		"a file": {
			"text": {"What it holds.", aText()},
			"link": {"A symbolic link leads there.", aText()},
		},
		"what a text must be": match, "what a file must be": fileMatch,
	}
}

func toolRows() map[string]schemaRow {
	return map[string]schemaRow{
		"name":        {"For people.", aText()},
		"description": {"For the model: what it does, what it prints, when to use it.", aText()},
		"script": {"The script, best after |. bash; " +
			"with another shebang it reads its parameters from $A2A_PARAMS_FILE. {{name}} is a reference to a value, " +
			"which never becomes part of the script.", schema{"type": "string", "minLength": 1}},
		"http":              {"A request that is sent in place of running a script.", ref("http")},
		"execution_profile": {"The same in the format of the tools provider (url_template, body_template, …).", ref("profile")},
		"input_schema":      {"The parameters as a schema of JSON: {type: object, properties, required}.", inputSchema()},
		"exec":              {"A program that runs in place of a script, without a shell.", ref("exec")},
		"a2a":               {"A remote A2A agent that does it in place of a script.", ref("a2a")},
		"parameters":        {"What a call may give.", aList(ref("parameter"))},
		"sandbox":           {"Where and how it runs, and what it may touch.", ref("sandbox")},
		"resource_limits":   {"The limits; the same as under sandbox.", ref("limits")},
		"error_mapping": {"What exit codes, or the statuses of answers (404, 5xx, or conditions under when), mean: " +
			"a JSON-RPC error code, or {code, message, detail, retryable}.",
			schema{"type": []string{"object", "null"}, "properties": schema{"when": aList(ref("condition"))},
				"patternProperties": schema{"^([1-9][0-9]{0,2}|[345]xx)$": anyOf(aWhole(math.MinInt32, math.MaxInt32),
					ref("error"))}, "additionalProperties": false}},
		"annotations": {"Hints for the client (MCP). readOnlyHint counts for us, too.",
			ref("hints")},
		"enabled": {"Whether it can be called. One that cannot is offered to nobody.", withDefault(aBool(), true)},
		"trust_program": {"Its author knows what the programs of its script do with the values that they are given.",
			withDefault(aBool(), false)},
		"allow_dynamic_command": {"A parameter chooses what runs, as in a shell; rules then look at its commands.",
			withDefault(aBool(), false)},
		"tags": {"Words to find it by.", aList(aText())},
		"examples": {"Texts, or calls that `a2a-acp tools test` makes: {name, params, files, setup, needs, " +
			"expect}.", aList(anyOf(aText(), ref("example")))},
		"version":         {"The version of this entry.", aLiteral()},
		"author":          {"Who wrote it.", aText()},
		"retry":           {"Run a failed call again.", ref("retry")},
		"circuit_breaker": {"Refuse calls for a while when it fails too often.", ref("breaker")},
		"caching":         {"Give a result to the same call again.", ref("caching")},
		"output":          {"How much of what it prints is passed on.", ref("output")},
		"audit": {"How much of its calls is on record: metadata leaves the arguments out, full has what it prints as well.",
			withDefault(anEnum(tool.AuditMetadata, tool.AuditParams, tool.AuditFull), tool.AuditParams)},
		"surface": {"How doors tell what a call came to.", ref("surface")},
	}
}

func typeRows() map[string]schemaRow {
	return map[string]schemaRow{
		"type":        {"The type of the value.", withDefault(anEnum(typeNames()...), "string")},
		"description": {"For the model: what to give.", aText()},
		"enum":        {"The values that there are.", schema{"type": []string{"array", "null"}}},
		"minimum":     {"The least number.", aNumber()},
		"maximum":     {"The greatest number.", aNumber()},
		"pattern": {"A regular expression (RE2) for the whole value; without version: 2 for its beginning.",
			aText()},
		"items": {"What each item of an array may be.", ref("items")},
		"properties": {"The members that an object may have; without it any.",
			aMapping(ref("property"))},
		"nullable":  {"Whether the value may be null.", withDefault(aBool(), false)},
		"minLength": {"Characters of a text, at least.", aWhole(0, math.MaxInt32)},
		"maxLength": {"Characters of a text, at most.", aWhole(0, math.MaxInt32)},
		"minItems":  {"Items of an array, at least.", aWhole(0, math.MaxInt32)},
		"maxItems":  {"Items of an array, at most.", aWhole(0, math.MaxInt32)},
		"format": {"What the text is. path: rules look at it, and a leading - is harmless; " +
			"patch: rules look at the files that it names.", anEnum(formatNames()...)},
	}
}

func sandboxRows() map[string]schemaRow {
	return map[string]schemaRow{
		"requires_confirmation": {"Ask a person every time.", withDefault(aBool(), false)},
		"confirmation_message":  {"Your own question; {{name}} is filled in.", aText()},
		"timeout": {"Wall clock: seconds, or 2m30s.",
			withDefault(aDuration(longestTimeout.Seconds()), tool.DefaultLimits().Timeout.Seconds())},
		"working_directory": {"Where it starts; \".\" is the caller's directory.", aPath()},
		"use_temp_isolation": {"Start in an empty directory of its own, below working_directory. false where nothing is said, " +
			"but in files without version: 2.", aBool()},
		"allowed_paths": {"What it may write to; {path: …, access: read} for what it may only read.",
			aList(anyOf(aPath(), ref("path")))},
		"environment_variables": {"Variables of its environment. Those that choose what runs (LD_*, BASH_ENV, " +
			"GIT_*) are refused.",
			schema{"type": []string{"object", "null"}, "propertyNames": schema{"pattern": variableName.String()},
				"additionalProperties": anyOf(aLiteral(), ref("reference"))}},
		"network": {"Where nothing is said: on if the script calls a network client, else off.",
			anEnum("on", "off")},
		"strict": {"Network interfaces of its own, which lead nowhere.",
			withDefault(aBool(), false)},
		"allowed_commands": {"The only program files that may start: names in PATH, or absolute paths.",
			aList(schema{"type": "string", "pattern": `^(/.*|[^/]+)$`})},
		"sockets": {"UNIX sockets that it may connect to: absolute paths.",
			aList(schema{"type": "string", "pattern": "^/"})},
		"grants": {"Ready-made bundles of what a program needs; tools show says what each gives, and at what risk.",
			aList(anEnum(grantNames()...))},
		"require": {"Refuse to run where the machine cannot enforce these.",
			aList(anEnum(properties...))},
		"best_effort":     {"Run even where it cannot.", withDefault(aBool(), false)},
		"caching_enabled": {"The original format's word for caching.enabled.", withDefault(aBool(), false)},
		"cache_ttl_seconds": {"The original format's word for caching.ttl.",
			aWhole(0, int64(longestTTL.Seconds()))},
		"cache_max_size_mb": {"How much is kept.", aWhole(0, 1<<10)},
	}
}

// limitRows are made of the loader's table, which has the bounds.
func limitRows() map[string]schemaRow {
	about := map[string]schemaRow{
		"max_memory_mb": {"Private memory of each process.",
			withDefault(schema{}, tool.DefaultLimits().Memory>>20)},
		"max_cpu_time_seconds": {"CPU time of each process.",
			withDefault(schema{}, tool.DefaultLimits().CPU.Seconds())},
		"max_file_size_mb": {"Size of each file that is written.",
			withDefault(schema{}, tool.DefaultLimits().FileSize>>20)},
		"max_open_files": {"Descriptors of each process.",
			withDefault(schema{}, tool.DefaultLimits().OpenFiles)},
		"max_processes": {"Threads and processes of the whole call.",
			withDefault(schema{}, tool.DefaultLimits().Processes)},
		"max_temp_mb": {"Size of the call's own /tmp, which is in memory.",
			withDefault(schema{}, tool.DefaultLimits().TempSize>>20)},
		"max_address_space_mb": {"Address space of each process. Few programs need this; " +
			"node, java and go do not start with little of it.", schema{}},
		"max_output_mb": {"Bytes of stdout and of stderr, each.",
			withDefault(schema{}, tool.DefaultLimits().Output>>20)},
	}
	rows := map[string]schemaRow{}
	for _, l := range limits() {
		row, ok := about[l.name]
		if !ok {
			continue
		}
		row.is["type"], row.is["minimum"], row.is["maximum"] = "integer", l.low, l.high
		rows[l.name] = row
	}
	return rows
}

func errorRows() map[string]schemaRow {
	return map[string]schemaRow{
		"code": {"The JSON-RPC error code: -32602 invalid params, -32002 not found, -32603 internal, " +
			"or one of your own.", aWhole(math.MinInt32, math.MaxInt32)},
		"message":   {"The canonical text of the code, which clients know it by.", aText()},
		"detail":    {"What this call was about; a plain text, {{name}} is filled in.", aText()},
		"retryable": {"Whether trying again may help; see retry.", withDefault(aBool(), false)},
	}
}

func conditionRows() map[string]schemaRow {
	rows := errorRows()
	rows["if"] = schemaRow{"An expression of CEL over an answer (status, headers, body); the first that holds counts.", aText()}
	return rows
}

func profileRows() map[string]schemaRow {
	return map[string]schemaRow{
		"mode": {"sync_http: one request. async_poll: one that begins a job, and others until that has ended.",
			schema{"type": "string"}},
		"method":           {"The method.", anEnum(request.Methods()...)},
		"url_template":     {"The URL; {{ name }} is a value.", schema{"type": "string", "minLength": 1}},
		"headers_template": {"The headers, or JSON of them.", anyOf(aMapping(fieldValue()), aText())},
		"body_template":    {"The body: JSON with {{ tags }}, {% if %} and {% for %}.", schema{"type": []string{"string", "null"}}},
		"content_type":     {"The media type of the body.", aText()},
		"response_mapping": {"Which part of the answer is the result: names with dots, or a mapping of names to such.",
			anyOf(aMapping(aText()), schema{"type": []string{"string", "null"}})},
		"required_audience": {"What the token is for; the source has to fetch one.", aText()},
		"required_scopes":   {"What the token must be good for.", aList(aText())},
		"timeout_seconds":   {"From the first byte to the last, in seconds.", aDuration(longestRequest.Seconds())},
		"source":            {"The source that the URL is of, where its origin does not say.", aText()},
		"poll_config":       {"How the job is followed to its end that the request begins (mode: async_poll).", ref("poll")},
	}
}

func inputSchema() schema {
	properties := schema{}
	for _, key := range inputSchemaKeys() {
		properties[key] = schema{}
	}
	return schema{"type": "object", "properties": properties, "additionalProperties": false}
}

// inCapitals returns words as some files have them.
func inCapitals(words []string) (all []string) {
	for _, word := range words {
		all = append(all, strings.ToUpper(word))
	}
	return all
}
