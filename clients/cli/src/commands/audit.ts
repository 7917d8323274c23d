import type { components } from '@agent-fleet/sdk';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { first, ORDER, toLimit } from '../lookup.ts';
import { safeLine } from '../output/safe-text.ts';

type AuditEvent = components['schemas']['AuditEvent'];

interface AuditOptions {
  actor?: string;
  action?: string;
  target?: string;
  after?: string;
  order: 'asc' | 'desc';
  limit: string;
}

async function audit({ fleet, out, signal }: Context, { limit: text, ...filter }: AuditOptions): Promise<void> {
  const { limit, size } = toLimit(text, 1_000_000);
  const events = fleet().paginate('/audit-events', { params: { query: { ...filter, limit: size } }, signal });
  for await (const event of first(events, limit)) out.line(event as AuditEvent, toLine);
}

function toLine({ at, actor, action, target, outcome, address, details = {} }: AuditEvent): string {
  const who = actor.name ?? actor.id ?? actor.type;
  const what = target ? `${target.type} ${target.id}` : '';
  const words = [at, outcome.padEnd(7), action.padEnd(18), who, what, ...Object.values(details), address ?? ''];
  return safeLine(words.filter(Boolean).join('  '));
}

export function registerAudit(command: Command, act: Act): void {
  command
    .option('--actor <who>', 'an id, a name or a type')
    .option('--action <action>', 'such as key.created, or key.* for all actions on keys')
    .option('--target <id>')
    .option('--after <id>', 'only events after this one')
    .addOption(ORDER)
    .option('--limit <n>', 'list at most this many', '100')
    .action(act(audit));
}
