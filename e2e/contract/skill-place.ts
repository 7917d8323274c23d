import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RegistrySource, writeRegistryFile } from '../spec/registry-file.ts';

/** The name of the skill with a SKILL.md. */
export const FILE_SKILL = 'review-pull-request';
const FILE = `---\nname: ${FILE_SKILL}\ndescription: Reviews a change.\n---\n`;

/** A registry file with a skill whose SKILL.md is served on this machine. */
export async function openSkillPlace(): Promise<RegistrySource> {
  const server = createServer((_req, res) => res.end(FILE));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/SKILL.md`;
  const source = writeRegistryFile(JSON.stringify([{ name: FILE_SKILL, description: 'Reviews a change.', url }]));
  return {
    env: { ...source.env, REGISTRY_ALLOW_PRIVATE: 'true' },
    close() {
      server.close().closeAllConnections();
      source.close();
    },
  };
}
