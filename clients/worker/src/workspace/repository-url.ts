/** A repository's address in one form, to compare it and to name it to Git. */
export interface RepositoryUrl {
  scheme: string;
  /** With the port, if it is not the default one. */
  host: string;
  user: string;
  /** Names of the path, in their order. */
  path: readonly string[];
  /** What Git is given. */
  text: string;
}

const MAX_LENGTH = 2048;
const SCHEMES: readonly string[] = ['https', 'http', 'ssh', 'git', 'file'];
/** A host that begins with a dash would be an option of ssh. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*)|\[[0-9a-f:.]+\])(?::\d+)?$/i;
const USER = /^[a-z0-9_][a-z0-9_.-]*$/i;
/** `user@host:path`. `https://host` and `ext::command`, which runs a command, are none. */
const SCP = /^(?:(?<user>[^@:/]+)@)?(?<host>[^@:/]+):(?!\/\/|:)(?<path>.+)$/;
/** What two programs may read in two ways: whitespace, controls, backslashes, and escapes of dots and slashes. */
const AMBIGUOUS = /[\s\p{Cc}\p{Cf}\\]|%(?:[01][0-9a-f]|2e|2f|5c|7f)/iu;

/**
 * Parses the address of a repository or a prefix of some: an http, https, ssh, git or file URL, or `user@host:path`.
 * @throws Error with the reason, for one that has a password, a query, a fragment, or a `..`
 */
export function parseRepositoryUrl(text: string): RepositoryUrl {
  if (text.length > MAX_LENGTH) throw new Error(`it has more than ${MAX_LENGTH} characters`);
  if (AMBIGUOUS.test(text)) throw new Error('it has whitespace, backslashes or escapes that it must not have');
  const parsed = text.includes('://') ? parseUrl(text) : parseScp(text);
  if (parsed.user !== '' && !USER.test(parsed.user)) throw new Error('its user is not valid');
  if (parsed.scheme !== 'file' && !HOST.test(parsed.host)) throw new Error('its host is not valid');
  if (parsed.path.some((name) => name === '.' || name === '..' || name.startsWith('-'))) {
    throw new Error('its path has a name that is . or .. or begins with a dash');
  }
  return parsed;
}

function parseUrl(text: string): RepositoryUrl {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error('it is not a URL');
  }
  const scheme = url.protocol.slice(0, -1);
  if (!SCHEMES.includes(scheme)) throw new Error(`its scheme is not one of ${SCHEMES.join(', ')}`);
  if (url.password !== '' || (url.username !== '' && scheme !== 'ssh')) throw new Error('it has credentials');
  if (/[?#]/.test(text)) throw new Error('it has a query or a fragment');
  if (scheme === 'file' && url.host !== '') throw new Error('it is a file URL with a host');
  // The parser resolves dots: those of the text must be seen.
  const [, rawPath = ''] = /^[^:]+:\/\/[^/]*(.*)$/.exec(text) ?? [];
  const path = namesOf(rawPath);
  // The parsed text, so that Git reads the host that was compared.
  return { scheme, host: url.host.toLowerCase(), user: url.username, path, text: url.href };
}

function parseScp(text: string): RepositoryUrl {
  const { user = '', host = '', path = '' } = SCP.exec(text)?.groups ?? {};
  if (host === '' || !HOST.test(host)) throw new Error('it is neither a URL nor user@host:path');
  return { scheme: 'ssh', host: host.toLowerCase(), user, path: namesOf(path), text };
}

const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '');

/** Whether a repository is below one of the prefixes: same scheme, host and port, and whole names of the path. */
export function isAllowed(repository: RepositoryUrl, allowed: readonly RepositoryUrl[]): boolean {
  const path = withoutSuffix(repository.path);
  return allowed.some((prefix) => {
    if (prefix.scheme !== repository.scheme || prefix.host !== repository.host) return false;
    if (prefix.user !== '' && prefix.user !== repository.user) return false;
    const names = withoutSuffix(prefix.path);
    return names.length <= path.length && names.every((name, at) => name === path[at] || name === repository.path[at]);
  });
}

/** `repo.git` and `repo` are one repository. */
const withoutSuffix = (path: readonly string[]): string[] =>
  path.map((name, at) => (at === path.length - 1 ? name.replace(/\.git$/, '') : name));
