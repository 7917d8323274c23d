import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { z } from 'zod';
import { COST_EXAMPLE, costSchema, USAGE_EXAMPLE, usageSchema } from '../agent-work/spend.ts';
import { AGENT_NOT_FOUND, agentParams } from '../contract/parameters.ts';

export const spentShape = {
  attempts: z.int().meta({ description: 'Ended attempts that have reported usage or cost.' }),
  ...usageSchema.shape,
  cost: costSchema,
};

export const spentSchema = z.strictObject(spentShape).meta({ id: 'Spent' });

export type Spent = z.output<typeof spentSchema>;

const byModelSchema = z.array(z.strictObject({ model: z.string(), ...spentShape }).meta({ id: 'ModelSpent' })).meta({
  description:
    'By the name that workers reported, the highest cost first. The first 98 names count; `other` has all further ones, and `unknown` the attempts without one.',
});

export const fleetSpendSchema = z
  .strictObject({
    total: spentSchema,
    by_type: z.record(z.string(), spentSchema).meta({ description: 'Has each type of `AGENT_TYPES`.' }),
    by_model: byModelSchema,
    by_agent: z
      .array(z.strictObject({ agent_id: z.string(), ...spentShape }).meta({ id: 'AgentSpent' }))
      .meta({ description: 'The 100 agents with the highest cost, then the most tokens.' }),
  })
  .meta({ id: 'FleetUsage' });

export type FleetSpend = z.output<typeof fleetSpendSchema>;

export const SPENT_EXAMPLE: Spent = { attempts: 1, ...USAGE_EXAMPLE, cost: COST_EXAMPLE };
export const NOTHING_SPENT: Spent = {
  attempts: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost: { amount: 0, currency: 'USD', estimated: false },
};

const agentSpendSchema = z.strictObject({ total: spentSchema, by_model: byModelSchema }).meta({ id: 'AgentUsage' });

export type AgentSpend = z.output<typeof agentSpendSchema>;

export const readAgentUsage = defineOperation({
  id: 'readAgentUsage',
  method: 'get',
  path: '/agents/{agent_id}/usage',
  tag: 'Statistics',
  scope: 'tasks:read',
  summary: 'Read what an agent has used',
  description: 'Counts the attempts of its tasks that have ended, those of deleted tasks too.',
  params: agentParams,
  responses: {
    200: {
      description: 'Tokens and cost.',
      schema: agentSpendSchema,
      example: {
        total: SPENT_EXAMPLE,
        by_model: [{ model: 'claude-opus-5', ...SPENT_EXAMPLE }],
      } satisfies AgentSpend,
    },
  },
  errors: [AGENT_NOT_FOUND],
});
