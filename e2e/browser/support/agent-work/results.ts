import type { Api, Task } from '../../../harness/api.ts';
import { expectStatus } from '../../../harness/http-client.ts';
import { PATCH } from './patches.ts';

const DIGEST = `sha256:${'3fa9c0b1'.repeat(8)}`;
const WORKER = 'builder-1';

const MODEL = 'claude-sonnet-5';
export const QUESTION =
  'The invoices of 2024 were rounded line by line. Shall I correct them too, or only those from now on?';

/** What a person asks of a worker that is an agent. */
export const OPTIONS = {
  skills: ['code-review', { id: 'invoice-rules', digest: DIGEST }],
  workspace: { repository: 'https://git.example/shop/invoices.git', ref: 'release/2.4' },
  model: 'sonnet',
  output_schema: {
    type: 'object',
    properties: { fixed: { type: 'boolean' }, files: { type: 'integer' } },
    required: ['fixed'],
  },
  max_cost: { amount: 2.5, currency: 'USD' },
};

export const USED = {
  usage: { input_tokens: 128_345, cached_input_tokens: 98_000, output_tokens: 4_321, reasoning_tokens: 1_024 },
  cost: { amount: 0.0523, currency: 'USD', estimated: true },
  model: MODEL,
};

export const RESULT = {
  text:
    '## What I changed\n\nThe tax is rounded **once for each invoice**, as `invoice-rules` asks:\n\n' +
    '- `src/invoices/rounding.ts`: sums the lines first\n- a test for two lines of 10.40\n\n' +
    '```sh\nnpm test -- rounding\n```\n',
  output: { fixed: true, files: 2 },
  session: { runtime: 'claude-code', id: '0b6f3c1e-55c7-4f0e-9d43-6f6f2f1c9a10' },
  ...USED,
  turns: 12,
  duration_ms: 184_000,
  permission_denials: [{ tool: 'Bash', detail: 'git push origin release/2.4' }],
  skills: [
    { id: 'code-review', name: 'code-review', digest: `sha256:${'11'.repeat(32)}`, verified: true },
    { id: 'invoice-rules', name: 'invoice-rules', digest: DIGEST, verified: false },
  ],
  changes: { base: '3f1c2ab', head: '9d0e771', patch: PATCH, patch_truncated: false },
};

export interface AgentWork {
  /** Completed at the second attempt. */
  completed: Task;
  /** Failed with a question. */
  question: Task;
}

/** Tasks of an agent that an agent's program works on. */
export async function seedAgentWork(api: Api): Promise<AgentWork> {
  const agent = await api.createAgent({ name: 'Keeper of the invoices' });
  const lease = () => api.lease(agent.id, { worker_id: WORKER, lease_seconds: 900 });
  const retry_policy = { strategy: 'fixed', delay_seconds: 0, jitter: 0 };
  const completed = await api.createTask(agent.id, {
    message: 'Round the tax of an invoice once, and not for each of its lines',
    retry_policy,
    ...OPTIONS,
  });
  const error = { code: 'rate_limited', message: 'The provider asked to wait for 30 s.', retryable: true };
  const less = { ...USED, cost: { ...USED.cost, amount: 0.0081 } };
  expectStatus(await api.report(await lease(), { status: 'failed', error, ...less }), 200);
  expectStatus(await api.report(await lease(), { result: RESULT, ...USED }), 200);
  const question = await api.createTask(agent.id, { message: 'Correct the invoices', tags: ['books'], ...OPTIONS });
  const asked = { code: 'input_required', message: QUESTION, retryable: false };
  expectStatus(await api.report(await lease(), { status: 'failed', error: asked, ...USED }), 200);
  return { completed, question };
}

/** A task whose worker has reported this result. */
export async function createCompleted(api: Api, agentId: string, result: unknown): Promise<Task> {
  const held = await api.createRunning(agentId);
  expectStatus(await api.report(held, { result, ...USED }), 200);
  return held.task;
}
