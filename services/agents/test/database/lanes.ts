import type { Keys } from '../../src/redis/keys.ts';
import { encodeKey } from '../../src/tasks/rules/task-state.ts';
import { placeOf } from './places.ts';
import type { Records } from './records.ts';
import type { Snapshot } from './snapshot.ts';

/** Agents know which of their tasks are leased, and their lanes which are ready, and which one is leased. */
export function laneProblems(snapshot: Snapshot, { agents, tasks }: Records, keys: Keys): string[] {
  const expected = new Set<string>();
  const found = new Set<string>();
  for (const [id, task] of tasks) {
    const { agent_id: agent, status } = task.record;
    if (!agents.has(agent)) continue;
    if (task.state?.lease) expected.add(`${agent} leased ${id}`);
    const lane = encodeKey(task.record);
    if (lane === undefined) continue;
    const fields = snapshot.laneTasks.get(agent) ?? {};
    if (/running|input_required/.test(status)) expected.add(`${agent} held ${lane} ${id}`);
    // A suspended task that was answered goes on holding its lane.
    else if (status === 'pending' && fields[`held ${lane}`] === id) expected.add(`${agent} held ${lane} ${id}`);
    if (placeOf(id, task, snapshot, keys) === undefined && fields[`task ${id}`] === undefined) continue;
    const [score] = fields[`task ${id}`]?.split(' ') ?? [];
    expected.add(`${agent} task ${id}`).add(`${agent} ready ${lane} ${String(score).padStart(16, '0')} ${id}`);
  }
  for (const [agent, ids] of snapshot.leased) for (const id of ids) found.add(`${agent} leased ${id}`);
  for (const [agent, members] of snapshot.lanes) for (const one of members.keys()) found.add(`${agent} ready ${one}`);
  for (const [agent, fields] of snapshot.laneTasks) {
    for (const [field, value] of Object.entries(fields)) {
      if (field.startsWith('task ')) found.add(`${agent} ${field}`);
      if (field.startsWith('held ')) found.add(`${agent} ${field} ${value}`);
    }
  }
  const idle = [...snapshot.lanes].flatMap(([agent, members]) =>
    [...new Set([...members.keys()].map((one) => one.split(' ')[0]))]
      .filter((lane) => {
        const fields = snapshot.laneTasks.get(agent) ?? {};
        return fields[`next ${lane}`] === undefined && fields[`held ${lane}`] === undefined;
      })
      .map((lane) => `the lane ${lane} of ${agent} stands still`),
  );
  const problems = [...expected.symmetricDifference(found)];
  return [...idle, ...problems.map((one) => `${one} is ${found.has(one) ? 'not expected' : 'missing'}`)];
}
