import type { Agent, Api, Lease, Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { hostilePatch } from './agent-work/patches.ts';
import { USED } from './agent-work/results.ts';
import { hostileEmail, hostileText, hostileToken } from './hostile-text.ts';

const MEBIBYTE = 1_048_576;
const KIBIBYTE = 1_024;
/** JSON puts quotes around it. */
const QUOTES = 2;

/** Records whose texts are attacks and as long as the API permits. */
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
}

export async function seedHostileFleet(api: Api): Promise<HostileSeed> {
  const agent = await api.createAgent({ name: hostileText('agent', 100) });
  const worker_id = hostileText('worker', 100);
  const lease = () => api.lease(agent.id, { worker_id, lease_seconds: 900 });
  const fields = { message: hostileText('message', 32_768), tags: [hostileText('tag', 128)], max_attempts: 1 };

  const failed = await api.createTask(agent.id, fields);
  await endWithError(api, await lease());
  const completed = await api.createTask(agent.id, fields);
  await endWithResult(api, await lease());
  const answered = await api.createTask(agent.id, { ...fields, ...OPTIONS, message: 'Answer' });
  await answer(api, await lease());
  const question = await api.createTask(agent.id, { ...fields, message: 'Ask' });
  await ask(api, await lease());
  const running = await api.createTask(agent.id, fields);
  await work(api, await lease());
  // Their JSON escapes control characters, which takes more bytes.
  const input = { [hostileText('input', 100)]: hostileText('input', 250 * KIBIBYTE) };
  const pending = await api.createTask(agent.id, { ...fields, input });
  const body = { reason: hostileText('pause', 500) };
  expectStatus(await api.call('PUT', `/agents/${agent.id}/pause`, { body }), 200);
  await createCredentials(api);
  return { agent, pending, failed, completed, running, answered, question };
}

async function endWithError(api: Api, lease: Lease): Promise<void> {
  await writeLog(api, lease);
  const error = { code: hostileText('error', 128), message: hostileText('error', 8_192), retryable: false };
  expectStatus(await api.report(lease, { status: 'failed', error }), 200);
}

async function endWithResult(api: Api, lease: Lease): Promise<void> {
  const text = hostileText('result', KIBIBYTE);
  const result = text + 'W'.repeat(MEBIBYTE - QUOTES - Buffer.byteLength(JSON.stringify(text)));
  expectStatus(await api.report(lease, { result }), 200);
}

const OPTIONS = {
  skills: [hostileToken('model').replaceAll('/', '')],
  workspace: { repository: 'https://e2e.example/<svg/onload=window.__pwned=1>' },
  model: hostileToken('model').slice(0, 128),
  output_schema: { title: hostileText('answer', 1_000), [hostileText('answer', 100)]: 1 },
};

/** As a runtime reports it; each of its texts is an attack. */
async function answer(api: Api, lease: Lease): Promise<void> {
  const text = hostileText('answer', 2_000);
  const result = {
    ...{ text, model: text, session: { runtime: text, id: text }, output: { [text]: text } },
    permission_denials: [{ tool: text, detail: text }],
    skills: [{ id: text, digest: text, verified: true }],
    changes: { patch: hostilePatch(hostileText('patch', 1_000)) },
  };
  expectStatus(await api.report(lease, { result, ...USED, model: hostileToken('model').slice(0, 128) }), 200);
}

async function ask(api: Api, lease: Lease): Promise<void> {
  const error = { code: 'input_required', message: hostileText('question', 8_192), retryable: false };
  expectStatus(await api.report(lease, { status: 'failed', error }), 200);
}

async function work(api: Api, lease: Lease): Promise<void> {
  await writeLog(api, lease);
  const progress = { percent: 50, message: hostileText('progress', 500) };
  expectStatus(await api.heartbeat(lease, { progress }), 200);
}

async function writeLog(api: Api, { id, token }: Lease): Promise<void> {
  const entries = [{ text: hostileText('log', 10_000) }, { text: hostileText('log', 200), level: 'error' }];
  expectStatus(await api.call('POST', `/leases/${id}/log-entries`, { body: { token, entries } }), 204);
}

/** A key, a user, a session and audit events. */
async function createCredentials(api: Api): Promise<void> {
  const { accounts } = api;
  await accounts.createKey({ name: hostileText('key', 100) });
  const user = await accounts.create('viewer', hostileEmail());
  const headers = { 'user-agent': hostileToken('userAgent'), 'x-request-id': hostileToken('requestId').slice(0, 128) };
  for (const { email: username, password } of [user, api.admin]) {
    expectStatus(await accounts.postSession({ username, password }, headers), 204);
  }
}
