import type { Agent, Api, Lease, Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { hostilePatch } from './agent-work/patches.ts';
import { USED } from './agent-work/results.ts';
import type { HostileTexts } from './hostile-text.ts';

const MEBIBYTE = 1_048_576;
const KIBIBYTE = 1_024;
/** JSON puts quotes around it. */
const QUOTES = 2;

/** Records whose texts are attacks, or long words, and as long as the API permits. */
export interface HostileSeed {
  agent: Agent;
  /** Pending, with input. */
  pending: Task;
  failed: Task;
  completed: Task;
  /** With progress and a log. */
  running: Task;
  /** Completed by an agent, with a patch. */
  answered: Task;
  /** Failed with a question of an agent. */
  question: Task;
  /** With a transcript, an approval and a form. */
  asking: Task;
  approval: string;
  form: string;
}

export async function seedHostileFleet(api: Api, texts: HostileTexts): Promise<HostileSeed> {
  const agent = await api.createAgent({ name: texts.text('agent', 100) });
  const worker_id = texts.text('worker', 100);
  const lease = () => api.lease(agent.id, { worker_id, lease_seconds: 900, accepts: ['input'] });
  const fields = { message: texts.text('message', 32_768), tags: [texts.text('tag', 128)], max_attempts: 1 };

  const failed = await api.createTask(agent.id, fields);
  await endWithError(api, await lease(), texts);
  const completed = await api.createTask(agent.id, fields);
  await endWithResult(api, await lease(), texts);
  const answered = await api.createTask(agent.id, { ...fields, ...optionsOf(texts), message: 'Answer' });
  await answer(api, await lease(), texts);
  const question = await api.createTask(agent.id, { ...fields, message: 'Ask' });
  await ask(api, await lease(), texts);
  const running = await api.createTask(agent.id, fields);
  await work(api, await lease(), texts);
  const asking = await api.createTask(agent.id, fields);
  const { approval, form } = await converse(api, await lease(), texts);
  // Their JSON escapes control characters, which takes more bytes.
  const input = { [texts.text('input', 100)]: texts.text('input', 250 * KIBIBYTE) };
  const pending = await api.createTask(agent.id, { ...fields, input });
  const body = { reason: texts.text('pause', 500) };
  expectStatus(await api.call('PUT', `/agents/${agent.id}/pause`, { body }), 200);
  await define(api, agent, texts);
  await createCredentials(api, texts);
  return { agent, pending, failed, completed, running, answered, question, asking, approval, form };
}

/** Two versions, once the tasks are there: their worker does not accept definitions. */
async function define(api: Api, { id }: Agent, texts: HostileTexts): Promise<void> {
  const text = (maxCharacters: number) => texts.text('definition', maxCharacters);
  const definition = {
    ...{ description: text(500), instructions: text(4_000), note: text(200), tags: [text(128)] },
    mcp_servers: [{ name: 'W'.repeat(64), command: text(1_000), args: [text(1_000)], env: { A: text(1_000) } }],
    permissions: { allow: [`Bash(${texts.token('definition')})`] },
    output_schema: { description: text(1_000) },
  };
  expectStatus(await api.call('PUT', `/agents/${id}/definition`, { body: { instructions: 'None yet' } }), 201);
  expectStatus(await api.call('PUT', `/agents/${id}/definition`, { body: definition }), 200);
}

async function endWithError(api: Api, lease: Lease, texts: HostileTexts): Promise<void> {
  await writeLog(api, lease, texts);
  const error = { code: texts.text('error', 128), message: texts.text('error', 8_192), retryable: false };
  expectStatus(await api.report(lease, { status: 'failed', error }), 200);
}

async function endWithResult(api: Api, lease: Lease, texts: HostileTexts): Promise<void> {
  const text = texts.text('result', KIBIBYTE);
  const result = text + 'W'.repeat(MEBIBYTE - QUOTES - Buffer.byteLength(JSON.stringify(text)));
  expectStatus(await api.report(lease, { result }), 200);
}

const optionsOf = (texts: HostileTexts) => ({
  skills: [texts.token('model').replaceAll('/', '').slice(0, 200)],
  workspace: {
    repository: `https://e2e.example/${texts.token('repository').replaceAll(/["'&]/g, '')}`,
    ref: texts
      .token('repository')
      .replaceAll(/[^\w-]/g, '')
      .slice(0, 255),
  },
  model: texts.token('model').slice(0, 128),
  output_schema: { title: texts.text('answer', 1_000), [texts.text('answer', 100)]: 1 },
});

/** As a runtime reports it; each of its texts is an attack, or a long word. */
async function answer(api: Api, lease: Lease, texts: HostileTexts): Promise<void> {
  const text = texts.text('answer', 2_000);
  const result = {
    ...{ text, model: text, session: { runtime: text, id: text }, output: { [text]: text } },
    permission_denials: [{ tool: text, detail: text }],
    skills: [{ id: text, digest: text, verified: true }],
    changes: { patch: hostilePatch(texts.text('patch', 1_000)) },
  };
  expectStatus(await api.report(lease, { result, ...USED, model: texts.token('model').slice(0, 128) }), 200);
}

async function ask(api: Api, lease: Lease, texts: HostileTexts): Promise<void> {
  const error = { code: 'input_required', message: texts.text('question', 8_192), retryable: false };
  expectStatus(await api.report(lease, { status: 'failed', error }), 200);
}

async function work(api: Api, lease: Lease, texts: HostileTexts): Promise<void> {
  await writeLog(api, lease, texts);
  const progress = { percent: 50, message: texts.text('progress', 500) };
  expectStatus(await api.heartbeat(lease, { progress }), 200);
}

/** @returns the ids of the requests */
async function converse(api: Api, lease: Lease, texts: HostileTexts) {
  await writeTranscript(api, lease, texts);
  const text = (maxCharacters: number) => texts.text('request', maxCharacters);
  const options = ['allow', 'deny'].map((role) => ({ id: role, label: text(200), description: text(500), role }));
  const input = { [text(100)]: text(20_000), diff: text(2_000), list: [text(300)] };
  const properties = { [text(100)]: { type: 'string', title: text(300), description: text(300), enum: [text(300)] } };
  const ask = async (fields: object) => {
    const body = { token: lease.token, key: crypto.randomUUID(), title: text(200), text: text(4_000), ...fields };
    return expectStatus<{ id: string }>(await api.call('POST', `/leases/${lease.id}/input-requests`, { body }), 201).id;
  };
  return {
    approval: await ask({ kind: 'approval', tool: { name: text(200), input }, options }),
    form: await ask({ kind: 'form', schema: { type: 'object', properties } }),
  };
}

/** Each text of each entry is an attack, or a long word. */
async function writeTranscript(api: Api, { id, token }: Lease, texts: HostileTexts): Promise<void> {
  const text = texts.text('transcript', 1_000);
  const entries = [
    { type: 'session', data: { runtime: text, id: text, model: text } },
    { type: 'text', data: { markdown: text } },
    { type: 'plan', data: { items: [{ text, state: text }] } },
    { type: 'file_edit', data: { path: text, added: 1, removed: 0, diff: hostilePatch(text).slice(0, 8_000) } },
    { type: 'tool_call', data: { call_id: text, name: text, input: { [text]: text }, summary: text } },
    { type: 'tool_result', data: { call_id: text, is_error: true, exit_code: 1, output: text } },
    { type: 'tool_call', data: { call_id: 1, name: [text], input: text, summary: {} } },
  ];
  expectStatus(await api.call('POST', `/leases/${id}/log-entries`, { body: { token, entries } }), 204);
}

async function writeLog(api: Api, { id, token }: Lease, texts: HostileTexts): Promise<void> {
  const entries = [{ text: texts.text('log', 10_000) }, { text: texts.text('log', 200), level: 'error' }];
  expectStatus(await api.call('POST', `/leases/${id}/log-entries`, { body: { token, entries } }), 204);
}

/** A key, a user, a session and audit events. */
async function createCredentials(api: Api, texts: HostileTexts): Promise<void> {
  const { accounts } = api;
  await accounts.createKey({ name: texts.text('key', 100) });
  const user = await accounts.create('viewer', texts.email());
  const headers = { 'user-agent': texts.token('userAgent'), 'x-request-id': texts.token('requestId').slice(0, 128) };
  for (const { email: username, password } of [user, api.admin]) {
    expectStatus(await accounts.postSession({ username, password }, headers), 204);
  }
}
