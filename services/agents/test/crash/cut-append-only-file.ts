import type { Redis } from 'ioredis';
import { readUnits, type Unit } from '../database/append-only-file.ts';
import { appendedBytes, appendFileOf, checkCopy, readDataDir } from '../database/redis-copy.ts';
import { COUNTED, PRINCIPAL } from '../support/quotas.ts';
import { startService } from '../support/start-service.ts';
import { CHANGES } from './changes.ts';

const AT_ONCE = 2;

interface Cut {
  change: string;
  bytes: number;
}

/** What cuts of the append-only file left, and the changes that took another number of scripts than one. */
interface Outcome {
  cuts: number;
  problems: string[];
  severalScripts: string[];
}

/**
 * Makes every kind of change on a Redis of its own, cuts copies of its append-only file within what each has written,
 * and checks the whole database that a Redis loads from each, as after kill -9 in the middle of a write.
 */
export async function cutAppendOnlyFile(cutsPerChange: number): Promise<Outcome> {
  const service = await startService({ ownRedis: true, env: COUNTED, headers: PRINCIPAL });
  const redis = service.redis as Redis;
  // Written before the reply, and never rewritten.
  await redis.config('SET', 'appendfsync', 'always');
  await redis.config('SET', 'auto-aof-rewrite-percentage', 0);
  const dir = await readDataDir(redis);
  const file = appendFileOf(dir);
  const cuts: Cut[] = [];
  const severalScripts: string[] = [];
  for (const { name, isOneScript, prepare } of CHANGES) {
    const change = await prepare(service);
    const from = appendedBytes(dir);
    await change();
    const to = appendedBytes(dir);
    const scripts = readUnits(file, from, to).filter((unit) => changesRecord(unit, service.keys.prefix)).length;
    if (scripts === 0 || (isOneScript && scripts > 1)) severalScripts.push(`${name}: ${scripts}`);
    for (let at = 0; at < cutsPerChange; at++) {
      const share = (at + Math.random()) / cutsPerChange;
      cuts.push({ change: name, bytes: from + 1 + Math.floor(share * (to - from - 1)) });
    }
  }
  const problems: string[] = [];
  const next = cuts.values();
  const lane = async () => {
    for (const { change, bytes } of next) {
      for (const problem of await checkCopy(dir, service.keys, { bytes })) {
        problems.push(`cut at ${bytes}, where a client ${change}: ${problem}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { cuts: cuts.length, problems, severalScripts };
}

/** Whether it writes a record, its state or its log; timers that are claimed and turns are no changes. */
const changesRecord = (unit: Unit, prefix: string) =>
  unit.some((command) =>
    ['agent:', 'task:', 'state:', 'logs:'].some((name) => command[1]?.startsWith(`${prefix}${name}`)),
  );
