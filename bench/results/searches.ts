import { availableParallelism } from 'node:os';
import { type Built, ENGINES, type EngineName, type KindFigures } from '../registry/searches/engines.ts';
import { SEARCH_KINDS } from '../registry/searches/queries.ts';
import { PAGE } from '../registry/searches/search-engine.ts';
import type { SearchResults } from '../registry/searches/searches.ts';
import { calibrationRow, figureCells, spaced, table, toMegabytes, verdict } from './markdown.ts';

/** Of a search by two words and a category, with facets. */
const SEARCH_AIM_MS = { p50Ms: 2, p99Ms: 10 };
const NONE = '–';
const PEERS = ['sqlite', 'minisearch'] as const satisfies EngineName[];

export function searchesSection({ skills, gateway, engines }: SearchResults): string {
  return `## Searches among ${spaced(skills)} skills

The first ${PAGE} skills of different searches, with all facets (categories, tags, authors, licenses, validity), through one
gateway process. \`/s of a core\` are requests per second of processor time of gateway and service together, because the
four busy processes share ${availableParallelism()} cores. The last column has the requests for the processor time of one
\`JSON.parse\` of the source file in a fresh process: it can be compared between machines.

${toGatewayTable(gateway)}

In a process without HTTP, beside SQLite's FTS5 (by \`node:sqlite\`) and MiniSearch, each in a process of its own with the same
skills in memory, in alternating rounds. \`/s\` are searches per second of processor time of all threads, and \`is\` is ours
without facets divided by the peer's. Each makes the JSON of the first ${PAGE} skills.

- Both peers search the same fields with weights, require all words (of a sentence, any), and match longer words for the
  last word and for those of three letters and more, as our engine does. They have the raw records, our engine merged ones.
- SQLite ranks by bm25, has prefix indexes of two and three letters, and indexes for author and for category by stars. It
  has no typos, does not prefer an exact name, and does not count the matches. It can change single rows on disk.
- MiniSearch ranks by bm25+, and also finds words with a wrong letter in every fifth where whole words match: more than our
  engine, which tries typos only if a word matches nothing. It has no filter with an index and no other order.
- Neither has facets.

${toEngineTable(engines)}

${table(
  ['processor time and memory', 'to build, s', 'of a `JSON.parse`', 'MB afterwards'],
  engines.built.map((built) => toBuiltRow(built, engines.parseSeconds)),
)}

The service's build also normalises and merges the records, checks them, and compresses the list. Memory is that of the
whole process, after a garbage collection, with Node itself and the JSON of all skills.`;
}

function toGatewayTable({ parseSeconds, kinds }: SearchResults['gateway']): string {
  const rows = [...kinds].map(([kind, figures]) => {
    const [perSecond = '', ...times] = figureCells(figures);
    const perParse = figures.perCoreSecond * parseSeconds;
    return [SEARCH_KINDS[kind], perSecond, figures.perCoreSecond.toFixed(0), ...times, perParse.toFixed(0)];
  });
  return table(
    ['', 'requests/s', '/s of a core', 'p50 ms', 'p99 ms', 'per `JSON.parse`'],
    [...rows, calibrationRow(parseSeconds, 6, 3)],
  );
}

function toEngineTable({ parseSeconds, kinds }: SearchResults['engines']): string {
  const head = ['', 'found', 'p50 ms', '/s', 'with facets: p50 ms', 'p99 ms', '/s'];
  const rows = [...kinds].map(([kind, figures]) => [SEARCH_KINDS[kind], ...toEngineCells(figures)]);
  const peers = PEERS.flatMap((name) => [`${ENGINES[name]} p50 ms`, '/s', 'is']);
  const columns = head.length + peers.length;
  const facets = kinds.get('category')?.facets;
  const isMet = facets && facets.p50Ms <= SEARCH_AIM_MS.p50Ms && facets.p99Ms <= SEARCH_AIM_MS.p99Ms;
  const [aim, met] = verdict(isMet === true, `p50 ≤ ${SEARCH_AIM_MS.p50Ms} ms and p99 ≤ ${SEARCH_AIM_MS.p99Ms} ms`);
  return `${table([...head, ...peers], [...rows, calibrationRow(parseSeconds, columns, 2)])}

Half of the searches found as many skills as \`found\` says, or more. The aim for two words and a category with facets:
${aim}: ${met}.`;
}

function toEngineCells({ own, facets, ...peers }: KindFigures): string[] {
  if (!own || !facets) throw new Error('There are no figures of the service');
  return [
    own.medianMatches.toFixed(0),
    own.p50Ms.toFixed(2),
    own.perCoreSecond.toFixed(0),
    facets.p50Ms.toFixed(2),
    facets.p99Ms.toFixed(2),
    facets.perCoreSecond.toFixed(0),
    ...PEERS.flatMap((name) => {
      const peer = peers[name];
      if (!peer) return [NONE, NONE, NONE];
      const ratio = own.perCoreSecond / peer.perCoreSecond;
      return [peer.p50Ms.toFixed(2), rateText(peer.perCoreSecond), `${ratio.toFixed(ratio < 10 ? 2 : 0)}×`];
    }),
  ];
}

function rateText(perSecond: number): string {
  return perSecond.toFixed(perSecond < 10 ? 1 : 0);
}

function toBuiltRow({ engine, processorSeconds, residentBytes }: Built & { engine: EngineName }, parseSeconds: number) {
  const multiple = `${(processorSeconds / parseSeconds).toFixed(1)}×`;
  return [ENGINES[engine], processorSeconds.toFixed(1), multiple, toMegabytes(residentBytes)];
}
