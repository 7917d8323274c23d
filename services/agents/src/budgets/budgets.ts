import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import { validationError } from '@agent-fleet/shared/http/errors';
import { isId } from '@agent-fleet/shared/ids';
import { type Period, toStoredBudget } from '../agent-work/budget.ts';
import { toAmount } from '../agent-work/used.ts';
import { auditOf } from '../audit/audit.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import {
  budgetNotFound,
  type deleteBudget,
  type listBudgets,
  type putBudget,
  type readBudget,
  type ScopeBudget,
} from './contract.ts';

/** Periods that one run begins at most. */
const MAX_ROLLED = 1_000;

/** The operations on budgets, and the begin of their periods. */
export function createBudgets(context: FleetContext) {
  const { redis, keys, clock, config } = context;
  const setBudget = loadFleetScript(context, 'budgets/set-budget');
  const types = config.agentTypes;

  async function read(scope: string): Promise<ScopeBudget | undefined> {
    const { amount, period = '', zone = '', from, time, spent, later, until } = await redis.hgetall(keys.budget(scope));
    if (amount === undefined) return undefined;
    // Its next period has begun, but for the background job.
    const isOver = until !== '' && Number(until) <= clock.now();
    const next = isOver && toStoredBudget({ amount: 0, period: period as Period, time_zone: zone }, clock.now());
    const used = Number(isOver ? later : spent);
    return {
      ...{ scope, amount: toAmount(Number(amount)), currency: 'USD', period, time_zone: zone },
      from: period === 'total' ? null : new Date(next ? next.from : Number(from)).toISOString(),
      until: (next ? next.time : time) || null,
      ...{ spent: toAmount(used), reached: used >= Number(amount) },
    };
  }

  /** @throws 400 for what can have no budget, or an agent */
  function requireSettable(scope: string): void {
    const [, kind, id = ''] = /^(fleet|type:|user:|key:)(.*)$/s.exec(scope) ?? [];
    const isKnown = kind === 'fleet' ? id === '' : kind === 'type:' ? types.includes(id) : kind && isId(id);
    if (isKnown) return;
    const message = scope.startsWith('agent:')
      ? "is an agent's: its definition sets its budget"
      : 'must be fleet, type:<type>, user:<id> or key:<id>';
    throw validationError([{ path: 'scope', code: 'invalid', message }]);
  }

  const operations = {
    async list({ query, req }: Input<typeof listBudgets>): Promise<Reply> {
      const { skip, limit } = query;
      const [total, scopes] = await Promise.all([
        redis.zcard(keys.budgets),
        redis.zrange(keys.budgets, `${skip}`, `${skip + limit - 1}`),
      ]);
      const found = (await Promise.all(scopes.map(read))).filter((budget) => budget !== undefined);
      return json(found, 200, pageHeaders(req.originalUrl, query, total, scopes.length));
    },

    async read({ params }: Input<typeof readBudget>): Promise<Reply> {
      const found = await read(params.scope);
      if (!found) throw budgetNotFound();
      return json(found);
    },

    async put({ params: { scope }, body, req }: Input<typeof putBudget>): Promise<Reply> {
      requireSettable(scope);
      const audit = auditOf(req, 'budget.replaced', scope);
      await setBudget({ scope, budget: toStoredBudget(body, clock.now()), types, audit });
      return json(await read(scope));
    },

    async delete({ params: { scope }, req }: Input<typeof deleteBudget>): Promise<Reply> {
      requireSettable(scope);
      await setBudget({ scope, types, audit: auditOf(req, 'budget.deleted', scope) });
      return { status: 204 };
    },
  };

  /** Begins the next period of the budgets whose period is over. */
  async function roll(): Promise<void> {
    const now = clock.now();
    const scopes = await redis.zrange(keys.budgets, '-inf', `${now}`, 'BYSCORE', 'LIMIT', 0, MAX_ROLLED);
    for (const scope of scopes) {
      const [ended, period, zone] = await redis.hmget(keys.budget(scope), 'until', 'period', 'zone');
      if (!ended || !period || !zone || Number(ended) > now) continue;
      const budget = toStoredBudget({ amount: 0, period: period as Period, time_zone: zone }, now);
      await setBudget({ scope, budget, ended, types });
    }
  }

  return { operations, roll };
}
