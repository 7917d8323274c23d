/** Of these a skill's mere address is known to name a repository. */
const REPOSITORY_ADDRESS =
  /^https?:\/\/(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|gitee\.com)\//i;
/** As registries name them without their domain. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['gitlab', 'gitlab.com'],
  ['bitbucket', 'bitbucket.org'],
  ['codeberg', 'codeberg.org'],
  ['gitee', 'gitee.com'],
]);
const GITHUB = /^(?:[\w-]+\.)*github(?:usercontent)?\.com\.?$/i;
const DOMAIN = /^[\w-]+(?:\.[\w-]+)+$/;

/** Whether an address is of a host that is known to have nothing but repositories. */
export function isOnRepositoryHost(address: string): boolean {
  return REPOSITORY_ADDRESS.test(address);
}

/** Whether a host name is one of GitHub's, be it of web pages or of raw files. */
export function isGitHubHost(hostname: string): boolean {
  return GITHUB.test(hostname);
}

/** The host of an address in lower case, without `www.` and port; undefined for GitHub. */
export function toForeignHost(given: string): string | undefined {
  if (given === 'github.com') return undefined;
  const host = given.toLowerCase().replace(/^www\.|\.?(?::\d*)?$/g, '');
  return host === 'github.com' || host === 'ssh.github.com' ? undefined : host;
}

/** The same of a domain or a name such as `gitlab`; undefined for what is neither, too. */
export function nameForeignHost(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.trim().toLowerCase();
  return BY_NAME.get(name) ?? (DOMAIN.test(name) ? toForeignHost(name) : undefined);
}
