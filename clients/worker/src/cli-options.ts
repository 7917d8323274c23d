import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE = `Usage: fleet-worker [options] --exec <program> [-- <arguments of the program>]

Takes tasks of an agent fleet and runs a program once for each: the task is on its stdin as JSON, what it writes to
stdout (JSON or text) is the result, an exit code other than 0 a failure, told with the end of stderr.

  --exec <program>        a path or a name on PATH
  --type <type>           take tasks of the agents of this type; may be repeated; default: of all types
  --agent <id>            take tasks of this agent only
  --concurrency <n>       how many tasks at once, default 1
  --once                  end after one task
  --lease-seconds <n>     after how long without a word of this worker its tasks go to another, 5 to 900, default 120
  --stop-seconds <n>      how long running tasks may finish after SIGTERM or Ctrl-C, default 30
  --worker-id <id>        how the fleet names this worker, default <host>:<pid>-<random>
  --url <url>             where the fleet is, default $FLEET_URL or http://localhost:8080
  --api-key <key>         default $FLEET_API_KEY, which is better: everybody on the machine can see arguments
  --help                  this text

The program has FLEET_TASK_ID, FLEET_AGENT_ID and FLEET_ATTEMPT in its environment, and FLEET_API_KEY taken out of it.
A failed task is tried again as its retry policy says, after exit code 65 (EX_DATAERR) it is not.
Exit codes: 0 stopped, 1 cannot go on, 2 wrong usage.
`;

const DEFAULT_URL = 'http://localhost:8080';

/** What the command line and the environment say. */
export interface CliOptions {
  url: string;
  apiKey: string;
  types?: string[];
  agentId?: string;
  program: string;
  args: string[];
  concurrency?: number;
  leaseSeconds?: number;
  stopTimeoutSeconds?: number;
  workerId?: string;
  maxTasks?: number;
}

/** Wrong usage, for people. */
export class UsageError extends Error {}

/** Undefined: help is asked for. @throws UsageError */
export function parseCli(argv: string[], env: NodeJS.ProcessEnv): CliOptions | undefined {
  const { values, positionals } = parse(argv);
  if (values.help) return undefined;
  const apiKey = values['api-key'] ?? env.FLEET_API_KEY;
  if (!apiKey) throw new UsageError('no API key: set FLEET_API_KEY');
  if (values.exec === undefined) throw new UsageError('no program: give --exec <program>');
  return {
    url: values.url ?? (env.FLEET_URL || DEFAULT_URL),
    apiKey,
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

function parse(args: string[]) {
  try {
    return parseArgs({
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
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function toNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} must be a whole number, not ${text}`);
  return Number(text);
}

/** The program's path, as a shell would find it. @throws UsageError, so that the mistake is seen before the first task */
function findProgram(program: string, path: string): string {
  const isPath = program.includes('/');
  const candidates = isPath ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  if (!existsSync(program)) throw new UsageError(`no program ${program}${isPath ? '' : ' on PATH'}`);
  if (!isPath) throw new UsageError(`no program ${program} on PATH; the one that is here is ./${program}`);
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
