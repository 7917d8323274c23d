import type { Agent, components } from '@agent-fleet/sdk';
import { relativeTime } from '@agent-fleet/sdk/words';
import { type Command, Option } from 'commander';
import type { Act, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { findAgentId, take, toLimit } from '../lookup.ts';
import type { Column } from '../output/table.ts';
import { spentFields } from '../output/words.ts';

type ListedAgent = Agent & { paused_at?: string | null };
type AgentUsage = components['schemas']['AgentUsage'];

const COLUMNS: Column<ListedAgent>[] = [
  { title: 'ID', value: ({ id }) => id, isWhole: true },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'STATUS', value: ({ status, paused_at }) => (paused_at ? `${status} (paused)` : status) },
  { title: 'CREATED', value: ({ created_at }) => relativeTime(created_at) },
];
const FIELDS = 'id,name,type,status,created_at,paused_at';

interface ListOptions {
  status?: string;
  type?: string;
  paused?: boolean;
  order: 'asc' | 'desc';
  limit: string;
}

async function list(context: Context, { status, type, paused, order, limit: text }: ListOptions): Promise<void> {
  const { fleet, out, signal } = context;
  const { limit, size } = toLimit(text, 1_000_000);
  const query = { status, type, order, limit: size, fields: FIELDS, ...(paused && { paused: true }) };
  const agents = await take(fleet().paginate('/agents', { params: { query }, signal }), limit);
  out.list(agents as ListedAgent[], COLUMNS, 'No agents. fleet agents create <name> --type <type> makes one.');
}

interface ShownAgent extends ListedAgent {
  reason?: string | null;
  usage?: AgentUsage | null;
}

function toLines({ out }: Context) {
  return ({ id, name, type, status, created_at, paused_at, reason, usage }: ShownAgent) =>
    out.fields([
      ['id', id],
      ['name', name],
      ['type', type],
      ['status', status],
      ['paused', paused_at && `${relativeTime(paused_at)}${reason ? `: ${reason}` : ''}`],
      ['created', `${relativeTime(created_at)} (${created_at})`],
      ...spentFields(usage?.total),
    ]);
}

async function show(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const params = { path: { agent_id: await findAgentId(context, ref) } };
  const [{ data: agent }, pause, { data: usage }] = await Promise.all([
    fleet().get('/agents/{agent_id}', { params, signal }),
    orNothing(fleet().get('/agents/{agent_id}/pause', { params, signal })),
    fleet().get('/agents/{agent_id}/usage', { params, signal }),
  ]);
  const { paused_at = null, reason = null } = pause?.data ?? {};
  out.record({ ...agent, paused_at, reason, usage }, toLines(context));
}

/** Undefined for what does not exist. */
async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as { status?: number }).status === 404) return undefined;
    throw error;
  }
}

async function create(context: Context, name: string, { type }: { type: string }): Promise<void> {
  const { fleet, out, signal } = context;
  const { data } = await fleet().post('/agents', { body: { name, type: type as Agent['type'] }, signal });
  out.record(data, toLines(context));
}

/** `If-Match`, so that a change by another in between is not lost. */
async function replace(context: Context, ref: string, given: { name?: string; type?: string }): Promise<void> {
  const { fleet, out, signal } = context;
  if (given.name === undefined && given.type === undefined) throw usageError('Give --name, --type or both');
  const path = { agent_id: await findAgentId(context, ref) };
  const { data: before, response } = await fleet().get('/agents/{agent_id}', { params: { path }, signal });
  const header = { 'If-Match': response.headers.get('etag') ?? undefined };
  const body = { name: given.name ?? before.name, type: (given.type ?? before.type) as Agent['type'] };
  const { data } = await fleet().put('/agents/{agent_id}', { params: { path, header }, body, signal });
  out.record(data, toLines(context));
}

async function remove(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const path = { agent_id: await findAgentId(context, ref) };
  const { data } = await fleet().get('/agents/{agent_id}', { params: { path }, signal });
  await context.confirm(`Delete ${data.name} (${data.id}) with all its tasks?`);
  await fleet().delete('/agents/{agent_id}', { params: { path }, signal });
  out.record({ id: data.id, deleted: true }, () => [`Deleted ${data.id}`]);
}

async function pause(context: Context, ref: string, { reason }: { reason?: string }): Promise<void> {
  const { fleet, out, signal } = context;
  const path = { agent_id: await findAgentId(context, ref) };
  const { data } = await fleet().put('/agents/{agent_id}/pause', {
    params: { path },
    body: { reason: reason ?? null },
    signal,
  });
  out.record({ id: path.agent_id, ...data }, () => [
    'Paused. Running tasks continue. Resume with fleet agents resume.',
  ]);
}

async function resume(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const path = { agent_id: await findAgentId(context, ref) };
  await fleet().delete('/agents/{agent_id}/pause', { params: { path }, signal });
  out.record({ id: path.agent_id, paused_at: null }, () => ['Resumed']);
}

export function registerAgents(agents: Command, act: Act): void {
  agents
    .command('list')
    .description('list agents')
    .addOption(new Option('--status <status>').choices(['idle', 'active', 'error', 'offline']))
    .option('--type <type>')
    .option('--paused', 'only paused agents')
    .option('--order <order>', 'asc (oldest first) or desc', 'asc')
    .option('--limit <n>', 'list at most this many', '100')
    .action(act(list));
  agents.command('show <agent>').description('show an agent, by its id or name').action(act(show));
  agents
    .command('create <name>')
    .description('create an agent')
    .requiredOption('--type <type>', 'claude, gpt, gemini, or what the fleet allows')
    .action(act(create));
  agents
    .command('replace <agent>')
    .description('change the name or the type of an agent')
    .option('--name <name>')
    .option('--type <type>')
    .action(act(replace));
  agents.command('delete <agent>').description('delete an agent with its tasks').action(act(remove));
  agents
    .command('pause <agent>')
    .description('give out no tasks of an agent')
    .option('--reason <text>')
    .action(act(pause));
  agents.command('resume <agent>').description('end the pause of an agent').action(act(resume));
}
