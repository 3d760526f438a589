"""Says what a request is to Python: its own parsers of URLs, queries, headers, JSON, forms, multipart and XML."""
import email, email.policy, http.server, json, sys, threading, urllib.parse
import xml.parsers.expat


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        seen = {"Method": self.command, "Headers": {k.lower(): v for k, v in self.headers.items()}}
        try:
            parts = urllib.parse.urlsplit(self.path)
            if parts.scheme or parts.netloc or parts.fragment:
                raise ValueError("another place: " + self.path)
            seen["Segments"] = [urllib.parse.unquote(s, errors="strict") for s in parts.path[1:].split("/")]
            seen["Query"] = urllib.parse.parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query), errors="strict")
            kind = self.headers.get("Content-Type", "")
            if body and kind.startswith("application/json"):
                seen["JSON"] = json.loads(body)
            elif kind.startswith("application/x-www-form-urlencoded"):
                seen["Form"] = urllib.parse.parse_qsl(body.decode(), keep_blank_values=True, errors="strict")
            elif kind.startswith("multipart/form-data"):
                message = email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body, policy=email.policy.HTTP)
                seen["Parts"] = []
                for part in message.iter_parts():
                    d = part["Content-Disposition"].params
                    payload = part.get_payload(decode=True)
                    seen["Parts"].append({"Name": d["name"], "Filename": d.get("filename", ""), "Content": payload.decode()})
            elif kind.startswith("application/xml"):
                found = []
                p = xml.parsers.expat.ParserCreate()
                p.buffer_text = True
                text = []

                def flush():
                    if text:
                        found.append("".join(text))
                        text.clear()

                def start(name, attributes):
                    flush()
                    found.append(name)
                    found.extend(attributes.values())

                p.StartElementHandler, p.CharacterDataHandler = start, text.append
                p.EndElementHandler = lambda _: flush()
                p.CommentHandler = p.ProcessingInstructionHandler = lambda *a: found.append("something else")
                p.Parse(body, True)
                seen["XML"] = found
            else:
                seen["Text"] = body.decode()
        except Exception as e:
            seen["Error"] = repr(e)
        out = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
server.serve_forever(0.05)
