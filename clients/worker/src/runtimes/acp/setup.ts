import { type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import type { Permissions, RuntimeJob } from '../runtime.ts';

export const PROTOCOL_VERSION = 1;

export const CLIENT = {
  protocolVersion: PROTOCOL_VERSION,
  // Files and commands are the agent's own business: it runs in the workspace.
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    elicitation: { form: {} },
  },
  clientInfo: { name: 'fleet-worker', version: '1' },
};

/** A request before the prompt, without the id of the session. */
interface Setting {
  method: string;
  params: JsonObject;
}

/** What a session is opened with: the folder, and the worker's own server. */
export function placeOf({ folders, questions }: RuntimeJob, capabilities: JsonObject): JsonObject {
  const hasHttp = objectOf(capabilities.mcpCapabilities).http === true;
  return { cwd: folders.workspace, mcpServers: questions !== undefined && hasHttp ? [toServer(questions)] : [] };
}

const toServer = ({ url, headers }: NonNullable<RuntimeJob['questions']>) => ({
  type: 'http',
  name: 'fleet',
  url,
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
});

/** By a configuration option of the category `model`, or as agents did before there were those. */
export function modelSetting(model: string, { configOptions, models }: JsonObject): Setting | undefined {
  const option = objectsOf(configOptions).find(({ id, category }) => category === 'model' || id === 'model');
  if (option) return { method: 'session/set_config_option', params: { configId: textOf(option.id), value: model } };
  return models ? { method: 'session/set_model', params: { modelId: model } } : undefined;
}

/** Adapters begin in a mode in which a model decides on permissions, and nobody is asked. */
const ASKING_MODES: readonly [decides: string, asks: Record<Permissions, string>][] = [
  ['auto', { 'read-only': 'default', edit: 'default', full: 'default' }],
  ['agent', { 'read-only': 'read-only', edit: 'workspace-write', full: 'workspace-write' }],
];

export function modeSetting(permissions: Permissions, response: JsonObject): Setting | undefined {
  const { currentModeId, availableModes } = objectOf(response.modes);
  const modeId = ASKING_MODES.find(([decides]) => decides === currentModeId)?.[1][permissions];
  const isKnown = objectsOf(availableModes).some(({ id }) => id === modeId);
  return isKnown ? { method: 'session/set_mode', params: { modeId } } : undefined;
}
