import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientContext, client, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { detailOf, type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import type { RuntimeEvent, RuntimeJob, RuntimeProcess, RuntimeSession } from '../runtime.ts';
import { fail, toFailure, toLoadFailure } from './failures.ts';
import { answerPermission } from './permissions.ts';
import { createEventQueue, openStdio } from './stdio.ts';
import { createUpdateReader, type UpdateReader } from './updates.ts';

/** For each step before the prompt. */
const START_MS = 60_000;
/**
 * An agent may repeat a loaded session after it has said that it is loaded: the prompt waits until it is quiet, for
 * longer than a busy machine holds an agent up.
 */
const QUIET_MS = 1_000;
const MAX_REPEAT_MS = 10_000;

export interface AcpOptions {
  /** Sets the model over the protocol: for agents whose command line does not. */
  setsModel?: boolean;
  /** Tools that `read-only` allows though their kind is not to read, by the id of the call. */
  isHarmless?: (toolCallId: string) => boolean;
}

/** Sends the prompt of a job to an agent that speaks the Agent Client Protocol, version 1, over stdin and stdout. */
export function connectAcp(process: RuntimeProcess, job: RuntimeJob, options: AcpOptions = {}): RuntimeSession {
  const queue = createEventQueue();
  const reader = createUpdateReader(job);
  /** Absent until the prompt is sent: a loaded session repeats all that was said before. */
  let prompted: string | undefined;
  let isCancelled = false;
  let updatedAt = 0;

  const app = client({ name: 'fleet-worker' })
    .onRequest('session/request_permission', objectOf, ({ params }) => {
      if (isCancelled) return { outcome: { outcome: 'cancelled' } };
      const { outcome, denied } = answerPermission(params, job, options.isHarmless ?? (() => false));
      if (denied) queue.add(denied);
      // Gemini CLI says only at its end that such a tool runs.
      else
        onUpdate({ sessionId: prompted, update: { ...objectOf(params.toolCall), sessionUpdate: 'tool_call_update' } });
      return { outcome };
    })
    .onRequest('elicitation/create', objectOf, ({ params }) => {
      queue.add({ type: 'question', text: detailOf(params, ['message']) });
      queue.close();
      cancel();
      return { action: 'cancel' };
    });
  const onUpdate = (params: JsonObject) => {
    updatedAt = performance.now();
    if (prompted === undefined || params.sessionId !== prompted) return;
    for (const event of reader.read(objectOf(params.update))) queue.add(event);
  };
  const connection = app.connect(openStdio(process, { room: queue.room, onUpdate }));

  function cancel(): void {
    if (isCancelled) return;
    isCancelled = true;
    // Before there is a session, the end of stdin ends the agent.
    if (prompted === undefined) connection.close();
    else void connection.agent.notify('session/cancel', { sessionId: prompted }).catch(() => {});
  }

  async function run(): Promise<RuntimeEvent> {
    const agent = connection.agent;
    const session = await openSession(agent, job);
    if ('type' in session) return session;
    const { id, response } = session;
    queue.add({ type: 'session', id, ...(job.model !== undefined && { model: job.model }) });
    if (options.setsModel && job.model !== undefined) await setModel(agent, id, job.model, response, queue.add);
    if (job.session !== undefined) await untilQuiet(() => updatedAt);
    prompted = id;
    const prompt = [{ type: 'text' as const, text: promptOf(job) }];
    const ended = objectOf(await agent.request('session/prompt', { sessionId: id, prompt }));
    for (const event of reader.readEnd(ended)) queue.add(event);
    return toEnding(ended, reader);
  }

  void run()
    .catch(async (error: unknown) => {
      if (isCancelled) return undefined;
      // An agent that has exited says why on stderr, which the worker reports.
      if (!connection.signal.aborted || isTooLarge(error)) return toFailure(error);
      await process.exited;
      return undefined;
    })
    .then((ending) => {
      if (ending && !isCancelled) queue.add(ending);
      queue.close();
      connection.close();
      // Most agents exit at the end of their input.
      process.stdin.end();
      process.stdout.resume();
    });
  return { events: queue.events(), cancel };
}

/**
 * A message that begins with a slash, or a dollar sign, is a command of the agent: Gemini CLI's `/extensions install`
 * asks nobody. So something is before it, which no agent trims.
 */
const promptOf = ({ prompt }: RuntimeJob) => (/^\s*[/$]/.test(prompt) ? `The task:\n\n${prompt}` : prompt);

const isTooLarge = (error: unknown) => error instanceof Error && error.name === 'MessageTooLargeError';

/** A new session, or the one that the job continues; a failure where there is none. */
async function openSession(agent: ClientContext, { folders, session }: RuntimeJob) {
  const started = objectOf(
    await inTime(
      agent.request('initialize', {
        protocolVersion: PROTOCOL_VERSION,
        // Files and commands are the agent's own business: it runs in the workspace.
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          elicitation: { form: {} },
        },
        clientInfo: { name: 'fleet-worker', version: '1' },
      }),
    ),
  );
  if (started.protocolVersion !== PROTOCOL_VERSION) {
    return fail('no_result', `The agent does not speak version ${PROTOCOL_VERSION} of the protocol`, false);
  }
  const place = { cwd: folders.workspace, mcpServers: [] };
  if (session === undefined) {
    const response = objectOf(await inTime(agent.request('session/new', place)));
    return { id: textOf(response.sessionId), response };
  }
  if (objectOf(started.agentCapabilities).loadSession !== true) {
    return fail('session_lost', 'The agent cannot load sessions', false);
  }
  try {
    const loaded = await inTime(agent.request('session/load', { sessionId: session, ...place }));
    return { id: session, response: objectOf(loaded) };
  } catch (error) {
    return toLoadFailure(error);
  }
}

async function untilQuiet(lastAt: () => number): Promise<void> {
  const beganAt = performance.now();
  for (let now = beganAt; now < beganAt + MAX_REPEAT_MS; now = performance.now()) {
    const restMs = Math.max(beganAt, lastAt()) + QUIET_MS - now;
    if (restMs <= 0) return;
    await sleep(restMs);
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = sleep(START_MS, undefined, { signal: controller.signal, ref: false }).then(() => {
    throw new Error(`no answer in ${START_MS / 1000} s`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([answer, late]);
  } finally {
    controller.abort();
  }
}

/** By a configuration option of the category `model`, or as agents did before there were those. */
async function setModel(
  agent: ClientContext,
  sessionId: string,
  model: string,
  { configOptions, models }: JsonObject,
  onEvent: (event: RuntimeEvent) => void,
): Promise<void> {
  const option = objectsOf(configOptions).find(({ id, category }) => category === 'model' || id === 'model');
  if (option) {
    const params = { sessionId, configId: textOf(option.id), value: model };
    await inTime(agent.request('session/set_config_option', params));
  } else if (models) await inTime(agent.request<unknown>('session/set_model', { sessionId, modelId: model }));
  else onEvent({ type: 'notice', text: `The agent does not let its model be chosen: ${model} is not set` });
}

function toEnding({ stopReason }: JsonObject, reader: UpdateReader): RuntimeEvent {
  const text = reader.finalText();
  if (stopReason === 'end_turn') return { type: 'success', text };
  if (stopReason === 'max_tokens' || stopReason === 'max_turn_requests') {
    return fail('max_turns', `The agent stopped at a limit of its own: ${stopReason}`, false);
  }
  if (stopReason === 'refusal') return fail('refused', text || 'The model refused to go on', false);
  return fail('no_result', `The agent stopped without a result: ${detailOf({ stopReason }, ['stopReason'])}`, true);
}
