import type { RequireAgent } from '../contract/parameters.ts';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Feed } from '../events/feed.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { FindUnknownSkill } from '../skills/unknown-skills.ts';
import { createChanges } from './changes.ts';
import { createCreation } from './creation.ts';
import { createHeldTasks } from './held-tasks.ts';
import { createReading } from './reading.ts';
import { createFindReferenceProblem } from './references.ts';
import { createRetries } from './retries.ts';
import { type ChangeTask, createTaskChanger } from './store/task-changer.ts';
import { createTaskCreator } from './store/task-creator.ts';
import { createTaskReader } from './store/task-reader.ts';
import { createTrimEnded } from './store/task-removal.ts';
import { TaskSearch } from './store/task-search.ts';
import { createWaitForEnd } from './wait-for-end.ts';

interface TaskParts {
  idempotency: Idempotency;
  feed: Feed;
  definitions: DefinitionStore;
  findUnknownSkill: FindUnknownSkill;
  requireAgent: RequireAgent;
}

export type Tasks = ReturnType<typeof createTasks>;

export function createTasks(
  context: FleetContext,
  { idempotency, feed, definitions, findUnknownSkill, requireAgent }: TaskParts,
) {
  const reader = createTaskReader(context);
  const search = new TaskSearch(context, reader);
  const onTooManyEnded = (agentId: string) => void trimEnded(agentId);
  const change: ChangeTask = createTaskChanger(context, { reader, onTooManyEnded });
  const trimEnded = createTrimEnded(context, change);
  const create = createTaskCreator(context, reader);
  const findReferenceProblem = createFindReferenceProblem(reader);
  const reading = createReading({ reader, search, requireAgent, waitForEnd: createWaitForEnd(context, feed) });
  return {
    operations: {
      ...reading,
      ...createCreation(context, {
        create,
        idempotency,
        requireAgent,
        findReferenceProblem,
        findUnknownSkill,
        definitions,
      }),
      ...createRetries(context, { reader, create, idempotency, definitions }),
      ...createChanges({ reader, change, findReferenceProblem, findUnknownSkill, definitions }),
    },
    reader,
    search,
    change,
    held: createHeldTasks({ change, reader }),
    create,
    definitions,
    requireTask: reading.requireTask,
  };
}
