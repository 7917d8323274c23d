// Builds a snapshot of a synthetic registry and searches it like the service, but without HTTP; prints the figures as
// one line of JSON.
import { availableParallelism } from 'node:os';
import { Readable } from 'node:stream';
import { buildSnapshot } from '@agent-fleet/registry/src/build/build.ts';
import type { BuildSource } from '@agent-fleet/registry/src/build/build-input.ts';
import { SearchEngine } from '@agent-fleet/registry/src/search/engine.ts';
import { FACET_NAMES } from '@agent-fleet/registry/src/search/search-query.ts';
import { SkillTable } from '@agent-fleet/registry/src/skills/skill-table.ts';
import { packStream } from '@agent-fleet/registry/src/source/document.ts';
import { median } from '../load/rounds.ts';
import { createTimes } from '../load/times.ts';
import { createQueries, type Query } from './queries.ts';
import type { Searches, SearchSettings } from './searches.ts';
import { registryText } from './synthetic-registry.ts';

const LIMIT = 50;
const WARM_UP = 500;
const MAX_BYTES = 1_000_000_000;

interface Search {
  ms: number;
  matches: number;
}

const { seed, skills, count } = JSON.parse(process.argv[2] ?? '') as SearchSettings;
const { search, skills: table } = buildSnapshot({ sources: [await createSource()] });
const engine = new SearchEngine(search);
const served = new SkillTable(table);
for (const query of createQueries(seed + 1, WARM_UP)) find(query);
console.log(JSON.stringify(toFigures(createQueries(seed, count).map(find))));

async function createSource(): Promise<BuildSource> {
  const registry = { seed, count: skills, edition: 1, changes: { changed: 0, added: 0, removed: 0 } };
  const document = await packStream(
    Readable.from(registryText(registry), { objectMode: false }),
    MAX_BYTES,
    new AbortController().signal,
  );
  const files = { digest: document.digest, documents: [document], recordDocuments: [0] };
  return { label: 'synthetic', files, isAccepted: false };
}

/** Includes writing the JSON of the page for the response. */
function find({ q, category }: Query): Search {
  const beganMs = performance.now();
  const { rows, total } = engine.find({ q, category, facets: FACET_NAMES, skip: 0, limit: LIMIT });
  Buffer.concat(Array.from(rows, (row) => served.jsonAt(row)));
  return { ms: performance.now() - beganMs, matches: total };
}

function toFigures(searches: Search[]): Searches {
  const times = createTimes();
  for (const { ms } of searches) times.add(ms);
  const medianMatches = median(searches.map(({ matches }) => matches));
  return { count: searches.length, ...times.figures(), medianMatches, cores: availableParallelism() };
}
