import { ifMatch, preconditionFailed } from '@agent-fleet/shared/contract/conditions';
import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { semanticError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { timeOfId } from '@agent-fleet/shared/ids';
import { auditOf } from '../audit/audit.ts';
import { AGENTS, quotaExceeded, quotaOf, visibleAgents } from '../contract/callers.ts';
import { toPageReply } from '../contract/lists.ts';
import { agentNotFound, agentNotPaused, type RequireAgent } from '../contract/parameters.ts';
import { toContent } from '../definitions/definition.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { FindUnknownSkill } from '../skills/unknown-skills.ts';
import { AgentStore } from './agent-store.ts';
import type { Agent, AgentsContract } from './contract.ts';
import type { pauseAgent, readPause, resumeAgent } from './pause-contract.ts';

/** How long the request that deletes an agent removes its tasks, before it leaves them to the background job. */
const PURGE_IN_REQUEST_MS = 1_000;

/** Removes the tasks of a deleted agent, in steps that can be repeated. */
export type Purge = (agentId: string, signal: AbortSignal) => Promise<void>;

interface AgentParts {
  idempotency: Idempotency;
  purge: Purge;
  findUnknownSkill: FindUnknownSkill;
}

export type Agents = ReturnType<typeof createAgents>;

export function createAgents(context: FleetContext, parts: AgentParts) {
  const store = new AgentStore(context);
  /** @throws 404 when there is no such agent */
  const requireAgent: RequireAgent = async ({ agent_id }) => {
    if (!(await store.exists(agent_id))) throw agentNotFound();
  };
  const operations = { ...createOperations(context, store, parts), ...createPauses(context, store) };
  return {
    operations: { ...operations, requireAgent },
    exists: (agentId: string) => store.exists(agentId),
    requireAgent,
  };
}

function createOperations({ config, clock, logger }: FleetContext, store: AgentStore, parts: AgentParts) {
  const { idempotency, purge, findUnknownSkill } = parts;
  return {
    async list({ query, req }: Input<AgentsContract['list']>): Promise<Reply> {
      const { skip, limit, order, after, fields, ...filter } = query;
      const page = { skip, limit, order, after };
      const found = await store.list(filter, page, fields, visibleAgents(req));
      return toPageReply(req.originalUrl, page, found, fields);
    },

    async check({ query, body }: Input<AgentsContract['check']>): Promise<Reply> {
      const unknown = query.allow_unknown_skills ? undefined : await findUnknownSkill(body.definition?.skills);
      if (unknown) throw semanticError({ ...unknown, path: `definition.${unknown.path}` });
      return json({ definition: body.definition ? toContent(body.definition) : null });
    },

    async create({ query, body, req }: Input<AgentsContract['create']>): Promise<Reply> {
      const { name, type } = body;
      const created = await idempotency(
        req,
        (id, kept) => {
          const created_at = timeOfId(id).toISOString();
          const agent: Agent = { id, name, type, status: 'idle', created_at };
          const quota = quotaOf(req, config.quotas.agents);
          return store.create(agent, { kept, quota, audit: auditOf(req, 'agent.created', id), mark: query.owner });
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

    async replace({ params, query, body, req }: Input<AgentsContract['replace']>): Promise<Reply> {
      const { agent_id } = params;
      const audit = auditOf(req, 'agent.replaced', agent_id);
      const etags = ifMatch(req.headers['if-match']);
      const replaced = await store.replace(agent_id, body, { etags, at: clock.now(), audit, mark: query.owner });
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
      await purge(agent_id, AbortSignal.timeout(PURGE_IN_REQUEST_MS)).catch((error: unknown) =>
        logger.debug({ err: error, agent_id }, 'left the tasks of an agent to the background job'),
      );
      return { status: 204 };
    },
  };
}

function toCreated(json: string): Reply {
  const { id } = JSON.parse(json) as Agent;
  return { status: 201, json, etag: etagOf(json), headers: { location: `/agents/${id}` } };
}

/** The operations that pause and resume agents. */
function createPauses({ clock }: FleetContext, store: AgentStore) {
  return {
    async readPause({ params, query }: Input<typeof readPause>): Promise<Reply> {
      const pause = await store.readPause(params.agent_id);
      if (pause === undefined) throw agentNotFound();
      if (pause === null && !query.optional) throw agentNotPaused();
      return json(pause);
    },

    async pause({ params, body, req }: Input<typeof pauseAgent>): Promise<Reply> {
      const audit = auditOf(req, 'agent.paused', params.agent_id);
      const pause = await store.pause(params.agent_id, body?.reason ?? null, clock.now(), audit);
      if (!pause) throw agentNotFound();
      return json(pause);
    },

    async resume({ params, req }: Input<typeof resumeAgent>): Promise<Reply> {
      const audit = auditOf(req, 'agent.resumed', params.agent_id);
      if (!(await store.resume(params.agent_id, clock.now(), audit))) throw agentNotFound();
      return { status: 204 };
    },
  };
}
