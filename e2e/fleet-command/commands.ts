import type { Lease, Task } from '../harness/api.ts';
import { type Api, pathOf } from '../harness/api.ts';
import { expectStatus } from '../harness/http-client.ts';

/** What a run of the table works on; each run has records of its own. */
export interface Records {
  name: string;
  agentId: string;
  doomedAgentId: string;
  skill: string;
  type: string;
  tag: string;
  completed: Task;
  failed: Task;
  /** Running, with an open approval. */
  asking: Task;
  requestId: string;
  pending: Task;
  toCancel: Task;
  toDelete: Task;
  /** What a terminal shows of the id of `pending`, and enough of ids to be unique. */
  beginning: string;
  pendingBeginning: string;
  agentBeginning: string;
  keyId: string;
  keyBeginning: string;
  userId: string;
  userBeginning: string;
}

/** `record` is one JSON value, `stream` a value a line, `text` not JSON. */
export type Shape = 'record' | 'list' | 'stream' | 'text';

type Row = [
  /** See `toArgs`. */
  line: string,
  shape: Shape,
  /** Part of what people see; `{name}` as in the line. */
  shows?: string,
  given?: { code?: number; input?: string },
];

/** The words of a line; `{name}` is one of the records: its id, or its text. */
export function toArgs(line: string, records: Records, more: Record<string, string> = {}): string[] {
  return line.split(' ').map((word) => fill(word, { ...records, ...more }));
}

export function fill(text: string, values: object): string {
  return text.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = (values as Record<string, string | Task>)[name];
    return typeof value === 'object' ? value.id : String(value);
  });
}

const PATCH = 'diff --git a/a b/a\n+added\n';
const USED = {
  usage: { input_tokens: 1_200, cached_input_tokens: 0, output_tokens: 34, reasoning_tokens: 0 },
  cost: { amount: 0.0125, currency: 'USD', estimated: true },
};
const CONTINUED = '--continue {agentId}/{completed} --model small --repository https://git.example/o/r.git --ref main';

/** Every command, in an order in which they can run. `skills` has tests of its own. */
export const COMMANDS: Row[] = [
  ['status', 'record', 'is ready'],
  ['whoami', 'record', 'FLEET_API_KEY'],
  ['doctor', 'record', 'ok    clock'],
  ['stats', 'record', 'COMPLETED'],
  ['workers --limit 5', 'list', 'SEEN'],
  ['open', 'record', '/console'],
  ['open {name}', 'record', '/console/agents/{agentId}'],
  ['open {pendingBeginning}', 'record', '/console/agents/{agentId}/tasks/{pending}'],
  ['open tasks', 'record', '/console/tasks'],
  ['open guide', 'record', '/guide'],
  ['agents create Made --type {type}', 'record', 'Made'],
  ['agents list --order desc --limit 20', 'list', 'ID'],
  ['agents show {name}', 'record', '{agentId}'],
  ['agents export {agentId}', 'record', 'type: {type}'],
  ['agents replace {agentId} --name Other', 'record'],
  ['agents pause {agentId} --reason Budget', 'record'],
  ['agents list --paused -q', 'list', '{agentId}'],
  ['agents resume {agentId}', 'record'],
  ['agents delete {doomedAgentId} --yes', 'record', 'Deleted'],
  ['tasks add {agentId} Write --tag written --at +2h', 'record'],
  ['tasks add {agentId} --file -', 'list', 'Of a file', { input: '{"message":"Of a file","input":7.10}\n\n' }],
  ['tasks add {agentId} -', 'record', 'Read', { input: 'Read\n' }],
  [
    `tasks add {agentId} Go --at +2h ${CONTINUED} --max-cost 2.50 --schema {} --skill {skill}@sha256:${'0'.repeat(64)}`,
    ...(['record', 'https://git.example/o/r.git at main'] as const),
  ],
  ['tasks add Go --at +2h --continue {completed}', 'record', '{completed}'],
  ['tasks list --tag {tag} --limit 1', 'list', '{beginning}'],
  ['tasks list --agent {agentId} --search BROKE', 'list', 'broken'],
  ['tasks list -q --agent {agentBeginning} --error broken', 'list', '{failed}'],
  ['tasks show {agentBeginning}/{pendingBeginning}', 'record', 'pending'],
  ['tasks show {pendingBeginning}', 'record', '{pending}'],
  ['tasks show {pending}', 'record', 'pending'],
  ['tasks result {agentId}/{completed}', 'record', 'the result'],
  ['tasks result {agentId}/{completed} --patch', 'record', PATCH],
  ['tasks show {completed}', 'record', '~$0.0125'],
  ['tasks watch {agentId}/{completed}', 'stream', '  failed, exit code 2'],
  ['tasks watch {agentId}/{failed}', 'stream', '> Bash  npm test', { code: 5 }],
  ['inbox --limit 1000', 'list', 'fleet tasks answer {agentId}/{asking} --request {requestId} --option '],
  ['tasks list --status input_required --agent {agentId}', 'list', 'input_required'],
  ['tasks say {asking} Slowly --steer', 'record', 'queued'],
  ['tasks answer {asking} --option deny --text No', 'record', 'Answered: May it push?'],
  ['tasks logs {completed}', 'stream', 'first line'],
  ['tasks logs -f {completed}', 'stream', 'first line'],
  ['tasks attempts {completed}', 'list', '1,200 in, 34 out'],
  ['tasks attempts {failed}', 'list', 'ATTEMPT'],
  ['tasks cancel {toCancel} --reason No', 'record', 'cancelled'],
  ['tasks retry {toCancel}', 'record', 'retry of'],
  ['tasks delete {toDelete} --yes', 'record', 'Deleted'],
  ['tasks cancel --tag {tag} --dry-run', 'record', 'match'],
  ['tasks cancel --tag {tag} --yes', 'record', 'cancelled'],
  ['events --limit 3 --order asc', 'stream', 'created'],
  ['keys list', 'list', 'SCOPES'],
  ['keys create Made --role viewer', 'record', 'afk_'],
  ['keys rotate {keyId} --grace 60', 'record', 'afk_'],
  ['keys revoke {keyBeginning} --yes', 'record', 'Revoked'],
  ['users list', 'list', 'E-MAIL'],
  ['users create {name}@made.example', 'record', 'works once'],
  ['users show {userBeginning}', 'record', 'viewer'],
  ['users role {userId} operator', 'record', 'operator'],
  ['users disable {userId} --yes', 'record', 'disabled'],
  ['users enable {userId}', 'record', 'enabled'],
  ['users reset {userId}', 'record', 'works once'],
  ['users delete {name}@made.example --yes', 'record', 'Deleted'],
  ['audit --action user.created --limit 5', 'stream', 'user.created'],
  ['skills list', 'list'],
  ['completion bash', 'text', 'complete -F'],
  ['completion zsh', 'text', '#compdef fleet'],
  ['completion fish', 'text', 'complete -c fleet'],
  ['complete -- tasks ', 'text', 'watch'],
  ['worker --help', 'text', '--runtime'],
  ['--version', 'text', '1.'],
  ['tasks --help', 'text', 'attempts'],
  ['tasks add --help', 'text', '$ fleet tasks add'],
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
  const asking = await api.createRunning(agent.id, {}, { accepts: ['messages', 'input'] });
  const tool = { name: 'Bash', input: { command: 'git push' } };
  const ask = { token: asking.token, key: 'k', kind: 'approval', title: 'May it push?', tool };
  const request = await api.call('POST', `/leases/${asking.id}/input-requests`, { body: ask });
  const [pending, toCancel, toDelete] = await Promise.all([
    api.createTask(agent.id, { tags: [tag] }),
    api.createTask(agent.id),
    api.createTask(agent.id),
  ]);
  const [{ id: keyId }, { id: userId }] = await Promise.all([api.accounts.createKey(), api.accounts.create()]);
  const [skill] = (await api.get('/api/skills?limit=1')).json as [{ id: string }];
  const type = String(api.types[0]);
  const tasks = { completed, failed, asking: asking.task, pending, toCancel, toDelete } as Record<string, Task>;
  const beginnings = {
    beginning: pending.id.slice(0, 13),
    pendingBeginning: pending.id.slice(0, 30),
    agentBeginning: agent.id.slice(0, 30),
  };
  return {
    name,
    ...beginnings,
    agentId: agent.id,
    doomedAgentId: doomed.id,
    skill: skill.id,
    type,
    tag,
    ...{ keyId, keyBeginning: keyId.slice(0, 30) },
    ...{ userId, userBeginning: userId.slice(0, 30) },
    requestId: expectStatus<{ id: string }>(request, 201).id,
    ...tasks,
  } as Records;
}

async function createEnded(api: Api, agentId: string, outcome: Record<string, unknown>): Promise<Task> {
  const lease: Lease = await api.createRunning(agentId, { max_attempts: 1 });
  const entries = [
    { text: 'first line\nsecond line' },
    { type: 'tool_call', data: { call_id: 'c', name: 'Bash', input: {}, summary: 'npm test' } },
    { type: 'tool_result', data: { call_id: 'c', is_error: true, exit_code: 2, duration_ms: 5, output: 'no' } },
  ];
  const body = { token: lease.token, entries };
  expectStatus(await api.call('POST', `/leases/${lease.id}/log-entries`, { body }), 204);
  await api.report(lease, outcome);
  return (await api.get(pathOf(lease.task))).json as Task;
}
