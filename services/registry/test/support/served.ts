import { buildSnapshot } from '../../src/build/build.ts';
import type { ChangeEntry } from '../../src/changes/change-log.ts';
import type { Trends } from '../../src/changes/trends.ts';
import { type Served, toServed } from '../../src/serve/served.ts';
import type { SnapshotMeta } from '../../src/store/snapshot.ts';
import { sourceOf } from '../build/packed-files.ts';

const LABEL = 'https://registry.example/registry.json';
const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

interface Options {
  /** Default: the digest of the file. */
  id?: string;
  /** Creation time of the snapshot in milliseconds. */
  at?: number;
  history?: ChangeEntry[];
  trends?: Trends;
  installation?: string;
}

/** A snapshot of one registry file, ready to serve, without a service. */
export function servedOf(
  registry: unknown,
  { id, at = AT, history = [], trends = [], installation }: Options = {},
): Served {
  const input = sourceOf(LABEL, registry, { isAccepted: true });
  const { documents, digest } = input.files;
  const built = buildSnapshot({ sources: [input] });
  const source: SnapshotMeta['sources'][number] = {
    key: LABEL,
    label: LABEL,
    digest,
    fetchedAt: at,
    skills: built.counts.skills,
    documents: documents.map((document) => ({ digest: document.digest, bytes: document.bytes })),
    recordDocuments: [0],
    validators: { root: { etag: null, lastModified: null } },
  };
  const meta = { id: id ?? digest, at, sources: [source], installation };
  return toServed(
    { meta, documents: new Map(documents.map((document) => [document.digest, document.packed])), history, trends },
    built,
  );
}
