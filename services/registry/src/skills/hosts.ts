/** Hosts whose web addresses are those of repositories. */
const REPOSITORY_ADDRESS =
  /^https?:\/\/(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|gitee\.com)\//i;
export const GITHUB_HOST = 'github.com';
/** Short names that registries use. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['github', GITHUB_HOST],
  ['gitlab', 'gitlab.com'],
  ['bitbucket', 'bitbucket.org'],
  ['codeberg', 'codeberg.org'],
  ['gitee', 'gitee.com'],
]);
const GITHUB = /^(?:[\w-]+\.)*github(?:usercontent)?\.com\.?$/i;
const HOST_NAME = /^[\w-]+(?:\.[\w-]+)*$/;
/** RFC 1035 section 2.3.4. */
const MAX_HOST_LENGTH = 253;
const SCHEME = /^[\w+.-]+:\/\//;
const AFTER_HOST = /[:/].*$/s;

export function isOnRepositoryHost(address: string): boolean {
  return REPOSITORY_ADDRESS.test(address);
}

/** Includes the hosts of raw files. */
export function isGitHubHost(hostname: string): boolean {
  return GITHUB.test(hostname);
}

/** The host of an address in lower case, without `www.` and port; undefined for GitHub. */
export function toForeignHost(given: string): string | undefined {
  if (given === 'github.com') return undefined;
  const host = given.toLowerCase().replace(/^www\.|\.?(?::\d*)?$/g, '');
  return host === 'github.com' || host === 'ssh.github.com' ? undefined : host;
}

/** Parses a host name, an address or a name such as `gitlab`. Returns `github.com` for all hosts of GitHub. */
export function parseHost(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_HOST_LENGTH) return undefined;
  const host = value.trim().toLowerCase().replace(SCHEME, '').replace(AFTER_HOST, '');
  if (isGitHubHost(host)) return GITHUB_HOST;
  return parseProvider(host) ?? (HOST_NAME.test(host) ? toForeignHost(host) : undefined);
}

/** Parses a name such as `gitlab`. A name with a dot is mostly that of the registry. */
export function parseProvider(value: unknown): string | undefined {
  return typeof value === 'string' ? BY_NAME.get(value.trim().toLowerCase()) : undefined;
}
