import { setTimeout as sleep } from 'node:timers/promises';
import { runWorker, type TaskContext, TaskError } from '@agent-fleet/worker';

/**
 * The worker program of the protocol suite in TypeScript; `worker.py` is the same in Python. Its environment has
 * `FLEET_URL`, `FLEET_API_KEY`, `FLEET_AGENT`, `LEASE_SECONDS` and `STOP_SECONDS`. The message of a task names what the
 * handler does with its input. It prints `began <task> <attempt>` and `aborted <task> <code>`. SIGINT and SIGTERM stop
 * it.
 */

const { FLEET_URL: url = '', FLEET_API_KEY: apiKey, FLEET_AGENT: agentId, LEASE_SECONDS, STOP_SECONDS } = process.env;

interface Input {
  seconds?: number;
  texts?: string[];
  used?: Parameters<TaskContext['used']>[0];
}

const worker = runWorker({
  url,
  apiKey,
  agentId,
  concurrency: 2,
  leaseSeconds: Number(LEASE_SECONDS),
  stopTimeoutSeconds: Number(STOP_SECONDS),
  logger: console,
  handler: async ({ id, message, input }, { signal, attempt, log, used }) => {
    console.log(`began ${id} ${attempt}`);
    signal.addEventListener('abort', () => console.log(`aborted ${id} ${signal.reason.code}`));
    const { seconds = 600, texts = [], used: spent } = (input ?? {}) as Input;
    switch (message) {
      case 'echo':
        return { input, attempt };
      case 'sleep':
        await sleep(seconds * 1000, undefined, { signal });
        return { slept: seconds };
      case 'ignore':
        // Neither cancellation nor the end of the lease stops it.
        await sleep(seconds * 1000);
        return { ignored: seconds };
      case 'block':
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);
        return { blocked: seconds };
      case 'fail-first':
        if (attempt === 1) throw new Error('the first attempt fails');
        return { attempt };
      case 'log':
        for (const text of texts) log(text);
        log('last', { level: 'warn', stream: 'agent' });
        return null;
      case 'use':
        if (spent) used(spent);
        throw new TaskError('used', { retryable: false });
      default:
        throw new TaskError(`unknown message ${message}`, { retryable: false });
    }
  },
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void worker.stop());
await worker.done;
process.exit(0);
