import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { own } from '@agent-fleet/scripts/testing/own';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { createLogger } from '@agent-fleet/shared/logger';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import { Redis } from 'ioredis';

/** Starts a server with `listener`, until the test ends, and returns its port. */
export async function openServer(listener: RequestListener): Promise<number> {
  return Number(new URL(await serveUntilEnd(listener)).port);
}

export function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-data-'));
  own(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function openRedis(url = testRedisUrl()): Redis {
  const redis = new Redis(url);
  own(() => redis.disconnect());
  return redis;
}

/** A logger and the lines that it has written. */
export function openLog() {
  const lines: string[] = [];
  const write = (chunk: unknown, _encoding: unknown, done: () => void) => {
    lines.push(String(chunk));
    done();
  };
  return { lines, logger: createLogger('test', 'debug', new Writable({ write })) };
}
