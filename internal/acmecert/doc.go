// Package acmecert has certificates from a certificate authority that speaks ACME (RFC 8555), such as
// Let's Encrypt, and keeps them new.
//
// The authority is asked in one place, at times that this package chooses: when a name has no certificate,
// and when two thirds of the time of the one that it has are over. What clients send causes no request to
// it, whichever name they ask for. Until there is a new certificate the old one is shown, and Trouble says so.
//
// The authority proves that a name is ours by a handshake with the very listener that the certificate is for
// (TLS-ALPN-01, RFC 8737): Challenge is what that shows.
//
// Keys and certificates stand in a directory of their own for each authority:
//
//	account.key      the key of the account, made with the first order
//	NAME.pem         the key and the certificate of a name, replaced as a whole
//	NAME.failed      that the last try came to nothing, and when the next one is due
package acmecert
