import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { LIMITED_KEY } from '../contract/callers.ts';
import { AGENT_ID_EXAMPLE } from '../contract/parameters.ts';
import { timeParameter } from '../tasks/task-filter.ts';
import { SPENT_EXAMPLE, spentSchema, spentShape } from './spend-contract.ts';
import { isTimeZone, STEPS, type Step } from './spend-steps.ts';

/** By what attempts are counted, as in includes/counters.lua. */
const DIMENSIONS = ['agent', 'model', 'type', 'tag', 'user', 'key', 'version'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export const MAX_GROUPS = 100;

const stepSchema = z
  .strictObject({
    at: z.iso.datetime().meta({ description: 'Beginning of the step.' }),
    groups: z
      .array(z.strictObject({ key: z.string().nullable(), ...spentShape }).meta({ id: 'SpendGroup' }))
      .meta({ description: `The highest cost first; after ${MAX_GROUPS - 1} of them \`other\`.` }),
  })
  .meta({ id: 'SpendOfStep' });

const spendSchema = z
  .strictObject({
    from: z.iso.datetime().meta({ description: 'Beginning of the first step.' }),
    to: z.iso.datetime().meta({ description: 'End of the last step.' }),
    step: z.enum(Object.keys(STEPS) as [Step, ...Step[]]),
    time_zone: z.string(),
    group_by: z.enum(DIMENSIONS),
    groups_overlap: z
      .boolean()
      .meta({ description: 'Whether a task counts in several groups, as by `tag`: their sum may exceed `total`.' }),
    total: spentSchema,
    steps: z.array(stepSchema).meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'Spend' });

export type Spend = z.output<typeof spendSchema>;

export const readSpend = defineOperation({
  id: 'readSpend',
  method: 'get',
  path: '/stats/spend',
  tag: 'Statistics',
  scope: 'tasks:read',
  summary: 'Read what was used over time',
  description:
    'Counts every attempt when it ends, released and suspended ones too, also of tasks that were deleted. `key` is null for what has none. Steps are hours, days or months of the time zone, as many as have a part of the time from `from` to `to`: at most 90 days by hour, which are kept for 90 days, 400 by day, and 36 months. Days of more than 90 days ago are those of UTC. In a quarter of an hour, and in a day of more than 90 days ago or of UTC, 98 names count apart, and `other` has all further ones.',
  query: z.object({
    from: timeParameter('Default: a day, 30 days or a year before `to`, by `step`.', false),
    to: timeParameter('Default: now.', true),
    step: z.enum(Object.keys(STEPS) as [Step, ...Step[]], 'must be hour, day or month').default('day'),
    group_by: z
      .enum(DIMENSIONS, `must be one of ${DIMENSIONS.join(', ')}`)
      .default('agent')
      .meta({
        description:
          '`user`: who created the task, or owns the key that did; `key`: that key; `version`: of the definition of the agent, with `agent_id` only.',
      }),
    agent_id: queryText('Only tasks of this agent.'),
    time_zone: z
      .string('must be given once')
      .refine(isTimeZone, 'must be a time zone of IANA, such as Europe/Berlin')
      .default('UTC')
      .meta({ type: 'string', default: 'UTC', example: 'Europe/Berlin', description: 'The name of IANA.' }),
  }),
  responses: {
    200: {
      description: 'The steps.',
      schema: spendSchema,
      stream: 'A line of each group of each step, below the line of names: `at,key,cost,attempts,…`.',
      streamType: 'text/csv',
      example: {
        from: '2026-11-21T00:00:00.000Z',
        to: '2026-11-22T00:00:00.000Z',
        step: 'day',
        time_zone: 'UTC',
        group_by: 'agent',
        groups_overlap: false,
        total: SPENT_EXAMPLE,
        steps: [{ at: '2026-11-21T00:00:00.000Z', groups: [{ key: AGENT_ID_EXAMPLE, ...SPENT_EXAMPLE }] }],
      } satisfies Spend,
    },
  },
  errors: [LIMITED_KEY],
});
