package request

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// server is somebody who reads requests and says what he reads.
type server struct {
	name  string
	url   string // without a path; "" for Go's own parsers, without a connection
	front bool   // something in front of it reads and writes the path anew
	xml   bool   // it reads XML

	// markless says that it takes a U+FEFF at the start of a multipart field for a mark of UTF-8, and away: node's
	// formData() decodes fields so.
	markless bool
}

// ask sends a request and returns what the server has read.
func (s *server) ask(t testing.TB, client *http.Client, r *Request) (*seen, error) {
	t.Helper()
	there := *r
	if s.url != "" {
		there.URL = s.url + strings.TrimPrefix(r.URL, r.Origin)
	}
	request, err := there.HTTP(t.Context())
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "test")
	if s.url == "" {
		var wire bytes.Buffer
		if err := request.Write(&wire); err != nil {
			return nil, err
		}
		read, err := http.ReadRequest(bufio.NewReader(&wire))
		if err != nil {
			return nil, err
		}
		got := readByGo(read)
		return &got.seen, got.err()
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errNotServed(response.StatusCode)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var got goSeen
	if err := decoder.Decode(&got); err != nil {
		return nil, fmt.Errorf("%w: %s", err, body)
	}
	return &got.seen, got.err()
}

// errNotServed is a server's own refusal: then nothing was done.
type errNotServed int

func (e errNotServed) Error() string { return fmt.Sprintf("status %d", int(e)) }

type goSeen struct {
	seen
	Error string
}

func (g *goSeen) err() error {
	if g.Error != "" {
		return errors.New(g.Error)
	}
	return nil
}

// readByGo says what a request is to Go.
func readByGo(r *http.Request) (got goSeen) {
	got.Method, got.Headers = r.Method, map[string]string{}
	for name, values := range r.Header {
		got.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	fail := func(err error) goSeen {
		got.Error = err.Error()
		return got
	}
	for _, raw := range strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/") {
		plain, err := url.PathUnescape(raw)
		if err != nil {
			return fail(err)
		}
		got.Segments = append(got.Segments, plain)
	}
	if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
		return fail(err)
	}
	got.Query = orderedPairs(r.URL.RawQuery)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fail(err)
	}
	kind, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "application/json" && len(body) > 0:
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if err := decoder.Decode(&got.JSON); err != nil {
			return fail(err)
		}
	case kind == "application/x-www-form-urlencoded":
		got.Form = orderedPairs(string(body))
	case kind == "multipart/form-data":
		reader := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
		for {
			part, err := reader.NextPart()
			if errors.Is(err, io.EOF) {
				return got
			}
			if err != nil {
				return fail(err)
			}
			content, err := io.ReadAll(part)
			if err != nil {
				return fail(err)
			}
			got.Parts = append(got.Parts, seenPart{part.FormName(), part.FileName(), string(content)})
		}
	case kind == "application/xml":
		decoder := xml.NewDecoder(bytes.NewReader(body))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				return got
			}
			if err != nil {
				return fail(err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				got.XML = append(got.XML, token.Name.Local)
				for _, a := range token.Attr {
					got.XML = append(got.XML, a.Value)
				}
			case xml.CharData:
				got.XML = append(got.XML, string(token))
			case xml.EndElement:
			default:
				got.XML = append(got.XML, "something else")
			}
		}
	default:
		got.Text = string(body)
	}
	return got
}

func orderedPairs(raw string) [][2]string {
	var list [][2]string
	for _, pair := range strings.Split(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		plainName, _ := url.QueryUnescape(name)
		plainValue, _ := url.QueryUnescape(value)
		list = append(list, [2]string{plainName, plainValue})
	}
	return list
}

// goBackend is a server of Go's, for those that stand in front of it.
func goBackend(t testing.TB) string {
	t.Helper()
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := readByGo(r)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"Method": got.Method, "Segments": got.Segments, "Query": got.Query, "Headers": got.Headers,
			"JSON": got.JSON, "Form": got.Form, "Parts": got.Parts, "Text": got.Text, "XML": got.XML, "Error": got.Error})
	}))
	t.Cleanup(backend.Close)
	return backend.URL
}

// servers starts everybody who is there. Which must be there says REQUIRE_SERVERS.
func servers(t testing.TB) []*server {
	t.Helper()
	list := []*server{{name: "Go", xml: true}}
	for _, s := range []struct {
		name, program string
		start         func(t testing.TB, program string) *server
	}{
		{"node", "node", func(t testing.TB, p string) *server {
			return &server{url: startEcho(t, p, "testdata/echo.mjs"), markless: true}
		}},
		{"Python", "python3", func(t testing.TB, p string) *server {
			return &server{url: startEcho(t, p, "testdata/echo.py"), xml: true}
		}},
		{"nginx", "nginx", startNginx},
		{"Apache", "apache2", startApache},
	} {
		program, err := exec.LookPath(s.program)
		if err != nil {
			program, err = exec.LookPath("/usr/sbin/" + s.program)
		}
		if err != nil {
			if os.Getenv("REQUIRE_SERVERS") != "" {
				t.Fatal(err)
			}
			t.Logf("%s is not there: %v", s.name, err)
			continue
		}
		started := s.start(t, program)
		started.name = s.name
		list = append(list, started)
	}
	return list
}

// startEcho starts a program that prints its port and ends with its standard input.
func startEcho(t testing.TB, program, script string) string {
	t.Helper()
	cmd := exec.Command(program, script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Logf("%s: %v", script, err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "http://127.0.0.1:" + strings.TrimSpace(line)
}

// freePort returns a port that was free a moment ago.
func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// startDaemon starts a server in the foreground and waits until it is there.
func startDaemon(t testing.TB, port, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the server
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	for {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s: %v\n%s", program, err, said.String())
		case <-time.After(20 * time.Millisecond): // until it listens
		}
	}
}

// startNginx has nginx in front of a server of Go's: with a URI behind proxy_pass it decodes the path, takes dot
// segments out and writes it anew.
func startNginx(t testing.TB, program string) *server {
	dir, port := t.TempDir(), freePort(t)
	config := fmt.Sprintf(`daemon off; pid %[1]s/pid; error_log %[1]s/error.log; worker_processes 1;
events { worker_connections 64; }
http { access_log off; client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
keepalive_requests 10000000; large_client_header_buffers 4 64k;
upstream backend { server %[2]s; keepalive 16; }
server { listen 127.0.0.1:%[3]s; location / { proxy_http_version 1.1; proxy_set_header Connection ""; proxy_pass http://backend/; } } }`,
		dir, strings.TrimPrefix(goBackend(t), "http://"), port)
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	startDaemon(t, port, program, "-c", file, "-p", dir)
	return &server{url: "http://127.0.0.1:" + port, front: true, xml: true}
}

// startApache has Apache in front of a server of Go's, which lets encoded slashes through and decodes what it sends on.
func startApache(t testing.TB, program string) *server {
	dir, port := t.TempDir(), freePort(t)
	config := fmt.Sprintf(`ServerRoot %[1]s
ServerName localhost
PidFile %[1]s/pid
ErrorLog %[1]s/error.log
Listen 127.0.0.1:%[3]s
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
User nobody
Group nogroup
AllowEncodedSlashes On
LimitRequestLine 65536
LimitRequestFieldSize 65536
MaxKeepAliveRequests 0
KeepAliveTimeout 60
ProxyPass / %[2]s/
`, dir, goBackend(t), port)
	file := filepath.Join(dir, "apache.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	startDaemon(t, port, program, "-DFOREGROUND", "-f", file)
	return &server{url: "http://127.0.0.1:" + port, front: true, xml: true}
}
