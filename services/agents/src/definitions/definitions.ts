import { ifMatch, preconditionFailed } from '@agent-fleet/shared/contract/conditions';
import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { semanticError } from '@agent-fleet/shared/http/errors';
import { etagOf } from '@agent-fleet/shared/http/etag';
import { auditOf } from '../audit/audit.ts';
import { originOf } from '../contract/callers.ts';
import { readPage, toPageReply } from '../contract/lists.ts';
import { agentNotFound } from '../contract/parameters.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { FindUnknownSkill } from '../skills/unknown-skills.ts';
import {
  definitionsTooLarge,
  type deleteDefinition,
  type listVersions,
  noDefinition,
  type putDefinition,
  type readDefinition,
  type readVersion,
  versionNotFound,
} from './contract.ts';
import { toContent } from './definition.ts';
import type { DefinitionStore } from './definition-store.ts';

/** The operations on definitions of agents. */
export function createDefinitions({ clock }: FleetContext, store: DefinitionStore, findUnknownSkill: FindUnknownSkill) {
  /** The number of the current version. @throws 404 when there is no such agent */
  async function requireCurrent(agentId: string): Promise<number> {
    const version = await store.readCurrent(agentId);
    if (version === undefined) throw agentNotFound();
    return version;
  }

  return {
    async read({ params, query }: Input<typeof readDefinition>): Promise<Reply> {
      const version = await requireCurrent(params.agent_id);
      const stored = version === 0 ? undefined : await store.read(params.agent_id, version);
      if (!stored && !query.optional) throw noDefinition();
      return stored ? toReply(stored.json) : json(null);
    },

    async put({ params, query, body, req }: Input<typeof putDefinition>): Promise<Reply> {
      const { agent_id } = params;
      const unknown = query.allow_unknown_skills ? undefined : await findUnknownSkill(body.skills);
      if (unknown) throw semanticError(unknown);
      const put = await store.put(agent_id, toContent(body), {
        at: clock.now(),
        by: originOf(req).created_by,
        etags: ifMatch(req.headers['if-match']),
        audit: auditOf(req, 'agent.definition_replaced', agent_id),
      });
      if ('json' in put) return toReply(put.json, put.outcome === 'created' ? 201 : 200);
      if (put.outcome === 'missing') throw agentNotFound();
      throw put.outcome === 'stale' ? preconditionFailed() : definitionsTooLarge();
    },

    async delete({ params, req }: Input<typeof deleteDefinition>): Promise<Reply> {
      const { agent_id } = params;
      const audit = auditOf(req, 'agent.definition_deleted', agent_id);
      const etags = ifMatch(req.headers['if-match']);
      const outcome = await store.delete(agent_id, { at: clock.now(), etags, audit });
      if (outcome === 'missing') throw agentNotFound();
      if (outcome === 'stale') throw preconditionFailed();
      return { status: 204 };
    },

    async listVersions({ params, query, req }: Input<typeof listVersions>): Promise<Reply> {
      const { agent_id } = params;
      await requireCurrent(agent_id);
      const { skip, limit, order } = query;
      const total = await store.readLast(agent_id);
      const count = Math.max(0, Math.min(limit, total - skip));
      const ids = Array.from({ length: count }, (_, at) => `${order === 'desc' ? total - skip - at : skip + at + 1}`);
      const found = await readPage({ ids, total, passed: count }, (step) => store.readRecords(agent_id, step));
      return toPageReply(req.originalUrl, query, { ...found, records: found.records.map(withoutTexts) });
    },

    async readVersion({ params }: Input<typeof readVersion>): Promise<Reply> {
      const { agent_id, version } = params;
      await requireCurrent(agent_id);
      const stored = /^[1-9]\d{0,8}$/.test(version) ? await store.read(agent_id, Number(version)) : undefined;
      if (!stored) throw versionNotFound();
      return toReply(stored.json);
    },
  };
}

function toReply(record: string, status = 200): Reply {
  return { status, json: record, etag: etagOf(record) };
}

/** A record as lists have it. */
function withoutTexts(record: string): string {
  const { instructions, output_schema, ...listed } = JSON.parse(record);
  return JSON.stringify(listed);
}
