import { type CliOptions, parseCli, USAGE, UsageError } from './cli-options.ts';
import { messageOf } from './errors.ts';
import { createExecHandler } from './exec-handler.ts';
import type { Worker } from './options.ts';
import { runWorker } from './worker.ts';

/** npm passes a signal on to a program that the terminal has sent it to already: both are one wish. */
const ONE_WISH_MS = 1_000;
const PARENT_POLL_MS = 500;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const EXIT = { stopped: 0, fatal: 1, usage: 2 };

// A terminal that is gone must not end the work.
process.stderr.on('error', () => {});
const say = (line: string) => void process.stderr.write(`${line}\n`);

process.exit(await main());

async function main(): Promise<number> {
  try {
    const options = parseCli(process.argv.slice(2), process.env);
    if (options !== undefined) return await work(options);
    process.stdout.write(USAGE);
    return EXIT.stopped;
  } catch (error) {
    say(`fleet-worker: ${messageOf(error)}`);
    if (!isUsage(error)) return EXIT.fatal;
    say('Try fleet-worker --help');
    return EXIT.usage;
  }
}

async function work({ program, args, ...options }: CliOptions): Promise<number> {
  const exec = createExecHandler({ program, args, onStderr: (chunk) => void process.stderr.write(chunk) });
  process.once('exit', () => exec.killAll());
  const worker = runWorker({ ...options, handler: exec.handler, logger: { info: say, warn: say, error: say } });
  stopOnSignals(worker);
  say(`Taking ${whose(options)} from ${options.url}`);
  await worker.done;
  return EXIT.stopped;
}

/** The first signal lets running tasks finish, a second one ends all at once; their leases run out. */
function stopOnSignals(worker: Worker): void {
  let firstAt: number | undefined;
  const onWish = (wish: string) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      say(`${wish}: finishing what runs; a signal once more ends it at once`);
      void worker.stop();
    } else if (performance.now() - firstAt > ONE_WISH_MS) {
      process.exit(EXIT.fatal);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onWish);
  onNpxGone(() => onWish('npx has ended'));
}

/** npx passes signals on to a shell that dies of them without a word to this process. */
function onNpxGone(then: () => void): void {
  if (process.env.npm_command !== 'exec') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, PARENT_POLL_MS).unref();
}

function whose({ types, agentId }: Pick<CliOptions, 'types' | 'agentId'>): string {
  if (agentId !== undefined) return `tasks of agent ${agentId}`;
  return types === undefined ? 'tasks of all types' : `tasks of type ${types.join(', ')}`;
}

/** What the worker's options refuse was given on the command line, too. */
function isUsage(error: unknown): boolean {
  return error instanceof UsageError || error instanceof TypeError || error instanceof RangeError;
}
