import type { Skill } from './skill.ts';

/** Without characters that mean something to a shell. */
const NAME = /^[a-z0-9][\w.-]*$/i;
const REPOSITORY = /^[a-z0-9_][\w.-]*(?:\/[a-z0-9_.][\w.-]*)+$/i;
const OWNER_AND_NAME = /^[^/]+\/[^/]+$/;
/** Not https, or with a port: the host alone is another place. */
const UNUSUAL_ADDRESS = /^(?:http:|https:\/\/[^/]*:\d)/i;
const HOST = /^[a-z0-9][a-z0-9.-]*$/;

/**
 * The command of the `skills` package that installs a skill of a repository; null if the repository is unknown, or if
 * its name or that of the skill has unusual characters. `host` is set for repositories outside GitHub.
 */
export function deriveInstall(
  { kind, name, source }: Pick<Skill, 'kind' | 'name'> & { source: Pick<Skill['source'], 'repo' | 'url'> },
  host?: string,
): string | null {
  const { repo, url } = source;
  if (kind !== 'skill' || repo === null || !NAME.test(name) || !REPOSITORY.test(repo) || repo.includes('..'))
    return null;
  if (host === undefined) return OWNER_AND_NAME.test(repo) ? `npx skills add ${repo} --skill ${name}` : null;
  const hasUnusualAddress = url !== null && UNUSUAL_ADDRESS.test(url);
  return HOST.test(host) && !hasUnusualAddress ? `npx skills add https://${host}/${repo}.git --skill ${name}` : null;
}
