import { type CliOptions, parseCli, UsageError, usageOf } from './cli-options.ts';
import { messageOf } from './errors.ts';
import { createExecHandler } from './exec-handler.ts';
import type { Worker, WorkerOptions } from './options.ts';
import { runWorker } from './worker.ts';

/** npm forwards a signal that the terminal has already sent to the program: both count as one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_POLL_MS = 500;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const EXIT = { stopped: 0, fatal: 1, usage: 2 };

const print = (line: string) => void process.stderr.write(`${line}\n`);

/** What the program has from its surroundings. */
export interface CliContext {
  env: NodeJS.ProcessEnv;
  /** As users typed it. Default `fleet-worker`. */
  name?: string;
  /** In the place of an API key, when none is given. */
  token?: WorkerOptions['token'];
}

/**
 * Runs the program until it is stopped by a signal, and resolves with its exit code: 0 stopped, 1 fatal error, 2 wrong
 * usage. The caller then exits: a handler may still be running.
 */
export async function runCli(args: string[], { env, name = 'fleet-worker', token }: CliContext): Promise<number> {
  // A closed terminal must not end the worker.
  process.stderr.on('error', () => {});
  try {
    const options = parseCli(args, env, token);
    if (options !== undefined) return await work(options);
    process.stdout.write(usageOf(name));
    return EXIT.stopped;
  } catch (error) {
    print(`${name}: ${messageOf(error)}`);
    if (!isUsage(error)) return EXIT.fatal;
    print(`Try ${name} --help`);
    return EXIT.usage;
  }
}

async function work({ program, args, ...options }: CliOptions): Promise<number> {
  const exec = createExecHandler({ program, args, onStderr: (chunk) => void process.stderr.write(chunk) });
  process.once('exit', () => exec.killAll());
  const worker = runWorker({ ...options, handler: exec.handler, logger: { info: print, warn: print, error: print } });
  stopOnSignals(worker);
  print(`Taking ${describeTasks(options)} from ${options.url}`);
  await worker.done;
  return EXIT.stopped;
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
