import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { type AuditEntry, toAuditFields } from '@agent-fleet/shared/identity/audit';
import type { IdentityKeys } from '@agent-fleet/shared/identity/keys';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { loadScript } from '@agent-fleet/shared/redis/script';

/** A condition of a write; `null`: the key must not exist. */
export type Check = ['value', key: string, text: string | null] | ['at least' | 'below', key: string, members: number];

/** A text with the time of the write between its two parts: the next whole millisecond since the epoch. */
export type TimedText = readonly [before: string, after: string];

/** All that one operation changes. */
export interface Write {
  checks?: Check[];
  commands: (string | number | TimedText)[][];
  /** What gateways must forget: `user:<id>`, `key:<id>`, `session:<id>` or `token:<id>`. */
  changes?: string[];
  audit?: AuditEntry[];
}

/** A part of a write, as stores make them. */
export type WritePart = Required<Omit<Write, 'audit'>>;

/** Writes, and returns the first check that fails, if any: then nothing is written. */
export type Commit = (write: Write) => Promise<Check | undefined>;

export function createCommit(redis: RedisClient, keys: IdentityKeys): Commit {
  const script = loadScript(redis, new URL('commit-1.lua', import.meta.url));
  return async ({ checks = [], commands, changes = [], audit = [] }) => {
    const args = {
      checks: checks.map(([kind, key, value]) => [kind, key, value ?? false]),
      commands: commands.map((command) =>
        command.map((argument) => (typeof argument === 'number' ? String(argument) : argument)),
      ),
      changes,
      audit: audit.map(toAuditFields),
    };
    const failed = (await script([keys.prefix], [JSON.stringify(args)])) as number;
    return failed === 0 ? undefined : checks[failed - 1];
  };
}

/** Concurrent changes of one record are rare. */
const MAX_ATTEMPTS = 5;
/** After the first conflict; longer after each. */
const MAX_PAUSE_MS = 4;

/**
 * Runs `attempt`, which reads, decides and commits, again while it returns `'conflict'`: another one has changed what
 * it had read. @throws 503 after `maxAttempts`, 5 by default
 */
export async function retryConflicts<Result>(
  attempt: () => Promise<Result | 'conflict'>,
  maxAttempts = MAX_ATTEMPTS,
): Promise<Result> {
  for (let number = 1; number <= maxAttempts; number++) {
    const result = await attempt();
    if (result !== 'conflict') return result;
    // In step with another replica, one of both could lose every time.
    await sleep(Math.random() * number * MAX_PAUSE_MS);
  }
  throw unavailable('Too many concurrent changes; try again', 1, undefined, 'conflicts');
}
