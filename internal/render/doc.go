// Package render turns a template and its values into a script that cannot be injected: a value is data,
// never syntax.
//
// Compile has internal/taint find out where each tag of a template stands (in a word, between quotes, in a
// here-document, as the argument of a program) and where its value goes from there. It rewrites the tag to a
// reference that is right for that place, and proves that nothing else became of the script, or refuses the
// template with the cure. Render checks the values of one call against what was found and gives the script,
// which is the same for all calls of one shape, and the values, which travel beside it on a descriptor of
// their own.
package render
