import type { Task } from '@agent-fleet/sdk';
import { exactJson } from '@agent-fleet/sdk/exact-json';
import { decodeText } from '@agent-fleet/sdk/text';
import { startAskServer } from './ask-server.ts';
import { messageOf, TaskError } from './errors.ts';
import type { Handler, TaskContext } from './options.ts';
import { createByteTail, createLineSplitter } from './pieces.ts';
import { whyNotRunnable } from './processes/first-line.ts';
import { ATTEMPT_MARK, newAttemptMark, signalGroup } from './processes/marked-processes.ts';
import { type ProgramGroup, startGroup } from './processes/program-group.ts';
import { RESULT_TOO_LARGE } from './report.ts';
import { traceparentOf } from './task.ts';

/** More than the largest result, for JSON with whitespace. */
const MAX_STDOUT_BYTES = 1.5 * 1024 * 1024;
const STDERR_TAIL_BYTES = 4 * 1024;
const KILL_AFTER_MS = 5_000;
/** EX_DATAERR of sysexits.h: the task itself is invalid. */
const DATA_ERROR = 65;

interface ExecOptions {
  /** A path or a name on PATH. */
  program: string;
  args: readonly string[];
  /** Marks the programs of this worker, for its watchdog. */
  workerMark: string;
  /** Receives the standard error of the programs. */
  onStderr(chunk: Buffer): void;
}

/** Runs the program once for each task, as the usage describes; what it started is killed at its exit. */
export function createExecHandler(options: ExecOptions): { handler: Handler; killAll(): void } {
  const programs = new Set<ProgramGroup>();
  const asks = startAskServer();
  return {
    handler: async (task, context) => {
      const channel = (await asks).open(context);
      const program = await start(options, task, channel.env).catch((error) => {
        channel.close();
        throw error;
      });
      programs.add(program);
      try {
        return await resultOf(program, task, context, options.onStderr);
      } finally {
        channel.close();
        await program.killAll();
        programs.delete(program);
      }
    },
    /** Kills all programs with SIGKILL. */
    killAll: () => {
      void asks.then(({ close }) => close());
      for (const program of programs) void program.killAll();
    },
  };
}

async function start(
  { program, args, workerMark }: ExecOptions,
  task: Task,
  channel: Record<string, string>,
): Promise<ProgramGroup> {
  const taskVariables = {
    ...channel,
    FLEET_TASK_ID: task.id,
    FLEET_AGENT_ID: task.agent_id,
    FLEET_ATTEMPT: String(task.attempt),
    // Not that of the worker's own environment.
    TRACEPARENT: traceparentOf(task),
  };
  const mark = newAttemptMark(workerMark);
  // The program handles untrusted input, so it does not receive the API key.
  const env = { ...process.env, ...taskVariables, [ATTEMPT_MARK]: mark, FLEET_API_KEY: undefined };
  try {
    return await startGroup({ path: program, args, env, mark });
  } catch (error) {
    const message = `The program could not be started: ${(error as Error).message}`;
    throw notRunnable(program) ?? new TaskError(message, { code: 'exec_failed', cause: error });
  }
}

/** The failure of a script whose first line names no program: another attempt would not help. */
function notRunnable(program: string): TaskError | undefined {
  const why = whyNotRunnable(program, process.env.PATH ?? '');
  if (why === undefined) return undefined;
  const message = `The program could not be started: ${program}: ${why}`;
  return new TaskError(message, { code: 'exec_failed', retryable: false });
}

async function resultOf(program: ProgramGroup, task: Task, context: TaskContext, onStderr: ExecOptions['onStderr']) {
  const { signal } = context;
  const { child } = program;
  const stdout = collect(child);
  const stderr = createByteTail(STDERR_TAIL_BYTES);
  const lines = createLineSplitter((line) => context.log(line, { stream: 'stderr' }));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.add(chunk);
    lines.add(chunk);
    onStderr(chunk);
  });
  const { definition, dependencies } = context;
  const given = { ...task, ...(definition && { definition }), ...(dependencies.length > 0 && { dependencies }) };
  child.stdin.end(`${exactJson.stringify(given)}\n`);
  const end = () => void program.terminate(KILL_AFTER_MS);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const exit = await program.exited;
  signal.removeEventListener('abort', end);
  lines.end();
  // A program that exits with 0 on SIGTERM has not completed the task.
  signal.throwIfAborted();
  if (stdout.bytes > MAX_STDOUT_BYTES) {
    const message = `The program wrote more than ${MAX_STDOUT_BYTES} bytes to stdout`;
    throw new TaskError(message, { code: RESULT_TOO_LARGE, retryable: false });
  }
  if (exit.code !== 0) {
    // Of `env`, if it finds no program.
    const unknown = exit.code === 127 ? notRunnable(child.spawnfile) : undefined;
    throw unknown ?? failure(exit.code, exit.signal, stderr.text());
  }
  return parseOutput(toText(Buffer.concat(stdout.chunks)));
}

/** Collects stdout; a program that writes too much is killed. */
function collect(child: ProgramGroup['child']): { chunks: Buffer[]; bytes: number } {
  const stdout = { chunks: [] as Buffer[], bytes: 0 };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.bytes += chunk.length;
    if (stdout.bytes <= MAX_STDOUT_BYTES) {
      stdout.chunks.push(chunk);
      return;
    }
    stdout.chunks = [];
    signalGroup(child.pid, 'SIGKILL');
  });
  return stdout;
}

function failure(code: number | null, killedBy: NodeJS.Signals | null, stderr: string): TaskError {
  const how = killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`;
  return new TaskError(stderr.trim() || `${how}, nothing on stderr`, {
    code: killedBy === null ? `exit_${code}` : `signal_${killedBy}`,
    retryable: code !== DATA_ERROR,
  });
}

/** Another attempt would write the same. @throws TaskError `invalid_result` */
function toText(bytes: Buffer): string {
  try {
    return decodeText(bytes);
  } catch (cause) {
    const message = `What the program wrote to stdout is ${messageOf(cause)}`;
    throw new TaskError(message, { code: 'invalid_result', retryable: false, cause });
  }
}

/** JSON, else the text without trailing whitespace; null for none. */
function parseOutput(text: string): unknown {
  const trimmed = text.trimEnd();
  if (trimmed === '') return null;
  try {
    return exactJson.parse(trimmed);
  } catch {
    return trimmed;
  }
}
