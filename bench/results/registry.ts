import type { Compared } from '../registry/listing.ts';
import type { PageFigures } from '../registry/metered-requests.ts';
import { PAGE_KINDS, type PageKind } from '../registry/pages.ts';
import { REFRESHES, type Refresh } from '../registry/refresh.ts';
import type { RegistryResults } from '../registry/registry.ts';
import { PAGE } from '../registry/searches/search-engine.ts';
import { calibrationRow, figureCells, ratioVerdict, spaced, table, toMegabytes, verdict } from './markdown.ts';

const WHOLE_AIM = 0.8;
const NOT_MODIFIED_AIM = 0.9;
const PAGES_AIM = 2_000;
const STALL_AIM_MS = 30;
const PROCESSOR_AIM_SECONDS = 8;
const MEMORY_AIM_MB = 600;

export function registrySection({ skills, listing, pages, refresh }: RegistryResults): string {
  const [bytes, aim] = [toMegabytes(listing.bytes), spaced(PAGES_AIM)];
  return `## A registry of ${spaced(skills)} skills

Synthetic text from a seed, fetched from a server as one gzip file. Each table also has the processor time of one
\`JSON.parse\` of this file in a fresh process, measured just before: times as multiples of it, and requests per one of it,
can be compared between machines.

One registry process beside bare Express, which sends the same buffer, or an empty 304:

${table(
  ['the list', 'requests/s', 'p50 ms', 'p99 ms', 'is', 'aim', ''],
  [
    ...toComparedRows(`whole, ${bytes} MB of br`, listing.whole, WHOLE_AIM),
    ...toComparedRows('304', listing.notModified, NOT_MODIFIED_AIM),
    calibrationRow(listing.parseSeconds, 7, 2),
  ],
)}

Pages of ${PAGE} through one gateway process. The second column has the requests per second of processor time of gateway
and service together, because the four busy processes share the cores of the machine. Both columns have to reach the aim.

${table(
  ['', 'requests/s', '/s of a core', 'p50 ms', 'p99 ms', 'aim', ''],
  [
    ...[...pages.kinds].map(([kind, figures]) => toPageRow(kind, figures, aim)),
    calibrationRow(pages.parseSeconds, 7, 3),
  ],
)}

The first build of a registry process that has no snapshot, from its start until it serves the skills. Then refreshes
that each change 1 % of the skills: the worst figures of ${REFRESHES}. A stall is the time by which a timer of the event
loop is late, until the first client has the new list. Its busy time is processor time of the process; other processes
of this machine cause the rest.

${toRefreshTable(refresh)}`;
}

function toComparedRows(name: string, { own, express }: Compared, aim: number): string[][] {
  return [
    [`${name}: the service`, ...figureCells(own), ...ratioVerdict(own.perSecond / express.perSecond, aim)],
    [`${name}: bare Express`, ...figureCells(express), '', '', ''],
  ];
}

function toPageRow(kind: PageKind, figures: PageFigures, aim: string): string[] {
  const [perSecond = '', ...times] = figureCells(figures);
  const met = verdict(Math.min(figures.perSecond, figures.perCoreSecond) >= PAGES_AIM, `≥ ${aim}`);
  return [PAGE_KINDS[kind], perSecond, figures.perCoreSecond.toFixed(0), ...times, ...met];
}

function toRefreshTable({ parseSeconds, firstBuild, refreshes }: RegistryResults['refresh']): string {
  const worst = (of: (refresh: Refresh) => number) => Math.max(...refreshes.map(of));
  /** Seconds, also as a multiple of the calibration. */
  const timeCells = (seconds: number) => [seconds.toFixed(1), `${(seconds / parseSeconds).toFixed(1)}×`];
  const plainRow = (name: string, text: string) => [name, text, '', '', ''];
  const memoryRow = (name: string, bytes: number) => plainRow(name, toMegabytes(bytes));
  const stallMs = worst(({ stall }) => stall.ms);
  const processorSeconds = worst((refresh) => refresh.processorSeconds);
  const peakBytes = worst(({ residentBytes }) => residentBytes.peak);
  const isSmall = peakBytes <= MEMORY_AIM_MB * 1e6;
  return table(
    ['', '', 'of a `JSON.parse`', 'aim', ''],
    [
      ['`JSON.parse` of the source file, s of processor time', parseSeconds.toFixed(2), '', '', ''],
      ['the first build: processor time of all threads, s', ...timeCells(firstBuild.processorSeconds), '', ''],
      plainRow('the first build: until the skills are served, s', firstBuild.seconds.toFixed(1)),
      [
        'a refresh: processor time of all threads, s',
        ...timeCells(processorSeconds),
        ...verdict(processorSeconds <= PROCESSOR_AIM_SECONDS, `≤ ${PROCESSOR_AIM_SECONDS} s`),
      ],
      plainRow('until the new skills are served, s', worst(({ seconds }) => seconds).toFixed(1)),
      [
        'longest stall of the event loop, ms',
        stallMs.toFixed(0),
        '',
        ...verdict(stallMs <= STALL_AIM_MS, `≤ ${STALL_AIM_MS}`),
      ],
      plainRow('longest busy time in a stall, ms', worst(({ stall }) => stall.busyMs).toFixed(0)),
      memoryRow(
        'MB before',
        worst(({ residentBytes }) => residentBytes.before),
      ),
      ['MB at most', toMegabytes(peakBytes), '', ...verdict(isSmall, `≤ ${MEMORY_AIM_MB}`)],
      memoryRow(
        'MB after',
        worst(({ residentBytes }) => residentBytes.after),
      ),
      [
        'the first list in br after a refresh: processor time of all threads, s',
        ...timeCells(worst(({ firstList }) => firstList.processorSeconds)),
        '',
        '',
      ],
      plainRow('until a client has it, s', worst(({ firstList }) => firstList.seconds).toFixed(1)),
      memoryRow(
        'MB at most, with the first list',
        worst(({ firstList }) => firstList.peakBytes),
      ),
    ],
  );
}
