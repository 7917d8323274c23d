import type { JsonFormat, Lease } from '@agent-fleet/sdk';
import type { Logger } from './availability.ts';
import { retry } from './backoff.ts';
import { createDeltas } from './dialogue/deltas.ts';
import { Dialogue } from './dialogue/dialogue.ts';
import { followInbox, type Inbox } from './dialogue/inbox.ts';
import {
  type AbortCode,
  isLeaseLost,
  isRefused,
  isUnauthorized,
  isUnavailable,
  messageOf,
  TaskAbortError,
} from './errors.ts';
import type { FleetClient, InboxItem } from './fleet-client.ts';
import { Heartbeats } from './heartbeats.ts';
import type { Accepts } from './messages.ts';
import type { Handler, TaskContext } from './options.ts';
import { clip, completedReport, failedReport, refusedReport, withoutSessionData } from './report.ts';
import { fieldsOf, type HeartbeatField, type Report, traceparentOf, type Used } from './task.ts';
import { TaskLog } from './task-log.ts';

/** How long an aborted handler may take to end when the worker stops; then the lease is released anyway. */
const ABORT_GRACE_MS = 7_000;
/** How long the last log entries may delay the report. */
const FINAL_LOG_MS = 2_000;
/** How long earlier log entries may delay a question. */
const MAX_ASK_DELAY_MS = 1_000;
const MAX_PROGRESS_MESSAGE = 1024;
const LOGGED_CHARACTERS = 200;

export interface LeaseRunOptions {
  client: FleetClient;
  handler: Handler;
  logger: Logger;
  /** See Heartbeats. */
  expiryMs?: number;
  accepts: readonly Accepts[];
  /** See Dialogue. */
  holdMs: number;
  /** Aborts when the worker takes no more tasks. */
  stopping: AbortSignal;
  /** Aborts when the worker stops and its handlers have had their time. */
  abortHandlers: AbortSignal;
  /** Aborts when the worker no longer waits for the fleet either. */
  giveUp: AbortSignal;
}

interface Running {
  heartbeats: Heartbeats;
  log: TaskLog;
  dialogue: Dialogue;
  inbox: Inbox | undefined;
  onUsed(used: Used): void;
}

interface Spent {
  used: Partial<Used>;
  heartbeats: Heartbeats;
}

type Outcome = { returned: unknown } | { threw: unknown };

/** Runs one leased task to its end: heartbeats, handler, report or release. Never rejects. */
export async function runLease(lease: Lease, options: LeaseRunOptions): Promise<void> {
  const { client, logger, abortHandlers, expiryMs, accepts } = options;
  const name = `Task ${lease.task.id} (attempt ${lease.attempt})`;
  const controller = new AbortController();
  const abort = (code: AbortCode) => controller.abort(new TaskAbortError(code));
  const stop = () => abort('worker_stopped');
  abortHandlers.addEventListener('abort', stop);
  const heartbeats = new Heartbeats({
    client,
    lease,
    expiryMs,
    onCancel: () => abort('cancelled'),
    onLost: () => abort('lease_lost'),
    onInbox: (last) => inbox?.onLast(last),
    onRefused: (field, error) => onRefused(`${field} was refused: ${error.message}`),
  });
  const log = new TaskLog({
    client,
    lease,
    onRefused: (message) => logger.warn(`${name}: a log entry was refused: ${message}`),
  });
  const onRefused = (text: string) => {
    logger.warn(`${name}: ${text}`);
    log.add(text, { level: 'warn', stream: 'system' });
  };
  const { signal } = controller;
  const onSuspended = () => abort('suspended');
  const untilLogged = () => log.sent(MAX_ASK_DELAY_MS);
  const onCancel = () => abort('cancelled');
  const dialogue = new Dialogue({ ...options, lease, signal, untilLogged, onSuspended, onCancel });
  const onItem = (item: InboxItem) => dialogue.onItem(item);
  const inboxEnd = new AbortController();
  const inbox = accepts.every((what) => what === 'definitions')
    ? undefined
    : followInbox({ client, lease, onItem, signal: AbortSignal.any([signal, inboxEnd.signal]) });
  const used: Partial<Used> = {};
  const onUsed = (latest: Used) => {
    Object.assign(used, Object.fromEntries(fieldsOf(latest)));
    heartbeats.used(latest);
  };
  try {
    logger.info(`${name}: started`);
    const outcome = await outcomeOf(lease, { heartbeats, log, dialogue, inbox, onUsed }, signal, options);
    await log.end(FINAL_LOG_MS);
    logger.info(`${name}: ${await complete(lease, outcome, { used, heartbeats }, signal, options)}`);
  } catch (error) {
    logger.error(`${name}: failed to report the outcome: ${messageOf(error)}`);
  } finally {
    heartbeats.stop();
    dialogue.end();
    inboxEnd.abort();
    abortHandlers.removeEventListener('abort', stop);
  }
}

/** The outcome of the handler; when the worker stops, a handler that does not end counts as aborted. */
async function outcomeOf(
  lease: Lease,
  running: Running,
  signal: AbortSignal,
  { client, handler, abortHandlers }: LeaseRunOptions,
): Promise<Outcome> {
  const { promise: abandoned, resolve: abandon } = Promise.withResolvers<Outcome>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => abandon({ threw: signal.reason }), ABORT_GRACE_MS);
  };
  abortHandlers.addEventListener('abort', onAbort);
  try {
    const handled = (async () => {
      // The fleet gives answers to the next attempt again until it has heard of this one: then a tool never runs twice.
      if (lease.resume) await retry(() => client.heartbeat(lease, {}, signal), signal);
      return handler(lease.task, contextOf(lease, running, signal, client));
    })();
    return await Promise.race([handled.then((returned) => ({ returned })), abandoned]);
  } catch (threw) {
    return { threw };
  } finally {
    clearTimeout(timer);
    abortHandlers.removeEventListener('abort', onAbort);
  }
}

function contextOf(
  lease: Lease,
  { heartbeats, log, dialogue, inbox, onUsed }: Running,
  signal: AbortSignal,
  client: FleetClient,
): TaskContext {
  const deltas = createDeltas(client, lease, signal);
  return {
    ...{ signal, attempt: lease.attempt, traceparent: traceparentOf(lease.task), used: onUsed },
    progress: (percent, message = null) =>
      heartbeats.progress(toPercent(percent), clip(message ?? '', MAX_PROGRESS_MESSAGE) || null),
    log(text, options) {
      if (options?.type !== undefined) deltas.clear();
      log.add(text, options);
    },
    delta: (text, callId) => deltas.add(text, callId),
    ask: (request, options) => dialogue.ask(request, options),
    answers: dialogue.answers,
    get state() {
      return dialogue.state;
    },
    set state(value) {
      dialogue.state = value;
    },
    messages: (options) => dialogue.messages(options),
    async earlierMessages() {
      await inbox?.ready;
      return dialogue.takeMessages();
    },
    suspend: (session) => dialogue.suspend(session),
    onHoldEnd: (callback) => dialogue.onHoldEnd(callback),
    dependencies: lease.dependencies ?? [],
    resume: lease.resume ?? null,
    definition: lease.definition ?? null,
  };
}

/** Reports or releases the task; returns the outcome for the log. */
async function complete(
  lease: Lease,
  outcome: Outcome,
  spent: Spent,
  signal: AbortSignal,
  options: LeaseRunOptions,
): Promise<string> {
  const { code } = (signal.reason ?? {}) as Partial<TaskAbortError>;
  if (code === 'lease_lost') return 'abandoned, the lease is lost';
  if (code === 'suspended') return 'suspended, a person is asked';
  if ('threw' in outcome && code === 'worker_stopped') return release(lease, options, spent.heartbeats.unsentUsed());
  return deliver(lease, reportOf(outcome, code, options.client.json), spent, options);
}

function reportOf(outcome: Outcome, code: AbortCode | undefined, json: JsonFormat): Report {
  if ('returned' in outcome) return completedReport(outcome.returned, json);
  return code === 'cancelled' ? { status: 'cancelled' } : failedReport(outcome.threw);
}

/** Sends the report until the fleet responds; a repeated report has no effect. */
async function deliver(lease: Lease, report: Report, spent: Spent, options: LeaseRunOptions): Promise<string> {
  const { client, logger, giveUp } = options;
  // Credentials may be replaced while the worker runs; the end of its stop ends this.
  const isTemporary = (error: unknown) => isUnavailable(error) || isUnauthorized(error);
  const send = (body: Report) => retry(() => client.report(lease, body, giveUp), giveUp, isTemporary);
  try {
    await send({ ...report, ...spent.used }).catch(async (error) => {
      const lesser = isRefused(error) && error.status === 422 ? withoutSessionData(report) : undefined;
      if (lesser) return send({ ...lesser, ...spent.used });
      if (Object.keys(spent.used).length === 0 || !isInvalid(error)) throw error;
      logger.warn(`Task ${lease.task.id}: a report with usage was refused: ${messageOf(error)}`);
      await sendUsed(lease, spent.heartbeats.unsentUsed(), options);
      return send(report);
    });
  } catch (error) {
    if (isLeaseLost(error)) return `${report.status}, but the lease was lost before the report`;
    if (!isRefused(error) || report.status !== 'completed') throw error;
    return deliver(lease, refusedReport(error.status, error.message), spent, options);
  }
  return report.status === 'failed' ? `failed, ${report.error.code}: ${oneLine(report.error.message)}` : report.status;
}

function isInvalid(error: unknown): boolean {
  return isRefused(error) && (error.status === 400 || error.status === 422);
}

type Sender = Pick<LeaseRunOptions, 'client' | 'giveUp' | 'logger'>;

/** Returns a task to the fleet without counting the attempt, but for what it has used. */
export async function release(lease: Lease, sender: Sender, unsent: HeartbeatField[] = []): Promise<string> {
  const { client, giveUp } = sender;
  try {
    await sendUsed(lease, unsent, sender);
    await retry(() => client.release(lease, giveUp), giveUp);
    return 'released';
  } catch (error) {
    if (isLeaseLost(error)) return 'abandoned, the lease is lost';
    throw error;
  }
}

/** Sends fields at once; if they are refused, one by one, of each the newest that the fleet takes. */
async function sendUsed(lease: Lease, fields: HeartbeatField[], { client, giveUp, logger }: Sender): Promise<void> {
  const taken = new Set<string>();
  const singles = fields.length > 1 ? fields.toReversed().map((field) => [field]) : [];
  for (const some of [fields, ...singles]) {
    if (some.every(([name]) => taken.has(name))) continue;
    try {
      await retry(() => client.heartbeat(lease, Object.fromEntries(some), giveUp), giveUp);
      for (const [name] of some) taken.add(name);
    } catch (error) {
      if (isLeaseLost(error)) throw error;
      // What it has used is worth less than what follows.
      logger.warn(`Task ${lease.task.id}: ${some.map(([name]) => name)} refused: ${messageOf(error)}`);
    }
  }
}

/** Shortens what may be many lines of a program's stderr. */
function oneLine(text: string): string {
  return clip(text.replaceAll(/\s+/g, ' '), LOGGED_CHARACTERS);
}

function toPercent(percent: number | null): number | null {
  return percent === null || !Number.isFinite(percent) ? null : Math.min(Math.max(percent, 0), 100);
}
