package command

import "encoding/json"

// Schema returns the JSON Schema (draft-07) of a person's own commands.yaml, for editors. What it takes Read
// takes, but for what bash does itself, which has no row.
func Schema() ([]byte, error) {
	type object map[string]any
	names := func(form, says string) object { // a text with blanks or commas between them, or a list
		one := "(?:" + form[1:len(form)-1] + ")"
		return object{"description": says, "anyOf": []any{
			object{"type": "string", "pattern": "^[ ,]*" + one + "(?:[ ,]+" + one + ")*[ ,]*$"},
			object{"type": "array", "minItems": 1, "items": object{"type": "string", "pattern": form}},
		}}
	}
	row := func(keys object) object {
		return object{"type": "array", "items": object{"type": "object", "properties": keys,
			"required": []string{"names"}, "additionalProperties": false}}
	}
	program := object{"names": names(programName.String(), "The program, or several, without a directory.")}
	for _, key := range ownKeys {
		if program[key.name] = names(optionName.String(), key.says); key.group != "" {
			program[key.name] = object{"description": key.says, "const": true}
		}
	}
	variable := object{"names": names(variableName.String(), "Environment variables that programs run or obey; a * at one "+
		"end stands for all that begin or end so.")}
	return json.MarshalIndent(object{
		"$schema":              "http://json-schema.org/draft-07/schema#",
		"title":                "What you know of programs",
		"description":          "It only ever says more about a risk: nothing in it makes a command harmless.",
		"type":                 "object",
		"properties":           object{"version": object{"const": 1}, "programs": row(program), "variables": row(variable)},
		"required":             []string{"version"},
		"additionalProperties": false,
	}, "", "  ")
}
