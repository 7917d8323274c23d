import type { Skill } from './contract.ts';
import { isObject, type RecordFields } from './record-fields.ts';
import type { Report } from './report.ts';
import { cleanLine, cutText } from './text.ts';

const MAX_LENGTH = 1_024;
const OWNER_AND_NAME = /^[\w.-]+\/[\w.-]+$/;
/** `https://host/owner/name`, `git@host:owner/name.git`, `github:owner/name`, with what a web page of a folder adds. */
const ADDRESS =
  /^(?:git\+)?(?:https?:\/\/(?:[^@/]*@)?[^/]+\/|ssh:\/\/git@[^/]+\/|git@[^:]+:|github:)([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/(?:tree|blob|-\/tree|-\/blob)\/([^/]+)(?:\/(.*))?)?\/?(?:[?#].*)?$/;

type Source = Skill['source'];

const REPOSITORY_NAMES = ['repo', 'repository', 'github', 'full_name', 'source', 'repo_url', 'github_url'];
const ADDRESS_NAMES = ['url', 'html_url', 'homepage', 'link'];
/** Of these hosts a skill's mere address is known to name a repository. */
const REPOSITORY_HOST = /^https?:\/\/(www\.)?(github|gitlab|bitbucket)\.(com|org)\//i;

/** Where a skill lives, of all the ways in which registries write it; `layers` are the record and objects within it. */
export function readOrigin(layers: RecordFields[], report: Report): Source {
  const parts = [...layers.map((layer) => layer.nested('source')), ...layers].filter((part) => part !== undefined);
  const take = <Value>(names: string[], parse: (value: unknown) => Value | undefined): Value | undefined => {
    for (const part of parts) {
      const value = part.take(names, parse);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const repo = take(REPOSITORY_NAMES, toRepository) ?? take(ADDRESS_NAMES, toHostedRepository);
  return {
    repo: repo?.repo ?? null,
    path: take(['path'], (value) => toSafePath(value, report)) ?? repo?.path ?? null,
    ref: take(['ref', 'branch', 'commit'], toLine) ?? repo?.ref ?? null,
    url: take(ADDRESS_NAMES, (value) => toWebAddress(value, report)) ?? repo?.url ?? null,
  };
}

interface Repository {
  repo: string;
  ref?: string;
  path?: string;
  url?: string;
}

function toRepository(value: unknown): Repository | undefined {
  if (isObject(value)) return toRepository(value.url ?? value.full_name);
  const line = toLine(value);
  if (line === undefined) return undefined;
  if (OWNER_AND_NAME.test(line)) return { repo: line };
  const [, repo, ref, path] = ADDRESS.exec(line) ?? [];
  if (repo === undefined) return undefined;
  return { repo, ref, path: path && isSafePath(path) ? path : undefined, url: isWebAddress(line) ? line : undefined };
}

function toHostedRepository(value: unknown): Repository | undefined {
  return typeof value === 'string' && REPOSITORY_HOST.test(value) ? toRepository(value) : undefined;
}

function toLine(value: unknown): string | undefined {
  return typeof value === 'string' ? cutText(cleanLine(value), MAX_LENGTH) || undefined : undefined;
}

/** A client may join this path to a folder of its own: what leads out of it is not passed on here, only in `extra`. */
function toSafePath(value: unknown, report: Report): string | undefined {
  const path = toLine(value);
  if (path === undefined || isSafePath(path)) return path;
  report.warn('path_unsafe');
  return undefined;
}

function isSafePath(path: string): boolean {
  return !/^([/\\~]|[a-z]:)/i.test(path) && !path.split(/[/\\]/).includes('..');
}

/** Only http and https: a `javascript:` address would be run by a page that links to it. */
function toWebAddress(value: unknown, report: Report): string | undefined {
  const line = toLine(value);
  if (line === undefined || isWebAddress(line)) return line;
  report.warn('url_unsafe');
  return undefined;
}

function isWebAddress(line: string): boolean {
  return /^https?:\/\//i.test(line) && URL.canParse(line);
}
