import { setTimeout as sleep } from 'node:timers/promises';

const READERS = 6;
const CLIENTS = 8;
const PAUSE_MS = 15;
const REQUEST_TIMEOUT_MS = 10_000;
const AGENT = JSON.stringify({ name: 'Load', type: 'claude' });

export interface Target {
  baseUrl: string;
  apiKey: string;
}

export interface LoadReport {
  reads: number;
  failedReads: string[];
  slowestReadMs: number;
  /** Ids of the agents whose creation was answered with 201. */
  created: string[];
  failedWrites: string[];
}

/** Reads of agents and skills by several clients, and agents created one after another, until `stop` is called. */
export function startLoad(target: Target, agentIds: readonly string[]): { report: LoadReport; stop(): Promise<void> } {
  const report: LoadReport = { reads: 0, failedReads: [], slowestReadMs: 0, created: [], failedWrites: [] };
  const paths = [...agentIds.map((id) => `/agents/${id}`), '/agents?limit=5', '/api/skills?limit=3', '/api/categories'];
  let running = true;
  const clients = Array.from({ length: READERS }, async (_, client) => {
    for (let turn = client; running; turn += READERS) {
      await readOnce(target, paths[turn % paths.length] ?? '/agents', report);
      await sleep(PAUSE_MS);
    }
  });
  const writer = async () => {
    while (running) {
      const { status, problem, text } = await request(target, '/agents', { method: 'POST', body: AGENT });
      if (status === 201) report.created.push((JSON.parse(text) as { id: string }).id);
      else report.failedWrites.push(`POST /agents: ${problem}`);
      await sleep(PAUSE_MS);
    }
  };
  const ended = Promise.all([...clients, writer()]);
  return {
    report,
    async stop() {
      running = false;
      await ended;
    },
  };
}

async function readOnce(target: Target, path: string, report: LoadReport): Promise<void> {
  const began = Date.now();
  const { status, problem } = await request(target, path);
  report.reads++;
  report.slowestReadMs = Math.max(report.slowestReadMs, Date.now() - began);
  if (status !== 200) report.failedReads.push(`GET ${path}: ${problem}`);
}

/** All agents' ids, page by page. */
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

/** GETs of a path by eight clients; `toHeaders` replaces the API key in each. */
export async function requestMany(
  target: Target,
  path: string,
  count: number,
  toHeaders?: (at: number) => Record<string, string>,
) {
  const answers: Awaited<ReturnType<typeof request>>[] = [];
  let at = 0;
  const client = async () => {
    for (let turn = at++; turn < count; turn = at++) {
      answers.push(await request(target, path, toHeaders && { headers: toHeaders(turn) }));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return answers;
}

/** Never rejects: `status` 0 when there was no whole answer. */
export async function request(target: Target, path: string, init: RequestInit = {}) {
  const headers = { 'x-api-key': target.apiKey, ...(init.body ? { 'content-type': 'application/json' } : {}) };
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  try {
    const response = await fetch(target.baseUrl + path, { headers, signal, ...init });
    const text = await response.text();
    return { status: response.status, problem: `${response.status} ${text.slice(0, 200)}`, text };
  } catch (error) {
    const { message, cause } = error as Error;
    return { status: 0, problem: `${message} ${cause instanceof Error ? cause.message : ''}`, text: '' };
  }
}
