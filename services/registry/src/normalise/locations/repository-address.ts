import { isGitHubHost, parseProvider, toForeignHost } from '../../skills/hosts.ts';
import { isCleanLine } from '../../skills/text.ts';

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
  /^(?:git\+)?(?:https?:\/\/(?:[^@/\\]*@)?([^@/\\]+)\/|ssh:\/\/git@([\w.:-]+)\/|git@([\w.-]+):|github:)([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/(?:-\/)?(?:(?:src|raw)\/(?:branch|tag|commit)\/|(?:tree|blob|raw|src)\/(?:refs\/(?:heads|tags)\/)?)([^/]+)(?:\/(.*?))?)?\/?$/;
/** `github:owner/name#ref:folder`; ref and folder may be missing. */
const SHORTHAND = /^(github|gitlab|bitbucket|codeberg):([\w.-]+\/[\w.-]+?)(?:\.git)?(?:#([^:]+))?(?::(.+))?$/;
/** What begins with a number is a version. */
const OWNER_NAME_AND_FOLDER = /^([\w.-]+\/[\w.-]+):(?!v?\d)([^:/\\][^:\\]*)$/;
/** Files of GitHub repositories on other hosts than its web pages: owner and name, ref, path. */
const RAW_FILES = [
  /^https?:\/\/raw\.githubusercontent\.com\/(?<repo>[\w.-]+\/[\w.-]+)\/(?:refs\/(?:heads|tags)\/)?(?<ref>[^/]+)\/(?<path>.+)$/,
  /^https?:\/\/cdn\.jsdelivr\.net\/gh\/(?<repo>[\w.-]+\/[\w.-]+?)(?:@(?<ref>[^/]+))?\/(?<path>.+)$/,
  /^https?:\/\/api\.github\.com\/repos\/(?<repo>[\w.-]+\/[\w.-]+)(?:\/contents\/(?<path>.+))?$/,
];
const RAW_HOST = /^https?:\/\/(?:raw\.githubusercontent|cdn\.jsdelivr|api\.github)\./;
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
  if (RAW_HOST.test(line)) return parseRawFile(line);
  const [, web, ssh, scp, repo, ref, path] = ADDRESS.exec(line.replace(QUERY_OR_FRAGMENT, '')) ?? [];
  if (repo === undefined) return parseShorthand(line);
  const given = web ?? ssh ?? scp;
  const host = given && toForeignHost(given);
  if (host === undefined ? !isRepository(repo) : isNothing(repo) || !isForeign(host)) return undefined;
  return { line, repo, host, isAddress: true, ref: ref && decode(ref), path: toPath(path) };
}

/** Parses a text such as `github:owner/name:folder`. */
export function parseShorthand(line: string): Repository | undefined {
  const [, provider, repo, ref, path] = SHORTHAND.exec(line) ?? [];
  if (repo === undefined || isNothing(repo)) return undefined;
  const host = parseProvider(provider);
  return { line, repo, host: host && toForeignHost(host), isAddress: true, ref, path: toPath(path) };
}

/** Parses `owner/name:folder`. */
export function parseKey(line: string): Repository | undefined {
  const [, repo, path] = OWNER_NAME_AND_FOLDER.exec(line) ?? [];
  return repo === undefined || !isRepository(repo) ? undefined : { line, repo, isAddress: false, path: toPath(path) };
}

/** Whether an address is that of a file on a host that has nothing but files of GitHub repositories. */
export function isRawFile(address: string): boolean {
  return RAW_HOST.test(address) && parseRawFile(address) !== undefined;
}

function parseRawFile(line: string): Repository | undefined {
  const address = line.replace(QUERY_OR_FRAGMENT, '');
  for (const pattern of RAW_FILES) {
    const { repo, ref, path } = pattern.exec(address)?.groups ?? {};
    if (repo === undefined || !isRepository(repo)) continue;
    return { line, repo, isAddress: true, ref: ref && decode(ref), path: toPath(path) };
  }
  return undefined;
}

/** The repository of an owner and a name in separate fields. */
export function joinRepository(owner: string, name: string): Repository | undefined {
  const line = `${owner}/${name}`;
  return OWNER_AND_NAME.test(line) ? toOwnerAndName(line) : undefined;
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

/** Whether it is a placeholder, or has a segment of dots, which means another path. */
export function isNothing(repo: string): boolean {
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
