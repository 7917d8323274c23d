import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect } from '@jest/globals';
import { type Api, pathOf, type Task } from '../harness/api.ts';
import type { LocalProcess } from '../harness/local-process.ts';
import type { Program } from './programs.ts';
import type { WorkerProcess } from './worker-process.ts';

/** How long things take. */
export interface Times {
  leaseSeconds: number;
  /** An outage of the gateway and the lease that must survive it. */
  outageSeconds: number;
  leaseInOutageSeconds: number;
  /** How long a handler blocks its thread: three times the lease. */
  blockSeconds: number;
  /** Limit of one case. */
  timeoutMs: number;
}

/** What a case needs of its agent and workers. */
export interface CaseTools {
  start(options?: { leaseSeconds?: number; stopSeconds?: number; url?: string }): WorkerProcess;
  add(message: string, input?: object, fields?: object): Promise<Task>;
}

export type Case = (tools: CaseTools) => Promise<void>;

interface Context {
  api: Api;
  /** A gateway that this program alone uses, for its outage. */
  outage: LocalProcess;
  program: Program;
  times: Times;
}

const END_TIMEOUT_MS = 60_000;

/** The cases by their titles. */
export function casesOf(context: Context): Record<string, Case> {
  return { ...resultCases(context), ...endCases(context), ...leaseCases(context), ...blockedCase(context) };
}

async function untilEnded(api: Api, task: Task, timeoutMs = END_TIMEOUT_MS): Promise<Task> {
  const hasEnded = async () => ['completed', 'failed', 'cancelled'].includes((await api.readTask(task)).status);
  await until(hasEnded, { message: `task ${task.message} has ended`, timeoutMs });
  return api.readTask(task);
}

async function outcomesOf(api: Api, task: Task): Promise<string[]> {
  return (await api.readAttempts(task)).map(({ outcome }) => outcome);
}

/** Results and errors. */
function resultCases({ api }: Context): Record<string, Case> {
  return {
    'completes a task with the returned value': async ({ start, add }) => {
      const task = await add('echo', { a: ['é', null, 1.5] });
      start();
      const result = { input: { a: ['é', null, 1.5] }, attempt: 1 };
      expect(await untilEnded(api, task)).toMatchObject({ status: 'completed', result });
    },

    'has what its handler logs in the log of the task, in order, before the task ends': async ({ start, add }) => {
      const texts = ['', 'é', 'two\nlines', ...Array.from({ length: 300 }, (_, index) => `${index}`)];
      const task = await add('log', { texts });
      start();
      await untilEnded(api, task);
      const { json } = await api.get(`${pathOf(task)}/log-entries?limit=1000`);
      const entries = json as { level: string; stream: string | null; text: string }[];
      expect(entries.map(({ text }) => text)).toEqual([...texts, 'last']);
      expect(entries.at(-1)).toMatchObject({ level: 'warn', stream: 'agent' });
    },

    'tries a failed task again': async ({ start, add }) => {
      const task = await add('fail-first');
      start();
      expect(await untilEnded(api, task)).toMatchObject({ status: 'completed', result: { attempt: 2 }, attempt: 2 });
      expect(await outcomesOf(api, task)).toEqual(['failed', 'completed']);
    },

    'reports what an attempt has used, also when it fails': async ({ start, add }) => {
      const usage = { input_tokens: 9, cached_input_tokens: 4, output_tokens: 3, reasoning_tokens: 0 };
      const cost = { amount: 0.25, currency: 'USD', estimated: true };
      const task = await add('use', { used: { usage, cost, model: 'a-model' } });
      start();
      expect(await untilEnded(api, task)).toMatchObject({ status: 'failed', usage, cost });
      expect(await api.readAttempts(task)).toMatchObject([{ outcome: 'failed', usage, cost, model: 'a-model' }]);
    },
  };
}

/** Cancellation and the end of the worker. */
function endCases({ api, times }: Context): Record<string, Case> {
  return {
    'passes a cancellation to its handler, and reports it': async ({ start, add }) => {
      const task = await add('sleep');
      const worker = start();
      await worker.untilBegan(task.id);
      await api.cancel(task);
      await worker.untilAborted(task.id, 'cancelled');
      expect(await untilEnded(api, task)).toMatchObject({ status: 'cancelled' });
    },

    'completes a task whose handler goes on after the cancellation': async ({ start, add }) => {
      const result = { ignored: times.leaseSeconds };
      const task = await add('ignore', { seconds: times.leaseSeconds });
      const worker = start();
      await worker.untilBegan(task.id);
      await api.cancel(task);
      expect(await untilEnded(api, task)).toMatchObject({ status: 'completed', result });
    },

    'stops at SIGINT within 10 s, and releases its tasks without counting the attempt': async ({ start, add }) => {
      const tasks = [await add('sleep'), await add('ignore')];
      const worker = start({ leaseSeconds: 900, stopSeconds: 0 });
      for (const task of tasks) await worker.untilBegan(task.id);
      const beganAt = performance.now();
      expect(await worker.interrupt()).toBe(0);
      expect(performance.now() - beganAt).toBeLessThan(10_000);
      for (const task of tasks) expect(await api.readTask(task)).toMatchObject({ status: 'pending', attempt: 0 });
    },

    'lets a running task finish when it stops': async ({ start, add }) => {
      const task = await add('sleep', { seconds: 2 });
      const worker = start({ stopSeconds: 60 });
      await worker.untilBegan(task.id);
      expect(await worker.interrupt()).toBe(0);
      expect(await api.readTask(task)).toMatchObject({ status: 'completed', attempt: 1 });
    },
  };
}

/** Leases that outlive their worker, an outage, or are lost. */
function leaseCases({ api, outage, times }: Context): Record<string, Case> {
  return {
    'leaves its task to another worker when it is killed, and that one completes it once': async ({ start, add }) => {
      const task = await add('sleep', { seconds: 2 });
      const first = start();
      await first.untilBegan(task.id);
      await first.kill();
      const second = start();
      expect(await untilEnded(api, task)).toMatchObject({ status: 'completed', result: { slept: 2 }, attempt: 2 });
      expect(second.began(task.id, 2)).toBe(true);
      expect(await outcomesOf(api, task)).toEqual(['lease_expired', 'completed']);
    },

    'keeps its lease while the gateway is away, and reports the result afterwards': async ({ start, add }) => {
      const task = await add('sleep', { seconds: times.outageSeconds / 2 });
      const worker = start({ leaseSeconds: times.leaseInOutageSeconds, url: outage.url });
      await worker.untilBegan(task.id);
      await outage.kill();
      await sleep(times.outageSeconds * 1_000);
      expect(await api.readTask(task)).toMatchObject({ status: 'running' });
      await outage.start();
      expect(await untilEnded(api, task)).toMatchObject({ status: 'completed', attempt: 1 });
      expect(worker.aborted(task.id)).toBe(false);
    },

    'aborts the handler of a lost lease, and reports nothing': async ({ start, add }) => {
      // Long after the next heartbeat.
      const seconds = times.leaseSeconds + 10;
      const task = await add('ignore', { seconds }, { timeout_seconds: 2, max_attempts: 1 });
      const worker = start();
      await worker.untilAborted(task.id, 'lease_lost');
      expect(await untilEnded(api, task)).toMatchObject({ status: 'failed', error: { code: 'timeout' } });
      // The handler returns now.
      const next = await add('echo');
      await sleep(seconds * 1_000);
      await untilEnded(api, next);
      expect(await api.readTask(task)).toMatchObject({ status: 'failed', result: null });
    },
  };
}

/** Handlers that block the thread of their worker. */
function blockedCase({ api, program, times }: Context): Record<string, Case> {
  return {
    [program.heartbeatsWhileBlocked
      ? 'keeps the lease of a handler that blocks its thread for three times as long'
      : 'loses the lease of a handler that blocks its thread for longer, and its late result changes nothing']: async ({
      start,
      add,
    }) => {
      const task = await add('block', { seconds: times.blockSeconds }, { max_attempts: 1 });
      const worker = start();
      await worker.untilBegan(task.id);
      const ended = await untilEnded(api, task, times.blockSeconds * 1_000 + END_TIMEOUT_MS);
      if (program.heartbeatsWhileBlocked) {
        expect(ended).toMatchObject({ status: 'completed', result: { blocked: times.blockSeconds }, attempt: 1 });
        return;
      }
      expect(ended).toMatchObject({ status: 'failed', error: { code: 'lease_expired' } });
      expect(await untilEnded(api, await add('echo'), times.blockSeconds * 1_000 + END_TIMEOUT_MS)).toMatchObject({
        status: 'completed',
      });
      expect(await api.readTask(task)).toMatchObject({ status: 'failed', result: null });
    },
  };
}
