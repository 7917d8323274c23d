import { overloaded } from '@agent-fleet/shared/http/errors';
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** argon2id with 19 MiB and two passes (OWASP's password storage cheat sheet): about 20 ms per check. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The hash of discarded random bytes, at the same cost. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$zcJG0Mm3TAZnL/zf+rzkLQ$bCu8+2ZCf1NS1heU9mQfmgSsus7kmOCQiEr9KL1+0AU';
/** Each check takes 19 MiB and one of libuv's four threads, which DNS and files also use. */
const MAX_AT_ONCE = 2;
/** About three seconds of checks. */
const MAX_WAITING = 200;

export type Passwords = ReturnType<typeof createPasswords>;

/** Hashing and checking of passwords, bounded in what runs and waits at once. */
export function createPasswords() {
  const limit = pLimit(MAX_AT_ONCE);
  return {
    hash: (password: string) => hash(password, COST),
    /**
     * Without a hash, takes the same time and is false, so that a response does not reveal whether the user exists.
     * @throws 503 `overloaded` when too many checks wait already
     */
    async matches(passwordHash: string | undefined, password: string): Promise<boolean> {
      if (limit.pendingCount >= MAX_WAITING) throw overloaded('Too many sign-ins at once; try again');
      return (await limit(() => verify(passwordHash ?? DUMMY_HASH, password))) && passwordHash !== undefined;
    },
  };
}
