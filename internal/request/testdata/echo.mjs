// Says what a request is to node: its own parsers of URLs, queries, headers, JSON, forms and multipart.
import http from 'node:http';

const decode = (s) => decodeURIComponent(s);
const server = http.createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const seen = { Method: req.method, Segments: null, Query: [], Headers: req.headers };
  try {
    const url = new URL(req.url, 'http://api.example.com');
    if (url.host !== 'api.example.com') throw new Error('another host: ' + url.host);
    seen.Segments = url.pathname.slice(1).split('/').map(decode);
    seen.Query = [...url.searchParams.entries()];
    const type = (req.headers['content-type'] || '').split(';')[0];
    if (body.length && type === 'application/json') seen.JSON = JSON.parse(body.toString());
    else if (type === 'application/x-www-form-urlencoded') seen.Form = [...new URLSearchParams(body.toString()).entries()];
    else if (type === 'multipart/form-data') {
      const form = await new Response(body, { headers: { 'content-type': req.headers['content-type'] } }).formData();
      seen.Parts = [];
      for (const [Name, value] of form.entries()) {
        if (typeof value === 'string') seen.Parts.push({ Name, Content: value });
        else seen.Parts.push({ Name, Filename: value.name, Content: Buffer.from(await value.arrayBuffer()).toString() });
      }
    } else seen.Text = body.toString();
  } catch (e) {
    seen.Error = String(e);
  }
  const answer = JSON.stringify(seen);
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(answer);
});
server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
