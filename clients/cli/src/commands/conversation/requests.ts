import { FleetError } from '@agent-fleet/sdk';
import type { Context } from '../../context.ts';
import { CliError, EXIT, usageError } from '../../errors.ts';
import { type TaskRef, take, toPath } from '../../lookup.ts';
import { safeLine } from '../../output/safe-text.ts';
import { promptAnswer } from './prompt.ts';
import { type Answer, type InputRequest, requestLines, stateLine } from './request-lines.ts';

const REQUESTS = '/agents/{agent_id}/tasks/{task_id}/input-requests';
/** More than a task may have in its life. */
const MAX_REQUESTS = 1_000;
/** How often a prompt looks whether somebody else has answered. */
const CHECK_MS = 2_000;

async function readRequests({ fleet, signal }: Context, task: TaskRef): Promise<InputRequest[]> {
  const params = { path: toPath(task), query: { limit: 100 } };
  return take(fleet().paginate(REQUESTS, { params, signal }), MAX_REQUESTS);
}

export async function readRequest({ fleet, signal }: Context, task: TaskRef, id: string): Promise<InputRequest> {
  const params = { path: { ...toPath(task), request_id: id } };
  return (await fleet().get(`${REQUESTS}/{request_id}`, { params, signal })).data;
}

/** The request with this beginning of its id, else the only one that is open. @throws CliError */
export async function findRequest(context: Context, task: TaskRef, ref: string | undefined): Promise<InputRequest> {
  const all = await readRequests(context, task);
  const found = all.filter(({ id, state }) => (ref === undefined ? state === 'open' : id.startsWith(ref)));
  const [only, ...others] = found;
  if (only === undefined) {
    const last = all.at(-1);
    const none = last ? `The task asks nothing any more. ${stateLine(last)}` : 'The task asks nothing';
    const message = ref === undefined ? none : `The task has no input request ${ref}`;
    throw new CliError(EXIT.failed, 'not_found', message, 'fleet inbox shows what is asked.');
  }
  if (others.length === 0) return only;
  const choices = found.map(({ id, title }) => `--request ${id}  ${safeLine(title)}`);
  throw usageError(`${found.length} input requests match: name one`, choices.join('\n'));
}

/** @throws FleetError, such as `already_answered` */
export async function sendAnswer({ fleet, signal }: Context, request: InputRequest, body: Answer) {
  const path = { ...toPath(toRef(request)), request_id: request.id };
  return (await fleet().put(`${REQUESTS}/{request_id}/answer`, { params: { path }, body, signal })).data;
}

/** Shows an open request, and on a terminal asks for its answer until there is one. */
export async function askHere(context: Context, request: InputRequest): Promise<void> {
  const { out, canAsk, signal } = context;
  out.lines(requestLines(request));
  if (!canAsk) return;
  const closed = new AbortController();
  const read = () => readRequest(context, toRef(request), request.id);
  const check = () =>
    read().then(
      ({ state }) => state !== 'open' && closed.abort(),
      () => {},
    );
  const timer = setInterval(check, CHECK_MS);
  try {
    await sendAnswer(context, request, await promptAnswer(AbortSignal.any([signal, closed.signal]), request));
  } catch (error) {
    if (error instanceof FleetError && error.status === 400) {
      out.note(error.message);
      return askHere(context, request);
    }
    if (!closed.signal.aborted && !(error instanceof FleetError && error.status === 409)) throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Says on stderr what a task asks, and how to answer. */
export async function noteRequests(context: Context, task: TaskRef): Promise<void> {
  const open = (await readRequests(context, task)).filter(({ state }) => state === 'open');
  const lines = open.flatMap(requestLines).map((line) => (typeof line === 'string' ? line : line.text));
  context.out.note(['The task needs input:', ...lines].join('\n'));
}

function toRef({ agent_id, task_id }: InputRequest): TaskRef {
  return { agentId: agent_id, taskId: task_id };
}
