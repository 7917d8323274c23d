import type { Random } from '../../histories/random.ts';
import type { Fleet } from '../machines/fleet.ts';

/** What is broken for some seconds. */
export interface Fault {
  /** For people: `redis-2 (primary) is killed`. */
  what: string;
  seconds: number;
  begin(): void | Promise<void>;
  /** Repairs it. */
  end(): void | Promise<void>;
}

/** Chooses what to break, by the random numbers alone and by who is the primary now. */
export type Nemesis = (fleet: Fleet, random: Random) => Promise<Fault>;

/**
 * How long a primary is away. Sentinels promote one within three to seven seconds. A primary that is back meanwhile
 * goes on acknowledging for a second or two, by a replica that still follows it: n = 1 loses these writes. So it comes
 * back before or after, unless each write is on all replicas.
 */
export function secondsAway({ redis }: Fleet, random: Random): number {
  if (!redis.mayReturnTooEarly) return secondsBetween(random, 0.5, 10);
  const isShort = random.next() < 0.3;
  return isShort ? secondsBetween(random, 0.3, 0.8) : secondsBetween(random, 9, 12);
}

/** Seconds with two digits. */
export function secondsBetween(random: Random, min: number, max: number): number {
  return Math.round(100 * (min + random.next() * (max - min))) / 100;
}
