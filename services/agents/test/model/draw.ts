import type { Dice } from './dice.ts';
import { ACCEPTS, drawTalk, TALK_WEIGHTS, type TalkKind } from './draw-talk.ts';
import {
  type GivenTask,
  isEnded,
  isReady,
  isWorkedOn,
  type Model,
  type ModelTask,
  type Pass,
  type Report,
  type TaskRef,
} from './entities.ts';
import type { Known, LeaseRef, Match, Operation, RequestRef } from './operation.ts';
import * as operations from './operations.ts';
import { openOf } from './talk.ts';

const error = (retryable: boolean) => ({ code: 'exit_1', message: 'no', retryable });
const limited = (retry_at: string) => ({ code: 'rate_limited', message: 'no', retryable: true, retry_at });
const cost = (amount: number, estimated = false) => ({ amount, currency: 'USD' as const, estimated });
const REPORTS: Report[] = [
  { status: 'completed', result: { ok: 1 } },
  { status: 'completed', cost: cost(1) },
  { status: 'completed' },
  { status: 'failed', error: error(true) },
  { status: 'failed', error: error(true), cost: cost(1) },
  { status: 'failed', error: error(true), cost: cost(2, true) },
  { status: 'failed' },
  { status: 'failed', error: limited('2026-01-01T00:00:00Z') },
  { status: 'failed', error: limited('2099-01-01T00:00:00Z'), cost: cost(1) },
  { status: 'failed', error: error(false), result: 7 },
  { status: 'cancelled' },
  { status: 'cancelled', error: error(true), result: [] },
];
const LINES = ['one', '', 'é'.repeat(2_000)];
export const LABELS = ['eu', 'gpu'];
export const TAGS = ['red', 'blue', 'a:b c'];

/** Relative frequency of each kind of operation. */
const WEIGHTS = {
  create: 14,
  repeatCreate: 3,
  batch: 4,
  replace: 6,
  delete: 4,
  cancel: 7,
  lease: 24,
  heartbeat: 6,
  log: 6,
  result: 16,
  repeatResult: 4,
  release: 5,
  replaceAgent: 2,
  define: 4,
  undefine: 1,
  pause: 3,
  resume: 4,
  deleteAgent: 1,
  pass: 12,
  ...TALK_WEIGHTS,
};
type Kind = keyof typeof WEIGHTS;
const toKinds = (weights: Partial<Record<Kind, number>>) =>
  Object.entries(weights).flatMap(([kind, weight]) => Array<Kind>(weight).fill(kind as Kind));
export const KINDS = toKinds(WEIGHTS);
/** Of a history in which people and workers speak. */
export const TALKATIVE = toKinds({
  ...TALK_WEIGHTS,
  ...{ lease: 14, heartbeat: 3, result: 3, release: 4, pass: 8, cancel: 1, create: 1, replace: 1, resume: 1 },
});
export const MESSAGES: Kind[] = ['heartbeat', 'log', 'result', 'result', 'release', 'ask', 'inbox', 'suspend'];

/** The tasks to which an operation applies. */
const FITS: Record<
  'replace' | 'delete' | 'cancel' | 'say' | 'interrupt' | 'answer' | Pass['what'],
  (task: ModelTask) => boolean
> = {
  replace: ({ status }) => status === 'pending',
  delete: (task) => !isEnded(task),
  cancel: (task) => !isEnded(task),
  say: (task) => !isEnded(task),
  interrupt: isWorkedOn,
  answer: ({ talk }) => talk.requests.length > 0,
  lease: ({ lease }) => lease !== null,
  timeout: ({ lease }) => lease !== null,
  request: ({ talk }) => openOf(talk).length > 0,
  interruption: ({ status, talk }) => status === 'running' && talk.isInterrupted,
  expiry: ({ status }) => status === 'pending',
  start: ({ waits }) => waits,
  reservation: (task) => isReady(task) && task.reserved,
  retention: isEnded,
};

const PASSES: Pass['what'][] = [
  ...(['lease', 'lease', 'timeout', 'expiry', 'start', 'reservation', 'retention'] as const),
  ...(['request', 'request', 'interruption', 'interruption'] as const),
];

interface Setting {
  model: Model;
  known: Known;
  /** Names the records that the operation creates. */
  name: string;
  kinds: Kind[];
  /** The task of the operation, if the kind has one. */
  focus?: TaskRef;
  maxLeases?: number;
  readMatch(target: TaskRef, isCurrent: boolean): Promise<Match>;
  readRequests(target: TaskRef): Promise<RequestRef[]>;
}

type Target = TaskRef & { task: ModelTask };

/** All existing tasks. */
export function liveTasks(model: Model): Target[] {
  return model.agents.flatMap(({ id, tasks }) => tasks.map((task) => ({ agentId: id, taskId: task.id, task })));
}

/** Draws an operation of a random kind; undefined when there is no target. */
export async function draw(dice: Dice, setting: Setting): Promise<Operation | undefined> {
  const { model, known, name, focus, kinds } = setting;
  const { pick, oneIn, roll } = dice;
  const kind = pick(kinds);
  // Any record that ever existed, instead of a typical target of the operation.
  const isStray = oneIn(5);
  const agentId = focus?.agentId ?? pick(model.agents.filter(({ deleted }) => isStray || !deleted))?.id;
  if (agentId === undefined) return undefined;
  switch (kind) {
    case 'create':
      return operations.create(
        agentId,
        drawFields(dice, name, drawPrior(dice, agentId, setting, pick(known.tasks))),
        oneIn(3) ? `${agentId}-${name}` : undefined,
      );
    case 'repeatCreate':
      return pick(known.created);
    case 'batch':
      return operations.createBatch(
        agentId,
        drawBatch(dice, name, drawPrior(dice, agentId, setting, pick(known.tasks))),
      );
    case 'lease': {
      const types = pick([...known.types.map((type) => [type]), [...known.types]]);
      const workers = liveTasks(model).flatMap(
        ({ task }) => (isReady(task) && task.reserved && task.reservedFor) || [],
      );
      const worker = oneIn(2) ? (pick(workers) ?? name) : name;
      const taker = { worker, accepts: pick(ACCEPTS), labels: pick([LABELS, LABELS, ['gpu'], []]) };
      return operations.lease(oneIn(2) ? { agentId } : { types }, taker, 1 + roll(setting.maxLeases ?? 3));
    }
    case 'replaceAgent':
      return operations.replaceAgent(agentId, name, pick(known.types));
    case 'define':
      return operations.define(agentId, {
        tags: pick([[], ['blue'], ['new', 'red']]),
        requires: pick([[], [], ['eu']]),
        max_concurrency: pick([null, 1, 2]),
      });
    case 'undefine':
      return operations.undefine(agentId);
    case 'pause':
      return operations.pause(agentId, pick([null, 'why', '\ud800']));
    case 'resume':
      return operations.resume(agentId);
    case 'deleteAgent':
      return operations.deleteAgent(agentId);
    case 'repeatResult': {
      const repeated = pick(known.reported.filter(({ lease }) => !focus || lease.taskId === focus.taskId));
      return repeated && operations.report(withToken(dice, repeated.lease, known), repeated.report);
    }
    case 'heartbeat':
    case 'log':
    case 'result':
    case 'release':
    case 'ask':
    case 'withdraw':
    case 'inbox':
    case 'reportMessage':
    case 'confirm':
    case 'suspend':
      return drawOfLease(dice, kind, isStray, setting);
    default:
      return drawOfTask(dice, kind, isStray, setting);
  }
}

/** An ended task to continue, or sometimes `other`; not concurrently with its deletion, as it is read before. */
function drawPrior({ pick, oneIn }: Dice, agentId: string, setting: Setting, other?: TaskRef): string | null {
  const { model, focus, maxLeases } = setting;
  if (focus || maxLeases !== undefined || oneIn(2)) return null;
  if (other && oneIn(8)) return other.taskId;
  const ended = liveTasks(model).filter((live) => live.agentId === agentId && isEnded(live.task));
  return pick(ended)?.taskId ?? null;
}

export function drawBatch(dice: Dice, name: string, prior: string | null = null): (GivenTask | undefined)[] {
  return Array.from({ length: 1 + dice.roll(4) }, (_, at) =>
    dice.oneIn(6) ? undefined : drawFields(dice, `${name}.${at}`, dice.oneIn(2) ? prior : null),
  );
}

export function drawFields({ pick, oneIn, roll }: Dice, message: string, continue_of: string | null = null): GivenTask {
  return {
    message,
    priority: pick([1, 5, 5, 9]),
    max_attempts: 1 + roll(3),
    max_cost: oneIn(2) ? null : { amount: 1 + roll(3), currency: 'USD' },
    tags: oneIn(4) ? null : TAGS.filter(() => oneIn(2)),
    requires: oneIn(4) ? pick([['gpu'], ['eu', 'gpu']]) : null,
    concurrency_key: oneIn(3) ? pick(['one', 'a b']) : null,
    continue_of,
    retryWaits: oneIn(2),
    scheduled: oneIn(5),
  };
}

async function drawOfLease(
  dice: Dice,
  kind: 'heartbeat' | 'log' | 'result' | 'release' | TalkKind,
  isStray: boolean,
  setting: Setting,
): Promise<Operation | undefined> {
  const { model, known, focus } = setting;
  const held = new Set(liveTasks(model).map(({ task }) => task.lease?.token));
  const fits = ({ taskId, token }: LeaseRef) => (!focus || taskId === focus.taskId) && (isStray || held.has(token));
  const lease = dice.pick(known.leases.filter(fits));
  if (!lease) return undefined;
  const sent = withToken(dice, lease, known);
  if (kind === 'release') return operations.release(sent);
  if (kind === 'result') return operations.report(sent, dice.pick(REPORTS));
  if (kind === 'log') return operations.log(sent, LINES.slice(0, 1 + dice.roll(LINES.length)));
  if (kind !== 'heartbeat') {
    const task = liveTasks(model).find(({ taskId }) => taskId === sent.taskId)?.task;
    return drawTalk(dice, kind, { held: sent, task, target: sent }, setting);
  }
  const percent = dice.pick([undefined, 0, 40, 100]);
  const used = dice.pick([undefined, cost(0), cost(2)]);
  return operations.heartbeat(sent, percent === undefined ? undefined : { percent, message: null }, used);
}

/** Mostly the lease's own token, sometimes that of another lease or a wrong one. */
function withToken({ pick, roll }: Dice, lease: LeaseRef, known: Known): LeaseRef {
  const tokens = [pick(known.leases)?.token ?? '', 'wrong'];
  return { ...lease, token: tokens[roll(6)] ?? lease.token };
}

async function drawOfTask(
  dice: Dice,
  kind: 'replace' | 'delete' | 'cancel' | 'pass' | 'say' | 'interrupt' | 'answer',
  isStray: boolean,
  setting: Setting,
): Promise<Operation | undefined> {
  const { model, known, name, focus, readMatch } = setting;
  const what = dice.pick(PASSES);
  const isTarget = ({ taskId }: TaskRef) => !focus || taskId === focus.taskId;
  const fits = FITS[kind === 'pass' ? what : kind];
  const live = liveTasks(model).filter((one) => isTarget(one) && fits(one.task));
  const found: TaskRef | undefined = dice.pick(isStray && kind !== 'pass' ? known.tasks.filter(isTarget) : live);
  if (!found) return undefined;
  const target = { agentId: found.agentId, taskId: found.taskId };
  if (kind === 'pass') return operations.pass({ ...target, what });
  if (kind === 'cancel') return operations.cancel(target, dice.pick([null, 'no longer needed']));
  if (kind !== 'delete' && kind !== 'replace') {
    return drawTalk(dice, kind, { held: undefined, task: undefined, target }, setting);
  }
  const which = dice.roll(4);
  const match = which < 2 ? undefined : await readMatch(target, which === 2);
  if (kind === 'delete') return operations.deleteTask(target, match);
  return operations.replaceTask(target, drawFields(dice, name, drawPrior(dice, target.agentId, setting)), match);
}
