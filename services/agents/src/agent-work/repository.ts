/** Of a `repository`, by the program that clones it: each could be read as an option or a command. */
const UNSAFE = /[\s\p{C}\ufffd\\]/u;
const URL_START = /^([a-z][a-z\d+.-]*):\/\//i;
const SCHEMES = new Set(['http', 'https', 'ssh', 'git', 'file']);
/** Git decodes percent signs and hands both to ssh, where a first `-` makes an option of them. */
const USER = /^[\w.+~][\w.+~-]*$/;
const HOST = /^[a-z\d[][\w.:[\]-]*$/i;
/** `user@host:path`, as scp has it. */
const SCP_LIKE = /^([^@:/]+)@([^@:/]+|\[[\da-f:.]+\]):(?![-:])./i;

const KINDS = 'must be an http, https, ssh, git or file URL, or user@host:path';

/** Finds why a text cannot be the address of a git repository, without credentials in it. */
export function findRepositoryProblem(text: string): string | undefined {
  if (text.startsWith('-')) return 'must not begin with -';
  if (UNSAFE.test(text)) return 'must not have spaces, control characters or backslashes';
  const scheme = URL_START.exec(text)?.[1]?.toLowerCase();
  return scheme === undefined ? findScpProblem(text) : findUrlProblem(text, scheme);
}

function findScpProblem(text: string): string | undefined {
  const [, user = '', host = ''] = SCP_LIKE.exec(text) ?? [];
  return USER.test(user) && HOST.test(host) ? undefined : KINDS;
}

function findUrlProblem(text: string, scheme: string): string | undefined {
  if (!SCHEMES.has(scheme) || !URL.canParse(text)) return KINDS;
  const { username, password, hostname } = new URL(text);
  if (scheme === 'file') return undefined;
  if (password !== '' || (username !== '' && scheme !== 'ssh')) {
    return 'must not have credentials: these belong to the worker';
  }
  if (/[?#]/.test(text)) return 'must not have a query or a fragment: tokens belong to the worker';
  return HOST.test(hostname) && (username === '' || USER.test(username)) ? undefined : KINDS;
}

const REF_CHARACTERS = /[\s\p{Cc}~^:?*[\\]/u;

/** Finds why git would refuse a text as the name of a branch, a tag or a commit (git-check-ref-format). */
export function findRefProblem(text: string): string | undefined {
  const isName =
    !/^[-/]|[/.]$|\.\.|@\{|\/\/|^@$/.test(text) &&
    !REF_CHARACTERS.test(text) &&
    text.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
  return isName ? undefined : 'must be the name of a branch or tag, or a commit';
}
