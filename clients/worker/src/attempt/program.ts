import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { messageOf, TaskError } from '../errors.ts';
import { createByteTail, createLineSplitter } from '../pieces.ts';
import { signalGroup } from '../processes/marked-processes.ts';
import { type ProgramGroup, startGroup } from '../processes/program-group.ts';
import type { Redactor } from '../redaction.ts';
import type { RuntimeProcess } from '../runtimes/runtime.ts';

const STDERR_TAIL_BYTES = 4 * 1024;
/** A single line of events has all of a tool's output; an image in it is Base64. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 1024 ** 3;
const TOO_MUCH = '\nKilled: it wrote a line of more than 32 MiB, or more than 1 GiB\n';

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

/** A running program of a runtime, and how it is ended. */
export type Program = RuntimeProcess & Pick<ProgramGroup, 'terminate' | 'killAll'>;

/** @throws TaskError `runtime_missing` if the program does not start */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  let addToStderr: (text: string) => void = () => {};
  const through = (child: ProgramGroup['child']) => boundOutput(child, options.events, () => addToStderr(TOO_MUCH));
  try {
    const group = await startGroup({ ...options, through });
    const stderr = watchStderr(group.child.stderr, options);
    addToStderr = stderr.add;
    return { ...group, stdin: group.child.stdin, stderr: stderr.text };
  } catch (error) {
    const message = `The program could not be started: ${messageOf(error)}`;
    throw new TaskError(message, { code: 'runtime_missing', retryable: false, cause: error });
  }
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
