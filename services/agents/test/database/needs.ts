import type { Keys } from '../../src/redis/keys.ts';
import { labelSetOf } from '../../src/tasks/rules/needs.ts';
import { isEnded, type Records } from './records.ts';
import type { Snapshot } from './snapshot.ts';

const NAMES = ['queue', 'reserved', 'ready'] as const;
const KEYS = { queue: 'queueNeeds', reserved: 'reservedNeeds', ready: 'readyNeeds' } as const;

/** The keys of a queue with any needs. */
export const queuesOf = ({ sorted }: Pick<Snapshot, 'sorted'>, key: string) =>
  [...sorted.keys()].filter((other) => other === key || other.startsWith(`${key}:`));

/** The needs of which there are queues are registered; tasks count by their set of labels, and by their version. */
export function needsProblems(snapshot: Snapshot, { tasks, agents }: Records, keys: Keys): string[] {
  const { sorted, needs: registered, labelSets, uses: versions } = snapshot;
  const queues = NAMES.flatMap((name) =>
    queuesOf({ sorted }, `${keys.prefix}${name}`).flatMap((key) => {
      const [id = '', ...parts] = key.slice(`${keys.prefix}${name}:`.length).split(':');
      const needs = parts.join(':');
      return needs === '' ? [] : [`${keys[KEYS[name]](id)} ${needs}`];
    }),
  );
  const found = [...registered].flatMap(([key, sets]) => [...sets].map((needs) => `${key} ${needs}`));
  const left = new Set(queues).symmetricDifference(new Set(found));
  const sets = new Map<string, number>();
  const uses = new Map<string, number>();
  const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const task of tasks.values()) {
    const { agent_id, agent_version } = task.record;
    const set = task.state ? labelSetOf(task.state) : '';
    if (set !== '' && !isEnded(task)) add(sets, set);
    if (agent_version && agents.has(agent_id)) {
      add(uses, `${agent_id} ${String(agent_version).padStart(9, '0')}`);
    }
  }
  // An agent may have changed its type since: a set is counted under the type that the task has.
  const counted = new Map<string, number>();
  for (const counts of labelSets.values()) {
    for (const [set, count] of Object.entries(counts)) {
      if (!set.startsWith('of ')) counted.set(set, (counted.get(set) ?? 0) + Number(count));
    }
  }
  const used = [...versions].flatMap(([agent, counts]) =>
    [...counts].map(([version, count]) => [`${agent} ${version}`, count] as const),
  );
  return [
    ...[...left].map((queue) => `${queue} is registered or has a queue, not both`),
    ...differences('tasks with the labels', sets, counted),
    ...differences('tasks of the version', uses, new Map(used)),
  ];
}

function differences(what: string, expected: Map<string, number>, found: Map<string, number>): string[] {
  const names = new Set([...expected.keys(), ...found.keys()]);
  return [...names]
    .filter((name) => (expected.get(name) ?? 0) !== (found.get(name) ?? 0))
    .map((name) => `${found.get(name)}, not ${expected.get(name)} ${what} ${name}`);
}
