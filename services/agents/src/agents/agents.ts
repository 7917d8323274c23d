import { ifMatch, preconditionFailed } from '@agent-fleet/shared/contract/conditions';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { timeOfId } from '@agent-fleet/shared/ids';
import { auditOf } from '../audit/audit.ts';
import { toPageReply } from '../contract/lists.ts';
import { agentNotFound } from '../contract/not-found.ts';
import type { AgentParams } from '../contract/parameters.ts';
import { AGENTS, quotaExceeded, quotaOf } from '../contract/quotas.ts';
import { visibleAgents } from '../contract/visible-agents.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { AgentStore } from './agent-store.ts';
import type { Agent, AgentsContract } from './contract.ts';

/**
 * The operations on agents. `purge` removes the tasks of one, in steps; `maxAgents`: the quota of each principal; 0:
 * none.
 */
export function createAgents(
  { clock }: FleetContext,
  store: AgentStore,
  idempotency: Idempotency,
  purge: (agentId: string) => Promise<void>,
  maxAgents: number,
) {
  return {
    async list({ query, req }: Input<AgentsContract['list']>): Promise<Reply> {
      const { skip, limit, order, after, fields, ...filter } = query;
      const page = { skip, limit, order, after };
      const found = await store.list(filter, page, fields, visibleAgents(req));
      return toPageReply(req.originalUrl, page, found, fields);
    },

    async create({ body, req }: Input<AgentsContract['create']>): Promise<Reply> {
      const { name, type } = body;
      const created = await idempotency(
        req,
        (id, kept) => {
          const created_at = timeOfId(id).toISOString();
          const agent: Agent = { id, name, type, status: 'idle', created_at };
          return store.create(agent, kept, quotaOf(req, maxAgents), auditOf(req, 'agent.created', id));
        },
        toCreated,
      );
      if (created.outcome === 'full') throw quotaExceeded(AGENTS);
      return created.outcome === 'created' ? toCreated(created.json) : created.reply;
    },

    async read({ params }: Input<AgentsContract['read']>): Promise<Reply> {
      const json = await store.read(params.agent_id);
      if (json === undefined) throw agentNotFound();
      return { status: 200, json, etag: etagOf(json) };
    },

    async replace({ params, body, req }: Input<AgentsContract['replace']>): Promise<Reply> {
      const { agent_id } = params;
      const audit = auditOf(req, 'agent.replaced', agent_id);
      const replaced = await store.replace(agent_id, body, ifMatch(req.headers['if-match']), clock.now(), audit);
      if (replaced.outcome === 'missing') throw agentNotFound();
      if (replaced.outcome === 'stale') throw preconditionFailed();
      return { status: 200, json: replaced.json, etag: etagOf(replaced.json) };
    },

    async delete({ params, req }: Input<AgentsContract['delete']>): Promise<Reply> {
      const { agent_id } = params;
      const audit = auditOf(req, 'agent.deleted', agent_id);
      const deleted = await store.delete(agent_id, ifMatch(req.headers['if-match']), clock.now(), audit);
      if (deleted.outcome === 'missing') throw agentNotFound();
      if (deleted.outcome === 'stale') throw preconditionFailed();
      await purge(agent_id);
      return { status: 204 };
    },

    /** @throws 404 when there is no such agent */
    async requireAgent({ agent_id }: AgentParams): Promise<void> {
      if (!(await store.exists(agent_id))) throw agentNotFound();
    },
  };
}

function toCreated(json: string): Reply {
  const { id } = JSON.parse(json) as Agent;
  return { status: 201, json, etag: etagOf(json), headers: { location: `/agents/${id}` } };
}
