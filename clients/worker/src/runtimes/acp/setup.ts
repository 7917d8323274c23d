import { type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import type { McpServer, Permissions, RuntimeJob } from '../runtime.ts';

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
export function placeOf(job: RuntimeJob, capabilities: JsonObject): JsonObject {
  return { cwd: job.folders.workspace, mcpServers: takesHttp(capabilities) ? job.servers.map(toServer) : [] };
}

/** Whether it connects to MCP servers over HTTP. */
export const takesHttp = ({ mcpCapabilities }: JsonObject) => objectOf(mcpCapabilities).http === true;

const toServer = ({ name, url, headers }: McpServer) => ({
  type: 'http',
  name,
  url,
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
});

/** For the adapters of Claude Code and Codex, which add it to their own; others know no such field. */
export function systemPromptOf({ instructions }: RuntimeJob, agentInfo: unknown): JsonObject | undefined {
  const isAdapter = /\b(?:claude-(?:agent|code)|codex)-acp$/.test(textOf(objectOf(agentInfo).name));
  return isAdapter && instructions ? { mode: 'append', content: [{ type: 'text', text: instructions }] } : undefined;
}

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
