import type { components, paths } from '@agent-fleet/sdk';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { findAgentId } from '../lookup.ts';
import { type Column, table } from '../output/table.ts';
import { costText, spentFields } from '../output/words.ts';

type Query = NonNullable<paths['/stats/spend']['get']['parameters']['query']>;
type Row = components['schemas']['SpendGroup'] & { at: string };

interface SpendOptions {
  from?: string;
  to?: string;
  step: NonNullable<Query['step']>;
  groupBy: NonNullable<Query['group_by']>;
  agent?: string;
  timeZone: string;
  csv?: boolean;
}

async function spend(context: Context, { csv, agent, groupBy, ...options }: SpendOptions): Promise<void> {
  const { fleet, out, signal } = context;
  const query: Query = {
    ...{ step: options.step, group_by: groupBy, time_zone: options.timeZone },
    ...{ from: toTime('--from', options.from), to: toTime('--to', options.to) },
    agent_id: agent === undefined ? undefined : await findAgentId(context, agent),
  };
  if (csv) {
    const headers = { accept: 'text/csv' };
    const { data } = await fleet().api.GET('/stats/spend', { params: { query }, headers, parseAs: 'text', signal });
    if (typeof data === 'string') return out.exact(data);
  }
  // Throws what is wrong with the request above, too.
  const { data } = await fleet().get('/stats/spend', { params: { query }, signal });
  out.record(data, () => {
    const rows = data.steps.flatMap(({ at, groups }) => groups.map((group) => ({ at, ...group })));
    const columns: Column<Row>[] = [
      { title: options.step.toUpperCase(), value: ({ at }) => localTime(at, options), isWhole: true },
      { title: groupBy.toUpperCase(), value: ({ key }) => key ?? '(none)', isWhole: true },
      { title: 'COST', value: ({ cost }) => costText(cost), isNumber: true },
      { title: 'ATTEMPTS', value: ({ attempts }) => attempts, isNumber: true },
      { title: 'TOKENS IN', value: ({ input_tokens }) => input_tokens, isNumber: true },
      { title: 'TOKENS OUT', value: ({ output_tokens }) => output_tokens, isNumber: true },
    ];
    const note = data.groups_overlap ? [`A task counts in each ${groupBy}.`] : [];
    return [
      ...(rows.length > 0 ? [...table(rows, columns, out.width), ''] : []),
      ...totalLines(context, data),
      ...note,
    ];
  });
}

function totalLines({ out }: Context, { total }: components['schemas']['Spend']): string[] {
  return out.fields([['attempts', total.attempts], ...spentFields(total)]);
}

/** A day alone begins at midnight here. */
function toTime(option: string, text: string | undefined): string | undefined {
  const time = text === undefined ? undefined : new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00` : text);
  if (Number.isNaN(time?.getTime())) throw usageError(`${option} is not a time: ${text}`, 'Such as 2026-12-01.');
  return time?.toISOString();
}

/** Such as `2026-12-01 14:00`, `2026-12-01` or `2026-12`. */
function localTime(at: string, { step, timeZone }: Pick<SpendOptions, 'step' | 'timeZone'>): string {
  const text = new Date(at).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return text.slice(0, { hour: 16, day: 10, month: 7 }[step]);
}

export function registerSpend(command: Command, act: Act): void {
  command
    .option('--from <time>', 'a day, or a time of RFC 3339; 30 days ago for steps of a day')
    .option('--to <time>', 'the same; now')
    .option('--step <step>', 'hour, day or month', 'day')
    .option('--group-by <what>', 'agent, model, type, tag, user, key, or version with --agent', 'agent')
    .option('--agent <agent>', 'only what this one has spent: an id or a name')
    .option('--time-zone <name>', 'of the steps', Intl.DateTimeFormat().resolvedOptions().timeZone)
    .option('--csv', 'print CSV')
    .action(act(spend));
}
