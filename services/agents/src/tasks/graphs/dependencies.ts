import type { FieldError } from '@agent-fleet/shared/http/errors';
import { readCaller } from '@agent-fleet/shared/http/internal-access';
import { isId } from '@agent-fleet/shared/ids';
import type { Request } from 'express';
import type { FleetContext } from '../../redis/fleet-context.ts';
import { loadFleetScript } from '../../redis/scripts.ts';
import type { Dependency } from '../rules/task-state.ts';

/** Ids that one script reads. */
const STEP = 100;

/** A task that others may come after. */
export interface Found extends Dependency {
  agentId: string;
  /** The status of the task. */
  current: string;
}

export type FindDependencies = ReturnType<typeof createFindDependencies>;

/**
 * The result finds the tasks that a caller may read: `tasks:read` of their agents. `ids` may name others, and one more
 * than once. What has not completed has no status: whoever waits for it hears how it has ended.
 */
export function createFindDependencies(context: FleetContext) {
  const read = loadFleetScript(context, 'tasks/graphs/read-dependencies');

  return async (req: Request, ids: readonly string[]): Promise<Map<string, Found>> => {
    const caller = readCaller(req);
    const found = new Map<string, Found>();
    if (caller && !caller.scopes.includes('tasks:read')) return found;
    const known = [...new Set(ids)].filter(isId);
    for (let from = 0; from < known.length; from += STEP) {
      const step = known.slice(from, from + STEP);
      for (const [at, text] of ((await read({ ids: step })) as string[]).entries()) {
        const [agentId = '', current = ''] = text.split(' ');
        if (agentId === '' || (caller?.agentIds && !caller.agentIds.has(agentId))) continue;
        const id = step[at] as string;
        found.set(id, { id, agentId, current, ...(current === 'completed' && { status: current }) });
      }
    }
    return found;
  };
}

/** What a task comes after, of what was found; or the first that was not. */
export function toDependencies(
  after: readonly string[] | null | undefined,
  found: ReadonlyMap<string, Dependency>,
): Dependency[] | FieldError {
  const dependencies: Dependency[] = [];
  for (const [at, id] of (after ?? []).entries()) {
    const one = found.get(id);
    if (!one) return { path: `after.${at}`, code: 'unknown_dependency', message: `names no task: ${id}` };
    const { key, status } = one;
    dependencies.push({ id, ...(key !== undefined && { key }), ...(status && { status }) });
  }
  return dependencies;
}
