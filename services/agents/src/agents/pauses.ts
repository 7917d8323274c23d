import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { auditOf } from '../audit/audit.ts';
import { agentNotFound, agentNotPaused } from '../contract/not-found.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { AgentStore } from './agent-store.ts';
import type { pauseAgent, readPause, resumeAgent } from './pause-contract.ts';

/** The operations that pause and resume agents. */
export function createPauses({ clock }: FleetContext, store: AgentStore) {
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
