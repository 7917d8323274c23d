import { parseArgs } from 'node:util';
import { AGENT_OPTIONS, parseAgentCli } from './cli/agent-cli.ts';
import { findProgram } from './cli/find-program.ts';
import { UsageError } from './cli/usage-error.ts';
import type { WorkerOptions } from './options.ts';

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
      'stop-seconds': { type: 'string' },
      'worker-id': { type: 'string' },
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
    stopTimeoutSeconds: toNumber('stop-seconds', values['stop-seconds']),
    workerId: values['worker-id'],
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

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}
