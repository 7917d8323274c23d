import { overloaded } from '@agent-fleet/shared/http/errors';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { Request, Response } from 'express';
import type { Admit } from '../contract/quotas.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { EventStore, EventStream } from './event-store.ts';
import type { Feed } from './feed.ts';
import { type FindEnd, StreamClient } from './stream-client.ts';

const COMMENT_EVERY_MS = 15_000;
const STALLED_MS = 30_000;
const MAX_STREAMS = 5_000;

export type EventStreams = ReturnType<typeof createEventStreams>;

/**
 * Serves Server-Sent Events. `admit` limits the streams of each principal. `stalledMs`: how long a client may read
 * nothing while data waits for it.
 */
export function createEventStreams(
  { logger }: FleetContext,
  store: EventStore,
  feed: Feed,
  findEnd: FindEnd,
  admit: Admit,
  stalledMs = STALLED_MS,
) {
  const open = new Set<Response>();
  let closed = false;

  return {
    /**
     * Streams events after number `after`, or new ones (for a task: from its first), until the client disconnects or
     * the stream ends. Responds with 204, which tells clients not to reconnect, after the last event of an ended task.
     */
    async open(stream: EventStream, after: number | undefined, req: Request, res: Response): Promise<void> {
      if (open.size >= MAX_STREAMS || closed) {
        throw overloaded('Too many streams at once; try again');
      }
      // Nobody would end the stream.
      if (res.closed) return;
      const release = admit(res);
      const client = new StreamClient(stream, { store, findEnd, res, stalledMs });
      const offs = [feed.on(topicOf(stream), (event) => client.onEvent(event)), onAgentDeleted(stream, res)];
      const comments = setInterval(() => client.comment(), COMMENT_EVERY_MS);
      open.add(res);
      const leave = () => {
        release();
        for (const off of offs) off();
        clearInterval(comments);
        open.delete(res);
      };
      res.on('close', leave);
      try {
        await client.begin(after, req.headers[REQUEST_ID_HEADER] as string);
      } catch (error) {
        leave();
        if (!res.headersSent) throw error;
        logger.debug({ err: error }, 'event stream failed');
        res.destroy();
      }
    },

    /** Ends all streams; clients reconnect to another replica. */
    close(): void {
      closed = true;
      for (const res of open) res.end();
    },
  };

  /** Ends the stream of a task when its agent is deleted; the events of the task do not show that. */
  function onAgentDeleted({ agentId, taskId }: EventStream, res: Response): () => void {
    if (taskId === undefined) return () => {};
    return feed.on(`agent:${agentId}`, (event) => event?.type === 'agent.deleted' && res.end());
  }
}

function topicOf({ agentId, taskId }: EventStream): string {
  if (taskId !== undefined) return `task:${taskId}`;
  return agentId === undefined ? 'fleet' : `agent:${agentId}`;
}
