import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { linkTo, type Order } from '@agent-fleet/shared/contract/paging';
import { type HttpError, validationError } from '@agent-fleet/shared/http/errors';
import type { Request, Response } from 'express';
import type { RequireAgent, RequireTask } from '../contract/not-found.ts';
import { visibleAgents } from '../contract/visible-agents.ts';
import type { listAgentEvents, listFleetEvents, listTaskEvents } from './contract.ts';
import { toEventJson } from './event.ts';
import { readMatchingEvents } from './event-filter.ts';
import type { createEventSource } from './event-source.ts';
import type { EventFilter, EventStore, EventStream } from './event-store.ts';
import type { EventStreams } from './event-streams.ts';
import { readLastEventId, wantsStream } from './stream-request.ts';

/** The operations on events: pages and streams. */
export function createEvents(
  store: EventStore,
  toSource: ReturnType<typeof createEventSource>,
  streams: EventStreams,
  requireAgent: RequireAgent,
  requireTask: RequireTask,
) {
  return {
    ofFleet: ({ query, req, res }: Input<typeof listFleetEvents>) =>
      respond({ filter: toFilter(query, visibleAgents(req)) }, query, req, res),

    async ofAgent({ params, query, req, res }: Input<typeof listAgentEvents>) {
      await requireAgent(params);
      return respond({ agentId: params.agent_id }, query, req, res);
    },

    async ofTask({ params, query, req, res }: Input<typeof listTaskEvents>) {
      await requireTask(params);
      return respond({ agentId: params.agent_id, taskId: params.task_id }, query, req, res);
    },
  };

  async function respond(
    stream: EventStream,
    { after, limit, order = 'asc' }: { after?: number; limit: number; order?: Order },
    req: Request,
    res: Response,
  ): Promise<Reply | undefined> {
    const isBackwards = order === 'desc';
    if (wantsStream(req)) {
      if (isBackwards) throw noStreamBackwards();
      await streams.open(toSource(stream), readLastEventId(req) ?? after, req, res);
      return undefined;
    }
    const { events, next, isLast } = await readMatchingEvents(
      isBackwards ? store.readBackwards : store.read,
      stream,
      after,
      limit,
    );
    const json = `[${events.map(({ number, event }) => toEventJson(number, event)).join(',')}]`;
    if (isLast || !(stream.filter || isBackwards)) return { status: 200, json };
    return { status: 200, json, headers: { link: linkTo(req.originalUrl, { after: next }, 'next') } };
  }
}

function noStreamBackwards(): HttpError {
  return validationError([{ path: 'order', code: 'invalid_value', message: 'must be asc for a stream' }]);
}

/** `visible`: the only agents that the caller may see. Undefined when all events match. */
function toFilter(
  { types, agent_type: agentType, agent_id }: Input<typeof listFleetEvents>['query'],
  visible: ReadonlySet<string> | undefined,
): EventFilter | undefined {
  const given = agent_id === undefined ? visible : new Set([agent_id].filter((id) => visible?.has(id) !== false));
  if (!types && agentType === undefined && !given) return undefined;
  return { types: types && new Set(types), agentType, agents: given };
}
