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
const COMMIT = /^[0-9a-f]{7,64}$/i;

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
  const local = readLocalSource(top, context);
  const parts = toParts(top);
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
  const ref = readRef(parts, repository, other, isOfFile ? context.given.ref : undefined);
  const path = ownPath ?? repository?.path ?? other?.path ?? null;
  const shownUrl = url ?? (repository === undefined ? null : toRepositoryAddress(repository, host));
  if (found.isLine && (repository?.line === repo || repository?.line === shownUrl)) found.part?.use(found.slot);
  return { source: { repo, path, ref, url: shownUrl }, host, unknownRepository };
}

const NOT_FOUND: Found = { isKnown: false, slot: 0 };

/** A source relative to the repository in which the file lies, as in a marketplace. */
function readLocalSource(top: RecordFields, context: FileContext): Found | undefined {
  const given = top.at(names.SOURCE);
  const local = toLocalSource(given, context);
  if (local === undefined) return undefined;
  const path = toShortLine(local, top.notes);
  const joined = path && joinLocalSource(path, context.given.root);
  if (joined === undefined) {
    top.notes.report.warn('path_unsafe');
    return NOT_FOUND;
  }
  if (typeof given === 'string') top.use(names.SOURCE);
  const { ofFile, ofRecords } = context;
  // The path of the address is that of the file.
  const repository = ofFile ? { ...ofFile, line: ofFile.repo, path: undefined } : ofRecords;
  return { isKnown: true, repository, path: joined, slot: 0 };
}

/** By precedence: `source` objects, then the record itself. */
function toParts(top: RecordFields): RecordFields[] {
  const { metadata } = top;
  const sources = [top.nested(names.SOURCE), metadata?.nested(names.SOURCE), top, metadata];
  return sources.filter((part) => part !== undefined);
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

/** A digest counts as a commit only where nothing else is named: it may also be that of a file. */
function readRef(
  parts: RecordFields[],
  repository: Repository | undefined,
  other: Repository | undefined,
  ofFile: string | undefined,
): string | null {
  const named = takeFrom(parts, names.REF, toShortLine) ?? repository?.ref ?? other?.ref;
  return named ?? takeFrom(parts, names.SHA, toCommit) ?? ofFile ?? null;
}

function toCommit(value: unknown): string | undefined {
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
  if (path === undefined || isSafePath(path)) return path;
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
