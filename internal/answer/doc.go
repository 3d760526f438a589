// Package answer says what the answer to a tool's request comes to: which part of it is the result, what it means, and
// whether there is a further page.
//
// It is pure, and is given bytes that a stranger has sent: what they hold chooses among what the author wrote, and
// nothing else. Where the next page is asked for is looked at again by whoever sends that request.
package answer
