import { setTimeout as sleep } from 'node:timers/promises';
import { type components, FleetUnavailableError } from '@agent-fleet/sdk';
import { duration, relativeTime } from '@agent-fleet/sdk/words';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { take, toInteger, toLimit } from '../lookup.ts';
import type { Line } from '../output/output.ts';
import { type Column, table } from '../output/table.ts';
import { countsText, spentFields } from '../output/words.ts';

type Stats = components['schemas']['Stats'];
type Series = components['schemas']['Series'];
type Worker = components['schemas']['WorkerInfo'];

interface Snapshot {
  at: string;
  stats: Stats;
  series: Series;
  workers: Worker[];
}

/** The alternate screen keeps what the terminal showed before. */
const SCREEN = { enter: '\x1b[?1049h\x1b[?25l', leave: '\x1b[?25h\x1b[?1049l', home: '\x1b[H', clear: '\x1b[J' };
const WORKERS = 100;

async function readSnapshot({ fleet, signal }: Context): Promise<Snapshot> {
  const [stats, series, workers] = await Promise.all([
    fleet().get('/stats', { signal }),
    fleet().get('/stats/series', { params: { query: { window: 300, step: 60 } }, signal }),
    fleet().get('/workers', { params: { query: { limit: WORKERS } }, signal }),
  ]);
  return { at: stats.data.at, stats: stats.data, series: series.data, workers: workers.data };
}

const WORKER_COLUMNS: Column<Worker>[] = [
  { title: 'WORKER', value: ({ worker_id }) => worker_id },
  { title: 'TYPES', value: ({ types }) => types.join(', ') },
  { title: 'HOLDS', value: ({ leases }) => leases, isNumber: true },
  { title: 'DONE', value: ({ completed }) => completed, isNumber: true },
  { title: 'FAILED', value: ({ failed }) => failed, isNumber: true },
  { title: 'SEEN', value: ({ last_seen_at }) => relativeTime(last_seen_at) },
];

type Step = Series['steps'][number];
const ms = (value: number | undefined) =>
  value !== undefined && (value < 1_000 ? `${value} ms` : duration(value / 1_000));
const STEP_COLUMNS: Column<Step>[] = [
  { title: 'MINUTE', value: ({ at }) => at.slice(11, 16) },
  { title: 'CREATED', value: ({ created }) => created, isNumber: true },
  { title: 'COMPLETED', value: ({ completed }) => completed, isNumber: true },
  { title: 'FAILED', value: ({ failed }) => failed, isNumber: true },
  { title: 'RETRIED', value: ({ retried }) => retried, isNumber: true },
  { title: 'WAIT p95', value: ({ wait_ms }) => ms(wait_ms?.p95) || '', isNumber: true },
  { title: 'RUN p95', value: ({ run_ms }) => ms(run_ms?.p95) || '', isNumber: true },
];

function toLines({ out }: Context, { at, stats, series, workers }: Snapshot): Line[] {
  const { width } = out;
  return [
    { style: 'bold', text: 'Agent Fleet', rest: `  ${at}` },
    '',
    ...out.fields([
      ['agents', `${stats.agents.total}  (${countsText(stats.agents.by_status)})`],
      ['tasks', `${stats.tasks.total}  (${countsText(stats.tasks.by_status)})`],
      ...stats.oldest_pending.map(
        ({ type, created_at }) =>
          [`${type} waits`, `the oldest for ${duration((Date.parse(at) - Date.parse(created_at)) / 1_000)}`] as const,
      ),
      ...spentFields(stats.usage?.total),
    ]),
    '',
    ...table(series.steps, STEP_COLUMNS, width),
    '',
    ...(workers.length > 0 ? table(workers, WORKER_COLUMNS, width) : ['No workers: fleet worker --help']),
  ];
}

async function stats(context: Context): Promise<void> {
  const snapshot = await readSnapshot(context);
  context.out.record(snapshot, () => toLines(context, snapshot));
}

async function workers({ fleet, out, signal }: Context, options: { limit: string }): Promise<void> {
  const { limit, size } = toLimit(options.limit, 100_000);
  const found = await take(fleet().paginate('/workers', { params: { query: { limit: size } }, signal }), limit);
  out.list(found, WORKER_COLUMNS, 'No workers. fleet worker --help says how to start one.');
}

/** Live on a terminal; elsewhere one snapshot. */
async function top(context: Context, { interval }: { interval: string }): Promise<void> {
  const { out, signal } = context;
  const seconds = toInteger('--interval', interval, 1, 3_600);
  const isLive = !out.isJson && process.stdout.isTTY && context.env.TERM !== 'dumb';
  if (!isLive) return stats(context);
  process.stdout.write(SCREEN.enter);
  let shown: Line[] = [];
  try {
    for (;;) {
      try {
        shown = toLines(context, await readSnapshot(context));
      } catch (error) {
        if (!(error instanceof FleetUnavailableError) || shown.length === 0) throw error;
        shown = [{ style: 'red', text: `Reconnecting: ${error.message}` }, ...shown.slice(1)];
      }
      const lines = out.toTexts(shown.slice(0, (process.stdout.rows || 24) - 1));
      process.stdout.write(`${SCREEN.home}${lines.map((line) => `${line}\x1b[K`).join('\n')}${SCREEN.clear}`);
      await sleep(seconds * 1_000, undefined, { signal });
    }
  } finally {
    process.stdout.write(SCREEN.leave);
  }
}

export function registerTop(command: Command, act: Act): void {
  command.option('--interval <seconds>', 'seconds between refreshes', '2').action(act(top));
}

export function registerStats(command: Command, act: Act): void {
  command.action(act(stats));
}

export function registerWorkers(command: Command, act: Act): void {
  command.option('--limit <n>', 'list at most this many', '1000').action(act(workers));
}
