import { FleetUnavailableError } from '@agent-fleet/sdk';
import { type Command, CommanderError } from 'commander';
import { type Context, createContext, type GlobalOptions, type Streams } from './context.ts';
import { CliError, EXIT, type ExitCode, toFailure, usageError } from './errors.ts';
import { Output } from './output/output.ts';
import { commandAt, createProgram, splitWorkerArguments, withJsonValue } from './program.ts';

const JSON_OPTION = /^--json(=|$)/;
const TIMEOUT_HINT = 'Give a longer --timeout. The fleet continues what it has accepted.';
const SAME_SIGNAL_MS = 1_000;
const MAX_TIMEOUT_SECONDS = 2_000_000;

/** Runs one command line and returns its exit code. */
export async function run(args: readonly string[], streams: Streams): Promise<ExitCode> {
  const controller = new AbortController();
  const stop = new CliError(
    EXIT.interrupted,
    'interrupted',
    'Interrupted',
    'The fleet continues what it has accepted.',
  );
  const { own, worker } = splitWorkerArguments(args);
  // A worker has its own way to stop.
  if (own[commandAt(own)] !== 'worker') stopOnSignals(() => controller.abort(stop));

  let context: Context | undefined;
  let exitCode: ExitCode = EXIT.ok;
  let program: Command | undefined;
  try {
    program = await createProgram(own, {
      worker,
      open(options: GlobalOptions) {
        limitTime(options.timeout, controller);
        context = createContext(options, streams, controller.signal);
        return context;
      },
      setExitCode(code) {
        exitCode = code;
      },
      isJson: own.some((arg) => JSON_OPTION.test(arg)),
    });
    await program.parseAsync(withJsonValue(own), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its version or help.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    const out = context?.out ?? plainOutput(own, streams);
    if (error instanceof CommanderError && error.code === 'commander.help' && !out.isJson) return EXIT.usage;
    const failure = toFailure(causeOf(error, controller.signal), urlOf(context));
    const hint = failure.hint || `Try ${helpOf(program, own)}`;
    out.failure({ ...failure, hint });
    return failure.exitCode;
  }
}

/** The second signal ends what hangs. npm forwards one that the terminal has already sent: both count as one. */
function stopOnSignals(stop: () => void): void {
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt !== undefined && performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(EXIT.interrupted);
    firstAt ??= performance.now();
    stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}

function limitTime(timeout: string | undefined, controller: AbortController): void {
  if (timeout === undefined) return;
  const seconds = Number(timeout);
  if (!(seconds > 0) || seconds > MAX_TIMEOUT_SECONDS) {
    throw usageError(`--timeout must be a number of seconds above 0, not ${timeout}`);
  }
  const error = new CliError(EXIT.stopped, 'timeout', `Not done within ${seconds} s`, TIMEOUT_HINT);
  setTimeout(() => controller.abort(error), seconds * 1_000).unref();
}

/** An aborted request fails in many ways, and the SDK wraps errors of the credentials. */
function causeOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof CommanderError) return usageError(toMessage(error));
  return error instanceof FleetUnavailableError && error.cause instanceof CliError ? error.cause : error;
}

function toMessage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing';
  return message.replace(/^error: /, '').replace(/\n/g, ' ');
}

/** The command line for the help of the command that was given. */
function helpOf(program: Command | undefined, args: readonly string[]): string {
  let command = program;
  let name = 'fleet';
  for (const word of args.slice(commandAt(args))) {
    command = command?.commands.find((one) => one.name() === word);
    if (!command) break;
    name += ` ${word}`;
  }
  return `${name} --help`;
}

/** The error may be that the connection cannot be found. */
function urlOf(context: Context | undefined): string {
  try {
    return context?.connection().url ?? '';
  } catch {
    return '';
  }
}

/** For errors in the global options themselves. */
function plainOutput(args: readonly string[], { stdout, stderr }: Streams) {
  const json = args.some((arg) => JSON_OPTION.test(arg)) || undefined;
  return new Output({ json, env: process.env, stdout, stderr });
}
