import { hash } from 'node:crypto';
import { validationError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import type { ListQuery } from './list-query.ts';

/** A position in a list. */
export interface Cursor {
  /** The snapshot of the list. */
  snapshotId: string;
  /** Number of skills before it. */
  position: number;
  /** The last skills before it, the last one first, at most `MAX_LAST`: to find the position in a new snapshot. */
  lastIds: string[];
}

const VERSION = 1;
const HASH_DIGITS = 16;
const MAX_POSITION = 2 ** 32;
export const MAX_LAST = 4;
const FIELDS = z.tuple([
  z.literal(VERSION),
  z.string(),
  z.string(),
  z.int().min(0).max(MAX_POSITION),
  z.array(z.string()).max(MAX_LAST),
]);

/** The cursor for clients: opaque, and valid for this query only. */
export function writeCursor({ snapshotId, position, lastIds }: Cursor, query: ListQuery): string {
  const fields = [VERSION, hashOf(query), snapshotId.slice(0, HASH_DIGITS), position, lastIds];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

/** @throws 400 `validation_error` if it is not a cursor of this query */
export function readCursor(text: string, query: ListQuery): Cursor {
  const fields = FIELDS.safeParse(parse(text)).data;
  if (fields === undefined || fields[1] !== hashOf(query)) throw badCursor('is not a cursor of this list');
  const [, , snapshotId, position, lastIds] = fields;
  return { snapshotId, position, lastIds };
}

export function isOfSnapshot({ snapshotId }: Cursor, id: string): boolean {
  return snapshotId === id.slice(0, HASH_DIGITS);
}

export function badCursor(message: string): Error {
  return validationError([{ path: 'cursor', code: 'invalid_value', message }]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** A hash of the filters and the order. */
function hashOf(query: ListQuery): string {
  const { q, category, kind, tag, author, repo, license, valid, updated_since, sort, order } = query;
  const deciding = JSON.stringify([q, category, tag, author, repo, license, valid, updated_since, sort, order, kind]);
  return hash('sha256', deciding).slice(0, HASH_DIGITS);
}
