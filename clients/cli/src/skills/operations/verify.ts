import { hash } from 'node:crypto';
import type { RegistrySkill } from '@agent-fleet/skills/registry';
import { hashLocation, type Location, readSkillFile } from '../install/locations.ts';
import type { LockEntry } from '../install/lock-file.ts';
import type { SkillsContext } from '../scope.ts';
import { type InstalledSkill, type ListedSkill, readInstalled, selectInstalled, stateOf } from './installed.ts';
import { readRecord } from './upstream.ts';

/** `skills verify` */
export interface VerifyResult {
  name: string;
  ok: boolean;
  /** The installed files, compared with the lock file. */
  files: ListedSkill['state'];
  /** The same compared with the digest of the registry; `none`: it has none, or the skill is not from it. */
  registry: 'same' | 'differs' | 'none';
  paths: string[];
}

/** Compares the files of all skills with the lock file, and with the registry they are from. */
export async function verifySkills(
  context: SkillsContext,
  names: readonly string[],
  { global: isGlobal = false }: { global?: boolean },
): Promise<VerifyResult[]> {
  const selected = selectInstalled(await readInstalled(context, isGlobal), names);
  const results: VerifyResult[] = [];
  for (const skill of selected) results.push(await verify(context, skill));
  return results;
}

async function verify(context: SkillsContext, { key, entry, locations }: InstalledSkill): Promise<VerifyResult> {
  const files = await stateOf(locations, entry);
  const record = entry && (await readRecord(context, entry));
  const folder = locations.find(({ kind }) => kind === 'folder');
  const registry = entry && record && folder ? await compareWithRegistry(record, entry, folder) : 'none';
  return {
    name: key,
    ok: (files === 'ok' || files === 'unknown') && registry !== 'differs',
    files,
    registry,
    paths: locations.map(({ path }) => path),
  };
}

async function compareWithRegistry(
  { digest, digest_of }: RegistrySkill,
  entry: LockEntry,
  location: Location,
): Promise<VerifyResult['registry']> {
  if (digest === null) return 'none';
  const hex = digest.replace(/^sha256:/, '');
  if (digest_of === 'skill_md') {
    const bytes = await readSkillFile(location);
    return bytes && hash('sha256', bytes) === hex ? 'same' : 'differs';
  }
  // The hash of the source has files that are not installed: it holds if the installed ones are those of the lock file.
  const hashes = (await hashLocation(location)) ?? [];
  const isInstalled = hashes.includes(entry.installedHash ?? entry.computedHash ?? '');
  return hashes.includes(hex) || (isInstalled && entry.computedHash === hex) ? 'same' : 'differs';
}
