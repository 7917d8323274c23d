import { SPENT_COUNTERS } from '../../src/agent-work/used.ts';
import type { Keys } from '../../src/redis/keys.ts';
import type { Records } from './records.ts';
import type { Snapshot } from './snapshot.ts';

type Counts = Record<string, number>;

/**
 * The totals of what attempts have used are the sums by type and by model. An agent has used at least what its tasks
 * have, of which some may be deleted, and the fleet at least what its agents have.
 */
export function spendProblems({ spend, spenders }: Snapshot, { agents, tasks }: Records, keys: Keys): string[] {
  const problems: string[] = [];
  const expect = (is: boolean, what: string) => void (is || problems.push(what));
  const fleet = sumsOf(spend.get(keys.spend()) ?? {});
  expectSums(fleet, 'of the fleet');
  for (const counter of SPENT_COUNTERS) {
    expect(sum(fleet.type, counter) === (fleet.total[counter] ?? 0), `types have not used all ${counter} of the fleet`);
  }

  const ofAgents: Counts[] = [];
  for (const [key, fields] of spend) {
    if (key === keys.spend()) continue;
    const agent = key.slice(keys.spend('').length + ':agent:'.length);
    const { total, ...parts } = sumsOf(fields);
    ofAgents.push(total);
    expectSums({ total, ...parts }, `of agent ${agent}`);
    expect(agents.has(agent), `agent ${agent} has used something and does not exist`);
    const least = usedByTasks(agent, tasks);
    for (const [counter, count] of Object.entries(least)) {
      expect(
        (total[counter] ?? 0) >= count,
        `agent ${agent} has used ${total[counter]} ${counter}, its tasks ${count}`,
      );
    }
    const score = (total.micros ?? 0) + ((total.input ?? 0) + (total.output ?? 0)) / 1e15;
    const found = spenders.get(agent);
    expect(found === score, `agent ${agent} has the score ${found} of its cost, not ${score}`);
  }
  expect(
    spenders.size === ofAgents.length,
    `${spenders.size} agents have an order by cost, and ${ofAgents.length} have used any`,
  );
  for (const counter of SPENT_COUNTERS) {
    const sumOfAgents = ofAgents.reduce((all, total) => all + (total[counter] ?? 0), 0);
    expect(sumOfAgents <= (fleet.total[counter] ?? 0), `agents have used more ${counter} than the fleet`);
  }
  return problems;

  function expectSums({ total, model, models }: ReturnType<typeof sumsOf>, of: string): void {
    for (const counter of SPENT_COUNTERS) {
      expect(sum(model, counter) === (total[counter] ?? 0), `models have not used all ${counter} ${of}`);
    }
    const names = [...model.keys()].filter((name) => name !== 'unknown' && name !== 'other');
    expect(names.length === models, `${names.length} models ${of} are counted as ${models}`);
  }
}

/** The counters of a hash: `<counter> total`, `<counter> type <type>`, `<counter> model <model>`, and `models`. */
function sumsOf({ models = '0', ...fields }: Record<string, string>) {
  const total: Counts = {};
  const parts = { type: new Map<string, Counts>(), model: new Map<string, Counts>() };
  for (const [field, count] of Object.entries(fields)) {
    const [counter = '', kind, name = ''] = field.split(' ');
    const counts = kind === 'total' ? total : (parts[kind as 'type' | 'model'].get(name) ?? {});
    counts[counter] = Number(count);
    if (kind !== 'total') parts[kind as 'type' | 'model'].set(name, counts);
  }
  return { total, ...parts, models: Number(models) };
}

function sum(parts: Map<string, Counts>, counter: string): number {
  return [...parts.values()].reduce((all, counts) => all + (counts[counter] ?? 0), 0);
}

function usedByTasks(agent: string, tasks: Records['tasks']): Counts {
  const used = { input: 0, output: 0, micros: 0 };
  for (const { record } of tasks.values()) {
    if (record.agent_id !== agent) continue;
    used.input += record.usage?.input_tokens ?? 0;
    used.output += record.usage?.output_tokens ?? 0;
    used.micros += Math.round((record.cost?.amount ?? 0) * 1e6);
  }
  return used;
}
