import { randomUUID } from 'node:crypto';
import type { Input, Operation, Reply } from '@agent-fleet/shared/contract/operation';
import { HttpError, httpError, validationError } from '@agent-fleet/shared/http/errors';
import { PRINCIPAL_HEADER } from '@agent-fleet/shared/http/internal-access';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';
import type { Request } from 'express';
import { digestOf } from '../digest.ts';
import { createId } from '../ids.ts';
import type { Keys } from '../keys.ts';
import { IDEMPOTENCY_KEY_PATTERN } from './contract.ts';

const KEPT_SECONDS = 86_400;
/**
 * After this time a request in flight counts as crashed, and the next one with its key takes over. That is safe even if
 * the first still runs, as both create the same id.
 */
const IN_FLIGHT_MS = 10_000;
/** Tries of compare-and-set against concurrent requests with the same key. */
const MAX_TRIES = 5;
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** The stored state of a key: a request in flight, or its reply. */
interface Kept {
  body: string;
  /** Id of the record that the request creates. */
  id: string;
  claim: string;
  at: number;
  reply: Reply | null;
}

/** Handles a creation; `id` is the id of the new record. */
type Create<Op extends Operation> = (input: Input<Op>, id: string) => Promise<Reply>;

/** Adds `Idempotency-Key` to a creating operation: a repeated request gets the first reply and creates nothing. */
export type Idempotent = <Op extends Operation>(create: Create<Op>) => (input: Input<Op>) => Promise<Reply>;

export function createIdempotency(redis: RedisClient, keys: Keys): Idempotent {
  const compareAndSet = loadScript(redis, new URL('./compare-and-set-1.lua', import.meta.url));

  /** Returns null on success, otherwise the current value. */
  async function replace(key: string, expected: string, value: string): Promise<string | null> {
    return (await compareAndSet([key], [expected, value, KEPT_SECONDS])) as string | null;
  }

  /** Claims the key for this request, or returns the stored reply. */
  async function claim(key: string, body: string): Promise<{ reply: Reply } | { claimed: string; id: string }> {
    let expected = '';
    let id = createId();
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const claimed = JSON.stringify({ body, id, claim: randomUUID(), at: Date.now(), reply: null } satisfies Kept);
      const found = await replace(key, expected, claimed);
      if (found === null) return { claimed, id };
      expected = found;
      if (found === '') continue;
      const kept = JSON.parse(found) as Kept;
      if (kept.body !== body) throw reused();
      if (kept.reply) return { reply: kept.reply };
      if (Date.now() - kept.at < IN_FLIGHT_MS) throw inFlight();
      id = kept.id;
    }
    throw inFlight();
  }

  return (create) => async (input) => {
    const given = readKey(input.req);
    if (given === undefined) return create(input, createId());
    const { method, path, headers } = input.req;
    const key = keys.idempotency(digestOf([headers[PRINCIPAL_HEADER] ?? null, method, path, given]));
    const taken = await claim(key, digestOf(input.req.body));
    if ('reply' in taken) {
      return { ...taken.reply, headers: { ...taken.reply.headers, 'idempotency-replayed': 'true' } };
    }
    try {
      const reply = await create(input, taken.id);
      await replace(key, taken.claimed, JSON.stringify({ ...JSON.parse(taken.claimed), reply }));
      return reply;
    } catch (error) {
      // Errors are not stored. After a 5xx the record may exist all the same, so the next request reuses the id.
      const isRefused = error instanceof HttpError && error.status < 500;
      const left = isRefused ? '' : JSON.stringify({ ...JSON.parse(taken.claimed), at: 0 });
      // If this fails too, the claim expires.
      await replace(key, taken.claimed, left).catch(() => {});
      throw error;
    }
  };
}

function readKey({ headers }: Request): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw validationError([
    { path: 'Idempotency-Key', code: 'invalid_value', message: 'must have 1 to 255 visible characters' },
  ]);
}

function reused() {
  const message = 'was used with another body';
  return httpError('semantic_error', `Idempotency-Key: ${message}`, {
    fields: [{ path: 'Idempotency-Key', code: 'reused', message }],
  });
}

function inFlight() {
  return httpError('idempotent_request_in_progress', 'A request with this Idempotency-Key is still in progress', {
    headers: { 'retry-after': '1' },
  });
}
