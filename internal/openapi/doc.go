// Package openapi makes tools of the operations of an OpenAPI document: requests to the server that it names.
//
// The document is a stranger's. It is not taken into memory as a tree: of its bytes what an operation needs is read when
// it is needed. References stay inside the document, what holds itself is cut, and what is read for one operation is
// bounded. Texts are cleaned, no tag of a template comes from them, and credentials become references to secrets.
// An operation that cannot be said as a request as it is meant is left out and told, never half done; it costs no other
// operation. What is made of one has been read as the program reads it.
package openapi
