// Builds a search engine of the synthetic skills and tells the parent process what that cost. Then measures the rounds
// of searches that the parent asks for.
import { median } from '../../load/rounds.ts';
import { createTimes } from '../../load/times.ts';
import type { Built, EngineName, EngineSettings, Round, RoundFigures } from './engines.ts';
import { prepareMiniSearch } from './minisearch-engine.ts';
import { prepareOwn } from './own-engine.ts';
import { createSearches, KINDS, type Search, type SearchKind } from './queries.ts';
import type { BenchedEngine } from './search-engine.ts';
import { prepareSqlite } from './sqlite-engine.ts';

const PREPARE = { own: prepareOwn, sqlite: prepareSqlite, minisearch: prepareMiniSearch } satisfies Record<
  EngineName,
  unknown
>;
/** Different searches of each kind. */
const VARIED = 2_000;
/** A round has at least as many searches. */
const MIN_SEARCHES = 3;

const { engine: name, registry } = JSON.parse(process.argv[2] ?? '') as EngineSettings;
const create = await PREPARE[name](registry);
globalThis.gc?.();
const beganSeconds = processorSeconds();
const engine = create();
const seconds = processorSeconds() - beganSeconds;
globalThis.gc?.();
const built: Built = { processorSeconds: seconds, residentBytes: process.memoryUsage.rss(), cannot: engine.cannot };

const searches = new Map(KINDS.map((kind) => [kind, createSearches(kind, registry, registry.seed, VARIED)]));
/** Number of the searches done of each kind. */
const done = new Map<SearchKind, number>();

process.on('message', (round: Round) => process.send?.(measure(engine, round)));
process.send?.(built);

/** Each round continues after the searches of the last one. */
function measure({ find }: BenchedEngine, { kind, withFacets, seconds }: Round): RoundFigures {
  const all = searches.get(kind) as Search[];
  const first = done.get(kind) ?? 0;
  const times = createTimes();
  const matches: number[] = [];
  const [beganMs, used] = [performance.now(), processorSeconds()];
  for (let nowMs = beganMs; matches.length < MIN_SEARCHES || nowMs < beganMs + seconds * 1_000; ) {
    matches.push(find(all[(first + matches.length) % all.length] as Search, withFacets));
    const endMs = performance.now();
    times.add(endMs - nowMs);
    nowMs = endMs;
  }
  const elapsedSeconds = (performance.now() - beganMs) / 1_000;
  const requests = matches.length;
  done.set(kind, first + requests);
  return {
    requests,
    perSecond: requests / elapsedSeconds,
    ...times.figures(),
    perCoreSecond: requests / (processorSeconds() - used),
    medianMatches: median(matches),
  };
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
