import { orNull } from '@agent-fleet/shared/contract/fields';
import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { queryIntegerOr, queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { LIMITED_KEY } from '../contract/callers.ts';

const MINUTE = 60;
const MAX_STEPS = 720;

const percentilesSchema = z
  .strictObject({ p50: z.number(), p95: z.number() })
  .meta({ id: 'Percentiles', description: 'In ms, at most 5 % off.' });

const stepSchema = z
  .strictObject({
    at: z.iso.datetime().meta({ description: 'Beginning of the step.' }),
    created: z.int(),
    completed: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    input_requested: z.int().meta({ description: 'Input requests that were opened.' }),
    retried: z.int().meta({ description: 'Attempts that failed and are followed by another one.' }),
    wait_ms: orNull(percentilesSchema, 'From creation to the first lease, of tasks first leased in the step.'),
    run_ms: orNull(
      percentilesSchema,
      'Length of the attempts that were completed, failed, cancelled or retried in the step.',
    ),
  })
  .meta({ id: 'SeriesStep' });

const seriesSchema = z
  .strictObject({
    from: z.iso.datetime(),
    to: z.iso.datetime().meta({ description: 'End of the current minute.' }),
    step: z.int().meta({ description: 'In seconds.' }),
    steps: z.array(stepSchema).meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'Series' });

export type Series = z.output<typeof seriesSchema>;
export type SeriesStep = z.output<typeof stepSchema>;

export const readSeries = defineOperation({
  id: 'readSeries',
  method: 'get',
  path: '/stats/series',
  tag: 'Statistics',
  scope: 'tasks:read',
  summary: 'Read what happened to tasks over time',
  description: `Exact counts per step, kept for 48 h, also of tasks that were deleted. The window ends with the current minute; it has at most ${MAX_STEPS} steps. \`step\` is a multiple of ${MINUTE} and divides \`window\`. An unknown type or agent, and an agent of another type, have zeros.`,
  query: z
    .object({
      window: queryIntegerOr(3_600, { min: MINUTE, max: 172_800, description: 'Length of the window in seconds.' }),
      step: queryIntegerOr(MINUTE, { min: MINUTE, max: 86_400, description: 'Length of a step in seconds.' }),
      type: queryText('Only tasks of agents that were of this type.'),
      agent_id: queryText('Only tasks of this agent.'),
    })
    .refine(({ step }) => step % MINUTE === 0, { path: ['step'], error: `must be a multiple of ${MINUTE}` })
    .refine(({ window, step }) => window % step === 0, { path: ['step'], error: 'must divide the window' })
    .refine(({ window, step }) => window / step <= MAX_STEPS, {
      path: ['step'],
      error: `must divide the window into at most ${MAX_STEPS} steps`,
    }),
  responses: {
    200: {
      description: 'The steps of the window.',
      schema: seriesSchema,
      example: {
        from: '2026-11-21T09:31:00.000Z',
        to: '2026-11-21T09:32:00.000Z',
        step: 60,
        steps: [
          {
            at: '2026-11-21T09:31:00.000Z',
            created: 12,
            completed: 10,
            failed: 1,
            cancelled: 0,
            input_requested: 3,
            retried: 2,
            wait_ms: { p50: 104.5, p95: 1_216 },
            run_ms: { p50: 5_240, p95: 41_930 },
          },
        ],
      } satisfies Series,
    },
  },
  errors: [LIMITED_KEY],
});
