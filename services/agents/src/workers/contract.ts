import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { limitParameter, PAGE_HEADERS, skipParameter } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { LIMITED_KEY } from '../contract/callers.ts';
import { AGENT_ID_EXAMPLE, AGENT_NOT_FOUND, TASK_NOT_FOUND, taskParams } from '../contract/parameters.ts';
import { servedPauseSchema } from './pauses.ts';

const workerSchema = z
  .strictObject({
    worker_id: z.string(),
    types: z
      .array(z.string())
      .meta({ description: 'Types of agents whose tasks it has requested in the 5 minutes before `last_seen_at`.' }),
    agent_ids: z.array(z.string()).meta({
      description: 'Agents whose tasks it has requested by `POST /agents/{agent_id}/leases` in that time, at most 100.',
    }),
    first_seen_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().meta({ description: 'To within 5 s. A heartbeat counts.' }),
    polling: z.boolean().meta({ description: 'Whether it has requested tasks in the last 60 s.' }),
    leases: z.int().meta({ description: 'Leases that it holds.' }),
    completed: z.int().meta({ description: 'Tasks that it has reported as completed since `first_seen_at`.' }),
    failed: z.int().meta({ description: 'Attempts that it has reported as failed since then.' }),
    accepts: z.array(z.string()).meta({ description: 'What it takes, as its last lease request says.' }),
    labels: z.array(z.string()).meta({ description: 'What it has, as that request says.' }),
    paused: z.array(servedPauseSchema).meta({
      description: 'As that request says: until when it takes no tasks, or none of a provider, and why. Else empty.',
    }),
    client: z.string().nullable().meta({ description: 'Its address, if known.' }),
  })
  .meta({ id: 'WorkerInfo' });

export type WorkerInfo = z.output<typeof workerSchema>;

export const listWorkers = defineOperation({
  id: 'listWorkers',
  method: 'get',
  path: '/workers',
  tag: 'Leases',
  scope: 'tasks:read',
  summary: 'List workers',
  description:
    'The workers that requested tasks or used a lease in the last hour, by `worker_id`; at most the last 10,000. One that is no longer counted by `GET /stats`, after 5 minutes, is lost.',
  query: z.object({ skip: skipParameter, limit: limitParameter }),
  responses: {
    200: {
      description: 'A page of workers.',
      schema: z.array(workerSchema),
      headers: PAGE_HEADERS,
      example: [
        {
          worker_id: 'builder-7',
          types: ['claude'],
          agent_ids: [AGENT_ID_EXAMPLE],
          first_seen_at: '2026-11-21T09:30:58.000Z',
          last_seen_at: '2026-11-21T09:31:22.000Z',
          polling: true,
          leases: 1,
          completed: 12,
          failed: 1,
          accepts: ['messages', 'input', 'definitions'],
          labels: ['runtime:claude-code', 'os:linux'],
          paused: [{ provider: 'anthropic', until: '2026-11-21T14:30:00.000Z', reason: 'rate limit' }],
          client: '203.0.113.7',
        },
      ] satisfies WorkerInfo[],
    },
  },
  errors: [LIMITED_KEY],
});

const waitingSchema = z
  .strictObject({
    reason: z
      .enum([
        ...(['paused', 'dependencies', 'scheduled', 'retry_delay', 'provider_quota'] as const),
        ...(['budget', 'concurrency', 'reserved', 'no_worker', 'in_line'] as const),
      ])
      .nullable()
      .meta({
        description:
          'Of several reasons the first of these. `dependencies`: tasks of its `after` have not ended. `provider_quota`: it is parked until its provider takes calls again. `budget`: one of its agent, its type, its creator or the fleet is used up. `concurrency`: as many tasks of the agent run as its `max_concurrency` allows, or another one of the same `concurrency_key` runs or goes before. `reserved`: it continues a task, and only the worker of that one may start it for 60 s. `no_worker`: no worker that has the labels of the task and accepts what it needs has requested tasks of the agent or its type for 60 s. Null if the task is not pending.',
      }),
    since: z.iso.datetime().nullable().meta({
      description: 'When the reason began to hold; with `no_worker` the last such request, or null.',
    }),
    on: z.array(z.string()).optional().meta({ description: 'With `dependencies`: the tasks that it waits for.' }),
    worker_id: z.string().optional().meta({ description: 'With `reserved`: the worker.' }),
    until: z.iso.datetime().optional().meta({
      description:
        'With `reserved`: from then on any worker may start it. With `provider_quota`: it starts then. With `budget`: the end of the period, absent without one, or, if it is that of its creator, when this is checked again.',
    }),
    accepts: z
      .array(z.string())
      .optional()
      .meta({ description: 'With `no_worker`: what a worker must accept to get the task.' }),
    missing_labels: z.array(z.string()).optional().meta({
      description: 'With `no_worker`: the labels that no worker has, or those that no one worker has all of.',
    }),
    key: z.string().optional().meta({ description: 'With `concurrency`: the key, if another task of it goes before.' }),
    ahead: z.int().optional().meta({ description: 'With `in_line`: tasks of the agent that go before.' }),
  })
  .meta({ id: 'Waiting' });

export type Waiting = z.output<typeof waitingSchema>;

export const readWaiting = defineOperation({
  id: 'readWaiting',
  method: 'get',
  path: '/agents/{agent_id}/tasks/{task_id}/waiting',
  tag: 'Tasks',
  scope: 'tasks:read',
  summary: 'Read why a task waits',
  params: taskParams,
  responses: {
    200: {
      description: 'Why the task waits.',
      schema: waitingSchema,
      example: { reason: 'in_line', since: '2026-11-21T09:31:00.000Z', ahead: 3 } satisfies Waiting,
    },
  },
  errors: [AGENT_NOT_FOUND, TASK_NOT_FOUND],
});
