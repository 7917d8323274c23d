import { type Input, json, type Reply } from '@agent-fleet/shared/contract/operation';
import { isId } from '@agent-fleet/shared/ids';
import { SPENT_COUNTERS, type SpentCounter, toAmount } from '../agent-work/used.ts';
import { agentNotFound } from '../contract/parameters.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { AgentSpend, FleetSpend, readAgentUsage, Spent } from './spend-contract.ts';

type Counts = { [Counter in SpentCounter]?: number };

/** The operation that reads what the scripts have counted of an agent: one hash, whose size is limited. */
export function createSpend({ redis, keys }: FleetContext) {
  return {
    async readAgentUsage({ params }: Input<typeof readAgentUsage>): Promise<Reply> {
      const { agent_id: agent } = params;
      if (!isId(agent)) throw agentNotFound();
      const [exists, fields] = await Promise.all([redis.exists(keys.agent(agent)), redis.hgetall(keys.spend(agent))]);
      if (exists === 0) throw agentNotFound();
      const scopes = toScopes(Object.entries(fields));
      return json({ total: toSpent(scopes.get('total')), by_model: toModels(scopes) } satisfies AgentSpend);
    },
  };
}

/** `fields`: the hash `spend` as names and values; `spenders`: for each agent its id and its total of each counter. */
export function toFleetSpend(
  types: readonly string[],
  fields: readonly string[],
  spenders: readonly string[],
): FleetSpend {
  const scopes = toScopes(toPairs(fields));
  return {
    total: toSpent(scopes.get('total')),
    by_type: Object.fromEntries(types.map((type) => [type, toSpent(scopes.get(`type ${type}`))])),
    by_model: toModels(scopes),
    by_agent: toAgents(spenders).toSorted(byCost),
  };
}

/** The counts of each scope: the fields are `<counter> <scope>`, beside the number of models. */
function toScopes(fields: Iterable<readonly [string, string]>): Map<string, Counts> {
  const scopes = new Map<string, Counts>();
  for (const [field, value] of fields) {
    const at = field.indexOf(' ');
    if (at < 0) continue;
    const scope = field.slice(at + 1);
    const counts = scopes.get(scope) ?? {};
    scopes.set(scope, Object.assign(counts, { [field.slice(0, at)]: toCount(value) }));
  }
  return scopes;
}

function toPairs(values: readonly string[]): [string, string][] {
  return Array.from({ length: values.length / 2 }, (_, at) => [`${values[2 * at]}`, `${values[2 * at + 1]}`]);
}

/** At most 2^53 − 1, up to which numbers are exact. */
function toCount(value: string): number {
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}

const MODEL = 'model ';

function toModels(scopes: ReadonlyMap<string, Counts>): AgentSpend['by_model'] {
  return [...scopes]
    .filter(([scope]) => scope.startsWith(MODEL))
    .map(([scope, counts]) => ({ model: decodeURIComponent(scope.slice(MODEL.length)), ...toSpent(counts) }))
    .sort(byCost);
}

function toAgents(values: readonly string[]): FleetSpend['by_agent'] {
  const width = 1 + SPENT_COUNTERS.length;
  return Array.from({ length: values.length / width }, (_, at) => {
    const [agent_id = '', ...counts] = values.slice(at * width, (at + 1) * width);
    const pairs = SPENT_COUNTERS.map((counter, index) => [counter, toCount(counts[index] ?? '0')]);
    return { agent_id, ...toSpent(Object.fromEntries(pairs)) };
  });
}

function toSpent(counts: Counts = {}): Spent {
  return spentOf(SPENT_COUNTERS.map((counter) => counts[counter] ?? 0));
}

/** The counts in the order of `SPENT_COUNTERS`. */
export function spentOf(counts: readonly number[]): Spent {
  const [attempts = 0, input = 0, cached = 0, output = 0, reasoning = 0, micros = 0, estimated = 0] = counts;
  return {
    attempts,
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_tokens: reasoning,
    cost: { amount: toAmount(micros), currency: 'USD', estimated: estimated > 0 },
  };
}

/** The highest cost first, then the most tokens. */
export function byCost(one: Spent, other: Spent): number {
  return other.cost.amount - one.cost.amount || tokensOf(other) - tokensOf(one);
}

function tokensOf({ input_tokens, output_tokens }: Spent): number {
  return input_tokens + output_tokens;
}
