import { overloaded, validationError } from '@agent-fleet/shared/http/errors';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { Request, Response } from 'express';
import { createAdmit, STREAMS } from '../contract/callers.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { StreamClient, type StreamItem, type StreamSource } from './stream-client.ts';

const COMMENT_EVERY_MS = 15_000;
const STALLED_MS = 30_000;
const MAX_STREAMS = 5_000;

export type EventStreams = ReturnType<typeof createEventStreams>;

/**
 * Serves Server-Sent Events. `stalledMs`: how long a client may read nothing while data waits for it.
 */
export function createEventStreams({ config, logger }: FleetContext, stalledMs = STALLED_MS) {
  const admit = createAdmit(config.quotas.streams, STREAMS);
  const open = new Set<Response>();
  let closed = false;

  return {
    /**
     * Streams items after number `after`, or from where a stream of the source starts by default, until the client
     * disconnects or the stream ends. Responds with 204, which tells clients not to reconnect, after the last item of
     * an ended task.
     */
    async open<Item extends StreamItem>(
      source: StreamSource<Item>,
      after: number | undefined,
      req: Request,
      res: Response,
    ): Promise<void> {
      if (open.size >= MAX_STREAMS || closed) {
        throw overloaded('Too many streams at once; try again', 'event_streams');
      }
      // Nobody would end the stream.
      if (res.closed) return;
      const release = admit(res);
      const client = new StreamClient(source, { res, stalledMs });
      const unsubscribe = source.subscribe({
        onItem: (item) => client.onItem(item),
        onDelta: (json) => client.onDelta(json),
        onChange: (mayHaveEnded) => client.onChange(mayHaveEnded),
        onGone: () => res.end(),
      });
      const comments = setInterval(() => client.comment(), COMMENT_EVERY_MS);
      open.add(res);
      const leave = () => {
        release();
        unsubscribe();
        clearInterval(comments);
        open.delete(res);
      };
      res.on('close', leave);
      try {
        await client.begin(after, req.headers[REQUEST_ID_HEADER] as string);
      } catch (error) {
        leave();
        if (!res.headersSent) throw error;
        logger.debug({ err: error, request_id: req.headers[REQUEST_ID_HEADER] }, 'event stream failed');
        res.destroy();
      }
    },

    /** Ends all streams; clients reconnect to another replica. */
    close(): void {
      closed = true;
      for (const res of open) res.end();
    },
  };
}

const ITEM_ID = /^\d{1,16}$/;

/** Whether the client prefers a stream of Server-Sent Events to JSON. */
export function wantsStream(req: Request): boolean {
  return req.method === 'GET' && req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
}

/** The number after which a client resumes. @throws 400 */
export function readLastEventId({ headers }: Request): number | undefined {
  const id = headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (typeof id === 'string' && ITEM_ID.test(id) && Number(id) <= Number.MAX_SAFE_INTEGER) return Number(id);
  throw validationError([{ path: 'Last-Event-ID', code: 'invalid_value', message: 'must be the id of an event' }]);
}
