import { textSchema } from '@agent-fleet/shared/contract/fields';
import { z } from 'zod';
import { toMicros } from './used.ts';

const MAX_BUDGET = 10_000_000;
const OUTSIDE_BUDGET = `must be from 0 to ${MAX_BUDGET}`;
const PERIODS = ['day', 'week', 'month', 'total'] as const;

export const budgetInputSchema = z
  .strictObject({
    amount: z
      .number('must be a number')
      .min(0, OUTSIDE_BUDGET)
      .max(MAX_BUDGET, OUTSIDE_BUDGET)
      .meta({ description: 'Six decimals are kept. 0: nothing is leased.' }),
    currency: z.literal('USD', 'must be USD').default('USD'),
    period: z.enum(PERIODS, 'must be day, week, month or total'),
    time_zone: textSchema(1, 64)
      .refine(isTimeZone, 'must be the name of a time zone')
      .default('UTC')
      .meta({ description: 'A name of the IANA time zone database, in which the period begins.' }),
  })
  .meta({ id: 'BudgetInput' });

export type BudgetInput = z.output<typeof budgetInputSchema>;

export type Period = BudgetInput['period'];

function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return !/^[+-]/.test(timeZone);
  } catch {
    return false;
  }
}

/** The period of a time, both in ms; infinite ends of `total`. Weeks begin on Monday. */
export function periodAt(now: number, period: Period, zone: string): { from: number; until: number } {
  if (period === 'total') return { from: 0, until: Number.POSITIVE_INFINITY };
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
  const first = { day: today, week: today.subtract({ days: today.dayOfWeek - 1 }), month: today.with({ day: 1 }) }[
    period
  ];
  const beginOf = (date: Temporal.PlainDate) => date.toZonedDateTime(zone).epochMilliseconds;
  return { from: beginOf(first), until: beginOf(first.add({ [`${period}s`]: 1 })) };
}

/** A budget as scripts take it (includes/budgets.lua). */
export function toStoredBudget({ amount, period, time_zone }: Omit<BudgetInput, 'currency'>, now: number) {
  const { from, until } = periodAt(now, period, time_zone);
  const isEndless = until === Number.POSITIVE_INFINITY;
  return {
    ...{ amount: toMicros(amount), spent: 0, period, zone: time_zone, from, until: isEndless ? '' : until },
    time: isEndless ? '' : new Date(until).toISOString(),
  };
}
