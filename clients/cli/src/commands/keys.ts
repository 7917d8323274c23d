import type { components } from '@agent-fleet/sdk';
import { relativeTime } from '@agent-fleet/sdk/words';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { collect, findAgentId, findId, take, toInteger, toLimit } from '../lookup.ts';
import type { Column } from '../output/table.ts';

type ApiKey = components['schemas']['ApiKey'];
type NewApiKey = components['schemas']['CreatedApiKey'];
type KeyInput = components['schemas']['ApiKeyInput'];

const COLUMNS: Column<ApiKey>[] = [
  { title: 'ID', value: ({ id }) => id, isWhole: true },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'SCOPES', value: ({ scopes }) => scopes.join(', ') },
  { title: 'OWNER', value: ({ owner }) => owner },
  { title: 'EXPIRES', value: ({ expires_at }) => relativeTime(expires_at) || 'never' },
  { title: 'USED', value: ({ last_used_at }) => relativeTime(last_used_at) || 'never' },
];
const DAY_MS = 86_400_000;

async function list({ fleet, out, signal }: Context, options: { limit: string }): Promise<void> {
  const { limit, size } = toLimit(options.limit, 100_000);
  const keys = await take(fleet().paginate('/api-keys', { params: { query: { limit: size } }, signal }), limit);
  out.list(keys, COLUMNS, 'No API keys. fleet keys create <name> --role worker makes one.');
}

interface CreateOptions {
  role?: string;
  scope?: string[];
  agent?: string[];
  days?: string;
  rate?: string;
}

async function create(context: Context, name: string, options: CreateOptions): Promise<void> {
  const { fleet, out, signal } = context;
  const { role, scope, agent, days, rate } = options;
  const body = {
    name,
    ...(role !== undefined && { role }),
    ...(scope && { scopes: scope }),
    ...(agent && { agent_ids: await Promise.all(agent.map((ref) => findAgentId(context, ref))) }),
    ...(days !== undefined && { expires_at: expiry(days) }),
    ...(rate !== undefined && { rate_limit_per_minute: toInteger('--rate', rate, 1, 1_000_000) }),
  } as KeyInput;
  const { data } = await fleet().post('/api-keys', { body, signal });
  printNew(out, data);
}

function expiry(days: string): string {
  return new Date(Date.now() + toInteger('--days', days, 1, 366) * DAY_MS).toISOString();
}

/** The key is on stdout, so that it can be piped; what to know about it on stderr. */
function printNew(out: Context['out'], key: NewApiKey): void {
  out.note(`Key ${key.name} (${key.id}) with ${key.scopes.join(', ')}. It is shown this once:`);
  if (out.isJson) out.record(key, () => []);
  else out.text(key.key);
}

function findKey({ fleet, signal }: Context, ref: string): Promise<string> {
  return findId('keys', ref, fleet().paginate('/api-keys', { params: { query: { limit: 1_000 } }, signal }));
}

async function rotate(context: Context, ref: string, { grace }: { grace?: string }): Promise<void> {
  const { fleet, out, signal } = context;
  const body = grace === undefined ? {} : { grace_seconds: toInteger('--grace', grace, 0, 604_800) };
  const path = { key_id: await findKey(context, ref) };
  const { data } = await fleet().post('/api-keys/{key_id}/rotations', { params: { path }, body, signal });
  printNew(out, data);
}

async function revoke(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const id = await findKey(context, ref);
  const path = { key_id: id };
  await context.confirm(`Revoke the key ${id}?`);
  await fleet().delete('/api-keys/{key_id}', { params: { path }, signal });
  out.record({ id, revoked: true }, () => [`Revoked ${id}`]);
}

export function registerKeys(keys: Command, act: Act): void {
  keys
    .command('list')
    .description('list API keys')
    .option('--limit <n>', 'list at most this many', '1000')
    .action(act(list));
  keys
    .command('create <name>')
    .description('make an API key and print it once')
    .option('--role <role>', 'viewer, worker, approver, operator or admin')
    .option('--scope <scope>', 'in place of a role; may be repeated', collect)
    .option('--agent <agent>', 'only for this agent; may be repeated', collect)
    .option('--days <n>', 'how long it is valid')
    .option('--rate <n>', 'requests per minute')
    .action(act(create));
  keys
    .command('rotate <key_id>')
    .description('rotate a key: it gets a new text')
    .option('--grace <seconds>', 'how long the old text stays valid; default: a day')
    .action(act(rotate));
  keys.command('revoke <key_id>').description('revoke a key').action(act(revoke));
}
