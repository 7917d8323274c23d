import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Readable, Transform, type TransformCallback, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, TaskError } from '../errors.ts';
import { createByteTail, createLineSplitter } from '../pieces.ts';
import { killMarked, signalGroup } from '../processes/marked-processes.ts';
import type { Redactor } from '../redaction.ts';
import type { RuntimeProcess } from '../runtimes/runtime.ts';

const STDERR_TAIL_BYTES = 4 * 1024;
/** A single line of events has all of a tool's output; an image in it is Base64. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 1024 ** 3;
const TOO_MUCH = '\nKilled: it wrote a line of more than 32 MiB, or more than 1 GiB\n';
/** How long processes that a program left behind may keep its output open. */
const CLOSE_MS = 2_000;

interface ProgramOptions {
  path: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  redactor: Redactor;
  events: EventFile;
  /** Receives each line of stderr, redacted. */
  onStderr(line: string): void;
  /** The value of `FLEET_ATTEMPT_ID` in its environment. */
  mark: string;
}

/** A running program and how it is ended. */
export interface Program extends RuntimeProcess {
  /** SIGTERM to its process group, and SIGKILL after `graceMs`. Resolves when it has exited. */
  terminate(graceMs: number): Promise<void>;
  /** Kills its group and everything with its mark. Resolves with the number of processes that are left. */
  killAll(): Promise<number>;
}

/** Starts a program in a process group of its own. @throws TaskError `runtime_missing` if it does not start */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { path, args, env, cwd, mark } = options;
  const child = spawn(path, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'], env, cwd });
  try {
    await once(child, 'spawn');
  } catch (error) {
    const message = `The program could not be started: ${messageOf(error)}`;
    throw new TaskError(message, { code: 'runtime_missing', retryable: false, cause: error });
  }
  // A program may exit or close its stdin without reading it.
  child.stdin.on('error', () => {});
  const stderr = watchStderr(child.stderr, options);
  const stdout = boundOutput(child, options.events, () => stderr.add(TOO_MUCH));
  const exited = exitOf(child, stdout);
  return {
    child,
    stdin: child.stdin as Writable,
    stdout,
    stderr: stderr.text,
    exited,
    async terminate(graceMs) {
      signalGroup(child.pid, 'SIGTERM');
      await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
      signalGroup(child.pid, 'SIGKILL');
      await exited;
    },
    killAll() {
      // Descendants that have another environment are found while their parents live.
      const left = killMarked(mark);
      signalGroup(child.pid, 'SIGKILL');
      return left;
    },
  };
}

/** Resolves when the program has exited and its output is read, at most 2 s after the exit. */
async function exitOf(child: ChildProcess, stdout: Readable): Promise<Awaited<RuntimeProcess['exited']>> {
  const { promise, resolve } = Promise.withResolvers<Awaited<RuntimeProcess['exited']>>();
  const read = new Promise<void>((then) => stdout.once('close', then));
  child.once('exit', (code, signal) => {
    // A process that left the program's process group may still hold its pipes.
    const timer = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      stdout.destroy();
    }, CLOSE_MS);
    const closed = new Promise<void>((then) => child.once('close', () => then()));
    void Promise.all([read, closed]).then(() => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
  return promise;
}

/** Passes stdout on, recorded. Ends a program that writes too much, or a line too long to be kept. */
function boundOutput(child: ChildProcess & { stdout: Readable }, events: EventFile, onTooMuch: () => void): Readable {
  let total = 0;
  let line = 0;
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      total += chunk.length;
      const end = chunk.lastIndexOf(0x0a);
      line = end === -1 ? line + chunk.length : chunk.length - end - 1;
      if (total > MAX_OUTPUT_BYTES || line > MAX_LINE_BYTES) {
        onTooMuch();
        signalGroup(child.pid, 'SIGKILL');
        this.push(null);
        return;
      }
      void events.add(chunk).then(() => done(null, chunk));
    },
  });
  // What reads it may have ended before the program.
  transform.on('error', () => {});
  child.stdout.on('error', () => transform.destroy());
  // Destroyed at its end, and before it.
  child.stdout.once('close', () => {
    if (!child.stdout.readableEnded) transform.end();
  });
  return child.stdout.pipe(transform);
}

function watchStderr(stderr: Readable, { redactor, onStderr }: Pick<ProgramOptions, 'redactor' | 'onStderr'>) {
  const tail = createByteTail(STDERR_TAIL_BYTES);
  const decoder = new StringDecoder('utf8');
  const redaction = redactor.stream();
  const lines = createLineSplitter(onStderr);
  const add = (text: string) => {
    const bytes = Buffer.from(text);
    tail.add(bytes);
    lines.add(bytes);
  };
  stderr.on('data', (chunk: Buffer) => add(redaction.add(decoder.write(chunk))));
  stderr.on('error', () => {});
  stderr.once('close', () => {
    add(redaction.add(decoder.end()) + redaction.end());
    lines.end();
  });
  return { add, text: () => tail.text() };
}

const MAX_BYTES = 64 * 1024 * 1024;
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const NOTE = '\n{"note":"the rest was left out: the file has reached 64 MiB"}\n';

type EventFile = Awaited<ReturnType<typeof openEventFile>>;

/** Opens the record of what a program wrote, redacted, for appending; after 64 MiB nothing more is written. */
export async function openEventFile(path: string, redactor: Redactor) {
  // An agent may have put a link or a pipe in its place before a continued session.
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const decoder = new StringDecoder('utf8');
  const redaction = redactor.stream();
  let { size } = await file.stat();
  const write = async (text: string) => {
    if (text === '' || size > MAX_BYTES) return;
    size += Buffer.byteLength(text);
    // A full disk must not fail the task.
    await file.write(size > MAX_BYTES ? NOTE : text).catch(() => {});
  };
  return {
    add: (chunk: Buffer) => write(redaction.add(decoder.write(chunk))),
    async close(): Promise<void> {
      await write(redaction.add(decoder.end()) + redaction.end());
      await file.close();
    },
  };
}
