import { Readable } from 'node:stream';
import { buildSnapshot } from '@agent-fleet/registry/src/build/build.ts';
import type { BuildSource } from '@agent-fleet/registry/src/build/built-snapshot.ts';
import { SearchEngine } from '@agent-fleet/registry/src/search/engine.ts';
import { joinPage } from '@agent-fleet/registry/src/serve/lists/list-body.ts';
import { SkillTable } from '@agent-fleet/registry/src/skills/skill-table.ts';
import { packStream } from '@agent-fleet/registry/src/source/document.ts';
import { registryText } from '../synthetic/synthetic-registry.ts';
import type { SearchedRegistry } from './queries.ts';
import { type BenchedEngine, FACETS, PAGE } from './search-engine.ts';

const MAX_BYTES = 1_000_000_000;

/** `create` builds the whole snapshot. */
export async function prepareOwn(registry: SearchedRegistry): Promise<() => BenchedEngine> {
  const source = await createSource(registry);
  return () => {
    const { search, skills } = buildSnapshot({ sources: [source] });
    const engine = new SearchEngine(search);
    const table = new SkillTable(skills);
    return {
      cannot: [],
      find(query, withFacets) {
        const facets = withFacets ? FACETS : undefined;
        const { rows, total, facetsJson } = engine.find({ skip: 0, ...query, facets, limit: PAGE });
        joinPage(table, { rows, fields: undefined, around: ['{"skills":', `,"facets":${facetsJson}}`] });
        return total;
      },
    };
  };
}

async function createSource({ seed, skills }: SearchedRegistry): Promise<BuildSource> {
  const registry = { seed, count: skills, edition: 1, changes: { changed: 0, added: 0, removed: 0 } };
  const text = Readable.from(registryText(registry), { objectMode: false });
  const document = await packStream(text, MAX_BYTES, new AbortController().signal);
  const files = { digest: document.digest, documents: [document], recordDocuments: [0] };
  return { label: 'synthetic', files, isAccepted: false };
}
