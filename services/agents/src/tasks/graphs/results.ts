import { z } from 'zod';
import { anyJsonSchema, parseRecord } from '../../contract/fields.ts';
import type { Dependency } from '../rules/task-state.ts';
import type { TaskReader } from '../store/task-reader.ts';
import type { Task } from '../task.ts';

/** Results that the leases of one request have together, as JSON in UTF-8. */
const MAX_RESULTS = 1024 * 1024;

/** What a lease says of a task that its own comes after. */
export const dependencySchema = z
  .strictObject({
    task_id: z.string(),
    key: z.string().nullable().meta({ description: 'Its key in the batch that created both, else null.' }),
    status: z.enum(['completed', 'failed', 'cancelled', 'deleted']),
    result: anyJsonSchema.optional().meta({
      description:
        'If it has completed. Absent when it was deleted since, or when the results of all leases of the request have more than 1 MiB with it.',
    }),
  })
  .meta({ id: 'LeaseDependency' });

/** Returns the JSON of what each task comes after; undefined for one that comes after none. */
export type ReadResults = (
  leased: readonly { after: readonly Dependency[] | undefined }[],
) => Promise<(string | undefined)[]>;

/** The creator of the tasks could read all that they come after. */
export function createReadResults(reader: TaskReader): ReadResults {
  return async (leased) => {
    let left = MAX_RESULTS;

    /** `,"result":…`, or '' without one, or room for it. */
    async function readResult({ id, status }: Dependency): Promise<string> {
      if (status !== 'completed') return '';
      const { records } = await reader.readRecords([id]);
      const task = records[0] === undefined ? undefined : (parseRecord(records[0]) as Task);
      if (task?.status !== 'completed') return '';
      const json = JSON.stringify(task.result);
      const size = Buffer.byteLength(json);
      if (size > left) return '';
      left -= size;
      return `,"result":${json}`;
    }

    const texts: (string | undefined)[] = [];
    for (const { after } of leased) {
      const parts: string[] = [];
      for (const one of after ?? []) {
        const head = JSON.stringify({ task_id: one.id, key: one.key ?? null, status: one.status });
        parts.push(`${head.slice(0, -1)}${await readResult(one)}}`);
      }
      texts.push(after && `[${parts.join(',')}]`);
    }
    return texts;
  };
}
