import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import type { WorkerTarget } from '../harness/worker-program.ts';

const READERS = 6;
const CLIENTS = 8;
const PAUSE_MS = 15;
const REQUEST_TIMEOUT_MS = 10_000;
/** Of all readers. */
const BEGUN_READS = 60;
/** Gateways resolve the names of services every 2 s. */
export const NOTICED_MS = 3_000;
const AGENT = JSON.stringify({ name: 'Load', type: 'claude' });

export type Target = WorkerTarget;

/**
 * Reads agents and skills with several clients and creates agents in sequence; then a change begins, and goes on for
 * as long as callers may use a replica that is gone.
 */
export async function loadDuring(target: Target, change: () => Promise<unknown>) {
  const [failedReads, failedWrites, created]: [string[], string[], string[]] = [[], [], []];
  let [reads, slowestReadMs] = [0, 0];
  const agents = [...(await listAgentIds(target))].slice(0, 50).map((id) => `/agents/${id}`);
  const paths = [...agents, '/agents?limit=5', '/api/skills?limit=3', '/api/categories'];
  let isOver = false;
  const read = async (_: unknown, client: number) => {
    for (let turn = client; !isOver; turn += READERS) {
      const path = paths[turn % paths.length] ?? '/agents';
      const began = Date.now();
      const { status, problem } = await request(target, path);
      reads++;
      slowestReadMs = Math.max(slowestReadMs, Date.now() - began);
      if (status !== 200) failedReads.push(`GET ${path}: ${problem}`);
      await sleep(PAUSE_MS);
    }
  };
  const write = async () => {
    while (!isOver) {
      const { status, problem, text } = await postAgent(target);
      if (status === 201) created.push((JSON.parse(text) as { id: string }).id);
      else failedWrites.push(`POST /agents: ${problem}`);
      await sleep(PAUSE_MS);
    }
  };
  const clients = [...Array.from({ length: READERS }, read), write()];
  try {
    await until(() => reads >= BEGUN_READS && created.length > 0, { message: 'the load has begun' });
    await change();
    await sleep(NOTICED_MS);
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  return { reads, slowestReadMs, failedReads, failedWrites, created };
}

/** Returns the id of a new agent. @throws if it is not created */
export async function createAgent(target: Target): Promise<string> {
  const { status, problem, text } = await postAgent(target);
  if (status !== 201) throw new Error(`POST /agents: ${problem}`);
  return (JSON.parse(text) as { id: string }).id;
}

function postAgent(target: Target) {
  return request(target, '/agents', { method: 'POST', body: AGENT });
}

/** Reads the ids of all agents, page by page. */
export async function listAgentIds(target: Target): Promise<Set<string>> {
  const ids = new Set<string>();
  for (;;) {
    const { status, problem, text } = await request(target, `/agents?limit=1000&skip=${ids.size}`);
    if (status !== 200) throw new Error(`GET /agents: ${problem}`);
    const page = JSON.parse(text) as { id: string }[];
    for (const { id } of page) ids.add(id);
    if (page.length < 1_000) return ids;
  }
}

/** Sends GETs of a path from eight clients; `toHeaders` replaces the API key of each. */
export async function requestMany(
  target: Target,
  path: string,
  count: number,
  toHeaders?: (at: number) => Record<string, string>,
) {
  const results: Awaited<ReturnType<typeof request>>[] = [];
  let at = 0;
  const client = async () => {
    for (let turn = at++; turn < count; turn = at++) {
      results.push(await request(target, path, toHeaders && { headers: toHeaders(turn) }));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return results;
}

/** Never rejects; `status` is 0 without a complete response. `total`: of `X-Total-Count`. */
export async function request(target: Target, path: string, init: RequestInit = {}) {
  const headers = { 'x-api-key': target.apiKey, ...(init.body ? { 'content-type': 'application/json' } : {}) };
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  try {
    const response = await fetch(target.baseUrl + path, { headers, signal, ...init });
    const text = await response.text();
    const total = Number(response.headers.get('x-total-count') ?? Number.NaN);
    return { status: response.status, problem: `${response.status} ${text.slice(0, 200)}`, text, total };
  } catch (error) {
    const { message, cause } = error as Error;
    return {
      status: 0,
      problem: `${message} ${cause instanceof Error ? cause.message : ''}`,
      text: '',
      total: Number.NaN,
    };
  }
}
