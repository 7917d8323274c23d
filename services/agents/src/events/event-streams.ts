import { httpError } from '@agent-fleet/shared/http/errors';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { Logger } from '@agent-fleet/shared/logger';
import type { Request, Response } from 'express';
import type { EventStore, EventStream } from './event-store.ts';
import type { Feed, FeedEvent } from './feed.ts';
import { StreamClient } from './stream-client.ts';

const COMMENT_EVERY_MS = 15_000;
const DRAIN_MS = 30_000;
const MAX_STREAMS = 5_000;

/** Open streams of Server-Sent Events. */
export interface EventStreams {
  /**
   * Answers with events after number `after`, or from now on (a task's: from its first), until the client goes or there can be no more;
   * 204, which tells a client not to come again, when there is nothing after the end of a task.
   */
  open(stream: EventStream, after: number | undefined, req: Request, res: Response): Promise<void>;
  /** Ends all streams: their clients come back, to another replica. */
  close(): void;
}

interface Dependencies {
  store: EventStore;
  feed: Feed;
  /** Whether the task of a stream has ended. */
  hasEnded: (stream: EventStream) => Promise<boolean>;
  logger: Logger;
  /** How long a client may read nothing while there is something for it. Default: 30 s. */
  drainMs?: number;
}

export function createEventStreams({ store, feed, hasEnded, logger, drainMs = DRAIN_MS }: Dependencies): EventStreams {
  const open = new Set<Response>();
  let closed = false;

  return {
    async open(stream, after, req, res) {
      if (open.size >= MAX_STREAMS || closed) {
        throw httpError('overloaded', 'Too many streams at once; try again', { headers: { 'retry-after': '1' } });
      }
      const client = new StreamClient(stream, { store, hasEnded, res, drainMs });
      const offs = [feed.on(keyOf(stream), (event) => client.take(event)), listenForRemoval(stream, res)];
      const comments = setInterval(() => client.comment(), COMMENT_EVERY_MS);
      open.add(res);
      const leave = () => {
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
        logger.debug({ err: error }, 'a stream of events is broken off');
        res.destroy();
      }
    },

    close() {
      closed = true;
      for (const res of open) res.end();
    },
  };

  /** The events of a task do not tell that its agent was deleted. */
  function listenForRemoval({ agentId, taskId }: EventStream, res: Response): () => void {
    if (taskId === undefined) return () => {};
    return feed.on(`agent:${agentId}`, (event) => event && isRemoval(event) && res.end());
  }
}

function isRemoval({ taskId, status }: FeedEvent): boolean {
  return taskId === '' && status === 'deleted';
}

function keyOf({ agentId, taskId }: EventStream): string {
  if (taskId !== undefined) return `task:${taskId}`;
  return agentId === undefined ? 'fleet' : `agent:${agentId}`;
}
