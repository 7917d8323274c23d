import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { buildSnapshot } from '../src/building/build.ts';
import type { SourceDocument } from '../src/building/build-input.ts';
import type { ChangeEntry } from '../src/changes/change-log.ts';
import { type Served, toServed } from '../src/snapshots/served.ts';
import type { SnapshotMeta } from '../src/snapshots/snapshot.ts';

const LABEL = 'https://registry.example/registry.json';
const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

interface Options {
  /** Default the digest of the file. */
  id?: string;
  /** When the snapshot was made, in milliseconds. */
  at?: number;
  history?: ChangeEntry[];
}

/** A snapshot of one registry file, ready to answer, without a service around it. */
export function servedOf(registry: unknown, { id, at = AT, history = [] }: Options = {}): Served {
  const raw = Buffer.from(JSON.stringify(registry));
  const document: SourceDocument = { digest: hash('sha256', raw), bytes: raw.length, packed: gzipSync(raw) };
  const files = { digest: document.digest, documents: [document], recordDocuments: [0] };
  const built = buildSnapshot({ sources: [{ label: LABEL, files, isAccepted: true }] });
  const source: SnapshotMeta['sources'][number] = {
    key: LABEL,
    label: LABEL,
    digest: document.digest,
    fetchedAt: at,
    skills: built.counts.skills,
    documents: [{ digest: document.digest, bytes: raw.length }],
    recordDocuments: [0],
    validators: { root: { etag: null, lastModified: null } },
  };
  const meta = { id: id ?? document.digest, at, sources: [source] };
  return toServed({ meta, documents: new Map([[document.digest, document.packed]]), history }, built);
}
