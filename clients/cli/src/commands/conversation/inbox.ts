import type { Command } from 'commander';
import type { Act, Context } from '../../context.ts';
import { take, toLimit } from '../../lookup.ts';
import { type InputRequest, requestLines } from './request-lines.ts';

/** A follower waits for the fleet as long as it runs. */
const FOREVER_MS = 2_000_000_000;

const linesOf = (request: InputRequest) => [...requestLines(request), ''];

async function inbox(context: Context, options: { follow?: boolean; limit: string }): Promise<void> {
  if (options.follow) return follow(context);
  const { fleet, out, signal } = context;
  const { limit, size } = toLimit(options.limit, 100_000);
  const query = { limit: size };
  const requests = await take(fleet().paginate('/input-requests', { params: { query }, signal }), limit);
  if (out.isJson || requests.length === 0) out.list(requests, [], 'Nobody asks anything.');
  else for (const request of requests) out.record(request, linesOf);
}

/** Prints what is open, and each request that is opened from then on. */
async function follow({ fleet, out, signal }: Context): Promise<void> {
  const [last] = (await fleet().get('/events', { params: { query: { order: 'desc', limit: 1 } }, signal })).data;
  const shown = new Set<string>();
  const showNew = async (task_id?: string) => {
    const query = { task_id, limit: 100 };
    for await (const request of fleet().paginate('/input-requests', { params: { query }, signal })) {
      if (shown.has(request.id)) continue;
      if (out.isJson) out.line(request, String);
      else out.record(request, linesOf);
      shown.add(request.id);
    }
  };
  await showNew();
  const params = { query: { types: 'task.input_required' } };
  const lastEventId = last ? String(last.id) : undefined;
  const events = fleet().events('/events', { params, lastEventId, signal, outageMs: FOREVER_MS });
  // After `resync`, which names no task, any may have been missed.
  for await (const { data } of events) await showNew(data.task_id);
}

export function registerInbox(command: Command, act: Act): void {
  command
    .option('-f, --follow', 'print requests as they come')
    .option('--limit <n>', 'list at most this many', '100')
    .action(act(inbox));
}
