import type { Compared } from '../registry/listing.ts';
import { PAGE, PAGE_KINDS, type PageFigures, type PageKind } from '../registry/pages.ts';
import { REFRESHES, type Refresh } from '../registry/refresh.ts';
import type { RegistryResults } from '../registry/registry.ts';
import type { Searches } from '../registry/searches.ts';
import { figureCells, ratioVerdict, spaced, table, toMegabytes, verdict } from './markdown.ts';

const WHOLE_AIM = 0.8;
const NOT_MODIFIED_AIM = 0.9;
const SEARCH_AIM_MS = { p50Ms: 2, p99Ms: 10 };
const PAGES_AIM = 2_000;
const STALL_AIM_MS = 30;
const PROCESSOR_AIM_SECONDS = 8;
const MEMORY_AIM_MB = 600;

export function registrySection({ skills, listing, searches, pages, refreshes }: RegistryResults): string {
  const [bytes, aim] = [toMegabytes(listing.bytes), spaced(PAGES_AIM)];
  return `## A registry of ${spaced(skills)} skills

Synthetic text from a seed, fetched from a server as one gzip file. One registry process beside bare Express, which sends the same buffer,
or an empty 304:

${table(
  ['the list', 'requests/s', 'p50 ms', 'p99 ms', 'is', 'aim', ''],
  [
    ...toComparedRows(`whole, ${bytes} MB of br`, listing.whole, WHOLE_AIM),
    ...toComparedRows('304', listing.notModified, NOT_MODIFIED_AIM),
  ],
)}

Pages of ${PAGE} through one gateway process. The second column has the requests per second of processor time of gateway and service together, because
the four busy processes share ${searches.cores} cores. Both columns have to reach the aim.

${table(
  ['', 'requests/s', '/s of a core', 'p50 ms', 'p99 ms', 'aim', ''],
  [...pages].map(([kind, figures]) => toPageRow(kind, figures, aim)),
)}

${toSearchPart(searches)}

Refreshes that each change 1 % of the skills: the worst figures of ${REFRESHES}. A stall is the time by which a timer of the event loop is late. Its busy
time is processor time of the process; other processes of this machine cause the rest.

${table(['a refresh', '', 'aim', ''], toRefreshRows(refreshes))}`;
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

function toSearchPart({ count, p50Ms, p99Ms, maxMs, medianMatches }: Searches): string {
  const row = (name: string, ms: number, aimMs: number) => [name, ms.toFixed(2), ...verdict(ms <= aimMs, `≤ ${aimMs}`)];
  return `${spaced(count)} different searches in a process of their own, each of two common words and a category, with all facets; half of them find
${spaced(medianMatches)} skills and more.

${table(
  ['a search', 'ms', 'aim', ''],
  [
    row('p50', p50Ms, SEARCH_AIM_MS.p50Ms),
    row('p99', p99Ms, SEARCH_AIM_MS.p99Ms),
    ['the longest', maxMs.toFixed(2), '', ''],
  ],
)}`;
}

function toRefreshRows(refreshes: Refresh[]): string[][] {
  const worst = (of: (refresh: Refresh) => number) => Math.max(...refreshes.map(of));
  const stallMs = worst(({ stall }) => stall.ms);
  const processorSeconds = worst((refresh) => refresh.processorSeconds);
  const peak = worst(({ residentBytes }) => residentBytes.peak);
  return [
    [
      'longest stall of the event loop, ms',
      stallMs.toFixed(0),
      ...verdict(stallMs <= STALL_AIM_MS, `≤ ${STALL_AIM_MS}`),
    ],
    ['longest busy time in a stall, ms', worst(({ stall }) => stall.busyMs).toFixed(0), '', ''],
    [
      'processor time of all threads, s',
      processorSeconds.toFixed(1),
      ...verdict(processorSeconds <= PROCESSOR_AIM_SECONDS, `≤ ${PROCESSOR_AIM_SECONDS}`),
    ],
    ['until the new skills are served, s', worst(({ seconds }) => seconds).toFixed(1), '', ''],
    ['MB before', toMegabytes(worst(({ residentBytes }) => residentBytes.before)), '', ''],
    ['MB at most', toMegabytes(peak), ...verdict(peak <= MEMORY_AIM_MB * 1e6, `≤ ${MEMORY_AIM_MB}`)],
    ['MB after', toMegabytes(worst(({ residentBytes }) => residentBytes.after)), '', ''],
  ];
}
