import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '../../harness/api.ts';
import type { Random } from '../../histories/random.ts';
import type { Client } from './client.ts';
import type { AskedTask } from './ledger.ts';

const EVERY_MS = 120;
const RETRIES = { max_attempts: 10, retry_policy: { strategy: 'fixed', delay_seconds: 1, jitter: 0 } };

/** Creates tasks, repeats some creations, and cancels or deletes some tasks, until it is over. */
export async function produce(client: Client, random: Random, isOver: () => boolean): Promise<void> {
  const made: AskedTask[] = [];
  for (let count = 0; !isOver(); count++) {
    const asked = await create(client, random, `${client.name}-${count}`);
    made.push(asked);
    if (random.next() < 0.06) await remove(client, random.pick(made.slice(-20)) as AskedTask);
    if (random.next() < 0.06) await cancel(client, random.pick(made.slice(-20)) as AskedTask);
    await sleep(EVERY_MS);
  }
}

async function create(client: Client, random: Random, op: string): Promise<AskedTask> {
  const { ledger } = client;
  const agentId = random.pick(ledger.working)?.id as string;
  const asked: AskedTask = { op, agentId };
  ledger.tasks.set(op, asked);
  const delayMs = random.next() < 0.1 ? 2_000 + random.below(3_000) : 0;
  const body = {
    message: op,
    tags: [op],
    priority: 1 + random.below(10),
    ...RETRIES,
    // In the past for a server whose clock was moved: 422.
    ...(delayMs > 0 && { scheduled_at: new Date(Date.now() + delayMs).toISOString() }),
  };
  const options = { headers: { 'idempotency-key': op }, body };
  const { status, json, text } = await client.change('POST', `/agents/${agentId}/tasks`, options);
  if (status === 422 && delayMs > 0) return asked;
  if (status !== 201) ledger.violate(`${op}: created with ${status} ${text}`);
  asked.task = json as Task;
  if (random.next() < 0.1) {
    const again = await client.change('POST', `/agents/${agentId}/tasks`, options);
    if ((again.json as Task | undefined)?.id !== asked.task.id) {
      ledger.violate(`${op}: the repeated creation is ${again.status} ${again.text}, not the task ${asked.task.id}`);
    }
  }
  return asked;
}

async function remove(client: Client, asked: AskedTask): Promise<void> {
  if (!asked.task || asked.deletion) return;
  asked.deletion = 'asked';
  const { status, text, attempts } = await client.change('DELETE', pathOf(asked));
  if (status === 204 || (status === 404 && attempts > 1)) asked.deletion = 'done';
  else client.ledger.violate(`${asked.op}: deleted with ${status} ${text}`);
}

async function cancel(client: Client, asked: AskedTask): Promise<void> {
  if (!asked.task || asked.deletion || asked.cancellation) return;
  asked.cancellation = 'asked';
  const { status, text } = await client.change('PUT', `${pathOf(asked)}/cancellation`, { body: { reason: 'Chosen' } });
  if (status === 200) asked.cancellation = 'done';
  // 202: its worker decides. 409: it has ended before.
  else if (status !== 202 && status !== 409) client.ledger.violate(`${asked.op}: cancelled with ${status} ${text}`);
}

function pathOf({ agentId, task }: AskedTask): string {
  return `/agents/${agentId}/tasks/${task?.id}`;
}
