import { isObject } from '@agent-fleet/shared/contract/json-object';
import type { RecordContext } from '../records.ts';
import { isSafePath, parseRepository, type Repository } from './repository-address.ts';

/** A `RecordContext`, parsed. */
export interface FileContext {
  given: RecordContext;
  /** The repository of the records. */
  ofRecords: Repository | undefined;
  /** The repository in which the file lies. */
  ofFile: Repository | undefined;
  /** Whether the file is a discovery index, whose skills may lie beside it. */
  isDiscoveryIndex: boolean;
}

const NO_CONTEXT: RecordContext = { kind: 'skill' };
const DISCOVERY_INDEX = /\/\.well-known\/(?:agent-)?skills\/index\.json$/;
/** Placeholders are no addresses. A first segment such as `example.com` is a host without a scheme. */
const RELATIVE =
  /^(?!n\/a$|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\/)(?:\.{0,2}\/|[\w.%~-]+\/|[\w.%~-]+\.(?:md|zip|tgz|tar\.gz|skill)$)[^\s\\]*$/i;

const parsed = new WeakMap<RecordContext, FileContext>();

export function parseContext(given: RecordContext = NO_CONTEXT): FileContext {
  const known = parsed.get(given);
  if (known !== undefined) return known;
  const { address, repository } = given;
  const context = {
    given,
    ofRecords: repository === undefined ? undefined : parseRepository(repository),
    ofFile: address === undefined ? undefined : parseFileAddress(address),
    isDiscoveryIndex: address !== undefined && DISCOVERY_INDEX.test(address),
  };
  parsed.set(given, context);
  return context;
}

/** Only addresses that name a path are known to be those of files in repositories. */
function parseFileAddress(address: string): Repository | undefined {
  const repository = parseRepository(address);
  return repository?.path === undefined ? undefined : repository;
}

/**
 * Resolves a relative address against that of the file. Undefined if it is not one, if that is unknown, or if it leaves
 * the repository of the file.
 */
export function resolveAddress(relative: string, { given, ofFile }: FileContext): string | undefined {
  if (given.address === undefined || !RELATIVE.test(relative)) return undefined;
  const address = URL.parse(relative, given.address)?.href;
  if (ofFile === undefined || address === undefined) return address;
  const resolved = parseRepository(address);
  return resolved?.repo === ofFile.repo && resolved.ref === ofFile.ref ? address : undefined;
}

const LOCAL = new Set(['local', 'directory', 'file', 'relative', 'path']);
/** First segments of a path that is written without a leading `./`. */
const FOLDER = /^(?:[\w.-]*(?:plugins|skills|packages))\//i;

/** The path of a source within the repository of its file, as written; undefined for other sources. */
export function toLocalSource(source: unknown, { given }: FileContext): string | undefined {
  if (isObject(source)) {
    const { source: kind, path } = source;
    return typeof kind === 'string' && LOCAL.has(kind) && typeof path === 'string' ? path : undefined;
  }
  if (typeof source !== 'string') return undefined;
  if (/^\.\.?\\/.test(source)) return source.replaceAll('\\', '/');
  if (source.startsWith('./') || source.startsWith('../') || source === '.') return source;
  if (given.kind !== 'plugin' || /^[/\\~]|[:@\s]/.test(source)) return undefined;
  return given.root !== undefined || !source.includes('/') || FOLDER.test(source) ? source : undefined;
}

/** Joins a local source to the folder of plugins. Undefined when it leaves the repository. */
export function joinLocalSource(source: string, root = ''): string | undefined {
  const folder = trimPath(root);
  const path = trimPath(source);
  // A source that repeats the folder is written from the root of the repository.
  const isWhole = folder === '' || path === folder || path.startsWith(`${folder}/`);
  const joined = isWhole ? path : `${folder}/${path}`;
  return isSafePath(joined) && isSafePath(path) ? joined || '.' : undefined;
}

function trimPath(path: string): string {
  return path.replace(/^(?:\.\/+)+|^\.$|\/+$/g, '');
}
