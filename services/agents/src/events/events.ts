import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { linkTo, type Order } from '@agent-fleet/shared/contract/paging';
import { type HttpError, validationError } from '@agent-fleet/shared/http/errors';
import type { Request, Response } from 'express';
import { visibleAgents } from '../contract/callers.ts';
import type { RequireAgent, RequireTask } from '../contract/parameters.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { listAgentEvents, listFleetEvents, listTaskEvents } from './contract.ts';
import { toEventJson } from './event.ts';
import { createEventSource } from './event-source.ts';
import { type EventFilter, EventStore, type EventStream, type ReadEvents, readMatchingEvents } from './event-store.ts';
import { type EventStreams, readLastEventId, wantsStream } from './event-streams.ts';
import type { Feed } from './feed.ts';
import type { StreamEnd } from './stream-client.ts';

interface EventParts {
  feed: Feed;
  streams: EventStreams;
  agents: { requireAgent: RequireAgent; exists(agentId: string): Promise<boolean> };
  tasks: { requireTask: RequireTask; reader: { findEnd(agentId: string, taskId: string): Promise<StreamEnd> } };
}

/** The operations on events: pages and streams. */
export function createEvents(context: FleetContext, { feed, streams, agents, tasks }: EventParts) {
  const store = new EventStore(context);
  const toSource = createEventSource(context, { store, feed, findEnd });

  async function findEnd({ agentId, taskId }: EventStream): Promise<StreamEnd> {
    if (agentId === undefined) return 'open';
    if (taskId !== undefined) return tasks.reader.findEnd(agentId, taskId);
    return (await agents.exists(agentId)) ? 'open' : 'gone';
  }

  return {
    ofFleet: ({ query, req, res }: Input<typeof listFleetEvents>) =>
      respond({ filter: toFilter(query, visibleAgents(req)) }, query, req, res),

    async ofAgent({ params, query, req, res }: Input<typeof listAgentEvents>) {
      await agents.requireAgent(params);
      return respond({ agentId: params.agent_id }, query, req, res);
    },

    async ofTask({ params, query, req, res }: Input<typeof listTaskEvents>) {
      await tasks.requireTask(params);
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
    const read: ReadEvents = (...page) => (isBackwards ? store.readBackwards(...page) : store.read(...page));
    const { events, next, isLast } = await readMatchingEvents(read, stream, after, limit);
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
