// Writes the requests of cases, which come as JSON on standard input: by url-template (RFC 6570), and by swagger-client
// (OpenAPI's styles).
import SwaggerClient from 'swagger-client';
import { parseTemplate } from 'url-template';

const text = await new Response(process.stdin).text();
const written = JSON.parse(text).map((c) => {
  const parameter = { name: 'x', in: c.in, required: true, style: c.style, explode: c.explode, schema: { type: c.type } };
  const path = c.in === 'path' ? '/a/{x}/b' : '/a/b';
  const spec = {
    openapi: '3.0.3', info: { title: 't', version: '1' }, servers: [{ url: 'https://api.example.com' }],
    paths: { [path]: { get: { operationId: 'op', parameters: [parameter], responses: {} } } },
  };
  const request = SwaggerClient.buildRequest({ spec, operationId: 'op', parameters: { x: c.value } });
  const expanded = c.template && 'https://api.example.com' + parseTemplate(c.template).expand({ x: c.value });
  return { openapi: c.in === 'header' ? request.headers.x : request.url, rfc6570: expanded || '' };
});
console.log(JSON.stringify(written));
