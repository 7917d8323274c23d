import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { startGitServer } from '@agent-fleet/scripts/testing/git-server';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { commitFiles } from '@agent-fleet/scripts/testing/skill-repository';

/** A skill that the registry has. */
export interface ListedSkill {
  skillFile: string | Buffer;
  source?: { url?: string; path?: string; ref?: string };
  digest?: string;
  digestOf?: 'skill_md' | 'folder';
  kind?: string;
  /** Over those that the registry sends with a SKILL.md; null leaves one out. */
  headers?: Record<string, string | null>;
  /** In the place of the SKILL.md. */
  respond?: (req: IncomingMessage, res: ServerResponse) => void;
}

export const sha256 = (bytes: string | Buffer) => `sha256:${hash('sha256', bytes)}`;
const reprDigest = (bytes: string | Buffer) => `sha-256=:${hash('sha256', bytes, 'base64')}:`;

/** The two paths of the registry that a worker asks, with the headers of the real one. */
export async function startRegistry(skills: Record<string, ListedSkill>) {
  const requests: IncomingMessage[] = [];
  const url = await serveUntilEnd((req, res) => {
    requests.push(req);
    const [, id = '', isFile] = /^\/api\/skills\/([^/]+)(\/skill\.md)?$/.exec(req.url ?? '') ?? [];
    const skill = skills[decodeURIComponent(id)];
    if (!skill) res.writeHead(404).end('{"detail":"Skill not found"}');
    else if (!isFile) res.end(JSON.stringify(toRecord(decodeURIComponent(id), skill)));
    else if (skill.respond) skill.respond(req, res);
    else sendFile(res, skill);
  });
  return { url, requests };
}

function toRecord(id: string, { source = {}, digest = undefined, digestOf, kind = 'skill' }: ListedSkill) {
  const { url = null, path = null, ref = null } = source;
  const fields = { digest: digest ?? null, digest_of: digest === undefined ? null : (digestOf ?? 'skill_md') };
  return { id, name: id, kind, source: { repo: null, url, path, ref }, ...fields };
}

function sendFile(res: ServerResponse, { skillFile, headers = {} }: ListedSkill): void {
  const sent = { 'content-type': 'text/markdown; charset=utf-8', 'repr-digest': reprDigest(skillFile), ...headers };
  for (const [name, value] of Object.entries(sent)) if (value !== null) res.setHeader(name, value);
  res.end(skillFile);
}

/** A repository on a Git server of this machine. */
export async function startRepository(files: Record<string, string | Buffer>) {
  const root = ownFolder();
  const folder = join(root, 'repo');
  const commit = commitFiles(folder, files);
  const server = await startGitServer(root);
  return { folder, commit, url: `${server.url}/repo/.git`, requests: server.requests };
}
