import type { Agent, components } from '@agent-fleet/sdk';
import { relativeTime } from '@agent-fleet/sdk/words';
import { type Command, Option } from 'commander';
import { findTwins } from '../agent-files/plan.ts';
import type { Act, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { findAgentId, take, toLimit } from '../lookup.ts';
import type { Column } from '../output/table.ts';
import { spentFields } from '../output/words.ts';
import { exportAgents } from './agents/export.ts';
import { type Definition, definitionFields, diff, rollback } from './agents/versions.ts';

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

interface ReplaceOptions {
  name?: string;
  type?: string;
  owner?: string;
}

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
  definition?: Definition | null;
}

function toLines({ out }: Context) {
  return ({ id, name, type, status, created_at, paused_at, reason, usage, definition }: ShownAgent) =>
    out.fields([
      ['id', id],
      ['name', name],
      ['type', type],
      ['status', status],
      ['paused', paused_at && `${relativeTime(paused_at)}${reason ? `: ${reason}` : ''}`],
      ['created', `${relativeTime(created_at)} (${created_at})`],
      ...definitionFields(definition),
      ...spentFields(usage?.total),
    ]);
}

async function show(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const params = { path: { agent_id: await findAgentId(context, ref) } };
  const [{ data: agent }, pause, { data: usage }, { data: definition }] = await Promise.all([
    fleet().get('/agents/{agent_id}', { params, signal }),
    orNothing(fleet().get('/agents/{agent_id}/pause', { params, signal })),
    fleet().get('/agents/{agent_id}/usage', { params, signal }),
    fleet().get('/agents/{agent_id}/definition', { params: { ...params, query: { optional: true } }, signal }),
  ]);
  const { paused_at = null, reason = null } = pause?.data ?? {};
  out.record({ ...agent, paused_at, reason, usage, definition }, toLines(context));
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
  const twins = await findTwins(context, name);
  if (twins !== undefined) out.note(`Warning: the name is taken: ${twins}`);
  const { data } = await fleet().post('/agents', { body: { name, type: type as Agent['type'] }, signal });
  out.record(data, toLines(context));
}

/** `If-Match`, so that a change by another in between is not lost. */
async function replace(context: Context, ref: string, given: ReplaceOptions): Promise<void> {
  const { fleet, out, signal } = context;
  if (Object.keys(given).length === 0) throw usageError('Give --name, --type, --owner or several of them');
  const path = { agent_id: await findAgentId(context, ref) };
  const { data: before, response } = await fleet().get('/agents/{agent_id}', { params: { path }, signal });
  const header = { 'If-Match': response.headers.get('etag') ?? undefined };
  const body = { name: given.name ?? before.name, type: (given.type ?? before.type) as Agent['type'] };
  const { data } = await fleet().put('/agents/{agent_id}', {
    params: { path, query: { owner: given.owner }, header },
    body,
    signal,
  });
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
    .description('change the name, the type or the owner of an agent')
    .option('--name <name>')
    .option('--type <type>')
    .option('--owner <name>', 'as fleet apply finds it; empty for none')
    .action(act(replace));
  agents.command('delete <agent>').description('delete an agent with its tasks').action(act(remove));
  agents
    .command('pause <agent>')
    .description('give out no tasks of an agent')
    .option('--reason <text>')
    .action(act(pause));
  agents
    .command('export [agent]')
    .description('print an agent as a file for fleet apply, or write all agents as files')
    .option('--folder <folder>', 'write files into this folder')
    .option('--owner <name>', 'only agents of this owner')
    .action(act(exportAgents));
  agents
    .command('diff <agent> [from] [to]')
    .description('compare versions of the definition: by default the last two, or one with the current one')
    .action(act(diff));
  agents
    .command('rollback <agent> <version>')
    .description('make an earlier version of the definition the current one again, as a new version')
    .option('--note <text>', 'why')
    .action(act(rollback));
  agents.command('resume <agent>').description('end the pause of an agent').action(act(resume));
}
