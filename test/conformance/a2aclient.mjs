// A client on an official TypeScript SDK of A2A, against `a2a-acp serve` with the tools of a2atools.yaml.
//
//     node a2aclient.mjs 1.3|0.3 JSONRPC|HTTP+JSON|GRPC URL TOKEN
//
// It takes the card, does every operation of its SDK, and looks at every error that the SDK tells apart. Each step is a line,
// `ok STEP` or `not ok STEP: why`; the exit code is 1 where one is not.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { base64url, createRemoteJWKSet, flattenedVerify } from 'jose';

const [generation, binding, url, token] = process.argv.slice(2);
const options = { serviceParameters: { Authorization: `Bearer ${token}` } };

// What differs between the SDKs. States, roles and parts are told in the words of 0.3.
const sdks = {
  '1.3': async () => {
    const { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } = await import('a2a-1.3/client');
    const { GrpcTransportFactory } = await import('a2a-1.3/client/grpc');
    const { Role, TaskState } = await import('a2a-1.3');
    const transports = {
      JSONRPC: () => new JsonRpcTransportFactory(), 'HTTP+JSON': () => new RestTransportFactory(), GRPC: () => new GrpcTransportFactory(),
    };
    const factory = new ClientFactory({ transports: [transports[binding]()] });
    const client = await factory.createFromUrl(url);
    const partOf = ({ text, data }) => (
      { content: text === undefined ? { $case: 'data', value: data } : { $case: 'text', value: text }, filename: '', mediaType: '' });
    const request = (parts, { task, immediately, push, historyLength } = {}) => ({
      tenant: '', metadata: undefined,
      message: { messageId: crypto.randomUUID(), contextId: '', taskId: task ?? '', role: Role.ROLE_USER, parts: parts.map(partOf),
        metadata: undefined, extensions: [], referenceTaskIds: [] },
      configuration: { acceptedOutputModes: [], returnImmediately: !!immediately, historyLength,
        taskPushNotificationConfig: push && config('', push) },
    });
    const config = (taskId, push) => ({ tenant: '', taskId, id: push.id ?? '', url: push.url, token: push.token ?? '',
      authentication: push.authentication });
    const told = ({ content }) => ({ [content.$case]: content.value });
    const state = (status) => TaskState[status.state].replace('TASK_STATE_', '').toLowerCase().replace('_', '-');
    const taskOf = (task) => ({ kind: 'task', id: task.id, state: state(task.status), says: task.status.message?.parts.map(told),
      history: task.history.length, artifacts: task.artifacts.map(({ artifactId, parts }) => ({ artifactId, parts: parts.map(told) })) });
    const answerOf = (answer) => 'messageId' in answer ? { kind: 'message', parts: answer.parts.map(told) } : taskOf(answer);
    const eventOf = ({ payload: { $case, value } }) => ({
      task: () => taskOf(value), message: () => answerOf(value),
      statusUpdate: () => ({ kind: 'status', state: state(value.status) }),
      artifactUpdate: () => ({ kind: 'artifact', artifactId: value.artifact.artifactId, parts: value.artifact.parts.map(told),
        append: value.append, last: value.lastChunk }),
    })[$case]();
    const query = (id, more) => ({ tenant: '', id, ...more });
    return {
      card: () => client.getAgentCard(options),
      send: async (parts, how) => answerOf(await client.sendMessage(request(parts, how), options)),
      refused: () => client.sendMessage(request([{ text: 'echo' }])),
      stream: async function* (parts, how) { for await (const e of client.sendMessageStream(request(parts, how), options)) yield eventOf(e); },
      get: async (id, historyLength) => taskOf(await client.getTask(query(id, { historyLength }), options)),
      cancel: async (id) => taskOf(await client.cancelTask(query(id, { metadata: undefined }), options)),
      list: async (pageSize, pageToken) => {
        const page = await client.listTasks({ tenant: '', contextId: '', status: 0, pageSize, pageToken, historyLength: 0,
          statusTimestampAfter: undefined, includeArtifacts: false }, options);
        return { ...page, tasks: page.tasks.map(taskOf) };
      },
      subscribe: async function* (id) { for await (const e of client.resubscribeTask(query(id), options)) yield eventOf(e); },
      setPush: (id, push) => client.createTaskPushNotificationConfig(config(id, push), options),
      getPush: (taskId, id) => client.getTaskPushNotificationConfig({ tenant: '', taskId, id }, options),
      listPush: async (taskId) =>
        (await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' }, options)).configs,
      deletePush: (taskId, id) => client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id }, options),
      pushedState: (body) => body.statusUpdate?.status.state ?? body.task?.status.state,
      pushedEnd: 'TASK_STATE_COMPLETED',
    };
  },
  '0.3': async () => {
    const { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } = await import('a2a-0.3/client');
    const transports = { JSONRPC: () => new JsonRpcTransportFactory(), 'HTTP+JSON': () => new RestTransportFactory() };
    const factory = new ClientFactory({ transports: [transports[binding]()] });
    const client = await factory.createFromUrl(url);
    const partOf = ({ text, data }) => text === undefined ? { kind: 'data', data } : { kind: 'text', text };
    const request = (parts, { task, immediately, push, historyLength } = {}) => ({
      message: { kind: 'message', messageId: crypto.randomUUID(), taskId: task, role: 'user', parts: parts.map(partOf) },
      configuration: { blocking: !immediately, historyLength, pushNotificationConfig: push },
    });
    const told = ({ kind, ...part }) => part.text === undefined ? { data: part.data } : { text: part.text };
    const taskOf = (task) => ({ kind: 'task', id: task.id, state: task.status.state, says: task.status.message?.parts.map(told),
      history: task.history?.length ?? 0,
      artifacts: task.artifacts?.map(({ artifactId, parts }) => ({ artifactId, parts: parts.map(told) })) ?? [] });
    const eventOf = (event) => ({
      task: () => taskOf(event), message: () => ({ kind: 'message', parts: event.parts.map(told) }),
      'status-update': () => ({ kind: 'status', state: event.status.state, final: event.final }),
      'artifact-update': () => ({ kind: 'artifact', artifactId: event.artifact.artifactId, parts: event.artifact.parts.map(told),
        append: !!event.append, last: !!event.lastChunk }),
    })[event.kind]();
    return {
      card: () => client.getAgentCard(options),
      send: async (parts, how) => eventOf(await client.sendMessage(request(parts, how), options)),
      refused: () => client.sendMessage(request([{ text: 'echo' }])),
      stream: async function* (parts, how) { for await (const e of client.sendMessageStream(request(parts, how), options)) yield eventOf(e); },
      get: async (id, historyLength) => taskOf(await client.getTask({ id, historyLength }, options)),
      cancel: async (id) => taskOf(await client.cancelTask({ id }, options)),
      subscribe: async function* (id) { for await (const e of client.resubscribeTask({ id }, options)) yield eventOf(e); },
      setPush: async (taskId, push) =>
        (await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig: push }, options)).pushNotificationConfig,
      getPush: async (id, pushNotificationConfigId) =>
        (await client.getTaskPushNotificationConfig({ id, pushNotificationConfigId }, options)).pushNotificationConfig,
      listPush: async (id) =>
        (await client.listTaskPushNotificationConfig({ id }, options)).map(({ pushNotificationConfig }) => pushNotificationConfig),
      deletePush: (id, pushNotificationConfigId) => client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId }, options),
      pushedState: (body) => body.status?.state ?? body.task?.status.state ?? body.statusUpdate?.status.state,
      pushedEnd: 'completed',
    };
  },
};
const a2a = await sdks[generation]();

let failed = false;
async function step(name, work) {
  try {
    await work();
    console.log(`ok ${name}`);
  } catch (error) {
    failed = true;
    console.log(`not ok ${name}: ${error.stack}`);
  }
}
const all = async (stream) => { const list = []; for await (const event of stream) list.push(event); return list; };
const textOf = (parts) => parts.map(({ text }) => text ?? '').join('');
// The errors are told apart by their classes, whose names begin with the transport's in 1.3. That of a stream is the cause in 0.3.
const refuses = (promise, name) => assert.rejects(promise, (error) => {
  const names = [error, error.cause].filter(Boolean).map((e) => `${e.name} ${e.constructor.name}`).join(' ');
  assert.match(names, new RegExp(name), error.stack);
  return true;
});
const echo = [{ text: 'echo {"text": "hello"}' }];
const long = 'stay';
let done;

await step('card', async () => { // the extended one, since the client says who it is
  const card = await a2a.card();
  assert.equal(card.name, 'a2a-acp');
  assert.ok(card.skills.some(({ id }) => id === 'echo'), 'the skill is missing');
  assert.ok(card.capabilities.extensions.some(({ params }) => params?.skills.echo.parameters), 'it is not the extended one');
  assert.ok(card.capabilities.streaming && card.capabilities.pushNotifications, 'the capabilities are missing');
});
await step('signature', async () => { // the SDK's own check loses the schemes of security before it looks
  const card = await (await fetch(`${url}/.well-known/agent-card.json`, { headers: { 'A2A-Version': generation === '1.3' ? '1.0' : '0.3' } })).json();
  const { signatures, ...signed } = card;
  const sorted = (value) => value === null || typeof value !== 'object' ? value : Array.isArray(value) ? value.map(sorted)
    : Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
  const payload = base64url.encode(JSON.stringify(sorted(signed)));
  const { protectedHeader } = await flattenedVerify({ payload, ...signatures[0] }, createRemoteJWKSet(new URL(`${url}/.well-known/a2a-acp/card-keys`)));
  assert.equal(protectedHeader.jku, `${url}/.well-known/a2a-acp/card-keys`);
});
await step('send a text', async () => {
  done = await a2a.send(echo);
  assert.equal(done.state, 'completed');
  assert.equal(done.history, 1);
  assert.equal(textOf(done.artifacts[0].parts), 'hello');
  assert.equal(done.artifacts[0].parts.at(-1).data.exitCode, 0);
});
await step('send calls', async () => {
  const call = (id, text) => ({ id, toolId: 'echo', parameters: { text } });
  const task = await a2a.send([{ data: { toolCalls: [call('one', 'first'), call('two', 'second')] } }]);
  assert.equal(task.state, 'completed');
  assert.deepEqual(Object.fromEntries(task.artifacts.map(({ artifactId, parts }) => [artifactId, textOf(parts)])),
    { one: 'first', two: 'second' });
});
await step('a message for an answer', async () => {
  const answer = await a2a.send([{ text: 'what can you do?' }]);
  assert.equal(answer.kind, 'message');
  assert.match(textOf(answer.parts), /echo/);
});
await step('a call that fails', async () => {
  const task = await a2a.send([{ text: '/fails' }]);
  assert.equal(task.state, 'failed');
  assert.match(textOf(task.says), /exit code 3/);
});
await step('stream', async () => {
  const events = await all(a2a.stream([{ text: '/lines' }]));
  assert.equal(events[0].kind, 'task');
  assert.deepEqual(events.filter(({ kind }) => kind === 'status').map(({ state }) => state), ['working', 'completed']);
  assert.equal(textOf(events.filter(({ kind }) => kind === 'artifact').flatMap(({ parts }) => parts)), 'one\ntwo\nthree\n');
  if (generation === '0.3') assert.equal(events.at(-1).final, true);
});
await step('stream of a message', async () => {
  const events = await all(a2a.stream([{ text: 'what can you do?' }]));
  assert.deepEqual(events.map(({ kind }) => kind), ['message']);
});
await step('get', async () => {
  const task = await a2a.get(done.id);
  assert.deepEqual(task, done);
  assert.equal((await a2a.get(done.id, 0)).history, 0);
});
if (a2a.list) {
  await step('list', async () => {
    const first = await a2a.list(2, '');
    assert.equal(first.tasks.length, 2);
    assert.ok(first.nextPageToken && first.totalSize >= 4 && first.pageSize === 2, JSON.stringify(first));
    const second = await a2a.list(2, first.nextPageToken);
    assert.ok(second.tasks.every(({ id }) => first.tasks.every((other) => other.id !== id)), 'a task is on two pages');
  });
}
await step('a question, followed and answered', async () => {
  const asked = await a2a.send([{ text: '/confirmed' }]);
  assert.equal(asked.state, 'input-required');
  assert.match(textOf(asked.says), /Is it so\?/);
  const following = a2a.subscribe(asked.id);
  const { value: snapshot } = await following.next();
  assert.equal(snapshot.kind, 'task');
  assert.equal(snapshot.state, 'input-required');
  const answered = await a2a.send([{ text: 'allow' }], { task: asked.id });
  assert.equal(answered.state, 'completed');
  const rest = await all(following);
  assert.equal(rest.at(-1).state, 'completed');
});
await step('a question in a stream, answered with no', async () => {
  const events = await all(a2a.stream([{ text: '/confirmed' }]));
  assert.equal(events.at(-1).state, 'input-required');
  const rest = await all(a2a.stream([{ data: { optionId: 'reject_once' } }], { task: events[0].id }));
  assert.equal(rest.at(-1).state, 'rejected');
});
await step('cancel', async () => {
  const task = await a2a.send([{ text: `/${long}` }], { immediately: true });
  assert.ok(['submitted', 'working'].includes(task.state), task.state);
  const following = a2a.subscribe(task.id);
  assert.equal((await following.next()).value.kind, 'task');
  assert.equal((await a2a.cancel(task.id)).state, 'canceled');
  assert.equal((await all(following)).at(-1).state, 'canceled');
  await refuses(a2a.cancel(task.id), 'TaskNotCancelable');
});
await step('push notifications', async () => {
  const pushed = [];
  let tell;
  const end = new Promise((resolve) => { tell = resolve; });
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    response.end();
    pushed.push({ token: request.headers['x-a2a-notification-token'], authorization: request.headers.authorization });
    if (a2a.pushedState(JSON.parse(body)) === a2a.pushedEnd) tell();
  });
  await new Promise((resolve) => { receiver.listen(0, '127.0.0.1', resolve); });
  const address = `http://127.0.0.1:${receiver.address().port}/`;
  const authentication = generation === '1.3' ? { scheme: 'Bearer', credentials: 'credentials' } : { schemes: ['Bearer'], credentials: 'credentials' };
  const asked = await a2a.send([{ text: '/confirmed' }], { push: { id: 'mine', url: address, token: 'token', authentication } });
  assert.equal((await a2a.getPush(asked.id, 'mine')).url, address);
  await a2a.setPush(asked.id, { id: 'other', url: `${address}other` });
  assert.deepEqual((await a2a.listPush(asked.id)).map(({ id }) => id).sort(), ['mine', 'other']);
  await a2a.deletePush(asked.id, 'other');
  await a2a.deletePush(asked.id, 'other'); // twice does no harm
  assert.deepEqual((await a2a.listPush(asked.id)).map(({ id }) => id), ['mine']);
  await assert.rejects(a2a.getPush(asked.id, 'other'));
  await assert.rejects(a2a.setPush(asked.id, { url: 'http://169.254.169.254/' }));
  assert.equal((await a2a.send([{ text: 'allow' }], { task: asked.id })).state, 'completed');
  await end;
  assert.deepEqual(pushed.at(-1), { token: 'token', authorization: 'Bearer credentials' });
  receiver.close();
  receiver.closeAllConnections();
});
await step('errors', async () => {
  await refuses(a2a.get('none'), 'TaskNotFound');
  await refuses(a2a.cancel('none'), 'TaskNotFound');
  await refuses(all(a2a.subscribe('none')), 'TaskNotFound');
  await refuses(a2a.send(echo, { task: 'none' }), 'TaskNotFound');
  await refuses(a2a.send(echo, { task: done.id }), 'UnsupportedOperation');
  await refuses(all(a2a.stream(echo, { task: done.id })), 'UnsupportedOperation');
  await refuses(all(a2a.subscribe(done.id)), 'UnsupportedOperation');
  await refuses(a2a.send([{ data: { toolCalls: [{ toolId: 'none' }] } }]), generation === '1.3' && binding === 'JSONRPC' ? 'RequestMalformed' : 'Error');
  await refuses(a2a.refused(), 'Error');
});
process.exit(failed ? 1 : 0);
