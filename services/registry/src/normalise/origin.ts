import type { Skill } from '../skills/skill.ts';
import { ADDRESS, type Field, HOST, PATH, PROVIDER, REF, REPOSITORY, SOURCE } from './field-names.ts';
import { GITHUB_HOST, isGitHubHost, isOnRepositoryHost, parseHost, parseProvider } from './hosts.ts';
import { isNeverComplete, isObject, type Parse, type RecordFields } from './record-fields.ts';
import type { RecordNotes } from './record-notes.ts';
import { isSafePath, parseRepository, type Repository } from './repository-address.ts';
import { toWholeLine } from './values.ts';

const MAX_LENGTH = 1_024;
/** Forms that only repository addresses have, on any host. */
const GIT_ADDRESS = /^(?:git\+|git@|ssh:|github:)|\.git(?:[/?#]|$)/;
/** Fast path: most addresses are valid without parsing. */
const COMMON_ADDRESS = /^https:\/\/(?:github|gitlab)\.com\/[\w./~-]*$/;
const WEB_ADDRESS = /^https?:\/\//i;

const ADDRESS_SLOTS = [...REPOSITORY.slots, ...ADDRESS.slots];

type Source = Skill['source'];

export interface Origin {
  /** The `url` of a repository outside GitHub is never on GitHub. */
  source: Source;
  /** Host of the repository in lower case; undefined for GitHub and without a repository. */
  host: string | undefined;
}

/** Reads the location of a skill in any of the ways in which registries write it. */
export function readOrigin(top: RecordFields): Origin {
  const parts = toParts(top);
  const found =
    findRepository(parts, REPOSITORY, toRepository) ?? findRepository(parts, ADDRESS, toHostedRepository) ?? NOWHERE;
  const { repository } = found;
  const host = repository?.isAddress === false ? findHost(parts, repository.repo, top) : repository?.host;
  const repo = repository?.repo ?? null;
  const path = takeFrom(parts, PATH, toSafePath) ?? repository?.path ?? null;
  const ref = takeFrom(parts, REF, toShortLine) ?? repository?.ref ?? null;
  const url = readAddress(parts, repository, host);
  if (found.isLine && (repository?.line === repo || repository?.line === url)) found.part?.use(found.slot);
  return { source: { repo, path, ref, url }, host };
}

/** By precedence: `source` objects, then the record itself. */
function toParts(top: RecordFields): RecordFields[] {
  const { metadata } = top;
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

interface Found {
  repository?: Repository;
  part?: RecordFields;
  slot: number;
  /** Whether the field holds only the text of the repository. */
  isLine?: boolean;
}

const NOWHERE: Found = { slot: 0 };

/** Does not mark the field as used: that depends on whether all of its information is served. */
function findRepository(parts: RecordFields[], field: Field, parse: Parse<Repository>): Found | undefined {
  for (const part of parts) {
    for (const slot of field.slots) {
      const value = part.at(slot);
      if (value === undefined || (slot === SOURCE && isPage(value))) continue;
      const repository = parse(value, part.notes);
      if (repository !== undefined) return { repository, part, slot, isLine: typeof value === 'string' };
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

function toHostedRepository(value: unknown, notes: RecordNotes): Repository | undefined {
  return typeof value === 'string' && isOfRepository(value) ? toRepository(value, notes) : undefined;
}

/** Whether an address is known to be that of a repository. */
function isOfRepository(address: string): boolean {
  return isOnRepositoryHost(address) || GIT_ADDRESS.test(address);
}

/** The host of a repository given as `owner/name`: from another field with its address, else from a `source` object. */
function findHost(parts: RecordFields[], repo: string, top: RecordFields): string | undefined {
  const found = hasAddress(parts)
    ? (findRepository(parts, REPOSITORY, (value, notes) => toAddressOf(repo, toRepository(value, notes))) ??
      findRepository(parts, ADDRESS, (value, notes) => toAddressOf(repo, toHostedRepository(value, notes))))
    : undefined;
  if (found !== undefined) return found.repository?.host;
  for (let at = 0; parts[at] !== top; at++) {
    const host =
      parts[at]?.take(HOST, parseHost, isNeverComplete) ?? parts[at]?.take(PROVIDER, parseProvider, isNeverComplete);
    if (host !== undefined) return host === GITHUB_HOST ? undefined : host;
  }
  return undefined;
}

/** Fast path: most records have no address. */
function hasAddress(parts: RecordFields[]): boolean {
  for (const part of parts) {
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

/** A page that upstream names, else that of the repository. */
function readAddress(
  parts: RecordFields[],
  repository: Repository | undefined,
  host: string | undefined,
): string | null {
  const given = takeFrom(parts, ADDRESS, host === undefined ? toWebAddress : toAddressElsewhere);
  if (given !== undefined) return given;
  if (repository === undefined) return takeFrom(parts, REPOSITORY, toPage) ?? null;
  if (repository.isAddress && isWebAddress(repository.line)) return repository.line;
  return host === undefined ? null : `https://${host}/${repository.repo}`;
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

/** Only http and https: a web page that links to a `javascript:` URL would run it. */
function toWebAddress(value: unknown, notes: RecordNotes): string | undefined {
  const line = toShortLine(value, notes);
  if (line === undefined || isWebAddress(line)) return line;
  notes.report.warn('url_unsafe');
  return undefined;
}

function toAddressElsewhere(value: unknown, notes: RecordNotes): string | undefined {
  const line = toWebAddress(value, notes);
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
