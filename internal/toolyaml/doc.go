// Package toolyaml writes entries of tools files that are made of what strangers have written.
//
// Everything is built as nodes of YAML, so no text can become more than a text; what others read is cleaned first.
package toolyaml
