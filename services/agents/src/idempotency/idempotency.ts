import { hash } from 'node:crypto';
import type { Reply } from '@agent-fleet/shared/contract/operation';
import { toComparable } from '@agent-fleet/shared/exact-json';
import { type FieldError, httpError, semanticError, validationError } from '@agent-fleet/shared/http/errors';
import { PRINCIPAL_HEADER } from '@agent-fleet/shared/http/internal-access';
import { createId } from '@agent-fleet/shared/ids';
import type { Request } from 'express';
import { stringify } from 'safe-stable-stringify';
import type { FleetContext } from '../redis/fleet-context.ts';
import { IDEMPOTENCY_KEY_PATTERN } from './contract.ts';

/**
 * After this time a request in flight counts as crashed, and the next one with its key takes over. That is safe even if
 * the first still runs, as each of its steps requires its own claim.
 */
const IN_FLIGHT_MS = 10_000;
/** Tries against concurrent requests with the same key. */
const MAX_TRIES = 5;
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/**
 * How a script keeps the reply of a request with an `Idempotency-Key`, in the same step as the change. What is stored
 * is `<digest of the body> <body of the reply>`; while a batch is created in steps, `<digest of the body> @<claim>`.
 */
export interface Kept {
  /** Digest of principal, method, path and key. */
  digest: string;
  /** Digest of the request's body. */
  bodyDigest: string;
  /** What must be stored: `''` nothing, or the claim of a request that has crashed. */
  expected: string;
  /** The claim in `expected`. */
  claim?: Claim;
}

/** How far a request is that creates a batch in steps. */
export interface Claim {
  /** Id of the request. */
  id: string;
  /** Start in ms. */
  at: number;
  /** Id of the first task that is still to be created. */
  next: string;
  /** Why tasks were impossible at the start, by id: later, a task that one retries may have ended or be deleted. */
  refused?: Record<string, FieldError>;
  /** The version of the agent's definition at the start, 0 for none. */
  version: number;
  /** Of the request that began: all tasks of the batch have it. */
  traceparent?: string | null;
}

/** What a script found under the key instead of `expected`. */
export interface KeptReply {
  outcome: 'kept';
  value: string;
}

/** Creates a record with this id, or finds the reply of an earlier request. */
type Create<Outcome> = (id: string, kept: Kept | undefined) => Promise<Outcome | KeptReply>;

export type Idempotency = ReturnType<typeof createIdempotency>;

/**
 * Adds `Idempotency-Key` to a creation: a repeated request gets the first reply and creates nothing. `toReply` builds
 * the reply from its body.
 */
export function createIdempotency({ redis, barrier, keys, clock }: FleetContext) {
  /** Requests of this replica in flight: digest of the key → digest of the body. */
  const inFlight = new Map<string, string>();

  async function createOrReplay<Outcome extends { outcome: string }>(
    create: Create<Outcome>,
    toReply: (body: string) => Reply,
    kept: Kept,
  ): Promise<Outcome | { outcome: 'replayed'; reply: Reply }> {
    let id = createId(clock.now());
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const created = await create(id, kept);
      const value = 'value' in created ? created.value : await findEarlier(created, kept);
      if (value === undefined) return created as Outcome;
      const [bodyDigest, rest] = splitAtBlank(value);
      if (value !== '' && bodyDigest !== kept.bodyDigest) throw reused();
      if (value !== '' && !isClaim(value)) {
        const reply = toReply(rest);
        return {
          outcome: 'replayed',
          reply: { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } },
        };
      }
      kept.expected = value;
      if (value === '') continue;
      kept.claim = JSON.parse(rest.slice(1)) as Claim;
      if (clock.now() - kept.claim.at < IN_FLIGHT_MS) throw inProgress();
      id = kept.claim.id;
    }
    throw inProgress();
  }

  /**
   * What is impossible now may have been possible when it was requested first, also for an agent that is gone. A claim
   * is no reply: nothing completes it any more.
   */
  async function findEarlier({ outcome }: { outcome: string }, { digest }: Kept): Promise<string | undefined> {
    const value = outcome === 'created' ? null : await redis.get(keys.idempotency(digest));
    if (value === null || isClaim(value)) return undefined;
    await barrier();
    return value;
  }

  return async <Outcome extends { outcome: string }>(
    req: Request,
    create: Create<Outcome>,
    toReply: (body: string) => Reply,
  ) => {
    const kept = readKey(req);
    if (!kept) return create(createId(clock.now()), undefined) as Promise<Outcome>;
    const { digest, bodyDigest } = kept;
    const other = inFlight.get(digest);
    if (other !== undefined) throw other === bodyDigest ? inProgress() : reused();
    inFlight.set(digest, bodyDigest);
    try {
      return await createOrReplay(create, toReply, kept);
    } finally {
      inFlight.delete(digest);
    }
  };
}

/** What is stored while a batch is created in steps. */
export function toClaim({ bodyDigest }: Kept, claim: Claim): string {
  return `${bodyDigest} @${JSON.stringify(claim)}`;
}

function isClaim(value: string): boolean {
  return splitAtBlank(value)[1].startsWith('@');
}

function splitAtBlank(text: string): [string, string] {
  const at = text.indexOf(' ');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function readKey({ headers, method, path, body }: Request): Kept | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw validationError([
      { path: 'Idempotency-Key', code: 'invalid_value', message: 'must have 1 to 255 visible characters' },
    ]);
  }
  const digest = digestOf([headers[PRINCIPAL_HEADER] ?? null, method, path, key]);
  return { digest, bodyDigest: digestOf(body), expected: '' };
}

function reused() {
  return semanticError({ path: 'Idempotency-Key', code: 'reused', message: 'was used with another body' });
}

function inProgress() {
  return httpError('idempotent_request_in_progress', 'A request with this Idempotency-Key is still in progress', {
    headers: { 'retry-after': '1' },
  });
}

/** SHA-256 of a JSON value: independent of the order of object keys, and of how a number is written. */
export function digestOf(value: unknown): string {
  return hash('sha256', stringify(value, (_key, part) => toComparable(part)) ?? '');
}
