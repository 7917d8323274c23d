import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { type RegistrySource, writeRegistryFile } from '../spec/registry-file.ts';

/** The name of the skill with a SKILL.md. */
export const FILE_SKILL = 'review-pull-request';
const FILE = `---\nname: ${FILE_SKILL}\ndescription: Reviews a change.\n---\n`;

/** A registry file with a skill whose SKILL.md is served on this machine until the tests end. */
export async function openSkillPlace(): Promise<RegistrySource> {
  const url = `${await serveUntilEnd((_req, res) => res.end(FILE))}/SKILL.md`;
  const { env, close } = writeRegistryFile(
    JSON.stringify([{ name: FILE_SKILL, description: 'Reviews a change.', url }]),
  );
  return { env: { ...env, REGISTRY_ALLOW_PRIVATE: 'true' }, close };
}
