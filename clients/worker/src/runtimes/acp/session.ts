import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientContext, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import type { Permissions, RuntimeEvent, RuntimeJob } from '../runtime.ts';
import { fail, toLoadFailure } from './failures.ts';

/** For each step before the prompt. */
const START_MS = 60_000;
/**
 * An agent may repeat a loaded session after it has said that it is loaded: the prompt waits until it is quiet, for
 * longer than a busy machine holds an agent up.
 */
const QUIET_MS = 1_000;
const MAX_REPEAT_MS = 10_000;

/** A new session, or the one that the job continues; a failure where there is none. */
export async function openSession(agent: ClientContext, { folders, session, questions }: RuntimeJob) {
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
  const { agentCapabilities: capabilities, _meta: meta } = started;
  const hasHttp = objectOf(objectOf(capabilities).mcpCapabilities).http === true;
  const mcpServers = questions !== undefined && hasHttp ? [toServer(questions)] : [];
  const place = { cwd: folders.workspace, mcpServers };
  /** As adapters announce that they take a message into a running turn. */
  const steers = objectOf(objectOf(meta).steering).supported === true;
  if (session === undefined) {
    const response = objectOf(await inTime(agent.request('session/new', place)));
    return { id: textOf(response.sessionId), response, steers };
  }
  if (objectOf(capabilities).loadSession !== true) {
    return fail('session_lost', 'The agent cannot load sessions', false);
  }
  try {
    const loaded = await inTime(agent.request('session/load', { sessionId: session, ...place }));
    return { id: session, response: objectOf(loaded), steers };
  } catch (error) {
    return toLoadFailure(error);
  }
}

export async function untilQuiet(lastAt: () => number): Promise<void> {
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
export async function setModel(
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

/** Adapters begin in a mode in which a model decides on permissions, and nobody is asked. */
const ASKING_MODES: readonly [decides: string, asks: Record<Permissions, string>][] = [
  ['auto', { 'read-only': 'default', edit: 'default', full: 'default' }],
  ['agent', { 'read-only': 'read-only', edit: 'workspace-write', full: 'workspace-write' }],
];

export async function setAskingMode(agent: ClientContext, sessionId: string, response: JsonObject, job: RuntimeJob) {
  const { currentModeId, availableModes } = objectOf(response.modes);
  const modeId = ASKING_MODES.find(([decides]) => decides === currentModeId)?.[1][job.permissions];
  if (!objectsOf(availableModes).some(({ id }) => id === modeId)) return;
  await inTime(agent.request<unknown>('session/set_mode', { sessionId, modeId }));
}

const toServer = ({ url, headers }: NonNullable<RuntimeJob['questions']>) => ({
  type: 'http' as const,
  name: 'fleet',
  url,
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
});
