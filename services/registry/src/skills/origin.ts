import { ADDRESS, type Field, PATH, REF, REPOSITORY, SOURCE } from './field-names.ts';
import { isObject, type Parse, type RecordFields } from './record-fields.ts';
import type { RecordNotes } from './record-notes.ts';
import type { Skill } from './skill.ts';
import { cleanLine } from './text.ts';
import { toWholeLine } from './values.ts';

const MAX_LENGTH = 1_024;
const OWNER_AND_NAME = /^[\w.-]+\/[\w.-]+$/;
/** `https://host/owner/name`, `git@host:owner/name.git`, `github:owner/name`, with what a web page of a folder adds. */
const REPOSITORY_ADDRESS =
  /^(?:git\+)?(?:https?:\/\/(?:[^@/]*@)?[^/]+\/|ssh:\/\/git@[^/]+\/|git@[^:]+:|github:)([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/(?:tree|blob|-\/tree|-\/blob)\/([^/]+)(?:\/(.*))?)?\/?(?:[?#].*)?$/;
/** Of these hosts a skill's mere address is known to name a repository. */
const REPOSITORY_HOST = /^https?:\/\/(www\.)?(github|gitlab|bitbucket)\.(com|org)\//i;
/** Most addresses: what needs no parsing to be known for good. */
const COMMON_ADDRESS = /^https:\/\/(?:github|gitlab)\.com\/[\w./~-]*$/;
const WEB_ADDRESS = /^https?:\/\//i;
const ABSOLUTE_PATH = /^(?:[/\\~]|[a-z]:)/i;

type Source = Skill['source'];

/** Where a skill lives, of all the ways in which registries write it. */
export function readOrigin(top: RecordFields, metadata: RecordFields | undefined): Source {
  const parts = toParts(top, metadata);
  const found =
    findRepository(parts, REPOSITORY, toRepository) ?? findRepository(parts, ADDRESS, toHostedRepository) ?? NOWHERE;
  const { repo } = found.repository;
  const path = takeFrom(parts, PATH, toSafePath) ?? found.repository.path ?? null;
  const ref = takeFrom(parts, REF, toShortLine) ?? found.repository.ref ?? null;
  const url = takeFrom(parts, ADDRESS, toWebAddress) ?? found.repository.url ?? null;
  if (found.line !== undefined && (found.line === repo || found.line === url)) found.part?.use(found.slot);
  return { repo, path, ref, url };
}

/** In the order in which they are believed: a `source` object, then the record itself. */
function toParts(top: RecordFields, metadata: RecordFields | undefined): RecordFields[] {
  const sources = [top.nested(SOURCE), metadata?.nested(SOURCE), top, metadata];
  return sources.filter((part) => part !== undefined);
}

function takeFrom<Value>(parts: RecordFields[], field: Field, parse: Parse<Value>): Value | undefined {
  for (const part of parts) {
    const value = part.take(field, parse);
    if (value !== undefined) return value;
  }
  return undefined;
}

interface Repository {
  repo: string | null;
  ref?: string;
  path?: string;
  url?: string;
}

interface Found {
  repository: Repository;
  /** Where it was found, and the whole line there when it is one. */
  part?: RecordFields;
  slot: number;
  line?: string;
}

const NOWHERE: Found = { repository: { repo: null }, slot: 0 };

/** Uses nothing yet: that depends on whether all that the field says is served. */
function findRepository(parts: RecordFields[], field: Field, parse: Parse<Repository>): Found | undefined {
  for (const part of parts) {
    for (const slot of field.slots) {
      const value = part.at(slot);
      const repository = value === undefined ? undefined : parse(value, part.notes);
      if (repository === undefined) continue;
      return { repository, part, slot, line: typeof value === 'string' ? cleanLine(value) : undefined };
    }
  }
  return undefined;
}

function toRepository(value: unknown, notes: RecordNotes): Repository | undefined {
  const line = toWholeLine(isObject(value) ? (value.url ?? value.full_name) : value, MAX_LENGTH, notes);
  if (line === undefined) return undefined;
  if (OWNER_AND_NAME.test(line)) return { repo: line };
  const [, repo, ref, path] = REPOSITORY_ADDRESS.exec(line) ?? [];
  if (repo === undefined) return undefined;
  return { repo, ref, path: path && isSafePath(path) ? path : undefined, url: isWebAddress(line) ? line : undefined };
}

function toHostedRepository(value: unknown, notes: RecordNotes): Repository | undefined {
  return typeof value === 'string' && REPOSITORY_HOST.test(value) ? toRepository(value, notes) : undefined;
}

/** Text only, and only if it is not too long: a part of it would mean another place. */
function toShortLine(value: unknown, notes: RecordNotes): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = toWholeLine(value, MAX_LENGTH, notes);
  if (line === undefined) notes.isFieldUnusable = true;
  return line;
}

/** A client may join this path to a folder of its own: what leads out of it is not passed on here, only in `extra`. */
function toSafePath(value: unknown, notes: RecordNotes): string | undefined {
  const path = toShortLine(value, notes);
  if (path === undefined || isSafePath(path)) return path;
  notes.report.warn('path_unsafe');
  return undefined;
}

function isSafePath(path: string): boolean {
  if (ABSOLUTE_PATH.test(path)) return false;
  return !path.includes('..') || !path.split(/[/\\]/).includes('..');
}

/** Only http and https: a `javascript:` address would be run by a page that links to it. */
function toWebAddress(value: unknown, notes: RecordNotes): string | undefined {
  const line = toShortLine(value, notes);
  if (line === undefined || isWebAddress(line)) return line;
  notes.report.warn('url_unsafe');
  return undefined;
}

function isWebAddress(line: string): boolean {
  return COMMON_ADDRESS.test(line) || (WEB_ADDRESS.test(line) && URL.canParse(line));
}
