import { join } from 'node:path';
import { startChild } from '@agent-fleet/scripts/local/child-process';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { ROOT } from '@agent-fleet/scripts/services';
import { until } from '@agent-fleet/shared/testing/until';
import type { Api } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';

const SKILLS = 161_475;
const SOURCE = join(ROOT, 'bench/registry/upstream-process.ts');
const TASKS = 100_000;
const AGENTS = 200;
/** The most that one request creates. */
const BATCH = 500;
const WIDTH = 8;
const COMPLETED = 300;
const LOAD_TIMEOUT_MS = 300_000;
const BULK_TIMEOUT_MS = 300_000;

export interface LargeSource {
  env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** A source of 161,475 invented skills, as many as the largest public registry has. */
export async function startLargeSource(): Promise<LargeSource> {
  const port = await freePort();
  const REGISTRY = JSON.stringify({ seed: 1, count: SKILLS, changes: { changed: 0, added: 0, removed: 0 } });
  const child = startChild(process.execPath, [SOURCE], {
    env: { PATH: process.env.PATH, PORT: String(port), REGISTRY },
  });
  const base = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${base}/prepare`)).ok, {
    message: () => `the source is prepared; it printed: ${child.printed()}`,
    timeoutMs: LOAD_TIMEOUT_MS,
  });
  await fetch(`${base}/switch`);
  return { env: { REGISTRY_SOURCE_URL: `${base}/registry.json` }, close: () => child.stop() };
}

/** Waits until the registry serves the skills of a large source; some of them are merged. */
export async function untilSkillsAreServed(api: Api): Promise<void> {
  await until(async () => Number((await api.get('/api/skills?limit=1')).headers['x-total-count']) > SKILLS / 2, {
    message: 'the registry serves the skills',
    timeoutMs: LOAD_TIMEOUT_MS,
    pollMs: 500,
  });
}

/** 100,000 tasks: most are pending, a third is cancelled, and some are completed. */
export async function createManyTasks(api: Api): Promise<void> {
  const ids: string[] = [];
  for (let at = 0; at < AGENTS; at++) {
    const type = api.types[at % api.types.length];
    ids.push((await api.createAgent({ name: `Worker of department ${at}`, type })).id);
  }
  let next = 0;
  const create = async () => {
    for (let at = next++; at < TASKS / BATCH; at = next++) {
      const tasks = Array.from({ length: BATCH }, (_, task) => ({
        message: `Summarise the report ${at}-${task} of the last quarter and list what changed since the one before`,
        tags: [`quarter-${task % 4}`],
        priority: 1 + (task % 10),
      }));
      const path = `/agents/${ids[at % ids.length]}/task-batches`;
      expectStatus(await api.call('POST', path, { body: { tasks } }), 201);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, create));
  for (let at = 0; at < COMPLETED; at++) {
    const lease = await api.lease(ids[at % ids.length] as string, { worker_id: `builder-${at % 40}` });
    expectStatus(await api.report(lease, { result: { pages: at } }), 200);
  }
  await runBulkAction(api, { action: 'cancel', filter: { type: api.types[0] } });
}

/** Starts a bulk action, and resolves when it has ended. */
export async function runBulkAction(
  api: Api,
  body: { action: string; filter: Record<string, unknown> },
): Promise<void> {
  const { id } = expectStatus<{ id: string }>(await api.call('POST', '/bulk-actions', { body }), 202);
  await until(async () => ((await api.get(`/bulk-actions/${id}`)).json as { state: string }).state !== 'running', {
    message: `the bulk action is completed: ${JSON.stringify(body)}`,
    timeoutMs: BULK_TIMEOUT_MS,
    pollMs: 50,
  });
}
