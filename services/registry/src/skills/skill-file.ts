import { isGitHubHost } from './hosts.ts';
import type { Skill } from './skill.ts';

const FILE = 'SKILL.md';
const GITHUB = 'https://github.com';
const GITHUB_RAW = 'https://raw.githubusercontent.com';
const OWNER_AND_NAME = /^[\w-][\w.-]*\/[\w.-]+$/;
/** GitLab has groups within groups. */
const GROUPS_AND_NAME = /^[\w-][\w.-]*(?:\/[\w.-]+)+$/;
const NAME = /^\w[\w.-]*$/;
const COMMIT = /^[0-9a-f]{40}$/i;

type Source = Skill['source'];

/**
 * The URL of the SKILL.md: `source.url` if it ends in that file (for a page of GitHub or GitLab, the raw file). Else,
 * and for a commit, it is built from the path in a repository on GitHub or GitLab. A repository elsewhere always has a
 * `source.url` there.
 */
export function locateSkillFile(source: Source): string | undefined {
  const address = toAddress(source);
  const built = source.path === null ? undefined : inRepository(source, address, source.path);
  if (built !== undefined && COMMIT.test(source.ref ?? '')) return built;
  return address && isFile(address.pathname) ? rawOfPage(address) : built;
}

/** Where most repositories have the skill of this name; for a record without a path. */
export function guessSkillFile({ name, source }: Pick<Skill, 'name' | 'source'>): string | undefined {
  return source.path === null && NAME.test(name)
    ? inRepository(source, toAddress(source), `skills/${name}`)
    : undefined;
}

/** The web page of a skill for people: `source.url`, else its folder on GitHub, whose raw files are no pages. */
export function locateSkillPage(source: Source): string | undefined {
  const { repo, path, ref, url } = source;
  const address = toAddress(source);
  if (url !== null && !(isOnGitHub(source) && address && !isGitHubPage(address))) return url;
  if (repo === null || !OWNER_AND_NAME.test(repo)) return undefined;
  const folder = path?.replace(/^(\.?\/)+|\/+$/g, '') || '.';
  if (folder === '.') return `${GITHUB}/${repo}`;
  const kind = isFile(folder) ? 'blob' : 'tree';
  return verbatim(`${GITHUB}/${repo}/${kind}/${encodePath(ref ?? 'HEAD')}/${encodePath(folder)}`);
}

/** Whether the repository, if there is one, is `owner/name` on GitHub. */
export function isOnGitHub(source: Source): boolean {
  const address = toAddress(source);
  return (
    source.repo !== null &&
    OWNER_AND_NAME.test(source.repo) &&
    (address === undefined || isGitHubHost(address.hostname))
  );
}

function toAddress({ url }: Source): URL | undefined {
  return (url === null ? undefined : URL.parse(url)) ?? undefined;
}

function isFile(path: string): boolean {
  return path === FILE || path.endsWith(`/${FILE}`);
}

function inRepository({ repo, ref }: Source, address: URL | undefined, path: string): string | undefined {
  if (repo === null) return undefined;
  const place = encodePath(ref ?? 'HEAD');
  const file = encodePath((isFile(path) ? path : `${path.replace(/\/+$/, '')}/${FILE}`).replace(/^(\.?\/)+/, ''));
  if (address === undefined || isGitHubHost(address.hostname)) {
    return OWNER_AND_NAME.test(repo) ? verbatim(`${GITHUB_RAW}/${repo}/${place}/${file}`) : undefined;
  }
  if (!isGitLab(address) || !GROUPS_AND_NAME.test(repo)) return undefined;
  return verbatim(`${address.origin}/${repo}/-/raw/${place}/${file}`);
}

/** A path with dot segments would point elsewhere. */
function verbatim(url: string): string | undefined {
  return URL.parse(url)?.href === url ? url : undefined;
}

function isGitHubPage({ hostname }: URL): boolean {
  return hostname === 'github.com' || hostname === 'www.github.com';
}

/** Own installations mostly have such a name. */
function isGitLab({ hostname }: URL): boolean {
  return hostname.startsWith('gitlab.');
}

function rawOfPage(address: URL): string | undefined {
  const { pathname, href } = address;
  if (isGitLab(address)) return href.replace('/-/blob/', '/-/raw/');
  if (!isGitHubPage(address)) return href;
  // `/owner/name/blob/ref/path`, or `raw` for `blob`.
  const [, owner, name, kind, ...rest] = pathname.split('/');
  if (rest.length < 2 || (kind !== 'blob' && kind !== 'raw')) return undefined;
  return `${GITHUB_RAW}/${owner}/${name}/${rest.join('/')}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
