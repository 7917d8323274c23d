import type { components } from '@agent-fleet/sdk';
import type { Command } from 'commander';
import type { Act } from '../command.ts';
import type { Context } from '../context.ts';
import { toInteger } from '../lookup.ts';
import { safeLine } from '../output/safe-text.ts';

type AuditEvent = components['schemas']['AuditEvent'];

interface AuditOptions {
  actor?: string;
  action?: string;
  target?: string;
  after?: string;
  limit: string;
}

const PAGE = 1_000;

async function audit(context: Context, { limit, after, ...filter }: AuditOptions): Promise<void> {
  const { fleet, out, signal } = context;
  let left = toInteger('--limit', limit, 1, 1_000_000);
  for (let last = after; left > 0; ) {
    const size = Math.min(left, PAGE);
    const query = { ...filter, after: last, limit: size };
    const { data } = await fleet().get('/audit-events', { params: { query }, signal });
    const events = data as AuditEvent[];
    for (const event of events) out.line(event, toLine);
    last = events.at(-1)?.id;
    left -= events.length;
    if (events.length < size) return;
  }
}

function toLine({ at, actor, action, target, outcome, address }: AuditEvent): string {
  const who = actor.name ?? actor.id ?? actor.type;
  const what = target ? `${target.type} ${target.id}` : '';
  return safeLine([at, outcome.padEnd(7), action.padEnd(18), who, what, address ?? ''].filter(Boolean).join('  '));
}

export function registerAudit(command: Command, act: Act): void {
  command
    .option('--actor <who>', 'an id, a name or a type')
    .option('--action <action>', 'such as key.created, or key.* for all actions on keys')
    .option('--target <id>')
    .option('--after <id>', 'only events after this one')
    .option('--limit <n>', 'list at most this many', '100')
    .action(act(audit));
}
