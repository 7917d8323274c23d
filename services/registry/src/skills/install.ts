import type { Skill } from './skill.ts';

/** Without characters that mean something to a shell. */
const NAME = /^[a-z0-9][\w.-]*$/i;
const REF = /^\w[\w./-]*$/;
/** What is installed without a ref, mostly. */
const USUAL_REFS: ReadonlySet<string | null> = new Set([null, 'main', 'master', 'HEAD']);
const REPOSITORY = /^[a-z0-9_][\w.-]*(?:\/[a-z0-9_.][\w.-]*)+$/i;
const OWNER_AND_NAME = /^[^/]+\/[^/]+$/;
/** Not https, or with a port: the host alone is another place. */
const UNUSUAL_ADDRESS = /^(?:http:|https:\/\/[^/]*:\d)/i;
const HOST = /^[a-z0-9][a-z0-9.-]*$/;

/**
 * The command of the `skills` package that installs a skill of a repository; null if the repository is unknown, or if
 * its name, its ref or that of the skill has unusual characters. `host` is set for repositories outside GitHub.
 */
export function deriveInstall(
  { kind, name, source }: Pick<Skill, 'kind' | 'name'> & { source: Pick<Skill['source'], 'repo' | 'ref' | 'url'> },
  host?: string,
): string | null {
  const { repo, ref, url } = source;
  if (kind !== 'skill' || repo === null || !NAME.test(name) || !REPOSITORY.test(repo) || repo.includes('..'))
    return null;
  if (ref !== null && (!REF.test(ref) || ref.includes('..'))) return null;
  const at = USUAL_REFS.has(ref) ? '' : `#${ref}`;
  if (host === undefined) return OWNER_AND_NAME.test(repo) ? `npx skills add ${repo}${at} --skill ${name}` : null;
  const hasUnusualAddress = url !== null && UNUSUAL_ADDRESS.test(url);
  return HOST.test(host) && !hasUnusualAddress
    ? `npx skills add https://${host}/${repo}.git${at} --skill ${name}`
    : null;
}
