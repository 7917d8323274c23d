import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { WorkerOptions } from './options.ts';

/** The text of `--help`. */
export const usageOf = (name: string) => `Usage: ${name} [options] --exec <program> [-- <arguments of the program>]

Takes tasks from an agent fleet and runs a program once for each task. The program reads the task from stdin as JSON
and writes the result (JSON or text) to stdout. Any exit code but 0 is a failure, reported with the end of stderr.

  --exec <program>        the program: a path or a name on PATH
  --type <type>           take tasks of agents of this type; may be repeated; default: all types
  --agent <id>            take tasks of this agent only
  --concurrency <n>       tasks to run at the same time, default 1
  --once                  exit after one task
  --lease-seconds <n>     lifetime of a lease without a heartbeat, 5 to 900, default 120
  --stop-seconds <n>      time for running tasks to finish after SIGTERM or Ctrl-C, default 30
  --worker-id <id>        name of this worker, default <host>:<pid>-<random>
  --url <url>             URL of the fleet, default $FLEET_URL or http://localhost:8080
  --api-key <key>         default $FLEET_API_KEY; prefer it: other users of the machine can see arguments
  --help                  show this text

The environment of the program has FLEET_TASK_ID, FLEET_AGENT_ID and FLEET_ATTEMPT, and no FLEET_API_KEY.
A failed task is retried by its retry policy, except after exit code 65 (EX_DATAERR).
Exit codes: 0 stopped, 1 fatal error, 2 wrong usage.
`;

const DEFAULT_URL = 'http://localhost:8080';

/** Wrong usage; the message is for the user. */
export class UsageError extends Error {}

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
    },
  });
  if (values.help) return undefined;
  const apiKey = values['api-key'] ?? (env.FLEET_API_KEY || undefined);
  if (!apiKey && !token) throw new UsageError('FLEET_API_KEY is not set');
  if (values.exec === undefined) throw new UsageError('--exec <program> is missing');
  return {
    url: values.url ?? (env.FLEET_URL || DEFAULT_URL),
    apiKey,
    token: apiKey ? undefined : token,
    types: values.type,
    agentId: values.agent,
    program: findProgram(values.exec, env.PATH ?? ''),
    args: positionals,
    concurrency: toNumber('concurrency', values.concurrency),
    leaseSeconds: toNumber('lease-seconds', values['lease-seconds']),
    stopTimeoutSeconds: toNumber('stop-seconds', values['stop-seconds']),
    workerId: values['worker-id'],
    maxTasks: values.once ? 1 : undefined,
  };
}

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}

/** Finds the program like a shell. @throws UsageError, so that the mistake shows before the first task */
function findProgram(program: string, path: string): string {
  const isPath = program.includes('/');
  const candidates = isPath ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  if (!existsSync(program)) throw new UsageError(`${program} not found${isPath ? '' : ' on PATH'}`);
  if (!isPath) throw new UsageError(`${program} not found on PATH; did you mean ./${program}?`);
  throw new UsageError(`${program} is not an executable file (chmod +x?)`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
