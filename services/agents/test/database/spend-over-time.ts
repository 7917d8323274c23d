import { SPENT_COUNTERS } from '../../src/agent-work/used.ts';
import type { Keys } from '../../src/redis/keys.ts';
import type { Records } from './records.ts';
import type { Snapshot } from './snapshot.ts';

const BLOCK_DAYS = 32;
/** Sums of each counter. */
type Sums = number[];
/** By scope (an agent, or `''` for the fleet), dimension and day. */
type Days = Map<string, Sums>;

/**
 * What was spent over time has the same sums by each dimension but tags, by quarters of an hour and by days. It is all
 * that the fleet has spent, and an agent has spent at least what the attempts of its tasks have, of which some may be
 * deleted.
 */
export function spendOverTimeProblems({ spend, spendBy, attempts }: Snapshot, { agents, tasks }: Records, keys: Keys) {
  const problems: string[] = [];
  const [quarters, days]: [Days, Days] = [new Map(), new Map()];
  const totals = new Map<string, Sums>();
  for (const [key, fields] of spendBy) {
    const [, agent = '', grain, number] =
      /^.*spend-by(?::agent:([^:]{36})|:\w+)?:(quarters|days):(\d+)$/.exec(key) ?? [];
    if (agent !== '' && !agents.has(agent)) problems.push(`${key} is of an agent that does not exist`);
    for (const [field, packed] of Object.entries(fields)) {
      const [period, dimension = '', name] = field.split(' ');
      if (name === undefined || dimension === 'tag') continue;
      const counts = SPENT_COUNTERS.map((_, at) => packed.readDoubleLE(8 * at));
      const day = grain === 'quarters' ? Number(number) : Number(period);
      if (grain === 'days' && Math.floor(day / BLOCK_DAYS) !== Number(number)) problems.push(`${key} has day ${day}`);
      addTo(grain === 'quarters' ? quarters : days, `${agent} ${dimension} ${day}`, counts);
      if (grain === 'days' && dimension === 'type') addTo(totals, agent, counts);
    }
  }
  for (const [place, sums] of days) {
    const [agent, , day] = place.split(' ');
    for (const [what, found] of [
      ['by quarters', quarters.get(place)],
      ['by type', days.get(`${agent} type ${day}`)],
    ] as const) {
      if (`${found}` !== `${sums}`) problems.push(`${place} has spent ${sums}, and ${found} ${what}`);
    }
  }
  if (quarters.size !== days.size) problems.push(`${quarters.size} sums by quarters, and ${days.size} by days`);

  const micros = SPENT_COUNTERS.indexOf('micros');
  const all = Number(spend.get(keys.spend())?.['micros total'] ?? 0);
  const found = totals.get('')?.[micros] ?? 0;
  if (spendBy.size > 0 && found !== all) problems.push(`the fleet has spent ${all}, and ${found} over time`);
  for (const [agent, [number = 0, ...others]] of totals) {
    if (agent === '') continue;
    const ended = [...tasks]
      .filter(([, { record }]) => record.agent_id === agent)
      .flatMap(([id]) => attempts.get(id) ?? []);
    const amounts = ended.map((text) => Math.round(((JSON.parse(text).cost?.amount as number) ?? 0) * 1e6));
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    const spent = others[micros - 1] ?? 0;
    if (number < ended.length)
      problems.push(`agent ${agent} has spent by ${number} attempts, its tasks by ${ended.length}`);
    if (spent < sum) problems.push(`agent ${agent} has spent ${spent}, the attempts of its tasks ${sum}`);
  }
  return problems;
}

function addTo(all: Map<string, Sums>, key: string, counts: Sums): void {
  const sums = all.get(key);
  all.set(key, sums ? sums.map((sum, at) => sum + (counts[at] as number)) : counts);
}
