import type { RequireAgent } from '../contract/parameters.ts';
import type { DefinitionStore } from '../definitions/definition-store.ts';
import type { Feed } from '../events/feed.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { FindUnknownSkill } from '../skills/unknown-skills.ts';
import { createChanges } from './changes.ts';
import { createCreation, createFindProblem } from './creation.ts';
import { createAgentBatches } from './graphs/agent-batches.ts';
import { createBatchStore } from './graphs/batch-store.ts';
import { createFindDependencies } from './graphs/dependencies.ts';
import { createGraphReading } from './graphs/graph.ts';
import { createGraphs } from './graphs/graph-creation.ts';
import { createGraphRetries } from './graphs/graph-retries.ts';
import { createHandovers } from './graphs/handovers.ts';
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
  const onHandover = () => void handovers.run();
  const onTooManyEnded = (agentId: string) => void trimEnded(agentId);
  const change: ChangeTask = createTaskChanger(context, { reader, onTooManyEnded, onHandover });
  const handovers = createHandovers(context, change);
  const trimEnded = createTrimEnded(context, change);
  const create = createTaskCreator(context, { reader, onHandover });
  const findReferenceProblem = createFindReferenceProblem(reader);
  const findDependencies = createFindDependencies(context);
  const reading = createReading({ reader, search, requireAgent, waitForEnd: createWaitForEnd(context, feed) });
  const batches = createBatchStore(context, { create, definitions });
  const graphRetries = createGraphRetries(context, { reader, findDependencies, definitions, batches });
  const findProblemOf = createFindProblem(findReferenceProblem, findUnknownSkill);
  const creation = { create, idempotency, requireAgent, findProblemOf, findDependencies, definitions };
  return {
    operations: {
      ...reading,
      ...createGraphReading(context, { reader }),
      ...createCreation(context, creation),
      ...createAgentBatches(context, creation),
      ...createGraphs(context, { ...creation, batches }),
      ...createRetries(context, { reader, create, idempotency, definitions, graphRetries }),
      ...createChanges({ reader, change, findReferenceProblem, findUnknownSkill, findDependencies, definitions }),
    },
    reader,
    search,
    change,
    held: createHeldTasks({ change, reader }),
    create,
    handovers,
    batches,
    definitions,
    requireTask: reading.requireTask,
  };
}
