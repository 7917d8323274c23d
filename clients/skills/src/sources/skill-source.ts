import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usageError } from '../skill-error.ts';
import { requireRef } from './git-repository.ts';

/** Where a skill comes from, as the user or a lock file names it. */
export interface SkillSource {
  kind: 'git' | 'local' | 'web';
  /** What the lock file calls it; `github`, `gitlab`, `git`, `local` and `well-known` as the `skills` package does. */
  type: 'github' | 'gitlab' | 'git' | 'local' | 'well-known' | 'download';
  /** URL of the repository or page; the absolute path of a local folder. */
  url: string;
  /** Branch, tag or commit. */
  ref?: string;
  /** Folder in the repository. */
  path?: string;
  /** Name of the skill, where a repository has several. */
  skill?: string;
}

const GITHUB = 'https://github.com';
const SHORTHAND = /^([\w-][\w.-]*)\/([\w.-]+?)(?:\.git)?(?:\/([^@]+?))?\/?(?:@(.+))?$/;
const SCP = /^(?:[\w.-]+@)[\w.-]+:(?!\/\/)[\w./~-]+$/;
const GITHUB_PAGE = /^\/([\w-][\w.-]*)\/([\w.-]+?)(?:\.git)?(?:\/(?:tree|blob|raw)\/([^/]+)(?:\/(.+?))?)?\/?$/;
const GITHUB_RAW = /^\/([\w-][\w.-]*)\/([\w.-]+)\/(?:refs\/(?:heads|tags)\/)?([^/]+)\/(.+)$/;
const GITLAB_PAGE = /^\/(.+?)\/-\/(?:tree|blob|raw)\/([^/]+)(?:\/(.+?))?\/?$/;

/** Whether a source is the id of a skill in the registry: ids have neither a slash nor a scheme. */
export function isSkillId(text: string): boolean {
  return (
    text !== '' && !/[/\\:]/.test(text) && !text.startsWith('.') && !text.startsWith('~/') && !text.startsWith('-')
  );
}

/**
 * Parses everything but ids. A `ref` after `#` holds unless the address of a page has one.
 * @throws SkillError if it is no source, or one that is not allowed
 */
export function parseSource(text: string, cwd: string): SkillSource {
  if (/[\p{Cc}\p{Cf}]/u.test(text) || text.startsWith('-')) throw notASource(text);
  if (isAbsolute(text) || /^\.{1,2}(?:\/|$)/.test(text))
    return { kind: 'local', type: 'local', url: resolve(cwd, text) };
  if (text.startsWith('~/')) return { kind: 'local', type: 'local', url: join(homedir(), text.slice(2)) };
  const [address = '', fragment] = splitOnce(text, '#');
  const [ref, skill] = fragment === undefined ? [] : splitOnce(fragment, '@');
  const named = { ...(ref && { ref: requireRef(decode(ref)) }), ...(skill && { skill: decode(skill) }) };
  const source = parseAddress(address, text, named);
  const { path } = source;
  return path === undefined ? source : { ...source, path: requirePath(path) };
}

type Named = Pick<SkillSource, 'ref' | 'skill'>;

function parseAddress(address: string, text: string, named: Named): SkillSource {
  const prefixed = /^(github|gitlab):(?!\/\/)(.+)$/.exec(address);
  if (prefixed?.[1] === 'gitlab') return parseAddress(`https://gitlab.com/${prefixed[2]}`, text, named);
  if (prefixed) return parseAddress(prefixed[2] as string, text, named);
  if (SCP.test(address)) return { kind: 'git', type: 'git', url: address, ...named };
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return parseUrl(address.replace(/^git\+/, ''), text, named);
  const [, owner, name, path, skill] = SHORTHAND.exec(address) ?? [];
  if (!owner || !name || name.startsWith('.')) throw notASource(text);
  return toGitHub(owner, name, { path, ref: named.ref, skill: named.skill ?? skill });
}

function parseUrl(address: string, text: string, named: Named): SkillSource {
  const url = URL.parse(address);
  if (!url) throw notASource(text);
  if (url.protocol === 'file:') return parseFileUrl(url, text, named);
  if (url.protocol === 'ssh:') {
    if (url.password || url.hostname.startsWith('-')) throw notASource(text);
    return { kind: 'git', type: 'git', url: address, ...named };
  }
  requireSafeUrl(url);
  const { hostname, pathname, origin } = url;
  if (hostname === 'github.com' || hostname === 'www.github.com') {
    const [, owner, name, ref, path] = GITHUB_PAGE.exec(decode(pathname)) ?? [];
    if (!owner || !name) throw notASource(text);
    return toGitHub(owner, name, { path, ref: ref ?? named.ref, skill: named.skill });
  }
  if (hostname === 'raw.githubusercontent.com') {
    const [, owner, name, ref, path] = GITHUB_RAW.exec(decode(pathname)) ?? [];
    if (!owner || !name) throw notASource(text);
    return toGitHub(owner, name, { path, ref, skill: named.skill });
  }
  const [, project, ref, path] = GITLAB_PAGE.exec(decode(pathname)) ?? [];
  if (project) return toGit('gitlab', `${origin}/${project.replace(/\.git$/, '')}.git`, { ...named, ref, path });
  if (hostname === 'gitlab.com')
    return toGit('gitlab', `${origin}${pathname.replace(/(?:\.git)?\/?$/, '')}.git`, named);
  if (/\.git\/?$/.test(pathname)) return toGit('git', `${origin}${pathname.replace(/\/$/, '')}`, named);
  return { kind: 'web', type: 'well-known', url: `${origin}${pathname}${url.search}`, skill: named.skill };
}

function toGitHub(owner: string, name: string, rest: Pick<SkillSource, 'path' | 'ref' | 'skill'>): SkillSource {
  return toGit('github', `${GITHUB}/${owner}/${name}.git`, rest);
}

function toGit(
  type: SkillSource['type'],
  url: string,
  { ref, path, skill }: Pick<SkillSource, 'path' | 'ref' | 'skill'>,
): SkillSource {
  const folder = path?.replace(/(?:^|\/)SKILL\.md$/, '').replace(/\/+$/, '');
  return {
    kind: 'git',
    type,
    url,
    ...(ref && { ref: requireRef(ref) }),
    ...(folder !== undefined && { path: folder }),
    ...(skill && { skill }),
  };
}

/** A bare repository or one with a `.git` is cloned, any other folder is read. */
function parseFileUrl(url: URL, text: string, named: Named): SkillSource {
  if (url.hostname !== '' && url.hostname !== 'localhost') throw notASource(text);
  const path = fileURLToPath(url);
  if (/\.git\/?$/.test(path) || named.ref !== undefined || isRepository(path)) {
    return { kind: 'git', type: 'git', url: `file://${url.pathname.replace(/\/$/, '')}`, ...named };
  }
  return { kind: 'local', type: 'local', url: resolve(path), ...named };
}

function isRepository(path: string): boolean {
  return ['.git/HEAD', 'HEAD'].some((name) => {
    try {
      realpathSync(join(path, name));
      return true;
    } catch {
      return false;
    }
  });
}

/** Whether a URL is of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** @throws SkillError unless the URL is https, or http to this machine, without credentials */
export function requireSafeUrl(url: URL): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw usageError(
      `${url.protocol}//${url.host} is not allowed as a source`,
      'Use https. http is for this machine only.',
    );
  }
  if (url.username || url.password) {
    throw usageError(
      `The address of ${url.host} has credentials in it, which would end up in the lock file`,
      'Take them out and use a credential helper of Git.',
    );
  }
}

/** @throws SkillError for a folder outside the repository */
function requirePath(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (path.startsWith('/') || names.some((name) => name === '..' || /[\\\p{Cc}]/u.test(name))) {
    throw usageError(`${JSON.stringify(path)} is not a folder within the repository`, 'Name it without .. and \\.');
  }
  return names.join('/');
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function notASource(text: string): Error {
  return usageError(
    `${JSON.stringify(text)} is not a source of skills`,
    'Name a skill id, owner/repo[/path][@skill][#ref], a URL, or a folder that begins with ./ or /.',
  );
}
