import type { components } from '@agent-fleet/sdk';
import type { SkillFolder } from './content/skill-content.ts';
import { SkillError } from './skill-error.ts';
import { isLoopback, parseSource, type SkillSource } from './sources/skill-source.ts';

/** A skill as the registry has it. */
export type RegistrySkill = components['schemas']['Skill'];

/** The registry of the fleet. */
export interface Registry {
  /** Without a slash at its end. */
  url: string;
  /** @throws FleetError */
  read(id: string): Promise<RegistrySkill>;
}

const OWNER_AND_NAME = /^[\w-][\w.-]*\/[\w.-]+$/;
const GITHUB_HOSTS: ReadonlySet<string> = new Set(['github.com', 'www.github.com', 'raw.githubusercontent.com']);

/**
 * Where the registry says that a skill is: its repository, its URL, or the SKILL.md that the registry fetches.
 * @throws SkillError if it is no skill, or if its location is not allowed
 */
export function sourceOf(skill: RegistrySkill, registryUrl: string): SkillSource {
  if (skill.kind !== 'skill' && skill.kind !== 'plugin') {
    throw new SkillError(`${skill.id} is of kind ${skill.kind}, not a skill`, 'Only skills can be added.');
  }
  const { repo, url, ref, path } = skill.source;
  const page = url === null ? null : URL.parse(url);
  const folder = path?.replace(/^(\.?\/)+|\/+$/g, '').replace(/(?:^|\/)SKILL\.md$/, '');
  const named = folder === undefined || folder === null ? `@${skill.name}` : '';
  if (repo !== null && OWNER_AND_NAME.test(repo) && (page === null || GITHUB_HOSTS.has(page.hostname))) {
    const base = parseSource(`https://github.com/${repo}`, '/');
    return { ...base, ...(ref && { ref }), ...(named ? { skill: skill.name } : { path: folder ?? '' }) };
  }
  if (
    page !== null &&
    (page.protocol === 'https:' || (page.protocol === 'http:' && isLoopback(new URL(registryUrl))))
  ) {
    const source = parseSource(page.href, '/');
    if (source.kind === 'git') {
      const where = source.path ?? folder;
      return {
        ...source,
        ...(ref && source.ref === undefined && { ref }),
        ...(where === undefined || where === null ? { skill: skill.name } : { path: where }),
      };
    }
    if (page.pathname.endsWith('/SKILL.md')) return source;
  }
  const address = `${registryUrl}/api/skills/${encodeURIComponent(skill.id)}`;
  return { kind: 'web', type: 'well-known', url: address };
}

/** How the digest of the registry compares: `none` if it has none. */
export type DigestResult = 'same' | 'differs' | 'none';

/** A digest of a folder is compared with `computedHash`: the only one that is written down for folders of skills. */
export function compareDigest(
  { digest, digest_of }: Pick<RegistrySkill, 'digest' | 'digest_of'>,
  content: Pick<SkillFolder, 'skillFileHash' | 'computedHash' | 'installedHash'>,
): DigestResult {
  if (digest === null) return 'none';
  const hex = digest.replace(/^sha256:/, '');
  if (digest_of === 'skill_md') return hex === content.skillFileHash ? 'same' : 'differs';
  return hex === content.computedHash || hex === content.installedHash ? 'same' : 'differs';
}
