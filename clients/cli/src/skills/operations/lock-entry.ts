import { dirname } from 'node:path';
import type { SkillContent } from '@agent-fleet/skills/content/skill-content';
import type { FoundSkill } from '@agent-fleet/skills/content/skill-tree';
import { SkillError } from '@agent-fleet/skills/skill-error';
import type { OpenedSource } from '@agent-fleet/skills/sources/open-source';
import { parseSource, type SkillSource } from '@agent-fleet/skills/sources/skill-source';
import type { LockEntry, LockFile } from '../install/lock-file.ts';

/** What the lock file says about where a skill is from. */
export function toLockEntry(
  opened: OpenedSource,
  skill: FoundSkill,
  content: SkillContent,
  lock: LockFile,
  isGlobal: boolean,
): LockEntry {
  const { computedHash, installedHash } = content;
  return {
    ...(opened.source.kind === 'web'
      ? webFields(opened, isGlobal)
      : treeFields(opened, skill, content, lock, isGlobal)),
    computedHash,
    installedHash: installedHash === computedHash ? undefined : installedHash,
    commit: opened.commit,
    wellKnownDigest: opened.wellKnownDigest(skill, content),
  };
}

function treeFields(
  { source: { type, url, ref }, treeId }: OpenedSource,
  skill: FoundSkill,
  { computedHash }: SkillContent,
  lock: LockFile,
  isGlobal: boolean,
): LockEntry {
  const isGitHub = type === 'github';
  const source = isGitHub ? new URL(url).pathname.replace(/^\/|\.git$/g, '') : url;
  const skillPath = skill.folder === '' ? 'SKILL.md' : `${skill.folder}/SKILL.md`;
  return {
    source: type === 'local' ? lock.toPortable(url) : source,
    sourceUrl: isGlobal || type === 'git' || type === 'gitlab' ? url : undefined,
    ref,
    sourceType: type,
    skillPath: type === 'local' ? undefined : skillPath,
    ...(isGlobal && { skillFolderHash: (isGitHub ? treeId(skill) : undefined) ?? computedHash }),
  };
}

function webFields({ source: { type, url } }: OpenedSource, isGlobal: boolean): LockEntry {
  const isWellKnown = type === 'well-known';
  return {
    source: isWellKnown ? new URL(url).hostname.replace(/^www\./, '') : url,
    sourceUrl: url,
    ref: undefined,
    sourceType: type,
    skillPath: undefined,
    ...(isGlobal && { skillFolderHash: '', ...(isWellKnown && { sourceBaseUrl: url }) }),
  };
}

/**
 * Where the lock file says that a skill is from; undefined for types that only the `skills` package knows.
 * @throws SkillError if the entry names a source that is not allowed
 */
export function sourceOfEntry(key: string, entry: LockEntry, lock: LockFile): SkillSource | undefined {
  const { sourceType, source, sourceUrl, ref, skillPath } = entry;
  const folder = skillPath === undefined ? undefined : dirname(skillPath).replace(/^\.$/, '');
  const where = { ...(ref && { ref }), ...(folder === undefined ? { skill: key } : { path: folder }) };
  if (sourceType === 'local') return { kind: 'local', type: 'local', url: lock.toAbsolute(source), skill: key };
  const address = sourceType === 'github' ? source : (sourceUrl ?? source);
  if (sourceType === 'github' || sourceType === 'gitlab' || sourceType === 'git') {
    const parsed = parseSource(sourceType === 'git' && address.startsWith('/') ? `file://${address}` : address, '/');
    if (parsed.kind !== 'git') throw new SkillError(`${address} of ${key} is no repository`, `Add ${key} again.`);
    if (folder?.split('/').includes('..')) throw new SkillError(`The path of ${key} leads out`, `Add ${key} again.`);
    return { ...parsed, type: sourceType, ...where };
  }
  if (sourceType === 'well-known' || sourceType === 'download') {
    // The registry may be a fleet without TLS; a fetch from there is only allowed if it is the one in use.
    if (entry.registry && address.startsWith(`${entry.registry}/`))
      return { kind: 'web', type: sourceType, url: address };
    const base = (entry.sourceBaseUrl as string | undefined) ?? address;
    const parsed = parseSource(base.replace(/\/\.well-known\/.*$/, ''), '/');
    return parsed.kind === 'web' ? { ...parsed, skill: key } : undefined;
  }
  return undefined;
}
