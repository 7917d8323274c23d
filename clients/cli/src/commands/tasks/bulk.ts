import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from '@agent-fleet/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../../context.ts';
import { EXIT, type ExitCode, usageError } from '../../errors.ts';
import { findAgentId, listOf } from '../../lookup.ts';

type BulkInput = components['schemas']['BulkActionInput'];
export type BulkVerb = BulkInput['action'];

/** The filters of lists and of bulk actions. */
export interface FilterOptions {
  status?: string;
  type?: string;
  agent?: string;
  tag?: string;
  worker?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export interface BulkOptions extends FilterOptions {
  dryRun?: boolean;
}

const STATUSES = ['pending', 'running', 'input_required', 'completed', 'failed', 'cancelled'] as const;
const POLL_MS = 250;
const PAST = { cancel: 'cancelled', retry: 'retried', delete: 'deleted' } as const;

export function withFilters(command: Command): Command {
  return command
    .option('--status <a,b>', STATUSES.join(', '), listOf(...STATUSES))
    .option('--type <type>', 'the type of their agents')
    .option('--agent <agent>', 'an id or a name')
    .option('--tag <tag>')
    .option('--worker <worker_id>', 'the current or last worker')
    .option('--created-after <time>', 'such as 2026-12-24T18:00:00Z', checkTime)
    .option('--created-before <time>', 'such as 2026-12-31T18:00:00Z', checkTime);
}

function checkTime(text: string): string {
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('It must be a time such as 2026-12-24T18:00:00Z.');
}

/** The filter in the names of the API. */
export async function toFilter(context: Context, options: FilterOptions) {
  const { status, type, agent, tag, worker, createdAfter, createdBefore } = options;
  const filter = {
    status,
    type,
    agent_id: agent === undefined ? undefined : await findAgentId(context, agent),
    tag,
    worker_id: worker,
    created_after: createdAfter,
    created_before: createdBefore,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Counts the tasks of a filter, asks, and then changes them all; follows it to its end. */
export async function bulk(context: Context, action: BulkVerb, { dryRun, ...options }: BulkOptions) {
  const { fleet, out, signal } = context;
  const { status, ...others } = await toFilter(context, options);
  const filter = { ...others, ...(status !== undefined && { status: status.split(',') }) } as BulkInput['filter'];
  if (Object.keys(filter).length === 0) throw usageError('Name a task, or tasks by --status, --type, --agent or --tag');
  const count = await fleet().post('/bulk-actions', { body: { action, filter, dry_run: true }, signal });
  const { matched } = count.data as { matched: number };
  if (dryRun || matched === 0) {
    out.record({ id: null, action, matched }, () => [matched === 1 ? '1 task matches' : `${matched} tasks match`]);
    return undefined;
  }
  await context.confirm(`${action.replace(/^./, (first) => first.toUpperCase())} ${countOf(matched)}?`);
  const started = await fleet().post('/bulk-actions', { body: { action, filter }, signal });
  const { id } = started.data as { id: string };
  return follow(context, id, action);
}

async function follow({ fleet, out, signal }: Context, id: string, action: BulkVerb): Promise<ExitCode> {
  for (;;) {
    const { data } = await fleet().get('/bulk-actions/{id}', { params: { path: { id } }, signal });
    if (data.state !== 'running') {
      out.record(data, () => [
        `${data.done} of ${countOf(data.matched)} ${PAST[action]}${data.failed ? `, ${data.failed} failed` : ''}`,
        ...(data.state === 'stopped' ? ['It was stopped.'] : []),
        ...data.failures.map(({ agent_id, task_id, code }) => `${agent_id}/${task_id}: ${code}`),
      ]);
      return data.failed > 0 || data.state === 'stopped' ? EXIT.failed : EXIT.ok;
    }
    out.progress(`${data.done} of ${countOf(data.matched)} ${PAST[action]}`);
    await sleep(POLL_MS, undefined, { signal });
  }
}

function countOf(tasks: number): string {
  return tasks === 1 ? '1 task' : `${tasks} tasks`;
}
