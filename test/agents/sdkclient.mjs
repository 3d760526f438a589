// An editor on the official TypeScript SDK, to look at an agent with other eyes than the strict editor's.
//
// It reads one JSON object from standard input: {command, args, env, cwd, mcpServers, prompts, grace}. It starts the agent,
// opens a session, sends the prompts one after another, allows once whatever is asked, and serves files from the disk.
// Then it closes the agent's standard input, and after grace milliseconds kills it. Every message of the agent's is checked
// with the SDK's own schemas. One JSON object on standard output says what happened: {protocolVersion, stops, text,
// requests, updates, complaints, ended}.

import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { client, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
// The package does not export its schemas, but they are what its own connection checks with.
import * as schema from './node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js';

const { command, args, env, cwd, mcpServers, prompts, grace } = JSON.parse(await text(process.stdin));
const summary = { protocolVersion: 0, stops: [], text: '', requests: {}, updates: [], complaints: [], ended: '' };
const count = (method) => { summary.requests[method] = (summary.requests[method] ?? 0) + 1; };
const complain = (what, detail) => summary.complaints.push(`${what}: ${detail}`);
console.error = (...words) => complain('the SDK', words.map((word) => word?.stack ?? JSON.stringify(word)).join(' '));

const calls = {
  'session/update': schema.zSessionNotification,
  'session/request_permission': schema.zRequestPermissionRequest,
  'fs/read_text_file': schema.zReadTextFileRequest,
  'fs/write_text_file': schema.zWriteTextFileRequest,
  '$/cancel_request': schema.zCancelRequestNotification,
};
const results = {
  initialize: schema.zInitializeResponse,
  'session/new': schema.zNewSessionResponse,
  'session/prompt': schema.zPromptResponse,
};

// check judges one message of the agent's.
const asked = new Map();
function check(message) {
  const { id, method, params, result, error } = message;
  if (method === undefined) {
    if (!asked.has(id)) complain('a response to nothing', JSON.stringify(message));
    else if (error === undefined) judge(results[asked.get(id)], result, `${asked.get(id)} result`);
    asked.delete(id);
  } else if (method in calls) {
    judge(calls[method], params, method);
  } else if (!method.startsWith('_')) {
    complain('an unexpected method', method);
  }
}
function judge(type, value, what) {
  const verdict = type.safeParse(value);
  if (!verdict.success) complain(`not valid: ${what}`, verdict.error.message);
}
// send looks at what the SDK sends: a null id is its answer to something that is no message.
function send(message) {
  if (message.id === null) complain('not a message', JSON.stringify(message));
  if (message.method !== undefined && message.id !== undefined) asked.set(message.id, message.method);
}

const agent = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
agent.on('error', (error) => complain('the agent', error.message));
const lines = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const watch = (look) => new TransformStream({ transform(message, out) { look(message); out.enqueue(message); } });
const outgoing = watch(send);
outgoing.readable.pipeTo(lines.writable).catch(() => {}); // an agent that has ended reads no more
const stream = { readable: lines.readable.pipeThrough(watch(check)), writable: outgoing.writable };

const app = client({ name: 'sdk-client' })
  .onNotification(methods.client.session.update, ({ params: { update } }) => {
    if (!summary.updates.includes(update.sessionUpdate)) summary.updates.push(update.sessionUpdate);
    if (update.sessionUpdate === 'agent_message_chunk') summary.text += update.content.text ?? '';
  })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    count('session/request_permission');
    const option = params.options.find(({ kind }) => kind === 'allow_once');
    return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } };
  })
  .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
    count('fs/read_text_file');
    try {
      return { content: await readFile(params.path, 'utf8') };
    } catch (error) {
      if (error.code === 'ENOENT') return { content: '' };
      throw RequestError.internalError({ details: error.message });
    }
  })
  .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
    count('fs/write_text_file');
    await writeFile(params.path, params.content);
    return {};
  });

try {
  await app.connectWith(stream, async (connection) => {
    const { protocolVersion } = await connection.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
      clientInfo: { name: 'sdk-client', version: '1.0.0' },
    });
    summary.protocolVersion = protocolVersion;
    const { sessionId } = await connection.request(methods.agent.session.new, { cwd, mcpServers });
    for (const prompt of prompts) {
      const { stopReason } = await connection.request(methods.agent.session.prompt, {
        sessionId, prompt: [{ type: 'text', text: prompt }],
      });
      summary.stops.push(stopReason);
    }
  });
} catch (error) {
  complain('the connection', error.stack ?? JSON.stringify(error));
}

agent.stdin.destroy();
const exit = new Promise((resolve) => {
  if (agent.exitCode !== null || agent.signalCode !== null) resolve();
  agent.on('exit', resolve);
});
const timer = setTimeout(() => agent.kill('SIGKILL'), grace);
await exit;
clearTimeout(timer);
summary.ended = agent.exitCode === null ? 'killed' : `exit ${agent.exitCode}`;
process.stdout.write(JSON.stringify(summary) + '\n', () => process.exit(0));
