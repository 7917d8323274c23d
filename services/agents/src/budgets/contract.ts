import { defineOperation } from '@agent-fleet/shared/contract/operation';
import { limitParameter, PAGE_HEADERS, skipParameter } from '@agent-fleet/shared/contract/paging';
import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import { budgetInputSchema } from '../agent-work/budget.ts';
import { LIMITED_KEY } from '../contract/callers.ts';

const scopeBudgetSchema = z
  .strictObject({
    scope: z.string(),
    amount: z.number(),
    currency: z.literal('USD'),
    period: z.string(),
    time_zone: z.string(),
    from: z.iso.datetime().nullable().meta({ description: 'When the present period began; null in total.' }),
    until: z.iso.datetime().nullable().meta({ description: 'When it ends; null in total.' }),
    spent: z.number().meta({ description: 'What attempts have cost in it, running ones as reported.' }),
    reached: z.boolean().meta({ description: 'Nothing more is leased in the period.' }),
  })
  .meta({ id: 'ScopeBudget' });

export type ScopeBudget = z.output<typeof scopeBudgetSchema>;

const INPUT_EXAMPLE = { amount: 50, period: 'day' as const, time_zone: 'Europe/Berlin' };
const EXAMPLE: ScopeBudget = {
  ...{ scope: 'fleet', ...INPUT_EXAMPLE, currency: 'USD' },
  ...{ from: '2026-11-20T23:00:00.000Z', until: '2026-11-21T23:00:00.000Z', spent: 12.75, reached: false },
};

export function budgetNotFound(): HttpError {
  return detailError(404, 'Budget not found');
}

const BUDGET = {
  path: '/budgets/{scope}',
  tag: 'Budgets',
  scope: 'budgets:admin',
  params: z.object({
    scope: z.string().meta({
      description: '`fleet`, `type:<type>`, `user:<id>`, `key:<id>`, or, only to read, `agent:<id>`.',
      example: 'fleet',
    }),
  }),
} as const;
const NOT_FOUND = { status: 404, description: 'There is no such budget.', example: budgetNotFound().body };

export const listBudgets = defineOperation({
  id: 'listBudgets',
  method: 'get',
  path: '/budgets',
  tag: 'Budgets',
  scope: 'budgets:admin',
  summary: 'List budgets',
  description: 'Also those of the definitions of agents. The period that ends first comes first.',
  query: z.object({ skip: skipParameter, limit: limitParameter }),
  responses: {
    200: {
      description: 'A page of budgets.',
      schema: z.array(scopeBudgetSchema),
      headers: PAGE_HEADERS,
      example: [EXAMPLE],
    },
  },
  errors: [LIMITED_KEY],
});

export const readBudget = defineOperation({
  ...BUDGET,
  id: 'readBudget',
  method: 'get',
  summary: 'Read a budget',
  responses: { 200: { description: 'The budget.', schema: scopeBudgetSchema, example: EXAMPLE } },
  errors: [LIMITED_KEY, NOT_FOUND],
});

export const putBudget = defineOperation({
  ...BUDGET,
  id: 'replaceBudget',
  method: 'put',
  summary: 'Set a budget',
  description:
    'What a period has cost counts for a new amount too. That of an agent is set by its definition. Once a budget is used up, nothing more of its scope is leased in the period.',
  body: { schema: budgetInputSchema, example: INPUT_EXAMPLE },
  responses: { 200: { description: 'The budget.', schema: scopeBudgetSchema, example: EXAMPLE } },
  errors: [LIMITED_KEY],
});

export const deleteBudget = defineOperation({
  ...BUDGET,
  id: 'deleteBudget',
  method: 'delete',
  summary: 'Delete a budget',
  description: 'Also successful without one. That of an agent is deleted by its definition.',
  responses: { 204: { description: 'There is no such budget.' } },
  errors: [LIMITED_KEY],
});
