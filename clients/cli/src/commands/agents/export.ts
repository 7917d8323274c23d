import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Agent } from '@agent-fleet/sdk';
import { toAgentFile } from '../../agent-files/agent-file.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { findAgentId, take } from '../../lookup.ts';

type Named = Pick<Agent, 'id' | 'name' | 'type'>;

interface ExportOptions {
  folder?: string;
  owner?: string;
}

/** One agent to stdout, or all agents as files of a folder. */
export async function exportAgents(
  context: Context,
  ref: string | undefined,
  { folder, owner }: ExportOptions,
): Promise<void> {
  const { fleet, out, signal, cwd } = context;
  if (ref !== undefined) {
    const path = { agent_id: await findAgentId(context, ref) };
    const { data } = await fleet().get('/agents/{agent_id}', { params: { path }, signal });
    out.exact(await toText(context, data));
    return;
  }
  if (folder === undefined) throw usageError('Name an agent, or a folder for all of them by --folder');
  const files = new Map<string, string>();
  for (const agent of await listAgents(context, owner)) {
    files.set(nameFor(agent.name, files), await toText(context, agent));
  }
  mkdirSync(resolve(cwd, folder), { recursive: true });
  for (const [name, text] of files) writeFileSync(resolve(cwd, folder, name), text);
  out.record({ files: [...files.keys()].map((name) => join(folder, name)) }, ({ files: written }) => written);
}

/** By name, so that the same agents have the same files in every fleet. */
async function listAgents({ fleet, signal }: Context, owner: string | undefined): Promise<Named[]> {
  const query = { fields: 'name,type', limit: 1_000, owner };
  const listed = fleet().paginate('/agents', { params: { query }, signal });
  const agents = (await take(listed, Number.POSITIVE_INFINITY)) as Named[];
  return agents.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}

async function toText({ fleet, signal }: Context, agent: Named): Promise<string> {
  const params = { path: { agent_id: agent.id }, query: { optional: true } };
  const { data } = await fleet().get('/agents/{agent_id}/definition', { params, signal });
  return toAgentFile(agent, data);
}

/** Such as `release-notes.md`, `release-notes-2.md` where another agent has the same letters. */
function nameFor(name: string, taken: ReadonlyMap<string, string>): string {
  const words =
    name
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const start = [...words.join('-')].slice(0, 60).join('') || 'agent';
  for (let number = 1; ; number++) {
    const file = `${start}${number > 1 ? `-${number}` : ''}.md`;
    if (!taken.has(file)) return file;
  }
}
