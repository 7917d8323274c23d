import type { Skill } from '../skills/skill.ts';
import * as names from './field-names.ts';
import { type FileContext, joinLocalSource, resolveAddress, toLocalSource } from './file-context.ts';
import { GITHUB_HOST, isGitHubHost, isOnRepositoryHost, parseHost, parseProvider } from './hosts.ts';
import { isNeverComplete, isObject, isServedBy, type Parse, type RecordFields } from './record-fields.ts';
import type { RecordNotes } from './record-notes.ts';
import {
  isNothing,
  isRawFile,
  isSafePath,
  joinRepository,
  parseKey,
  parseRepository,
  parseShorthand,
  type Repository,
} from './repository-address.ts';
import { toWholeLine } from './values.ts';

const MAX_LENGTH = 1_024;
/** Forms that only repository addresses have, on any host. */
const GIT_ADDRESS = /^(?:git\+|git@|ssh:|github:)|\.git(?:[/?#]|$)/;
/** Kinds of `source` objects whose `url` is that of a repository. */
const GIT_SOURCES = new Set<unknown>(['git', 'git-subdir', 'github', 'gitlab', 'url']);
/** Fast path: most addresses are valid without parsing. */
const COMMON_ADDRESS = /^https:\/\/(?:github|gitlab)\.com\/[\w./~-]*$/;
const WEB_ADDRESS = /^https?:\/\//i;
const COMMIT = /^[0-9a-f]{7,64}$/i;

const ADDRESS_SLOTS = [...names.REPOSITORY.slots, ...names.ADDRESS.slots, ...names.FILE_ADDRESS.slots];
const ADDRESSES = names.either(names.ADDRESS, names.FILE_ADDRESS);

type Source = Skill['source'];

export interface Origin {
  /** The `url` of a repository outside GitHub is never on GitHub. */
  source: Source;
  /** Host of the repository in lower case; undefined for GitHub and without a repository. */
  host: string | undefined;
  /** What the record names as its repository, if that cannot be understood. */
  place: string | undefined;
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
  const found = local ?? findRepository(parts, context) ?? findByKey(key, top) ?? NOWHERE;
  const place = found.isKnown ? undefined : findPlace(parts);
  const named = found.repository;
  const other = named?.isAddress === false ? findAddressOf(parts, named.repo, context) : undefined;
  const ownHost = named?.isAddress === false ? (other ? other.host : findHost(parts, top)) : named?.host;
  const ownPath = found.path ?? takeFrom(parts, names.PATH, toSafePath) ?? takeOnlyPath(parts);
  const url = readAddress(parts, named, ownHost, name, context);
  const isOfFile = !found.isKnown && place === undefined && (ownPath !== undefined || url === null);
  const repository = named ?? (isOfFile ? context.ofRecords : undefined);
  const host = named === undefined ? repository?.host : ownHost;
  const repo = repository?.repo ?? null;
  const ref = readRef(parts, repository, other, isOfFile ? context.given.ref : undefined);
  const path = ownPath ?? repository?.path ?? other?.path ?? null;
  const shownUrl = url ?? (repository === undefined ? null : toRepositoryAddress(repository, host));
  if (found.isLine && (repository?.line === repo || repository?.line === shownUrl)) found.part?.use(found.slot);
  return { source: { repo, path, ref, url: shownUrl }, host, place };
}

interface Found {
  /** Whether the record itself says where it is. */
  isKnown: boolean;
  repository?: Repository;
  path?: string;
  part?: RecordFields;
  slot: number;
  /** Whether the field holds only the text of the repository. */
  isLine?: boolean;
}

const NOWHERE: Found = { isKnown: false, slot: 0 };

/** A source relative to the repository in which the file lies, as in a marketplace. */
function readLocalSource(top: RecordFields, context: FileContext): Found | undefined {
  const given = top.at(names.SOURCE);
  const local = toLocalSource(given, context);
  if (local === undefined) return undefined;
  const path = toShortLine(local, top.notes);
  const joined = path && joinLocalSource(path, context.given.root);
  if (joined === undefined) {
    top.notes.report.warn('path_unsafe');
    return { isKnown: true, slot: 0 };
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

/** By precedence: fields of repositories, of web pages, of files, and short forms. */
function findRepository(parts: RecordFields[], context: FileContext): Found | undefined {
  const toHosted: Parse<Repository> = (value, notes) => toHostedRepository(value, notes, context);
  return (
    findIn(parts, names.REPOSITORY, toRepository, joinOwner) ??
    findIn(parts.filter(isGitSource), names.ADDRESS, toRepository) ??
    findIn(parts, ADDRESSES, toHosted) ??
    findIn(parts, names.SHORTHAND, toShorthand)
  );
}

/** Does not mark the field as used: that depends on whether all of its information is served. */
function findIn(
  parts: RecordFields[],
  field: names.Field,
  parse: Parse<Repository>,
  join?: (part: RecordFields) => Found | undefined,
): Found | undefined {
  for (const part of parts) {
    const joined = join?.(part);
    if (joined !== undefined) return joined;
    if (part.lacks(field)) continue;
    for (const slot of field.slots) {
      const value = part.at(slot);
      if (value === undefined || (slot === names.SOURCE && isPage(value))) continue;
      const repository = parse(value, part.notes);
      if (repository === undefined) continue;
      return { isKnown: true, repository, part, slot, isLine: typeof value === 'string' };
    }
  }
  return undefined;
}

function isGitSource(part: RecordFields): boolean {
  return GIT_SOURCES.has(part.at(names.SOURCE));
}

/** A repository whose owner and name are in separate fields. */
function joinOwner(part: RecordFields): Found | undefined {
  if (part.lacks(names.REPOSITORY_OWNER) || part.lacks(names.REPOSITORY_NAME)) return undefined;
  for (const slot of names.REPOSITORY_NAME.slots) {
    const name = part.at(slot);
    if (typeof name !== 'string' || name.includes('/') || name.length > MAX_LENGTH) continue;
    const owner = toOwner(part);
    const repository = owner && joinRepository(owner, name.trim());
    // The owner may also be the author.
    if (repository) return { isKnown: true, repository, part, slot, isLine: true };
  }
  return undefined;
}

function toOwner(part: RecordFields): string | undefined {
  for (const slot of names.REPOSITORY_OWNER.slots) {
    const value = part.at(slot);
    const owner = isObject(value) ? value.login : value;
    if (typeof owner === 'string' && owner.length <= MAX_LENGTH) return owner.trim().replace(/^@/, '');
  }
  return undefined;
}

/** Different texts name different repositories, even if neither can be understood. */
function findPlace(parts: RecordFields[]): string | undefined {
  for (const part of parts) {
    for (const slot of names.REPOSITORY.slots) {
      const value = slot === names.SOURCE ? undefined : part.at(slot);
      const line = typeof value === 'string' ? toWholeLine(value, MAX_LENGTH, part.notes) : undefined;
      if (line !== undefined && !isNothing(line)) return line.toLowerCase();
    }
  }
  return undefined;
}

/** Whether a `source` is a web address of an unknown kind. */
function isPage(value: unknown): boolean {
  return typeof value === 'string' && value.includes('://') && !isOfRepository(value);
}

function toRepository(value: unknown, notes: RecordNotes): Repository | undefined {
  const line = toWholeLine(
    isObject(value) ? (value.url ?? value.html_url ?? value.full_name) : value,
    MAX_LENGTH,
    notes,
  );
  return line === undefined ? undefined : parseRepository(line);
}

function toHostedRepository(value: unknown, notes: RecordNotes, context: FileContext): Repository | undefined {
  if (typeof value !== 'string') return undefined;
  const address = isOfRepository(value) ? value : resolveAddress(value, context);
  return address !== undefined && isOfRepository(address) ? toRepository(address, notes) : undefined;
}

function toShorthand(value: unknown, notes: RecordNotes): Repository | undefined {
  const line = toWholeLine(value, MAX_LENGTH, notes);
  return line === undefined ? undefined : parseShorthand(line);
}

function findByKey(key: unknown, { notes }: RecordFields): Found | undefined {
  const line = toWholeLine(key, MAX_LENGTH, notes);
  const repository = line === undefined ? undefined : (parseShorthand(line) ?? parseKey(line));
  return repository && { isKnown: true, repository, slot: 0 };
}

/** Whether an address is known to be that of a repository. */
function isOfRepository(address: string): boolean {
  return isOnRepositoryHost(address) || GIT_ADDRESS.test(address) || isRawFile(address);
}

/** Another field that has the address of a repository given as `owner/name`. */
function findAddressOf(parts: RecordFields[], repo: string, context: FileContext): Repository | undefined {
  if (!hasAddress(parts)) return undefined;
  const toSame = (other: Repository | undefined) => toAddressOf(repo, other);
  const found =
    findIn(parts, names.REPOSITORY, (value, notes) => toSame(toRepository(value, notes))) ??
    findIn(parts, ADDRESSES, (value, notes) => toSame(toHostedRepository(value, notes, context)));
  return found?.repository;
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

/** Fast path: most records have no address. */
function hasAddress(parts: RecordFields[]): boolean {
  for (const part of parts) {
    if (part.lacks(names.REPOSITORY) && part.lacks(ADDRESSES)) continue;
    for (let at = 0; at < ADDRESS_SLOTS.length; at++) {
      const value = part.at(ADDRESS_SLOTS[at] as number);
      if (value !== undefined && (typeof value !== 'string' || value.includes(':'))) return true;
    }
  }
  return false;
}

function toAddressOf(repo: string, other: Repository | undefined): Repository | undefined {
  return other?.isAddress && other.repo.toLowerCase() === repo.toLowerCase() ? other : undefined;
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
  const line = toWholeLine(value, MAX_LENGTH, notes);
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
  const line = toWholeLine(value, MAX_LENGTH, notes);
  return line !== undefined && isWebAddress(line) ? line : undefined;
}

function isWebAddress(line: string): boolean {
  return COMMON_ADDRESS.test(line) || (WEB_ADDRESS.test(line) && URL.canParse(line));
}
