import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '@agent-fleet/shared/contract/json-object';
import { parse } from 'yaml';
import { packDocument, type SourceDocument, unpackDocument } from '../source/document.ts';
import { createDiskReader } from './disk-reader.ts';
import type { ReadLimits } from './source-reader.ts';

/** What the registry serves of a skill. */
const MAX_FILE_BYTES = 256 * 1024;
const MAX_SKILLS = 2_000;
const FRONT_MATTER = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;

/**
 * Reads each `<name>/SKILL.md` of a folder, in the order of their names. The first document is a registry file, made of
 * their front matter and digests and of the folder's `categories.json`, if there is one; the others are the files.
 * @throws UpstreamError if a file cannot be read
 */
export async function readSkillFolder(
  folder: string,
  limits: ReadLimits,
  signal: AbortSignal,
): Promise<SourceDocument[]> {
  const reader = createDiskReader(join(folder, 'categories.json'));
  const read = async (path: string) => {
    const location = reader.resolve(path.split('/').map(encodeURIComponent).join('/'), reader.root);
    const { document } = await reader.read(location, undefined, { ...limits, maxBytes: MAX_FILE_BYTES }, signal);
    return document as SourceDocument;
  };
  const names = (await Array.fromAsync(glob('*/SKILL.md', { cwd: folder }), dirname)).sort().slice(0, MAX_SKILLS);
  const files = await Array.fromAsync(names, (name) => read(`${name}/SKILL.md`));
  const [declared] = await Array.fromAsync(glob('categories.json', { cwd: folder }), read);
  const skills = names.map((name, at) => toRecord(name, files[at] as SourceDocument));
  const list = { categories: declared && readYaml(unpackDocument(declared).toString()), skills };
  return [await packDocument(Buffer.from(JSON.stringify(list))), ...files];
}

/** A file without readable front matter is listed by the name of its folder, without a description. */
function toRecord(id: string, file: SourceDocument): object {
  const [, yaml = ''] = FRONT_MATTER.exec(unpackDocument(file).toString()) ?? [];
  const frontMatter = readYaml(yaml);
  return { name: id, ...(isObject(frontMatter) && frontMatter), id, digest: `sha256:${file.digest}` };
}

/** JSON is YAML, too. Undefined for what is neither. */
function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 10, logLevel: 'error' });
  } catch {
    return undefined;
  }
}
