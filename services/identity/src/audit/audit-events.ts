import { once } from 'node:events';
import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { linkTo } from '@agent-fleet/shared/contract/paging';
import { overloaded } from '@agent-fleet/shared/http/errors';
import type { Logger } from '@agent-fleet/shared/logger';
import type { Response } from 'express';
import { type AuditEvent, toAuditId } from './audit-event.ts';
import type { AuditStore } from './audit-store.ts';
import type { listAuditEvents } from './contract.ts';

const DEFAULT_LIMIT = 100;
const NDJSON = 'application/x-ndjson';
/** Each holds one batch of events. */
const MAX_EXPORTS = 20;
/** A client that reads nothing for so long is disconnected. */
const STALLED_MS = 30_000;

/** The operation on the audit trail. */
export function createAuditEvents(store: AuditStore, logger: Logger) {
  let exports = 0;

  /** Writes batches as the client reads them. */
  async function write(batches: AsyncGenerator<AuditEvent[]>, res: Response): Promise<void> {
    for await (const events of batches) {
      if (res.closed) return;
      if (!res.headersSent) res.writeHead(200, { 'content-type': `${NDJSON}; charset=utf-8` });
      const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
      if (text !== '' && !res.write(text)) await drained(res);
    }
    if (!res.headersSent) res.writeHead(200, { 'content-type': `${NDJSON}; charset=utf-8` });
    res.end();
  }

  async function stream(batches: AsyncGenerator<AuditEvent[]>, res: Response): Promise<void> {
    if (exports >= MAX_EXPORTS) throw overloaded('Too many exports at once; try again', 'audit_exports');
    exports++;
    try {
      await write(batches, res);
    } catch (error) {
      if (!res.headersSent) throw error;
      logger.warn({ err: error, request_id: res.locals.requestId }, 'export of the audit trail failed');
      res.destroy();
    } finally {
      exports--;
    }
  }

  return {
    async list({ query, req, res }: Input<typeof listAuditEvents>): Promise<Reply | undefined> {
      const { after, order, limit, ...filter } = query;
      const range = { after, order, matches: createFilter(filter) };
      if (req.accepts(['application/json', NDJSON]) === NDJSON && req.method === 'GET') {
        await stream(store.readAll(range, limit ?? Number.POSITIVE_INFINITY), res);
        return undefined;
      }
      const { events, next } = await store.readPage(range, limit ?? DEFAULT_LIMIT);
      const headers =
        next === undefined ? undefined : { link: linkTo(req.originalUrl, { after: toAuditId(next) }, 'next') };
      return { status: 200, json: JSON.stringify(events), headers };
    },
  };
}

/** @throws when the client reads nothing for 30 s; a client that has gone away ends the wait */
async function drained(res: Response): Promise<void> {
  if (res.closed) return;
  const waiting = new AbortController();
  const stop = () => waiting.abort();
  res.once('close', stop);
  const timer = setTimeout(stop, STALLED_MS);
  try {
    await once(res, 'drain', { signal: waiting.signal });
  } catch (error) {
    if (!res.closed) throw error;
  } finally {
    clearTimeout(timer);
    res.off('close', stop);
  }
}

/** Undefined fields match all events. */
export interface AuditFilter {
  /** The id of the actor, its name in whatever case, or its type. */
  actor?: string;
  /** An action, or the first of its words with `.*`. */
  action?: string;
  /** The id of the target. */
  target?: string;
}

/** Returns a check whether an event matches. */
export function createFilter({ actor, action, target }: AuditFilter): (event: AuditEvent) => boolean {
  const name = actor?.toLowerCase();
  const prefix = action?.endsWith('.*') ? action.slice(0, -1) : undefined;
  return (event) => {
    if (actor !== undefined && !isBy(event, actor, name)) return false;
    if (target !== undefined && event.target?.id !== target) return false;
    if (prefix !== undefined) return event.action.startsWith(prefix);
    return action === undefined || event.action === action;
  };
}

function isBy({ actor }: AuditEvent, text: string, name: string | undefined): boolean {
  return actor.id === text || actor.type === text || actor.name?.toLowerCase() === name;
}
