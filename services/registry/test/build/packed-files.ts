import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { BuildSource, BuiltSnapshot } from '../../src/build/built-snapshot.ts';
import type { Skill } from '../../src/skills/skill.ts';
import { SkillTable } from '../../src/skills/skill-table.ts';
import type { SourceDocument, SourceFiles } from '../../src/source/document.ts';

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

function packed(content: unknown): SourceDocument {
  const raw = Buffer.isBuffer(content)
    ? content
    : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  return { digest: sha256(raw), bytes: raw.length, packed: gzipSync(raw) };
}

/** The files of a registry with one document; a text is used unchanged. */
export function filesOf(content: unknown): SourceFiles {
  const document = packed(content);
  return { digest: document.digest, documents: [document], recordDocuments: [0] };
}

/** The files of a registry with shards, a pointer and a manifest. */
export function shardedFilesOf(shards: unknown[][], more: Partial<SourceFiles> = {}): SourceFiles {
  const documents = [packed({ manifest: 'm.json' }), packed({ shards: shards.length }), ...shards.map(packed)];
  const digest = sha256(documents.map((document) => document.digest).join('\n'));
  return { digest, documents, recordDocuments: shards.map((_, place) => place + 2), ...more };
}

export function sourceOf(label: string, content: unknown, more: Partial<BuildSource> = {}): BuildSource {
  return { label, files: filesOf(content), isAccepted: false, ...more };
}

/** The listed skills. */
export function skillsOf({ skills, counts }: BuiltSnapshot): Skill[] {
  const table = new SkillTable(skills);
  return Array.from({ length: counts.skills }, (_, row) => JSON.parse(table.jsonAt(row).toString()));
}

export const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
