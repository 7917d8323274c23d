import type { SingleCommand, Token } from './commands.ts';
import { type GivenTask, isEnded, type Model, type ModelTask } from './model.ts';
import type { Operation, Passing } from './operations.ts';

/** What a client knows of a task or lease. */
export interface TaskRef {
  agentId: string;
  taskId: string;
}
interface LeaseRef extends TaskRef {
  number: number;
  token: string;
}

/** What clients know so far, for commands to choose from. */
export interface Known {
  types: readonly string[];
  tasks: TaskRef[];
  leases: LeaseRef[];
  created: Extract<Operation, { kind: 'create' }>[];
  reported: Extract<Operation, { kind: 'result' }>[];
}

type Target = TaskRef & { task: ModelTask };

/** All existing tasks. */
export function liveTasks(model: Model): Target[] {
  return model.agents.flatMap(({ id, tasks }) => tasks.map((task) => ({ agentId: id, taskId: task.id, task })));
}

/** Chooses the operation of a command, on `focus` if given; undefined when there is no target. */
export function choose(
  command: SingleCommand,
  { model, known, name, focus }: { model: Model; known: Known; name: string; focus?: TaskRef },
): Operation | undefined {
  const { pick } = command;
  const agentId = focus?.agentId ?? pickOf(agentsOf(model, command.stray), pick)?.id;
  if (agentId === undefined) return undefined;
  const toGiven = (fields: Omit<GivenTask, 'message'>, at = 0) => ({ ...fields, message: `${name}.${at}` });
  switch (command.kind) {
    case 'create':
      return {
        kind: 'create',
        agentId,
        given: toGiven(command.given),
        ...(command.keyed && { key: `${agentId}-${name}` }),
      };
    case 'repeatCreate':
      return pickOf(known.created, pick);
    case 'batch':
      return { kind: 'batch', agentId, given: command.given.map((fields, at) => fields && toGiven(fields, at)) };
    case 'lease':
      return command.byType
        ? { kind: 'leaseTypes', types: typesOf(known.types, pick), worker: name, max: command.max }
        : { kind: 'lease', agentId, worker: name, max: command.max };
    case 'replaceAgent':
      return { kind: 'replaceAgent', agentId, name, type: pickOf([...known.types], command.type) as string };
    case 'deleteAgent':
      return { kind: 'deleteAgent', agentId };
    case 'repeatResult':
      return repeat(command.token, known, pick, focus);
    case 'heartbeat':
    case 'result':
    case 'release':
      return chooseLease(command, model, known, focus);
    default:
      return chooseTask(command, model, known, name, focus);
  }
}

function chooseLease(
  command: Extract<SingleCommand, { kind: 'heartbeat' | 'result' | 'release' }>,
  model: Model,
  known: Known,
  focus?: TaskRef,
): Operation | undefined {
  const { pick, stray } = command;
  const held = new Set(liveTasks(model).flatMap(({ task }) => (task.lease ? [task.lease.token] : [])));
  const fitting = known.leases.filter(
    ({ taskId, token }) => (!focus || taskId === focus.taskId) && (stray || held.has(token)),
  );
  const lease = pickOf(fitting, pick);
  if (!lease) return undefined;
  const { agentId, taskId, number } = lease;
  const target = { agentId, taskId, number, token: tokenOf(command.token, lease, known, pick) };
  if (command.kind === 'release') return { kind: 'release', ...target };
  if (command.kind === 'result') return { kind: 'result', report: command.report, ...target };
  const progress = command.percent === null ? undefined : { percent: command.percent, message: null };
  return { kind: 'heartbeat', progress, ...target };
}

function repeat(token: Token, known: Known, pick: number, focus?: TaskRef): Operation | undefined {
  const reported = pickOf(
    known.reported.filter(({ taskId }) => !focus || taskId === focus.taskId),
    pick,
  );
  return reported && { ...reported, token: tokenOf(token, reported, known, pick) };
}

function tokenOf(kind: Token, lease: LeaseRef, known: Known, pick: number): string {
  if (kind === 'wrong') return 'wrong';
  return kind === 'own' ? lease.token : (pickOf(known.leases, pick + 1) as LeaseRef).token;
}

function chooseTask(
  command: Extract<SingleCommand, { kind: 'replace' | 'delete' | 'cancel' | 'pass' }>,
  model: Model,
  known: Known,
  name: string,
  focus?: TaskRef,
): Operation | undefined {
  const { pick, stray } = command;
  const ofFocus = ({ taskId }: TaskRef) => !focus || taskId === focus.taskId;
  const fits = fitOf(command.kind === 'pass' ? command.what : command.kind);
  const target =
    stray && command.kind !== 'pass'
      ? pickOf(known.tasks.filter(ofFocus), pick)
      : pickOf(
          liveTasks(model).filter((live) => ofFocus(live) && fits(live.task)),
          pick,
        );
  if (!target) return undefined;
  const { agentId, taskId } = target;
  switch (command.kind) {
    case 'replace':
      return { kind: 'replace', agentId, taskId, given: { ...command.given, message: name } };
    case 'cancel':
      return { kind: 'cancel', agentId, taskId, reason: command.reason };
    case 'pass':
      return { kind: 'pass', agentId, taskId, what: command.what };
    default:
      return { kind: 'delete', agentId, taskId };
  }
}

/** The tasks that something is meant for. */
function fitOf(what: 'replace' | 'delete' | 'cancel' | Passing): (task: ModelTask) => boolean {
  switch (what) {
    case 'replace':
    case 'expiry':
      return ({ status }) => status === 'pending';
    case 'cancel':
    case 'delete':
      return (task) => !isEnded(task);
    case 'lease':
    case 'timeout':
      return ({ status }) => status === 'running';
    case 'start':
      return ({ waits }) => waits;
    case 'retention':
      return isEnded;
  }
}

function agentsOf(model: Model, stray: boolean) {
  return model.agents.filter(({ deleted }) => stray || !deleted);
}

/** One, another, or all. */
function typesOf(types: readonly string[], pick: number): string[] {
  const one = types[pick % (types.length + 1)];
  return one === undefined ? [...types] : [one];
}

function pickOf<T>(of: readonly T[], pick: number): T | undefined {
  return of.length === 0 ? undefined : of[pick % of.length];
}
