import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditEntry, toAuditFields } from '@agent-fleet/access/audit';
import type { IdentityKeys } from '@agent-fleet/access/keys';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { loadScript } from '@agent-fleet/shared/redis/script';
import type { RedisStore } from '@agent-fleet/shared/redis/store';

/** A condition of a write; `null`: the key must not exist. */
export type Check = ['value', key: string, text: string | null] | ['at least' | 'below', key: string, members: number];

/** A text with the time of the write between its two parts: the next whole millisecond since the epoch. */
export type TimedText = readonly [before: string, after: string];

/** A Redis command with its arguments. */
export type Command = (string | number | TimedText)[];

/** A part of what one operation changes. */
export interface WritePart {
  checks?: Check[];
  commands?: Command[];
  /** What gateways must forget: `user:<id>`, `key:<id>`, `session:<id>` or `token:<id>`. */
  changes?: string[];
}

/** A check has failed, and nothing was written. */
export class Conflict extends Error {
  override name = 'Conflict';
  readonly check: Check;

  constructor(check: Check) {
    super(`${check[0]} ${check[1]}`);
    this.check = check;
  }
}

/** Writes all parts and audit entries, or nothing. @throws Conflict with the first check that fails */
export type Commit = (parts: WritePart[], audit?: AuditEntry[]) => Promise<void>;

export function createCommit(store: RedisStore, keys: IdentityKeys): Commit {
  const script = loadScript(store, new URL('commit-1.lua', import.meta.url));
  return async (parts, audit = []) => {
    const checks = parts.flatMap((part) => part.checks ?? []);
    const commands = parts.flatMap((part) => part.commands ?? []);
    const args = {
      checks: checks.map(([kind, key, value]) => [kind, key, value ?? false]),
      commands: commands.map((command) =>
        command.map((argument) => (typeof argument === 'number' ? String(argument) : argument)),
      ),
      changes: parts.flatMap((part) => part.changes ?? []),
      audit: audit.map(toAuditFields),
    };
    const failed = (await script([keys.prefix], [JSON.stringify(args)])) as number;
    if (failed > 0) throw new Conflict(checks[failed - 1] as Check);
  };
}

/** Concurrent changes of one record are rare. */
const MAX_ATTEMPTS = 5;
/** After the first conflict; longer after each. */
const MAX_PAUSE_MS = 4;

/**
 * Runs `attempt`, which reads, decides and commits, again after a conflict: another one has changed what it had read.
 * @throws 503 after `maxAttempts`, 5 by default
 */
export async function retryConflicts<Result>(
  attempt: () => Promise<Result>,
  maxAttempts = MAX_ATTEMPTS,
): Promise<Result> {
  for (let number = 1; number <= maxAttempts; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
    // In step with another replica, one of both could lose every time.
    await sleep(Math.random() * number * MAX_PAUSE_MS);
  }
  throw unavailable('Too many concurrent changes; try again', 1, undefined, 'conflicts');
}
