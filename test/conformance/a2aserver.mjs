// The server of the official TypeScript SDK of A2A, which keeps tasks in memory, for internal/bench: its agent works, puts out an
// artifact and completes. It prints its address, and ends with its standard input.

import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import express from 'express';
import { AgentCard, TaskState } from 'a2a-1.3';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from 'a2a-1.3/server';
import { jsonRpcHandler, UserBuilder } from 'a2a-1.3/server/express';

const card = AgentCard.fromJSON({ name: 'bench', description: 'bench', version: '1', capabilities: { streaming: true },
  supportedInterfaces: [{ url: 'http://bench', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [{ id: 'a', name: 'a', description: 'a', tags: ['a'] }] });
const executor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    const update = (state) => AgentEvent.statusUpdate({ taskId, contextId, status: status(state), metadata: undefined });
    bus.publish(AgentEvent.task({ id: taskId, contextId, status: status(TaskState.TASK_STATE_SUBMITTED), artifacts: [],
      history: [userMessage], metadata: undefined }));
    bus.publish(update(TaskState.TASK_STATE_WORKING));
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, append: false, lastChunk: true, metadata: undefined,
      artifact: { artifactId: randomUUID(), name: '', description: '', metadata: undefined, extensions: [],
        parts: [{ content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: '' }] } }));
    bus.publish(update(TaskState.TASK_STATE_COMPLETED));
    bus.finished();
  },
  async cancelTask() {},
};
const app = express();
app.use('/', jsonRpcHandler({ requestHandler: new DefaultRequestHandler(card, new InMemoryTaskStore(), executor),
  userBuilder: UserBuilder.noAuthentication }));
const server = createServer(app).listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit(0)).resume();
