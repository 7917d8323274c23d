import { availableParallelism } from 'node:os';
import { type Built, ENGINES, type EngineName, type RoundFigures } from '../registry/searches/engines.ts';
import { SEARCH_KINDS, type SearchKind } from '../registry/searches/queries.ts';
import { PAGE } from '../registry/searches/search-engine.ts';
import type { SearchResults } from '../registry/searches/searches.ts';
import { calibrationRow, figureCells, ratioVerdict, spaced, table, toMegabytes, verdict } from './markdown.ts';

/** Of a search by two words and a category, with facets. */
const SEARCH_AIM_MS = { p50Ms: 2, p99Ms: 10 };
/** Requests per `JSON.parse` with the search engine of version 1.0 plus `kind`, measured in the same way. */
const BEFORE: Partial<Record<SearchKind, number>> = {
  words50: 184,
  words150: 249,
  words349: 333,
  exact: 613,
  typo: 507,
  rare: 825,
};
/** The least ratio to `BEFORE`. */
const AIMS: Partial<Record<SearchKind, number>> = {
  words50: 1.5,
  words150: 1.5,
  words349: 1.5,
  exact: 1,
  typo: 1,
  rare: 1,
};
const NONE = '–';
const PEERS = ['sqlite', 'minisearch'] as const satisfies EngineName[];

export function searchesSection({ skills, gateway, engines }: SearchResults): string {
  return `## Searches among ${spaced(skills)} skills

The first ${PAGE} skills of different searches, with all facets (categories, tags, authors, licenses, validity), through one
gateway process. \`/s of a core\` are requests per second of processor time of gateway and service together, because the
four busy processes share ${availableParallelism()} cores. \`per JSON.parse\` has the requests for the processor time of one
\`JSON.parse\` of the source file in a fresh process, which can be compared between machines; \`is\` compares it with the
search engine of version 1.0, to which only \`kind\` was added.

${toGatewayTable(gateway)}

In a process without HTTP:

${toOwnTable(engines)}

The same searches without facets, which the peers do not have, beside SQLite's FTS5 (through \`node:sqlite\`) and MiniSearch,
each in a process of its own with the same skills in memory, in alternating rounds. Processor time is of all threads. Each
makes the JSON of the first ${PAGE} skills.

- Both peers search the same fields, with weights, require all words (any word of a sentence), and match longer words for
  the last word and for those of three letters and more, as our engine does. Stop words count. They have the records as
  they are; our engine has merged those of the same skill.
- SQLite ranks by bm25, has prefix indexes for two and three letters, and an index each for authors and for categories by
  stars. It has no typos, does not rank an exact name first, and here does not count the matches, as our engine does. It
  can change single rows, on disk too.
- MiniSearch ranks by BM25+. It accepts a typo in each word of four letters and more (\`fuzzy: 0.2\`) also where the word
  itself is found; our engine does so only where it is not. It has no filter with an index, and no order but its ranking.

${toPeerTable(engines)}

${table(
  ['processor time and memory', 'to build, s', 'of a `JSON.parse`', 'MB afterwards'],
  engines.built.map((built) => toBuiltRow(built, engines.parseSeconds)),
)}

The service's build also normalises, checks and merges the records. Memory is that of the whole process, after a garbage
collection, with Node itself and the JSON of all skills.`;
}

function toGatewayTable({ parseSeconds, kinds }: SearchResults['gateway']): string {
  const rows = [...kinds].map(([kind, figures]) => {
    const [perSecond = '', ...times] = figureCells(figures);
    const perParse = figures.perCoreSecond * parseSeconds;
    return [
      SEARCH_KINDS[kind],
      perSecond,
      figures.perCoreSecond.toFixed(0),
      ...times,
      perParse.toFixed(0),
      ...comparedCells(kind, perParse),
    ];
  });
  return table(
    ['', 'requests/s', '/s of a core', 'p50 ms', 'p99 ms', 'per JSON.parse', 'is', 'aim', ''],
    [...rows, calibrationRow(parseSeconds, 9, 3)],
  );
}

/** The ratio to the version before. */
function comparedCells(kind: SearchKind, perParse: number): string[] {
  const [before, aim] = [BEFORE[kind], AIMS[kind]];
  return before === undefined || aim === undefined ? ['', '', ''] : ratioVerdict(perParse / before, aim);
}

function toOwnTable({ parseSeconds, kinds }: SearchResults['engines']): string {
  const rows = [...kinds].map(([kind, { own, facets }]) => [
    SEARCH_KINDS[kind],
    own?.medianMatches.toFixed(0) ?? NONE,
    ...timeCells(own),
    ...timeCells(facets),
  ]);
  const facets = kinds.get('category')?.facets;
  const isMet = facets !== undefined && facets.p50Ms <= SEARCH_AIM_MS.p50Ms && facets.p99Ms <= SEARCH_AIM_MS.p99Ms;
  const [aim, met] = verdict(isMet, `p50 ≤ ${SEARCH_AIM_MS.p50Ms} ms and p99 ≤ ${SEARCH_AIM_MS.p99Ms} ms`);
  return `${table(
    ['', 'found', 'p50 ms', 'p99 ms', '/s of a core', 'with facets: p50 ms', 'p99 ms', '/s of a core'],
    [...rows, calibrationRow(parseSeconds, 8, 2)],
  )}

Half of the searches found as many skills as the first column says, or more. The aim for two words and a category with
facets, ${aim}: ${met}.`;
}

function timeCells(figures: RoundFigures | undefined): string[] {
  if (!figures) return [NONE, NONE, NONE];
  return [timeText(figures.p50Ms), timeText(figures.p99Ms), rateText(figures.perCoreSecond)];
}

function toPeerTable({ kinds }: SearchResults['engines']): string {
  const rows = [...kinds].map(([kind, { own, ...peers }]) => [
    SEARCH_KINDS[kind],
    rateText(own?.perCoreSecond ?? Number.NaN),
    ...PEERS.flatMap((name) => toPeerCells(own, peers[name])),
  ]);
  const heads = PEERS.flatMap((name) => [`${ENGINES[name]}: p50 ms`, '/s of a core', 'the service is']);
  return table(['', 'the service: /s of a core', ...heads], rows);
}

function toPeerCells(own: RoundFigures | undefined, peer: RoundFigures | undefined): string[] {
  if (!own || !peer) return [NONE, NONE, NONE];
  const ratio = own.perCoreSecond / peer.perCoreSecond;
  return [timeText(peer.p50Ms), rateText(peer.perCoreSecond), `${ratio.toFixed(ratio < 10 ? 2 : 0)}×`];
}

function timeText(ms: number): string {
  return ms.toFixed(ms < 0.1 ? 3 : 2);
}

function rateText(perSecond: number): string {
  return perSecond.toFixed(perSecond < 10 ? 1 : 0);
}

function toBuiltRow({ engine, processorSeconds, residentBytes }: Built & { engine: EngineName }, parseSeconds: number) {
  const multiple = `${(processorSeconds / parseSeconds).toFixed(1)}×`;
  return [ENGINES[engine], processorSeconds.toFixed(1), multiple, toMegabytes(residentBytes)];
}
