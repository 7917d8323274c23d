import { exactJson } from '@agent-fleet/sdk/exact-json';
import type { Logger } from '../availability.ts';
import { messageOf } from '../errors.ts';
import { createExecHandler } from '../exec-handler.ts';
import type { Accepts, Takes } from '../messages.ts';
import type { Handler, Worker, WorkerOptions } from '../options.ts';
import { startWatchdog, type Watchdog } from '../processes/watchdog.ts';
import { runWorker } from '../worker.ts';
import type { AgentWorker } from './agent-worker.ts';
import { restartWithoutSecrets } from './hidden-secrets.ts';
import { type CliOptions, parseCli } from './options.ts';
import { UsageError } from './program.ts';
import { usageOf } from './usage.ts';

/** npm forwards a signal that the terminal has already sent to the program: both count as one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_POLL_MS = 500;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const EXIT = { stopped: 0, fatal: 1, usage: 2 };

const print = (line: string) => void process.stderr.write(`${line}\n`);
const LOGGER: Logger = { info: print, warn: print, error: print };

/** What the program has from its surroundings. */
export interface CliContext {
  env: NodeJS.ProcessEnv;
  /** As users typed it. Default `fleet-worker`. */
  name?: string;
  /** In the place of an API key, when none is given. */
  token?: WorkerOptions['token'];
  /** Whether the process may be replaced by one without secrets in its environment; its start called `takeSecrets`. */
  mayRestart?: boolean;
}

/**
 * Runs the program until it is stopped by a signal, and resolves with its exit code: 0 stopped, 1 fatal error, 2 wrong
 * usage. The caller then exits: a handler may still be running.
 */
export async function runCli(args: string[], context: CliContext): Promise<number> {
  const { env, name = 'fleet-worker', token, mayRestart = false } = context;
  // A closed terminal must not end the worker.
  process.stderr.on('error', () => {});
  try {
    const options = parseCli(args, env, token);
    if (options?.agent !== undefined && mayRestart) restartWithoutSecrets();
    if (options !== undefined) return await work(options, env);
    process.stdout.write(usageOf(name));
    return EXIT.stopped;
  } catch (error) {
    print(`${name}: ${messageOf(error)}`);
    if (!isUsage(error)) return EXIT.fatal;
    print(`Try ${name} --help`);
    return EXIT.usage;
  }
}

async function work(options: CliOptions, env: NodeJS.ProcessEnv): Promise<number> {
  const watchdog = startWatchdog();
  try {
    const programs = await startPrograms(options, env, watchdog);
    process.once('exit', () => programs.exit());
    const { agent, program, ...rest } = options;
    const workerId = options.workerId ?? programs.workerId;
    // An agent that changes things must not go on while another worker has its task.
    const abortOnExpiry = agent !== undefined;
    const { handler, pauses } = programs;
    // Programs ask by `fleet ask`.
    const takes: readonly Takes[] = agent ? agent.runtime.accepts : ['input'];
    const accepts: Accepts[] = [...takes, ...(options.definitions ? (['definitions'] as const) : [])];
    const worker = runWorker({
      ...rest,
      workerId,
      accepts,
      abortOnExpiry,
      handler,
      pauses,
      json: exactJson,
      logger: LOGGER,
    });
    stopOnSignals(worker);
    print(`Taking ${describeTasks(options)} from ${options.url}`);
    await worker.done.finally(() => programs.close());
    return EXIT.stopped;
  } finally {
    watchdog.close();
  }
}

type Programs = Omit<AgentWorker, 'handler' | 'workerId'> & { handler: Handler; workerId: string | undefined };

/** What works on the tasks. */
async function startPrograms(options: CliOptions, env: NodeJS.ProcessEnv, { mark }: Watchdog): Promise<Programs> {
  const { agent, program } = options;
  if (agent !== undefined) {
    // Not read at the start of a worker without agents.
    const { startAgentWorker } = await import('./agent-worker.ts');
    return startAgentWorker({ agent, cli: options, env, workerMark: mark, logger: LOGGER });
  }
  const { path = '', args = [] } = program ?? {};
  const onStderr = (chunk: Buffer) => void process.stderr.write(chunk);
  const exec = createExecHandler({ program: path, args, workerMark: mark, onStderr });
  const pauses = () => [];
  return {
    handler: exec.handler,
    workerId: undefined,
    pauses,
    exit: () => exec.killAll(),
    close: async () => exec.killAll(),
  };
}

/** The first signal lets running tasks finish; a second one exits at once, and their leases expire. */
function stopOnSignals(worker: Worker): void {
  let firstAt: number | undefined;
  const onSignal = (cause: string) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      print(`${cause}: finishing running tasks; another signal exits at once`);
      void worker.stop();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      process.exit(EXIT.fatal);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  onNpxExit(() => onSignal('npx has exited'));
}

/** npx sends signals to a shell, which dies without forwarding them. */
function onNpxExit(then: () => void): void {
  if (process.env.npm_command !== 'exec') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, PARENT_POLL_MS).unref();
}

function describeTasks({ types, agentId }: Pick<CliOptions, 'types' | 'agentId'>): string {
  if (agentId !== undefined) return `tasks of agent ${agentId}`;
  return types === undefined ? 'tasks of all types' : `tasks of type ${types.join(', ')}`;
}

/** The worker's options come from the command line too. */
function isUsage(error: unknown): boolean {
  return error instanceof UsageError || error instanceof TypeError || error instanceof RangeError;
}
