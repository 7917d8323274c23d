import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../clients/client.ts';
import type { Ledger } from '../clients/ledger.ts';
import type { Fleet } from '../machines/fleet.ts';
import { isReady } from '../machines/fleet.ts';

const RECOVERY_MS = 10_000;
const GIVE_UP_MS = 60_000;
const POLL_MS = 100;
const WRITE_DEADLINE_MS = 8_000;
/** Other replicas may still be unavailable after the first success. */
const IN_A_ROW = 4;

/**
 * Waits after the end of a fault until each gateway is ready and writes succeed through each of them and through the
 * load balancer; returns the milliseconds. Longer than 10 s is a violation.
 */
export async function awaitRecovery(fleet: Fleet, ledger: Ledger, fault: string): Promise<number> {
  const began = performance.now();
  const urls = [fleet.baseUrl, ...fleet.gatewayUrls];
  const took = await Promise.all(urls.map((url) => recover(url, ledger, began)));
  const ms = Math.round(Math.max(...took));
  if (ms > RECOVERY_MS) {
    const load = `load average ${loadavg()[0]?.toFixed(1)}, ${availableParallelism()} processors`;
    ledger.violate(`${fault}: recovered only after ${ms} ms (${load})`);
  }
  return ms;
}

/** Resolves with when the first of several successes in a row ended. */
async function recover(url: string, ledger: Ledger, began: number): Promise<number> {
  const client = new Client(`probe-${new URL(url).hostname}`, url, ledger);
  let first = 0;
  try {
    for (let inARow = 0; inARow < IN_A_ROW && performance.now() - began < GIVE_UP_MS; await sleep(POLL_MS)) {
      const isUp = (await isReady(url).catch(() => false)) && (await writes(client));
      if (!isUp || inARow === 0) first = performance.now() - began;
      inARow = isUp ? inARow + 1 : 0;
    }
    return first;
  } finally {
    client.close();
  }
}

async function writes(client: Client): Promise<boolean> {
  const body = { name: 'Probe', type: 'gpt' };
  const response = await client.send('POST', '/agents', { body, deadlineMs: WRITE_DEADLINE_MS });
  return response?.status === 201;
}
