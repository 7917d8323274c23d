import { until } from '@agent-fleet/shared/testing/until';
import { type Admin, readAdmin } from './credentials.ts';
import { request, type Target } from './load.ts';
import { type Change, requireNone, type Scene } from './under-load.ts';

interface Reply {
  status: number;
  problem: string;
  text: string;
}

const FORM = 'application/x-www-form-urlencoded';
/** What was revoked is refused by every gateway after this time. */
const REFUSED_AFTER_MS = 3_000;
/** How long a key must be refused before nobody uses it any more. */
const WATCHED_MS = 5_000;
const READY_TIMEOUT_MS = 60_000;

/** Sends requests with one credential, and requires a status of each. */
function createClient(target: Target, credential: Record<string, string>) {
  return async (method: string, path: string, expected: number, body?: unknown): Promise<unknown> => {
    const isForm = body instanceof URLSearchParams;
    const headers = {
      ...credential,
      ...(body !== undefined && { 'content-type': isForm ? FORM : 'application/json' }),
    };
    const text = isForm ? String(body) : JSON.stringify(body);
    return expectJson(await request(target, path, { method, headers, body: text }), expected, `${method} ${path}`);
  };
}

function expectJson({ status, problem, text }: Reply, expected: number, what: string): unknown {
  if (status !== expected) throw new Error(`${what}: not ${expected} but ${problem}`);
  return text === '' ? undefined : JSON.parse(text);
}

async function signIn(target: Target, { email: username, password }: Admin): Promise<Record<string, string>> {
  const send = createClient(target, {});
  const reply = await send('POST', '/token', 200, new URLSearchParams({ username, password }));
  return { authorization: `Bearer ${(reply as { access_token: string }).access_token}` };
}

/**
 * The walk of an administrator through the load balancer: invites a colleague, makes a worker's key for two agents,
 * rotates and revokes it, and reads the audit trail. @throws if a gateway accepts the key 3 s after its end
 */
export const administer: Change = async (scene) => {
  const { target, stack } = scene;
  const send = createClient(target, await signIn(target, await readAdmin(stack)));
  const userId = await inviteColleague(target, send);
  const agents = await Promise.all(['One', 'Two', 'Other'].map((name) => createAgent(send, name)));
  const [one = '', two = '', other = ''] = agents;
  const body = { name: 'Build worker', role: 'worker', agent_ids: [one, two] };
  const made = (await send('POST', '/api-keys', 201, body)) as { id: string; key: string };
  await workWith(target, send, made.key, [two, other]);
  const rotated = (await send('POST', `/api-keys/${made.id}/rotations`, 201, { grace_seconds: 600 })) as {
    key: string;
  };
  const keys = [made.key, rotated.key];
  const lateMs = await revokeEverywhere(scene, keys, () => send('DELETE', `/api-keys/${made.id}`, 204));
  await requireAudited(send, made.id, ['key.created', 'key.rotated', 'key.deleted']);
  await requireAudited(send, userId, ['user.created', 'user.password_reset_created', 'user.password_reset']);
  for (const id of agents) await send('DELETE', `/agents/${id}`, 204);
  await send('DELETE', `/users/${userId}`, 204);
  return `the last gateway accepted the key until ${lateMs} ms after its end`;
};

type Send = ReturnType<typeof createClient>;

async function inviteColleague(target: Target, send: Send): Promise<string> {
  const colleague = { email: `${crypto.randomUUID()}@e2e.example`, password: `pass phrase ${crypto.randomUUID()}` };
  const { id } = (await send('POST', '/users', 201, { email: colleague.email, role: 'operator' })) as { id: string };
  const { code } = (await send('POST', `/users/${id}/password-resets`, 201)) as { code: string };
  const anonymous = createClient(target, {});
  await anonymous('PUT', `/password-resets/${code}`, 204, { new_password: colleague.password });
  const theirs = createClient(target, await signIn(target, colleague));
  const { user } = (await theirs('GET', '/protected', 200)) as { user: string };
  if (user !== colleague.email) throw new Error(`The colleague is ${user}`);
  await theirs('GET', '/users', 403);
  return id;
}

async function createAgent(send: Send, name: string): Promise<string> {
  return ((await send('POST', '/agents', 201, { name, type: 'gpt' })) as { id: string }).id;
}

/** The worker's key leases the task of its own agent, and sees no other. */
async function workWith(target: Target, send: Send, key: string, [own, other]: [string, string]): Promise<void> {
  const worker = createClient(target, { 'x-api-key': key });
  await send('POST', `/agents/${other}/tasks`, 201, { message: 'Not for the worker', priority: 9 });
  await send('POST', `/agents/${own}/tasks`, 201, { message: 'For the worker' });
  await worker('GET', `/agents/${other}`, 404);
  const listed = (await worker('GET', '/agents', 200)) as unknown[];
  if (listed.length !== 2) throw new Error(`The worker sees ${listed.length} agents`);
  const request = { worker_id: 'compose', types: ['gpt'], max_tasks: 10 };
  const { leases } = (await worker('POST', '/leases', 201, request)) as { leases: Lease[] };
  const [lease] = leases;
  if (leases.length !== 1 || lease?.task.agent_id !== own) throw new Error(`It leased ${JSON.stringify(leases)}`);
  await worker('PUT', `/leases/${lease.id}/result`, 200, { token: lease.token, status: 'completed' });
}

interface Lease {
  id: string;
  token: string;
  task: { agent_id: string };
}

/**
 * Uses the keys in each gateway's container while `revoke` runs, and returns how many ms after its answer the last of
 * them was accepted. @throws if that is later than 3 s
 */
async function revokeEverywhere({ stack }: Scene, keys: string[], revoke: () => Promise<unknown>): Promise<number> {
  const accepted = `/tmp/${crypto.randomUUID()}`;
  const program = `
    const keys = ${JSON.stringify(keys)}, last = keys.map(() => 0);
    const use = async (key, at) => {
      const headers = { 'x-api-key': key, connection: 'close' };
      const began = Date.now();
      const { status } = await fetch('http://127.0.0.1:8080/agents?limit=1', { headers });
      if (status === 200) last[at] = began;
    };
    (async () => {
      while (last.includes(0)) await Promise.all(keys.map(use));
      require('node:fs').writeFileSync('${accepted}', '');
      while (Date.now() < Math.max(...last) + ${WATCHED_MS}) await Promise.all(keys.map(use));
      console.log(JSON.stringify(last));
    })();`;
  const gateways = await stack.replicas('gateway');
  const watching = Promise.all(gateways.map((id) => stack.exec(id, ['timeout', '60', 'node', '-e', program])));
  const areAccepted = () => Promise.all(gateways.map((id) => stack.exec(id, ['test', '-e', accepted])));
  await Promise.race([watching, until(areAccepted, { message: 'each gateway accepts the keys', pollMs: 200 })]);
  await revoke();
  const revokedAtMs = Date.now();
  const lateMs = Math.max(...(await watching).flatMap((text) => JSON.parse(text) as number[])) - revokedAtMs;
  if (lateMs > REFUSED_AFTER_MS) throw new Error(`${gateways.length} gateways: accepted ${lateMs} ms after its end`);
  return Math.max(lateMs, 0);
}

async function requireAudited(send: Send, target: string, actions: string[]): Promise<void> {
  const events = (await send('GET', `/audit-events?target=${target}`, 200)) as { action: string }[];
  const seen = new Set(events.map(({ action }) => action));
  requireNone(
    actions.filter((action) => !seen.has(action)),
    'events are missing in the audit trail',
  );
}

/** Signs in again and again during a change. @throws if a sign-in fails */
export function signInDuring(change: Change): Change {
  return async (scene) => {
    const admin = await readAdmin(scene.stack);
    const signIns = await repeatDuring(
      () => change(scene),
      () => signIn(scene.target, admin),
    );
    requireNone(signIns.problems, `of ${signIns.count} sign-ins failed`);
    return [signIns.seen, `${signIns.count} sign-ins`].filter(Boolean).join(', ');
  };
}

/** Reads with a token during a change. @throws if a read fails, or nobody can sign in soon after it */
export function readWithToken(change: Change): Change {
  return async (scene) => {
    const { target, stack } = scene;
    const admin = await readAdmin(stack);
    const read = createClient(target, await signIn(target, admin));
    const reads = await repeatDuring(
      () => change(scene),
      () => read('GET', '/protected', 200),
    );
    requireNone(reads.problems, `of ${reads.count} reads with a token failed`);
    await until(() => signIn(target, admin), { message: 'sign-ins work again', timeoutMs: READY_TIMEOUT_MS });
    return [reads.seen, `${reads.count} reads with a token, none failed`].filter(Boolean).join(', ');
  };
}

/** Repeats a request, one at a time, until a change is over. */
async function repeatDuring(change: () => Promise<string | undefined>, send: () => Promise<unknown>) {
  const problems: string[] = [];
  let count = 0;
  let isOver = false;
  const repeating = async () => {
    for (; !isOver; count++) await send().catch((error: Error) => problems.push(error.message));
  };
  const changing = change().finally(() => {
    isOver = true;
  });
  const [seen] = await Promise.all([changing, repeating()]);
  return { seen, count, problems };
}
