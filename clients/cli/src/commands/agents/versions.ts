import type { components } from '@agent-fleet/sdk';
import { relativeTime } from '@agent-fleet/sdk/words';
import { type Content, changeLines, changesOf } from '../../agent-files/content.ts';
import type { Context } from '../../context.ts';
import { CliError, EXIT } from '../../errors.ts';
import { findAgentId, toInteger } from '../../lookup.ts';
import type { Line } from '../../output/output.ts';

export type Definition = components['schemas']['Definition'];

/** The current version and its tag. @throws CliError without one */
async function readCurrent({ fleet, signal }: Context, agent_id: string) {
  const params = { path: { agent_id }, query: { optional: true } };
  const { data, response } = await fleet().get('/agents/{agent_id}/definition', { params, signal });
  if (!data) throw new CliError(EXIT.failed, 'not_found', 'The agent has no definition', 'fleet apply gives it one.');
  return { definition: data, etag: response.headers.get('etag') ?? undefined };
}

async function readVersion({ fleet, signal }: Context, agent_id: string, text: string): Promise<Definition> {
  const version = `${toInteger('a version', text, 1, 999_999_999)}`;
  const params = { path: { agent_id, version } };
  return (await fleet().get('/agents/{agent_id}/definition/versions/{version}', { params, signal })).data;
}

/** By default, the current version is compared with the one before it. */
export async function diff(context: Context, ref: string, from?: string, to?: string): Promise<void> {
  const agentId = await findAgentId(context, ref);
  const after = to ? await readVersion(context, agentId, to) : (await readCurrent(context, agentId)).definition;
  const number = from ?? `${after.version - 1}`;
  const before = number === '0' ? null : await readVersion(context, agentId, number);
  const changes = changesOf(before as Content | null, after);
  const title = `Version ${number} to ${after.version}`;
  const lines: Line[] = changes.length > 0 ? changeLines(changes) : ['No difference'];
  context.out.record({ id: agentId, from: Number(number), to: after.version, changes }, () => [title, ...lines]);
}

/** Stores the content of an earlier version as a new one. */
export async function rollback(
  context: Context,
  ref: string,
  version: string,
  { note = `Back to version ${version}` }: { note?: string },
): Promise<void> {
  const { fleet, out, signal } = context;
  const path = { agent_id: await findAgentId(context, ref) };
  const { created_at, created_by, version: number, ...content } = await readVersion(context, path.agent_id, version);
  const { definition, etag } = await readCurrent(context, path.agent_id);
  const print = (current: number, text: string) =>
    out.record({ id: path.agent_id, version: current }, () => [`${text} of version ${number}`]);
  if (changesOf(definition, content).length === 0) {
    print(definition.version, `Nothing to do: version ${definition.version} has the content`);
    return;
  }
  const body = { ...content, note } as object;
  const params = { path, header: { 'If-Match': etag }, query: { allow_unknown_skills: true } };
  const { data } = await fleet().put('/agents/{agent_id}/definition', { params, body, signal });
  print(data.version, `Version ${data.version} has the content`);
}

/** What `agents show` tells of a definition. */
export function definitionFields(definition: Definition | null | undefined): (readonly [string, string | undefined])[] {
  if (!definition) return [];
  const { version, created_at, created_by, note, description } = definition;
  const by = created_by ? ` by ${created_by.name}` : '';
  return [
    ['definition', `version ${version}, ${relativeTime(created_at)}${by}${note ? `: ${note}` : ''}`],
    ['description', description ?? undefined],
  ];
}
