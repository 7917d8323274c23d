import type { Agent, Api, Lease, Task } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { USED } from './agent-work/results.ts';

const DAY_MS = 86_400_000;
const INPUT = {
  repository: 'example/shop',
  from: 'v2.3',
  to: 'v2.4',
  options: { language: 'en', sections: ['Added'] },
};
const RESULT = {
  notes: ['Added: invoices as PDF', 'Fixed: rounding of taxes'],
  commits: Array.from({ length: 40 }, (_, at) => ({ id: `c${at}`, title: `Change ${at}`, isBreaking: at % 7 === 0 })),
};
const ERROR = { code: 'tag_missing', message: 'The tag v2.4 does not exist in example/shop.', retryable: true };

/** A task of one agent in each status; `failed` has two attempts and a log. */
export interface SeedTasks {
  pending: Task;
  scheduled: Task;
  running: Task;
  completed: Task;
  failed: Task;
  cancelled: Task;
}

export async function createTasks(api: Api, { id }: Agent, worker_id: string): Promise<SeedTasks> {
  const fields = { input: INPUT, tags: ['release', 'weekly'], metadata: { team: 'docs' } };
  const create = (message: string, more = {}) => api.createTask(id, { message, ...fields, ...more });
  const lease = () => api.lease(id, { worker_id, lease_seconds: 900 });

  const completed = await create('Write the release notes of version 2.4');
  await complete(api, await lease());
  const retry_policy = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };
  const failed = await create('Publish the release notes of version 2.5', { max_attempts: 2, retry_policy });
  await fail(api, await lease());
  await fail(api, await lease());
  const cancelled = await create('Write the release notes of version 1.0');
  expectStatus(await api.cancel(cancelled, { reason: 'Version 1.0 is not supported any more.' }), 200);
  const running = await create('Summarise the changes of this week');
  const held = await lease();
  await log(api, held, ['Cloning example/shop', 'Reading 214 commits']);
  expectStatus(await api.heartbeat(held, { progress: { percent: 40, message: 'Reading the commits' } }), 200);
  const pending = await create('Translate the release notes into Polish', { priority: 8 });
  const scheduled_at = new Date(Date.now() + DAY_MS).toISOString();
  const scheduled = await create('Write the weekly summary', { scheduled_at });
  return { pending, scheduled, running, completed, failed, cancelled };
}

async function complete(api: Api, lease: Lease): Promise<void> {
  await log(api, lease, ['Cloning example/shop', 'Reading 214 commits', 'Writing the notes']);
  expectStatus(await api.report(lease, { result: RESULT, ...USED }), 200);
}

async function fail(api: Api, lease: Lease): Promise<void> {
  await log(api, lease, ['Cloning example/shop', `Attempt ${lease.attempt}: looking for the tag v2.4`]);
  expectStatus(await api.report(lease, { status: 'failed', error: ERROR, ...USED }), 200);
}

/** The last line is a warning of the standard error. */
async function log(api: Api, { id, token }: Lease, lines: readonly string[]): Promise<void> {
  const entries = [
    ...lines.map((text) => ({ text, level: 'info', stream: 'stdout' })),
    { text: 'fatal: could not read the cache; going on without', level: 'warn', stream: 'stderr' },
  ];
  expectStatus(await api.call('POST', `/leases/${id}/log-entries`, { body: { token, entries } }), 204);
}
