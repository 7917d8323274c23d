import { httpError } from '@agent-fleet/shared/http/errors';
import { hash, verify } from '@node-rs/argon2';

/** argon2id with 19 MiB and two passes (OWASP's password storage cheat sheet): about 20 ms per check. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The hash of discarded random bytes, at the same cost. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$zcJG0Mm3TAZnL/zf+rzkLQ$bCu8+2ZCf1NS1heU9mQfmgSsus7kmOCQiEr9KL1+0AU';
/** Each check takes 19 MiB and one of libuv's four threads, which DNS and files also use. */
const MAX_AT_ONCE = 2;
/** About three seconds of checks. */
const MAX_WAITING = 200;

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Without a hash, takes the same time and is false, so that a response does not reveal whether the user exists.
   * @throws 503 `overloaded` when too many checks wait already
   */
  matches(passwordHash: string | undefined, password: string): Promise<boolean>;
}

/** Hashing and checking of passwords, bounded in what runs and waits at once. */
export function createPasswords(): Passwords {
  const limited = limit(MAX_AT_ONCE, MAX_WAITING);
  return {
    hash: (password) => hash(password, COST),
    matches: (passwordHash, password) =>
      limited(async () => (await verify(passwordHash ?? DUMMY_HASH, password)) && passwordHash !== undefined),
  };
}

function limit(maxAtOnce: number, maxWaiting: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < maxAtOnce) running++;
    else if (waiting.length >= maxWaiting) throw overloaded();
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

function overloaded() {
  return httpError('overloaded', 'Too many sign-ins at once; try again', { headers: { 'retry-after': '1' } });
}
