import { isCleanLine } from '../skills/text.ts';
import { isGitHubHost, toForeignHost } from './hosts.ts';

/** A repository named by a text, and the location within it that an address names. */
export interface Repository {
  /** The text. */
  line: string;
  /** `owner/name` */
  repo: string;
  /** In lower case, without `www.` and port; undefined for GitHub and for `owner/name`. */
  host?: string;
  /** False for `owner/name`, which may be on any host. */
  isAddress: boolean;
  ref?: string;
  /** Within the repository. */
  path?: string;
}

const OWNER_AND_NAME = /^[\w.-]+\/[\w.-]+$/;
/** `https://host/owner/name`, `git@host:owner/name.git`, `github:owner/name`, also with the path of a web page. */
const ADDRESS =
  /^(?:git\+)?(?:https?:\/\/(?:[^@/\\]*@)?([^@/\\]+)\/|ssh:\/\/git@([\w.:-]+)\/|git@([\w.-]+):|github:)([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/(?:-\/)?(?:tree|blob)\/([^/]+)(?:\/(.*?))?)?\/?$/;
const QUERY_OR_FRAGMENT = /[?#].*$/;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;
/** Placeholders, and segments of dots, which mean another path. */
const NOTHING = /^(?:n\/a$|\.+\/)|\/\.+$/i;
/** Names that GitHub reserves for its own pages. */
const GITHUB_PAGE =
  /^(?:about|account|apps|codespaces|collections|contact|customer-stories|enterprise|explore|features|issues|join|login|logout|marketplace|new|notifications|organizations|orgs|pricing|pulls|readme|search|security|sessions|settings|site|sponsors|stars|topics|trending|users)\//i;
const ABSOLUTE_PATH = /^(?:[/\\~]|[a-z]:)/i;

/** Parses `owner/name` or an address, whose query and fragment are ignored. */
export function parseRepository(line: string): Repository | undefined {
  if (OWNER_AND_NAME.test(line)) return toOwnerAndName(line);
  const [, web, ssh, scp, repo, ref, path] = ADDRESS.exec(line.replace(QUERY_OR_FRAGMENT, '')) ?? [];
  if (repo === undefined) return undefined;
  const given = web ?? ssh ?? scp;
  const host = given && toForeignHost(given);
  if (host === undefined ? !isRepository(repo) : isNothing(repo) || !isForeign(host)) return undefined;
  return { line, repo, host, isAddress: true, ref: ref && decode(ref), path: toPath(path) };
}

function toOwnerAndName(line: string): Repository | undefined {
  const repo = line.endsWith('.git') ? line.slice(0, -'.git'.length) : line;
  const isDomain = isGitHubHost(repo.slice(0, repo.indexOf('/')));
  return isRepository(repo) && !isDomain ? { line, repo, isAddress: false } : undefined;
}

/** False for a path that leaves the folder that a client joins it to. */
export function isSafePath(path: string): boolean {
  if (ABSOLUTE_PATH.test(path)) return false;
  return !path.includes('..') || !path.split(/[/\\]/).includes('..');
}

/** On GitHub. */
function isRepository(repo: string): boolean {
  return !GITHUB_PAGE.test(repo) && !isNothing(repo);
}

function isNothing(repo: string): boolean {
  return (repo.length === 3 || repo.startsWith('.') || repo.endsWith('.')) && NOTHING.test(repo);
}

/** False for gists and raw files of GitHub, which are not repositories. */
function isForeign(host: string): boolean {
  return !isGitHubHost(host) && URL.parse(`https://${host}`)?.host === host;
}

function toPath(escaped: string | undefined): string | undefined {
  const path = escaped && decode(escaped);
  return path && isSafePath(path) ? path : undefined;
}

/** Keeps escapes that are not valid text. */
function decode(escaped: string): string {
  if (!escaped.includes('%')) return escaped;
  const decoded = escaped.replace(ESCAPES, decodeRun);
  return isCleanLine(decoded) ? decoded : escaped;
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}
