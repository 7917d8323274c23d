import { setTimeout as sleep } from 'node:timers/promises';
import { processIdOf } from '@agent-fleet/shared/testing/redis';
import { afterAll, expect, test } from '@jest/globals';
import { startReplicas } from '../support/replicas.ts';
import { createAgents, createClient, type Sent, startLoad } from './load.ts';
import { verifyLoad } from './verify-load.ts';

const PAUSES = Number(process.env.PAUSES ?? 2);
const PAUSE_MS = 10_000;
/** A command times out after 5 s; a request that waits for work does so for 1 s before. */
const REPLY_WITHIN_MS = 8_000;

const replicas = await startReplicas([0, 0]);
const { redis, keys } = replicas;
afterAll(replicas.close);

test(
  'answers in time, loses nothing and goes on after Redis was paused for 10 s',
  async () => {
    const sent: Sent[] = [];
    const client = createClient(replicas.ports, (one) => sent.push(one));
    const pid = await processIdOf(redis);
    const load = startLoad(client, await createAgents(client));
    for (let pauses = 0; pauses < PAUSES; pauses++) {
      await sleep(1_000 + Math.random() * 4_000);
      process.kill(pid, 'SIGSTOP');
      await sleep(PAUSE_MS);
      process.kill(pid, 'SIGCONT');
    }
    await replicas.untilReady();
    await verifyLoad(client, load, redis, keys);
    const late = sent.filter(({ ms }) => ms > REPLY_WITHIN_MS);
    const failed = sent.filter(({ status }) => status === undefined || (status >= 500 && status !== 503));
    const unavailable = sent.filter(({ status }) => status === 503);
    console.info(`${sent.length} requests, ${unavailable.length} unavailable, ${late.length} late`);
    expect([late, failed]).toEqual([[], []]);
    expect(unavailable.length).toBeGreaterThan(0);
  },
  PAUSES * 15_000 + 600_000,
);
