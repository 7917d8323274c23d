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

Made of realistic text with a seed, and read from a server as one file in gzip. One registry process beside bare Express, which has the same
buffer at hand, or sends an empty 304:

${table(
  ['the list', 'requests/s', 'p50 ms', 'p99 ms', 'is', 'aim', ''],
  [
    ...toComparedRows(`whole, ${bytes} MB of br`, listing.whole, WHOLE_AIM),
    ...toComparedRows('304', listing.notModified, NOT_MODIFIED_AIM),
  ],
)}

Pages of ${PAGE} through one gateway process. In the second column are the requests for which the gateway and the service together need a second of
one core: the four processes that are busy here share ${searches.cores} cores. Both have to reach the aim.

${table(
  ['', 'requests/s', '/s of a core', 'p50 ms', 'p99 ms', 'aim', ''],
  [...pages].map(([kind, figures]) => toPageRow(kind, figures, aim)),
)}

${toSearchPart(searches)}

Refreshes after each of which 1 % of the skills are different: the worst figures of ${REFRESHES}. A stall is how long the event loop was away from its
timers, for whatever reason: what it was busy for is its own, and the rest are others on this machine that kept it from its work.

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
    ['longest that it was busy in one, ms', worst(({ stall }) => stall.busyMs).toFixed(0), '', ''],
    [
      'processor time of all threads, s',
      processorSeconds.toFixed(1),
      ...verdict(processorSeconds <= PROCESSOR_AIM_SECONDS, `≤ ${PROCESSOR_AIM_SECONDS}`),
    ],
    ['until the other skills are served, s', worst(({ seconds }) => seconds).toFixed(1), '', ''],
    ['MB before', toMegabytes(worst(({ residentBytes }) => residentBytes.before)), '', ''],
    ['MB at most', toMegabytes(peak), ...verdict(peak <= MEMORY_AIM_MB * 1e6, `≤ ${MEMORY_AIM_MB}`)],
    ['MB after', toMegabytes(worst(({ residentBytes }) => residentBytes.after)), '', ''],
  ];
}
