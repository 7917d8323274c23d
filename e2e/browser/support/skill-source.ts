import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '@agent-fleet/scripts/services';

const SHIPPED = pathToFileURL(join(ROOT, 'services/registry/skills/')).href;
/** The path of each skill's own file. */
const FILE = /^\/skills\/(\d+)\/SKILL\.md$/;

/** A skill of the source, with its SKILL.md. */
export interface SourceSkill {
  file: string;
  /** Of the response with the file; default 200. */
  fileStatus?: number;
  [field: string]: unknown;
}

/** Serves a registry file and the SKILL.md files of its skills on this machine. */
export interface SkillSource {
  /** Variables of a registry that has these skills, and those that ship with the project. */
  env: NodeJS.ProcessEnv;
  close(): void;
}

export async function openSkillSource(skills: readonly SourceSkill[]): Promise<SkillSource> {
  const server = createServer((req, res) => {
    const [, at] = FILE.exec(req.url ?? '') ?? [];
    if (at === undefined) res.setHeader('content-type', 'application/json').end(JSON.stringify(records));
    else res.writeHead(skills[Number(at)]?.fileStatus ?? 200).end(skills[Number(at)]?.file);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const records = skills.map(({ file, fileStatus, ...skill }, at) => ({
    ...skill,
    url: `${base}/skills/${at}/SKILL.md`,
  }));
  return {
    env: { REGISTRY_SOURCE_URL: `${SHIPPED},${base}/registry.json`, REGISTRY_ALLOW_PRIVATE: 'true' },
    close: () => void server.close().closeAllConnections(),
  };
}
