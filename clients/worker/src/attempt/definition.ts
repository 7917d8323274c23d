import type { Task } from '@agent-fleet/sdk';
import { TaskError } from '../errors.ts';
import type { TaskContext } from '../options.ts';
import { createRules, NO_RULES } from '../runtimes/rules.ts';
import { ASK_SERVER, type Permissions } from '../runtimes/runtime.ts';
import type { AgentOptions } from './agent-options.ts';

type Definition = TaskContext['definition'];

/** From the least. */
const MODES: readonly Permissions[] = ['read-only', 'edit', 'full'];
const NONE = { allow: [], ask: [], deny: [] };

/** An MCP server with the values of its secrets. */
export type OpenServer = { name: string } & (
  | { url: string; headers: Record<string, string> }
  | { command: string; args: readonly string[]; env: Record<string, string> }
);

/** A task, with what its definition says where it says nothing itself. */
export function withDefinition(task: Task, definition: Definition): Task {
  if (definition === null) return task;
  const { model, workspace, output_schema, limits, skills } = definition;
  return { ...task, model, workspace, output_schema, skills, max_cost: limits?.max_cost ?? task.max_cost };
}

/** @throws TaskError, which is final, for what neither this worker nor its runtime can hold to */
export function permissionsOf(definition: Definition, { runtime, permissions: most }: AgentOptions) {
  if (definition === null) return { permissions: most, rules: NO_RULES };
  const { permissions: given, limits, runtime: wanted } = definition;
  const { definitions } = runtime;
  const permissions = MODES.find((mode) => mode === given?.mode) ?? most;
  const rules = createRules(given ?? NONE, permissions);
  const lost = rules.restrictions.find((rule) => !definitions?.holds(rule));
  const isWide = MODES.indexOf(permissions) > MODES.indexOf(most);
  if (wanted !== null && wanted !== runtime.name) throw unsupported(`it is for ${wanted}, not for ${runtime.name}`);
  if (isWide) throw unsupported(`it wants permissions ${permissions}, and --permissions is ${most}`);
  if (lost) throw unsupported(`${runtime.name} cannot hold to the rule ${lost.text}`);
  if (!definitions && given?.mode === 'read-only') throw unsupported(`nothing holds ${runtime.name} to read-only`);
  if (!definitions && limits?.max_turns) throw unsupported(`nothing counts the turns of ${runtime.name} (max_turns)`);
  return { permissions, rules };
}

/** What is left out, for people. */
export function noticesOf(definition: Definition, { runtime, approvals }: AgentOptions): string[] {
  const lacksEffort = definition?.effort && !runtime.definitions?.hasEffort;
  const asksNobody = definition?.permissions?.ask.length && approvals === 'deny';
  return [
    ...(lacksEffort ? [`The definition sets an effort, and ${runtime.name} has no setting for it`] : []),
    ...(asksNobody ? ['The definition has calls to ask for, which --approvals deny denies'] : []),
  ];
}

/** The MCP servers, and the secrets in them. @throws TaskError, which is final, that names what is missing */
export function openServersOf(definition: Definition, { secretOf, mcpCommands }: AgentOptions) {
  const secrets = new Map<string, string | undefined>();
  const resolve = (given: Record<string, string | { secret: string; prefix?: string }> = {}) => {
    const values: Record<string, string> = {};
    for (const [name, value] of Object.entries(given)) {
      const secret = typeof value === 'string' ? undefined : secretOf(value.secret);
      if (typeof value !== 'string') secrets.set(value.secret, secret);
      values[name] = typeof value === 'string' ? value : `${value.prefix ?? ''}${secret}`;
    }
    return values;
  };
  const servers: OpenServer[] = [];
  for (const { name, url, headers, command = '', args = [], env } of definition?.mcp_servers ?? []) {
    if (name === ASK_SERVER) throw unsupported(`the MCP server ${name} has the name of the worker's own`);
    const isAllowed = url !== undefined || mcpCommands.includes(command);
    if (!isAllowed) throw unsupported(`--mcp-command ${command} must allow the program of the MCP server ${name}`);
    if (url === undefined) servers.push({ name, command, args, env: resolve(env) });
    else servers.push({ name, url, headers: resolve(headers) });
  }
  const missing = [...secrets.keys()].filter((name) => secrets.get(name) === undefined);
  const values = [...secrets.values()].filter((value) => value !== undefined);
  if (missing.length === 0) return { servers, secrets: values };
  const message = `This worker does not have secrets of the definition: ${missing.join(', ')} (--secret-file <name>=<path>)`;
  throw new TaskError(message, { code: 'secret_missing', retryable: false });
}

function unsupported(why: string): TaskError {
  const message = `This worker cannot work by the definition of the agent: ${why}`;
  return new TaskError(message, { code: 'definition_unsupported', retryable: false });
}
