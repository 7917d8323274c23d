import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The name of the skill with a SKILL.md. */
export const FILE_SKILL = 'review-pull-request';
const FILE = `---\nname: ${FILE_SKILL}\ndescription: Reviews a change.\n---\n`;

/** A registry file with a skill whose SKILL.md is served on this machine. */
export interface SkillPlace {
  /** Variables of the registry. */
  env: NodeJS.ProcessEnv;
  close(): void;
}

export async function openSkillPlace(): Promise<SkillPlace> {
  const server = createServer((_req, res) => res.end(FILE));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/SKILL.md`;
  const dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-place-'));
  const file = join(dir, 'registry.json');
  writeFileSync(file, JSON.stringify([{ name: FILE_SKILL, description: 'Reviews a change.', url }]));
  return {
    env: { REGISTRY_SOURCE_URL: pathToFileURL(file).href, REGISTRY_ALLOW_PRIVATE: 'true' },
    close() {
      server.close().closeAllConnections();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
