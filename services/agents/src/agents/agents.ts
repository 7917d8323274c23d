import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import { detailError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { isId, timeOfId } from '../ids.ts';
import { ifMatch } from '../if-match.ts';
import type { AgentStore, Changed } from './agent-store.ts';
import type { Agent, AgentsContract } from './contract.ts';

export function agentNotFound(): HttpError {
  return detailError(404, 'Agent not found');
}

/** The operations on agents. */
export function createAgents(store: AgentStore) {
  return {
    async list({ query, req }: Input<AgentsContract['list']>): Promise<Reply> {
      const { skip, limit, ...filter } = query;
      const { json, total, passed } = await store.list(filter, { skip, limit });
      return { status: 200, json, headers: pageHeaders(req.originalUrl, { skip, limit }, total, passed) };
    },

    async create({ body }: Input<AgentsContract['create']>, id: string): Promise<Reply> {
      const created_at = timeOfId(id).toISOString();
      const agent: Agent = { id, name: body.name, type: body.type, status: 'idle', created_at };
      const json = await store.create(agent);
      return { status: 201, json, etag: etagOf(json), headers: { location: `/agents/${id}` } };
    },

    async read({ params }: Input<AgentsContract['read']>): Promise<Reply> {
      const json = isId(params.agent_id) ? await store.read(params.agent_id) : null;
      if (json === null) throw agentNotFound();
      return { status: 200, json, etag: etagOf(json) };
    },

    async replace({ params, body, req }: Input<AgentsContract['replace']>): Promise<Reply> {
      await requireAgent(params);
      const json = accepted(await store.replace(params.agent_id, body, ifMatch(req.headers['if-match'])));
      return { status: 200, json, etag: etagOf(json) };
    },

    async delete({ params, req }: Input<AgentsContract['delete']>): Promise<Reply> {
      await requireAgent(params);
      accepted(await store.delete(params.agent_id, ifMatch(req.headers['if-match'])));
      return { status: 204 };
    },

    requireAgent,
  };

  /** Called before a change, so that a missing agent costs no outbox entry. @throws 404 when there is no such agent */
  async function requireAgent({ agent_id }: { agent_id: string }): Promise<void> {
    if (!isId(agent_id) || !(await store.exists(agent_id))) throw agentNotFound();
  }
}

function accepted<T extends string>(changed: Changed<T>): T {
  if (changed === 'missing') throw agentNotFound();
  if (changed === 'stale') throw httpError('precondition_failed', 'The record has changed; read it again');
  return changed as T;
}
