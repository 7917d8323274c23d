import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { findAgentId, first, ORDER, toInteger, toLimit } from '../lookup.ts';
import { eventLine } from './tasks/watch.ts';

interface EventOptions {
  follow?: boolean;
  types?: string;
  agentType?: string;
  agent?: string;
  after?: string;
  order: 'asc' | 'desc';
  limit: string;
}

/** A follower waits for the fleet as long as it runs. */
const FOREVER_MS = 2_000_000_000;

async function events(context: Context, options: EventOptions): Promise<void> {
  const { fleet, out, signal } = context;
  const { follow, types, agentType, agent, order } = options;
  const agentId = agent === undefined ? undefined : await findAgentId(context, agent);
  const query = { types, agent_type: agentType, agent_id: agentId };
  const after =
    options.after === undefined ? undefined : toInteger('--after', options.after, 0, Number.MAX_SAFE_INTEGER);
  if (follow) {
    const lastEventId = after === undefined ? undefined : String(after);
    const stream = fleet().events('/events', { params: { query }, lastEventId, signal, outageMs: FOREVER_MS });
    for await (const { data } of stream) out.line(data, eventLine);
    return;
  }
  const { limit, size } = toLimit(options.limit, 1_000_000);
  const found = fleet().paginate('/events', { params: { query: { ...query, after, order, limit: size } }, signal });
  for await (const event of first(found, limit)) out.line(event, eventLine);
}

export function registerEvents(command: Command, act: Act): void {
  command
    .option('-f, --follow', 'print events as they come')
    .option('--types <a,b>', 'types of events, such as task.failed')
    .option('--agent-type <type>')
    .option('--agent <agent>', 'an id or a name')
    .option('--after <id>', 'only events after this one')
    .addOption(ORDER)
    .option('--limit <n>', 'list at most this many', '100')
    .action(act(events));
}
