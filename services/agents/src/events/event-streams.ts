import { overloaded } from '@agent-fleet/shared/http/errors';
import { REQUEST_ID_HEADER } from '@agent-fleet/shared/http/request-id';
import type { Request, Response } from 'express';
import type { Admit } from '../contract/quotas.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { StreamClient } from './stream-client.ts';
import type { StreamItem, StreamSource } from './stream-source.ts';

const COMMENT_EVERY_MS = 15_000;
const STALLED_MS = 30_000;
const MAX_STREAMS = 5_000;

export type EventStreams = ReturnType<typeof createEventStreams>;

/**
 * Serves Server-Sent Events. `admit` limits the streams of each principal. `stalledMs`: how long a client may read
 * nothing while data waits for it.
 */
export function createEventStreams({ logger }: FleetContext, admit: Admit, stalledMs = STALLED_MS) {
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
