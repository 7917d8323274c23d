import type { Lease, Task } from '../harness/api.ts';
import { type Api, pathOf } from '../harness/api.ts';
import { expectStatus } from '../harness/http-client.ts';

/** What a run of the table works on; each run has records of its own. */
export interface Records {
  name: string;
  agentId: string;
  doomedAgentId: string;
  type: string;
  tag: string;
  completed: Task;
  failed: Task;
  /** Failed with a question. */
  asking: Task;
  pending: Task;
  toCancel: Task;
  toDelete: Task;
  keyId: string;
  userId: string;
}

/** `record` is one JSON value, `stream` a value a line, `text` not JSON. */
type Shape = 'record' | 'list' | 'stream' | 'text';

export interface Row {
  args: (records: Records) => readonly string[];
  shape: Shape;
  code?: number;
  /** Part of what people see. */
  shows?: (records: Records) => string;
  input?: string;
}

const PATCH = 'diff --git a/a b/a\n+added\n';
const USED = {
  usage: { input_tokens: 1_200, cached_input_tokens: 0, output_tokens: 34, reasoning_tokens: 0 },
  cost: { amount: 0.0125, currency: 'USD', estimated: true },
};
const ref = ({ agent_id, id }: Task) => `${agent_id}/${id}`;

/** Every command, in an order in which they can run. `skills` has tests of its own. */
export const COMMANDS: Row[] = [
  { args: () => ['status'], shape: 'record', shows: () => 'is ready' },
  { args: () => ['whoami'], shape: 'record', shows: () => 'FLEET_API_KEY' },
  { args: ({ type }) => ['agents', 'create', 'Made here', '--type', type], shape: 'record', shows: () => 'Made here' },
  { args: () => ['agents', 'list', '--order', 'desc', '--limit', '20'], shape: 'list', shows: () => 'ID' },
  { args: ({ name }) => ['agents', 'show', name], shape: 'record', shows: ({ agentId }) => agentId },
  { args: ({ agentId }) => ['agents', 'replace', agentId, '--name', 'Other name'], shape: 'record' },
  { args: ({ agentId }) => ['agents', 'pause', agentId, '--reason', 'Budget'], shape: 'record' },
  { args: () => ['agents', 'list', '--paused', '-q'], shape: 'list', shows: ({ agentId }) => agentId },
  { args: ({ agentId }) => ['agents', 'resume', agentId], shape: 'record' },
  {
    args: ({ doomedAgentId }) => ['agents', 'delete', doomedAgentId, '--yes'],
    shape: 'record',
    shows: () => 'Deleted',
  },
  { args: ({ agentId }) => ['tasks', 'add', agentId, 'Write', '--tag', 'written', '--at', '+2h'], shape: 'record' },
  { args: ({ agentId }) => ['tasks', 'add', agentId, '-'], shape: 'record', input: 'Read\n', shows: () => 'Read' },
  {
    args: ({ agentId, completed }) => [
      ...['tasks', 'add', agentId, 'Go on', '--at', '+2h', '--continue', ref(completed), '--model', 'small'],
      ...['--repository', 'https://git.example/o/r.git', '--ref', 'main', '--max-cost', '2.50', '--schema', '{}'],
      ...['--skill', `review@sha256:${'0'.repeat(64)}`],
    ],
    shape: 'record',
    shows: () => 'https://git.example/o/r.git at main',
  },
  {
    args: ({ completed }) => ['tasks', 'add', 'Go on', '--at', '+2h', '--continue', completed.id],
    shape: 'record',
    shows: ({ completed }) => completed.id,
  },
  { args: ({ tag }) => ['tasks', 'list', '--tag', tag], shape: 'list', shows: ({ pending }) => pending.id },
  { args: ({ pending }) => ['tasks', 'show', pending.id], shape: 'record', shows: () => 'pending' },
  { args: ({ completed }) => ['tasks', 'result', ref(completed)], shape: 'record', shows: () => 'the result' },
  { args: ({ completed }) => ['tasks', 'result', ref(completed), '--patch'], shape: 'record', shows: () => PATCH },
  { args: ({ completed }) => ['tasks', 'show', completed.id], shape: 'record', shows: () => '~$0.0125' },
  { args: ({ completed }) => ['tasks', 'watch', ref(completed)], shape: 'stream', shows: () => 'task.completed' },
  { args: ({ failed }) => ['tasks', 'watch', ref(failed)], shape: 'stream', code: 5, shows: () => 'task.failed' },
  { args: ({ completed }) => ['tasks', 'logs', completed.id], shape: 'stream', shows: () => 'first line' },
  { args: ({ completed }) => ['tasks', 'logs', '-f', completed.id], shape: 'stream', shows: () => 'first line' },
  { args: ({ completed }) => ['tasks', 'attempts', completed.id], shape: 'list', shows: () => '1,200 in, 34 out' },
  { args: ({ failed }) => ['tasks', 'attempts', failed.id], shape: 'list', shows: () => 'ATTEMPT' },
  {
    args: ({ toCancel }) => ['tasks', 'cancel', toCancel.id, '--reason', 'No'],
    shape: 'record',
    shows: () => 'cancelled',
  },
  { args: ({ toCancel }) => ['tasks', 'retry', toCancel.id], shape: 'record', shows: () => 'retry of' },
  { args: ({ toDelete }) => ['tasks', 'delete', toDelete.id, '--yes'], shape: 'record', shows: () => 'Deleted' },
  { args: ({ tag }) => ['tasks', 'cancel', '--tag', tag, '--dry-run'], shape: 'record', shows: () => 'match' },
  { args: ({ tag }) => ['tasks', 'cancel', '--tag', tag, '--yes'], shape: 'record', shows: () => 'cancelled' },
  { args: () => ['events', '--limit', '3'], shape: 'stream', shows: () => 'created' },
  { args: () => ['keys', 'list'], shape: 'list', shows: () => 'SCOPES' },
  { args: () => ['keys', 'create', 'Made here', '--role', 'viewer'], shape: 'record', shows: () => 'afk_' },
  { args: ({ keyId }) => ['keys', 'rotate', keyId, '--grace', '60'], shape: 'record', shows: () => 'afk_' },
  { args: ({ keyId }) => ['keys', 'revoke', keyId, '--yes'], shape: 'record', shows: () => 'Revoked' },
  { args: () => ['users', 'list'], shape: 'list', shows: () => 'E-MAIL' },
  { args: ({ name }) => ['users', 'create', `${name}@made.example`], shape: 'record', shows: () => 'works once' },
  { args: ({ userId }) => ['users', 'show', userId], shape: 'record', shows: () => 'viewer' },
  { args: ({ userId }) => ['users', 'role', userId, 'operator'], shape: 'record', shows: () => 'operator' },
  { args: ({ userId }) => ['users', 'disable', userId, '--yes'], shape: 'record', shows: () => 'disabled' },
  { args: ({ userId }) => ['users', 'enable', userId], shape: 'record', shows: () => 'enabled' },
  { args: ({ userId }) => ['users', 'reset', userId], shape: 'record', shows: () => 'works once' },
  { args: ({ name }) => ['users', 'delete', `${name}@made.example`, '--yes'], shape: 'record', shows: () => 'Deleted' },
  { args: () => ['audit', '--action', 'user.*', '--limit', '5'], shape: 'stream', shows: () => 'user.created' },
  { args: () => ['skills', 'list'], shape: 'list' },
  { args: () => ['completion', 'bash'], shape: 'text', shows: () => 'complete -F' },
  { args: () => ['completion', 'zsh'], shape: 'text', shows: () => '#compdef fleet' },
  { args: () => ['completion', 'fish'], shape: 'text', shows: () => 'complete -c fleet' },
  { args: () => ['complete', '--', 'tasks', ''], shape: 'text', shows: () => 'watch' },
  { args: () => ['worker', '--help'], shape: 'text', shows: () => '--runtime' },
  { args: () => ['--version'], shape: 'text', shows: () => '1.' },
  { args: () => ['tasks', '--help'], shape: 'text', shows: () => 'attempts' },
];

/** Creates what the table works on. */
export async function createRecords(api: Api, name: string): Promise<Records> {
  const [agent, doomed] = await Promise.all([api.createAgent({ name }), api.createAgent({ name: `${name} doomed` })]);
  const tag = `tag-${name}`;
  const completed = await createEnded(api, agent.id, {
    ...{ status: 'completed', result: { text: 'the result', changes: { patch: PATCH } } },
    ...USED,
  });
  const failed = await createEnded(api, agent.id, { status: 'failed', error: { code: 'broken', message: 'Broke' } });
  const question = { code: 'input_required', message: 'Which branch?' };
  const asking = await createEnded(api, agent.id, { status: 'failed', error: question });
  const [pending, toCancel, toDelete] = await Promise.all([
    api.createTask(agent.id, { tags: [tag] }),
    api.createTask(agent.id),
    api.createTask(agent.id),
  ]);
  const [{ id: keyId }, { id: userId }] = await Promise.all([api.accounts.createKey(), api.accounts.create()]);
  const type = String(api.types[0]);
  const tasks = { completed, failed, asking, pending, toCancel, toDelete } as Record<string, Task>;
  return { name, agentId: agent.id, doomedAgentId: doomed.id, type, tag, keyId, userId, ...tasks } as Records;
}

async function createEnded(api: Api, agentId: string, outcome: Record<string, unknown>): Promise<Task> {
  const lease: Lease = await api.createRunning(agentId, { max_attempts: 1 });
  const entries = [{ text: 'first line\nsecond line' }, { text: 'another', level: 'warn' }];
  const body = { token: lease.token, entries };
  expectStatus(await api.call('POST', `/leases/${lease.id}/log-entries`, { body }), 204);
  await api.report(lease, outcome);
  return (await api.get(pathOf(lease.task))).json as Task;
}
