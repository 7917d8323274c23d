import { GITHUB_HOST, isGitHubHost, parseHost, parseProvider } from '../../skills/hosts.ts';
import type { Skill } from '../../skills/skill.ts';
import * as names from '../field-names.ts';
import { isNeverComplete, isServedBy, type Parse, type RecordFields, type RecordNotes } from '../record-fields.ts';
import { MAX_ADDRESS_LENGTH, toWholeLine } from '../values.ts';
import { type FileContext, joinLocalSource, resolveAddress, toLocalSource } from './file-context.ts';
import { type Found, findAddressOf, findByKey, findRepository, findUnknownRepository } from './found-repository.ts';
import { isSafePath, type Repository } from './repository-address.ts';

/** Fast path: most addresses are valid without parsing. */
const COMMON_ADDRESS = /^https:\/\/(?:github|gitlab)\.com\/[\w./~-]*$/;
const WEB_ADDRESS = /^https?:\/\//i;
/** Whole or short. A longer one is the SHA-256 of a file. */
const COMMIT = /^[0-9a-f]{7,40}$/i;
/** Types of objects of Git, whose `sha` is their own. */
const GIT_OBJECT_TYPES = new Set<unknown>(['file', 'dir', 'blob', 'tree', 'symlink']);

type Source = Skill['source'];

export interface Origin {
  /** The `url` of a repository outside GitHub is never on GitHub. */
  source: Source;
  /** Host of the repository in lower case; undefined for GitHub and without a repository. */
  host: string | undefined;
  /** What the record names as its repository, if that cannot be understood. */
  unknownRepository: string | undefined;
}

/** What else is known of the record. */
interface Known {
  name: string;
  /** A text such as `owner/name:folder`. */
  key: unknown;
  context: FileContext;
}

/** Reads the location of a skill in any of the ways in which registries write it. */
export function readOrigin(top: RecordFields, { name, key, context }: Known): Origin {
  const given = toLocalSource(top.at(names.SOURCE), context);
  const parts = toParts(top);
  const local = given === undefined ? undefined : readLocalSource(given, top, parts, context);
  const found = local ?? findRepository(parts, context) ?? findByKey(key, top) ?? NOT_FOUND;
  const unknownRepository = found.isKnown ? undefined : findUnknownRepository(parts);
  const named = found.repository;
  const other = named?.isAddress === false ? findAddressOf(parts, named.repo, context) : undefined;
  const ownHost = named?.isAddress === false ? (other ? other.host : findHost(parts, top)) : named?.host;
  const ownPath = found.path ?? takeFrom(parts, names.PATH, toSafePath) ?? takeOnlyPath(parts);
  const url = readAddress(parts, named, ownHost, name, context);
  const isOfFile = !found.isKnown && unknownRepository === undefined && (ownPath !== undefined || url === null);
  const repository = named ?? (isOfFile ? context.ofRecords : undefined);
  const host = named === undefined ? repository?.host : ownHost;
  const repo = repository?.repo ?? null;
  const ref = readRef(parts) ?? repository?.ref ?? other?.ref ?? (isOfFile ? context.given.ref : undefined) ?? null;
  const path = ownPath ?? repository?.path ?? other?.path ?? null;
  const shownUrl = url ?? (repository === undefined ? null : toRepositoryAddress(repository, host));
  if (found.isLine && (repository?.line === repo || repository?.line === shownUrl)) found.part?.use(found.slot);
  return { source: { repo, path, ref, url: shownUrl }, host, unknownRepository };
}

const NOT_FOUND: Found = { isKnown: false, slot: 0 };

/** A source relative to the repository in which the file lies, as in a marketplace, else to that of the record. */
function readLocalSource(given: string, top: RecordFields, parts: RecordFields[], context: FileContext): Found {
  const path = toShortLine(given, top.notes);
  const joined = path && joinLocalSource(path, context.given.root);
  if (joined === undefined) {
    top.notes.report.warn('path_unsafe');
    return NOT_FOUND;
  }
  top.use(names.SOURCE);
  const { ofFile, ofRecords } = context;
  const own = ofFile && context.given.kind === 'plugin' ? undefined : findRepository(parts);
  if (own !== undefined) return { ...own, path: joined };
  // The path of the address is that of the file.
  const repository = ofFile ? { ...ofFile, line: ofFile.repo, path: undefined } : ofRecords;
  return { isKnown: true, repository, path: joined, slot: 0 };
}

/** By precedence: `source` objects and others of their kind, then the record itself. */
function toParts(top: RecordFields): RecordFields[] {
  const wholes = top.metadata ? [top, top.metadata] : [top];
  const parts: RecordFields[] = [];
  for (const whole of wholes) {
    const source = whole.nested(names.SOURCE);
    if (source) parts.push(source);
    if (whole.lacks(names.REPOSITORY)) continue;
    for (const slot of names.GIT_OBJECTS) {
      const part = whole.nested(slot);
      if (part === undefined) continue;
      part.isOfGit = true;
      parts.push(part);
    }
  }
  return [...parts, ...wholes];
}

function takeFrom<Value>(
  parts: RecordFields[],
  field: names.Field,
  parse: Parse<Value>,
  isComplete?: (value: unknown, parsed: Value) => boolean,
): Value | undefined {
  for (const part of parts) {
    const value = part.take(field, parse, isComplete);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The host of a repository given as `owner/name`, from a `source` object. */
function findHost(parts: RecordFields[], top: RecordFields): string | undefined {
  for (let at = 0; parts[at] !== top; at++) {
    const host =
      parts[at]?.take(names.HOST, parseHost, isNeverComplete) ??
      parts[at]?.take(names.PROVIDER, parseProvider, isNeverComplete);
    if (host !== undefined) return host === GITHUB_HOST ? undefined : host;
  }
  return undefined;
}

/** A commit holds before a tag or branch. */
function readRef(parts: RecordFields[]): string | undefined {
  const owners = parts.filter((part) => !GIT_OBJECT_TYPES.has(part.at(names.TYPE)));
  const isLabel = (value: unknown) =>
    typeof value === 'string' && !/\d/.test(value) && parts.some((part) => part.at(names.TAG) === value);
  return (
    takeFrom(owners, names.COMMIT, toCommit) ??
    takeFrom(parts, names.REF, (value, notes) => (isLabel(value) ? undefined : toShortLine(value, notes)))
  );
}

export function toCommit(value: unknown): string | undefined {
  return typeof value === 'string' && COMMIT.test(value) ? value : undefined;
}

/** A page that upstream names, else that of the repository, else that of a file. */
function readAddress(
  parts: RecordFields[],
  repository: Repository | undefined,
  host: string | undefined,
  name: string,
  context: FileContext,
): string | null {
  const short = repository === undefined || isWebAddress(repository.line) ? undefined : repository.line;
  const toAddress: Parse<string> = (value, notes) =>
    value === short ? undefined : toWebAddress(value, notes, context);
  const toAllowed: Parse<string> =
    host === undefined ? toAddress : (value, notes) => toElsewhere(toAddress(value, notes));
  const given = takeFrom(parts, names.ADDRESS, toAllowed, isServedBy);
  if (given !== undefined) return given;
  if (repository?.isAddress && isWebAddress(repository.line)) return repository.line;
  const file = takeFrom(parts, names.FILE_ADDRESS, toAllowed, isServedBy);
  if (file !== undefined || repository !== undefined) return file ?? null;
  return takeFrom(parts, names.REPOSITORY, toPage) ?? findBeside(parts, name, context) ?? null;
}

function toRepositoryAddress({ isAddress, line, repo }: Repository, host: string | undefined): string | null {
  if (isAddress && isWebAddress(line)) return line;
  return host === undefined ? null : `https://${host}/${repo}`;
}

/** The SKILL.md of an entry of a discovery index that lists the files of a skill in a folder beside it. */
function findBeside(parts: RecordFields[], name: string, context: FileContext): string | undefined {
  if (!context.isDiscoveryIndex || !parts.some((part) => Array.isArray(part.at(names.FILES)))) return undefined;
  return URL.parse(`${encodeURIComponent(name)}/SKILL.md`, context.given.address)?.href;
}

/** A text that is not too long: a truncated one would mean another location. */
function toShortLine(value: unknown, notes: RecordNotes): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = toWholeLine(value, MAX_ADDRESS_LENGTH, notes);
  if (line === undefined) notes.isFieldUnusable = true;
  return line;
}

function toSafePath(value: unknown, notes: RecordNotes): string | undefined {
  const path = toShortLine(value, notes);
  if (path === undefined || isSafePath(path)) return path?.replaceAll('\\', '/');
  notes.report.warn('path_unsafe');
  return undefined;
}

/** Of several paths none is that of the skill. */
function takeOnlyPath(parts: RecordFields[]): string | undefined {
  return takeFrom(parts, names.PATHS, (value, notes) =>
    Array.isArray(value) && value.length === 1 ? toSafePath(value[0], notes) : undefined,
  );
}

/** Only http and https: a web page that links to a `javascript:` URL would run it. */
function toWebAddress(value: unknown, notes: RecordNotes, context: FileContext): string | undefined {
  const line = toShortLine(value, notes);
  if (line === undefined || isWebAddress(line)) return line;
  const resolved = resolveAddress(line, context);
  if (resolved !== undefined && isWebAddress(resolved)) return resolved;
  notes.report.warn('url_unsafe');
  return undefined;
}

function toElsewhere(line: string | undefined): string | undefined {
  return line === undefined || isGitHubHost(URL.parse(line)?.hostname ?? '') ? undefined : line;
}

/** Without a repository, its address may still be that of a page. */
function toPage(value: unknown, notes: RecordNotes): string | undefined {
  if (typeof value !== 'string' || !value.includes('://')) return undefined;
  const line = toWholeLine(value, MAX_ADDRESS_LENGTH, notes);
  return line !== undefined && isWebAddress(line) ? line : undefined;
}

function isWebAddress(line: string): boolean {
  return COMMON_ADDRESS.test(line) || (WEB_ADDRESS.test(line) && URL.canParse(line));
}
