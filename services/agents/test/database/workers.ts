import { encodePart } from '../../src/contract/ids.ts';
import type { Records } from './records.ts';
import type { Snapshot } from './snapshot.ts';

const KEPT_MS = 5 * 60_000;
const FIELD = /^(first|polled|client|accepts|labels|pauses|completed|failed|type [^ ]+|agent [-\da-f]{36})$/;

/** Workers are those that were last heard of, and no deleted agent counts as polled. */
export function workerProblems({ workers, seen, polledAgents, now }: Snapshot, { agents }: Records): string[] {
  const ids = new Map([...seen].map(([id, at]) => [encodePart(id), at]));
  return [
    ...[...polledAgents.keys()]
      .filter((polled) => !agents.has(polled))
      .map((polled) => `agent ${polled} is polled and does not exist`),
    ...[...workers].flatMap(([id, fields]) => {
      const at = ids.get(id);
      const unknown = Object.keys(fields).filter((field) => !FIELD.test(field));
      const problems = unknown.map((field) => `worker ${id} has ${field}`);
      if (at === undefined) problems.push(`worker ${id} was never seen`);
      else if (at > now + 1_000 || at < now - 2 * KEPT_MS || Number(fields.first) > at) {
        problems.push(`worker ${id} was seen at ${at}, first at ${fields.first}`);
      }
      return problems;
    }),
  ];
}
