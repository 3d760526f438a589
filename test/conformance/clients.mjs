// MCP clients on the official TypeScript SDKs, to call a tool as they do.
//
// It reads {clients: [{name, library, mode, command, args, cwd, env, url, token, word, answer}]} from standard input. Each client
// connects to the program that it starts (command) or to an URL, lists the tools, calls mark with a word, and ends. Its
// person answers what is asked: yes, no, cancel; "cannot ask" is a client that declares no elicitation. One JSON object on
// standard output has, by name: {revision, tools, asked, text, isError, error}.

import { text } from 'node:stream/consumers';
import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HTTPV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';

const answers = {
  yes: { action: 'accept', content: { answer: 'allow once' } },
  no: { action: 'accept', content: { answer: 'deny' } },
  cancel: { action: 'cancel' },
};

async function run({ name, library, mode, command, args, cwd, env, url, token, word, answer }) {
  const told = { revision: '', tools: [], asked: '', text: '', isError: false, error: '' };
  const old = library === 'sdk';
  const capabilities = answer in answers ? { elicitation: {} } : {};
  const options = old ? { capabilities } : { capabilities, versionNegotiation: { mode } };
  const client = new (old ? v1.Client : v2.Client)({ name, version: '1.0.0' }, options);
  client.onerror = (error) => { told.error += `${error}; `; };
  if (answer in answers) {
    client.setRequestHandler(old ? ElicitRequestSchema : 'elicitation/create', async ({ params }) => {
      told.asked += params.message;
      await new Promise((resolve) => setTimeout(resolve, 300)); // a person reads first
      return answers[answer];
    });
  }
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const transport = url
    ? new (old ? HTTPV1 : v2.StreamableHTTPClientTransport)(new URL(url), { requestInit })
    : new (old ? StdioV1 : StdioV2)({ command, args, cwd, env, stderr: 'inherit' });
  transport.setProtocolVersion = ((set) => function (version) {
    told.revision = version;
    return set?.call(this, version);
  })(transport.setProtocolVersion);
  try {
    await client.connect(transport);
    told.tools = (await client.listTools()).tools.map((tool) => tool.name);
    const result = await client.callTool({ name: 'mark', arguments: { word } });
    told.text = result.content[0].text;
    told.isError = result.isError === true;
    if (url && transport.sessionId) await transport.terminateSession();
  } catch (error) {
    told.error += error.stack ?? `${error}`;
  }
  client.onerror = undefined;
  await client.close();
  return [name, told];
}

const { clients } = JSON.parse(await text(process.stdin));
const results = Object.fromEntries(await Promise.all(clients.map(run)));
process.stdout.write(JSON.stringify(results) + '\n', () => process.exit(0));
