import { isObject } from '@agent-fleet/shared/contract/json-object';
import { isOnRepositoryHost } from '../../skills/hosts.ts';
import * as names from '../field-names.ts';
import type { Parse, RecordFields, RecordNotes } from '../record-fields.ts';
import { MAX_ADDRESS_LENGTH, toWholeLine } from '../values.ts';
import { type FileContext, resolveAddress } from './file-context.ts';
import {
  isNothing,
  isRawFile,
  joinRepository,
  parseKey,
  parseRepository,
  parseShorthand,
  type Repository,
} from './repository-address.ts';

/** Forms that only repository addresses have, on any host. */
const GIT_ADDRESS = /^(?:git\+|git@|ssh:|github:)|\.git(?:[/?#]|$)/;
/** Kinds of `source` objects whose `url` is that of a repository. */
const GIT_SOURCES = new Set<unknown>(['git', 'git-subdir', 'github', 'gitlab', 'url']);
const ADDRESS_SLOTS = [...names.REPOSITORY.slots, ...names.ADDRESS.slots, ...names.FILE_ADDRESS.slots];
const ADDRESSES = names.either(names.ADDRESS, names.FILE_ADDRESS);

/** The repository of a record, and the field that names it. */
export interface Found {
  /** Whether the record itself says where it is. */
  isKnown: boolean;
  repository?: Repository;
  path?: string;
  part?: RecordFields;
  slot: number;
  /** Whether the field holds only the text of the repository. */
  isLine?: boolean;
}

/** By precedence: fields of repositories, and with a context those of web pages, of files, and short forms. */
export function findRepository(parts: RecordFields[], context?: FileContext): Found | undefined {
  const named =
    findIn(parts, names.REPOSITORY, toRepository, joinOwner) ??
    findIn(parts.filter(isGitSource), names.ADDRESS, toRepository);
  if (named !== undefined || context === undefined) return named;
  const toHosted: Parse<Repository> = (value, notes) => toHostedRepository(value, notes, context);
  return findIn(parts, ADDRESSES, toHosted) ?? findIn(parts, names.SHORTHAND, toShorthand);
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
  return part.isOfGit || GIT_SOURCES.has(part.at(names.SOURCE));
}

/** A repository whose owner and name are in separate fields. */
function joinOwner(part: RecordFields): Found | undefined {
  if (part.lacks(names.REPOSITORY_OWNER) || part.lacks(names.REPOSITORY_NAME)) return undefined;
  for (const slot of names.REPOSITORY_NAME.slots) {
    const name = part.at(slot);
    if (typeof name !== 'string' || name.includes('/') || name.length > MAX_ADDRESS_LENGTH) continue;
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
    if (typeof owner === 'string' && owner.length <= MAX_ADDRESS_LENGTH) return owner.trim().replace(/^@/, '');
  }
  return undefined;
}

/** Different texts name different repositories, even if neither can be understood. */
export function findUnknownRepository(parts: RecordFields[]): string | undefined {
  for (const part of parts) {
    for (const slot of names.REPOSITORY.slots) {
      const value = slot === names.SOURCE ? undefined : part.at(slot);
      const line = typeof value === 'string' ? toWholeLine(value, MAX_ADDRESS_LENGTH, part.notes) : undefined;
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
    MAX_ADDRESS_LENGTH,
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
  const line = toWholeLine(value, MAX_ADDRESS_LENGTH, notes);
  return line === undefined ? undefined : parseShorthand(line);
}

export function findByKey(key: unknown, { notes }: RecordFields): Found | undefined {
  const line = toWholeLine(key, MAX_ADDRESS_LENGTH, notes);
  const repository = line === undefined ? undefined : (parseShorthand(line) ?? parseKey(line));
  return repository && { isKnown: true, repository, slot: 0 };
}

/** Whether an address is known to be that of a repository. */
function isOfRepository(address: string): boolean {
  return isOnRepositoryHost(address) || GIT_ADDRESS.test(address) || isRawFile(address);
}

/** Another field that has the address of a repository given as `owner/name`. */
export function findAddressOf(parts: RecordFields[], repo: string, context: FileContext): Repository | undefined {
  if (!hasAddress(parts)) return undefined;
  const toSame = (other: Repository | undefined) => toAddressOf(repo, other);
  const found =
    findIn(parts, names.REPOSITORY, (value, notes) => toSame(toRepository(value, notes))) ??
    findIn(parts.filter(isGitSource), names.ADDRESS, (value, notes) => toSame(toRepository(value, notes))) ??
    findIn(parts, ADDRESSES, (value, notes) => toSame(toHostedRepository(value, notes, context)));
  return found?.repository;
}

/** Fast path: most records have no address. */
function hasAddress(parts: RecordFields[]): boolean {
  for (const part of parts) {
    if (part.lacks(names.REPOSITORY) && part.lacks(ADDRESSES)) continue;
    for (let at = 0; at < ADDRESS_SLOTS.length; at++) {
      const value = part.at(ADDRESS_SLOTS[at]!);
      if (value !== undefined && (typeof value !== 'string' || value.includes(':'))) return true;
    }
  }
  return false;
}

function toAddressOf(repo: string, other: Repository | undefined): Repository | undefined {
  return other?.isAddress && other.repo.toLowerCase() === repo.toLowerCase() ? other : undefined;
}
