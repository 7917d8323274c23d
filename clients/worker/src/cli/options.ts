import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PROVIDER_KEYS, PROVIDER_VARIABLES } from '../attempt/environment.ts';
import { defaultBaseFolder } from '../attempt/folders/base-folder.ts';
import type { KeepRule } from '../attempt/folders/sweep.ts';
import { messageOf } from '../errors.ts';
import type { WorkerOptions } from '../options.ts';
import { findOnPath } from '../processes/find-on-path.ts';
import { createAcpRuntime, RUNTIMES } from '../runtimes/catalogue.ts';
import type { Permissions, Provider, Runtime } from '../runtimes/runtime.ts';
import type { SkillsMode } from '../skills/place-skills.ts';
import { findProgram, UsageError } from './program.ts';
import { secretsFrom } from './secrets.ts';

const LABEL = /^[a-z\d][a-z\d._:/-]{0,62}$/;
const MAX_LABELS = 32;
const DEFAULT_URL = 'http://localhost:8080';
/** What works on the tasks. */
const MODES = ['exec', 'runtime', 'acp'] as const;

export type CliOptions = NonNullable<ReturnType<typeof parseCli>>;

/** The options from the command line and the environment; undefined for `--help`. @throws UsageError, TypeError */
export function parseCli(args: string[], env: NodeJS.ProcessEnv, token?: WorkerOptions['token']) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      'api-key': { type: 'string' },
      type: { type: 'string', multiple: true },
      agent: { type: 'string' },
      exec: { type: 'string' },
      concurrency: { type: 'string' },
      'lease-seconds': { type: 'string' },
      'hold-seconds': { type: 'string' },
      'stop-seconds': { type: 'string' },
      'worker-id': { type: 'string' },
      label: { type: 'string', multiple: true },
      definitions: { type: 'boolean' },
      once: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      ...AGENT_OPTIONS,
    },
  });
  if (values.help) return undefined;
  const apiKey = values['api-key'] ?? (env.FLEET_API_KEY || undefined);
  if (!apiKey && !token) throw new UsageError('FLEET_API_KEY is not set');
  checkMode(values);
  const { exec } = values;
  const program = exec === undefined ? undefined : { path: findProgram(exec, env.PATH ?? ''), args: positionals };
  const agent = exec === undefined ? parseAgentCli(values, positionals, env) : undefined;
  return {
    url: values.url ?? (env.FLEET_URL || DEFAULT_URL),
    apiKey,
    token: apiKey ? undefined : token,
    types: values.type ?? typesOf(agent?.runtime.agentType, values.agent),
    agentId: values.agent,
    /** One of the two. */
    program,
    agent,
    concurrency: toNumber('concurrency', values.concurrency),
    leaseSeconds: toNumber('lease-seconds', values['lease-seconds']),
    holdSeconds: toNumber('hold-seconds', values['hold-seconds']),
    stopTimeoutSeconds: toNumber('stop-seconds', values['stop-seconds']),
    workerId: values['worker-id'],
    labels: toLabels(values.label ?? env.FLEET_LABELS?.split(/[\s,]+/) ?? [], agent?.runtime.name),
    definitions: agent !== undefined || values.definitions === true,
    maxTasks: values.once ? 1 : undefined,
  };
}

function checkMode(values: Record<string, unknown>): void {
  const given = MODES.filter((mode) => values[mode] !== undefined);
  if (given.length === 0) throw new UsageError('--runtime <name>, --acp <program> or --exec <program> is missing');
  if (given.length > 1) throw new UsageError(`${given.map((mode) => `--${mode}`).join(' and ')} exclude each other`);
  if (values.exec === undefined) return;
  const wrong = Object.keys(AGENT_OPTIONS).find((name) => values[name] !== undefined);
  if (wrong !== undefined) throw new UsageError(`--${wrong} is for --runtime and --acp, not for --exec`);
}

function typesOf(agentType: string | undefined, agentId: string | undefined): string[] | undefined {
  return agentType === undefined || agentId !== undefined ? undefined : [agentType];
}

/** The labels of this machine and its runtime, and those that are given. */
function toLabels(given: readonly string[], runtime: string | undefined): string[] {
  const labels = given.filter((label) => label !== '');
  const wrong = labels.find((label) => !LABEL.test(label));
  if (wrong !== undefined) throw new UsageError(`--label must be of a-z, 0-9 and . _ : / -, at most 63, not ${wrong}`);
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]/g, '-')
    .slice(0, 58);
  const own = [`os:${process.platform}`, `arch:${process.arch}`, `host:${host}`];
  const all = [...new Set([...(runtime === undefined ? [] : [`runtime:${runtime}`]), ...own, ...labels])];
  if (all.length > MAX_LABELS) throw new UsageError(`--label: a worker has at most ${MAX_LABELS} labels`);
  return all;
}

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}

const PERMISSIONS: readonly Permissions[] = ['read-only', 'edit', 'full'];
const APPROVALS = ['ask', 'deny'] as const;
const KEEP_RULES: readonly KeepRule[] = ['failed', 'none', 'all'];
const SKILLS_MODES: readonly SkillsMode[] = ['verified', 'any', 'off'];
const DEFAULT_IDLE_SECONDS = 300;
/** The worker sets them for each attempt. */
const OWN_VARIABLE = /^(FLEET_.*|HOME|TMPDIR|XDG_.*|GIT_CONFIG_.*|GIT_TERMINAL_PROMPT)$/;

/** The options of `parseArgs` that are for agents. */
const AGENT_OPTIONS = {
  runtime: { type: 'string' },
  acp: { type: 'string' },
  'runtime-path': { type: 'string' },
  model: { type: 'string' },
  permissions: { type: 'string' },
  approvals: { type: 'string' },
  'i-am-isolated': { type: 'boolean' },
  workspaces: { type: 'string' },
  'keep-workspaces': { type: 'string' },
  repository: { type: 'string', multiple: true },
  'pass-env': { type: 'string', multiple: true },
  'mcp-command': { type: 'string', multiple: true },
  'secret-file': { type: 'string', multiple: true },
  'provider-key-file': { type: 'string', multiple: true },
  'max-cost': { type: 'string' },
  prices: { type: 'string' },
  'idle-seconds': { type: 'string' },
  skills: { type: 'string' },
} as const;

type Values = {
  [name in keyof typeof AGENT_OPTIONS]?: (typeof AGENT_OPTIONS)[name] extends { multiple: true }
    ? string[]
    : (typeof AGENT_OPTIONS)[name] extends { type: 'boolean' }
      ? boolean
      : string;
};

interface ProviderKey {
  provider: Provider;
  key: string;
}

export type AgentCli = ReturnType<typeof parseAgentCli>;

/** The options of a worker whose tasks are for agents. @throws UsageError */
function parseAgentCli(values: Values, args: readonly string[], env: NodeJS.ProcessEnv) {
  const maxCost = toMaxCost(values);
  const providerKeys = (values['provider-key-file'] ?? []).map(readProviderKey);
  const { runtime, program } = chooseRuntime(values, args, env, providerKeys);
  const passEnv = toPassEnv(values['pass-env'] ?? [], runtime, values.model, env);
  const repositories = values.repository ?? [];
  if (repositories.includes('')) throw new UsageError('--repository must not be empty');
  if (repositories.length > 0 && findOnPath('git', env.PATH ?? '') === undefined) {
    throw new UsageError('--repository needs git, which is not on PATH');
  }
  return {
    runtime,
    program,
    model: values.model,
    permissions: toPermissions(values),
    approvals: oneOf('approvals', values.approvals ?? 'ask', APPROVALS),
    workspaces: resolve(values.workspaces ?? defaultBaseFolder(env, runtime.name)),
    keep: oneOf('keep-workspaces', values['keep-workspaces'] ?? 'failed', KEEP_RULES),
    repositories,
    passEnv,
    mcpCommands: values['mcp-command'] ?? [],
    secretOf: secretsFrom(values['secret-file'] ?? [], env),
    providerKeys,
    maxCost,
    prices: values.prices,
    idleSeconds: toIdleSeconds(values['idle-seconds']),
    skills: oneOf('skills', values.skills ?? 'verified', SKILLS_MODES),
  };
}

/** `<provider>=<file>` */
function readProviderKey(text: string): ProviderKey {
  const [, provider, path = ''] = /^(anthropic|openai|google)=(.+)$/s.exec(text) ?? [];
  if (provider === undefined) {
    throw new UsageError(`--provider-key-file must be <provider>=<file>, of anthropic, openai or google, not ${text}`);
  }
  try {
    const key = readFileSync(path, 'utf8').trim();
    if (key !== '') return { provider: provider as Provider, key };
  } catch (error) {
    throw new UsageError(`--provider-key-file: ${messageOf(error)}`);
  }
  throw new UsageError(`--provider-key-file: ${path} is empty`);
}

function chooseRuntime(values: Values, args: readonly string[], env: NodeJS.ProcessEnv, keys: readonly ProviderKey[]) {
  const path = env.PATH ?? '';
  if (values.acp !== undefined) {
    if (values['runtime-path'] !== undefined) throw new UsageError('--runtime-path is for --runtime');
    return { runtime: createAcpRuntime(values.acp, args), program: findProgram(values.acp, path) };
  }
  const runtime = Object.values(RUNTIMES).find(({ name }) => name === values.runtime);
  if (runtime === undefined) {
    throw new UsageError(`--runtime must be one of ${Object.keys(RUNTIMES).join(', ')}, not ${values.runtime}`);
  }
  if (args.length > 0) throw new UsageError('--runtime takes no arguments after --');
  const hasFile = keys.some(({ provider }) => provider === runtime.provider(values.model));
  const key = hasFile ? undefined : missingKey(runtime, values.model, env);
  if (key !== undefined) throw new UsageError(`${key} is not set: ${runtime.name} needs it for its model calls`);
  const given = values['runtime-path'];
  const program = given === undefined ? findOnPath(runtime.program, path) : findProgram(given, path);
  if (program !== undefined) return { runtime, program };
  throw new UsageError(`${runtime.program} not found on PATH: install it, or name it with --runtime-path`);
}

/** The variable that must have the key of the provider. */
function missingKey(runtime: Runtime, model: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const provider = runtime.provider(model);
  const name = provider && PROVIDER_VARIABLES[provider].key;
  return name !== undefined && !env[name] ? name : undefined;
}

function toPermissions({ permissions = 'edit', 'i-am-isolated': isIsolated }: Values): Permissions {
  const chosen = oneOf('permissions', permissions, PERMISSIONS);
  if (chosen !== 'full' || isIsolated) return chosen;
  throw new UsageError(
    '--permissions full lets a task do anything that this user can do. Add --i-am-isolated if the worker runs in a ' +
      'container or a machine that has nothing to protect',
  );
}

function toPassEnv(names: readonly string[], runtime: Runtime, model: string | undefined, env: NodeJS.ProcessEnv) {
  const hasProxy = runtime.provider(model) !== undefined;
  for (const name of names) {
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new UsageError(`--pass-env takes the name of a variable, not ${name}`);
    if (OWN_VARIABLE.test(name)) throw new UsageError(`--pass-env ${name}: agents never get this variable`);
    if (hasProxy && PROVIDER_KEYS.has(name)) {
      throw new UsageError(`--pass-env ${name}: the key stays in the worker, which forwards the model calls`);
    }
    if (env[name] === undefined) throw new UsageError(`--pass-env ${name}: the variable is not set`);
  }
  return names;
}

function toMaxCost({ 'max-cost': text, acp }: Values): number | undefined {
  if (text === undefined) return undefined;
  if (acp !== undefined) {
    throw new UsageError('--max-cost cannot be enforced with --acp: the agent has credentials of its own');
  }
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (amount > 0 && Number.isFinite(amount)) return amount;
  throw new UsageError(`--max-cost must be an amount in USD, such as 2.50, not ${text}`);
}

function toIdleSeconds(text: string | undefined): number {
  const seconds = toNumber('idle-seconds', text) ?? DEFAULT_IDLE_SECONDS;
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw new UsageError(`--idle-seconds must be a whole number from 1 to 86400, not ${text}`);
}

function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new UsageError(`--${name} must be one of ${values.join(', ')}, not ${text}`);
  return found;
}
