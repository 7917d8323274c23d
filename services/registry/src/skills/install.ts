import type { Skill } from './skill.ts';

/** Without characters that mean something to a shell. */
const NAME = /^[a-z0-9][\w.-]*$/i;
const REPOSITORY = /^[a-z0-9_][\w.-]*(?:\/[a-z0-9_.][\w.-]*)+$/i;
const OWNER_AND_NAME = /^[^/]+\/[^/]+$/;
const HOST = /^[a-z0-9][a-z0-9.-]*$/;

/**
 * The command of the `skills` package that installs a skill of a repository; null if the repository is unknown, or if
 * its name or that of the skill has unusual characters. `host` is set for repositories outside GitHub.
 */
export function deriveInstall(
  { kind, name, source: { repo } }: Pick<Skill, 'kind' | 'name'> & { source: Pick<Skill['source'], 'repo'> },
  host?: string,
): string | null {
  if (kind !== 'skill' || repo === null || !NAME.test(name) || !REPOSITORY.test(repo) || repo.includes('..'))
    return null;
  if (host === undefined) return OWNER_AND_NAME.test(repo) ? `npx skills add ${repo} --skill ${name}` : null;
  return HOST.test(host) ? `npx skills add https://${host}/${repo}.git --skill ${name}` : null;
}
