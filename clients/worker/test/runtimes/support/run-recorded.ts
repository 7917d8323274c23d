import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import type { Runtime, RuntimeEvent, RuntimeJob, RuntimeSession } from '../../../src/runtimes/runtime.ts';
import { makeJob as makeJobIn, startRuntime } from './runtime-program.ts';

/** A line as text, a long line of `x`, a wait for the next line of stdin, or for one more than so far. */
export type Line = { text: string } | { bytes: number } | { pause: true } | { expects: string };

interface Recorded {
  /** Default: the recording, as it is. */
  lines?: Line[];
  recording?: string;
  stderr?: string;
  exitCode?: number;
  signal?: NodeJS.Signals;
  /** The program goes on after its last line. */
  hangs?: boolean;
  job?: Partial<RuntimeJob>;
  /** Called with each event. */
  onEvent?(event: RuntimeEvent, session: RuntimeSession): void;
}

/** What the program was given. */
interface Given {
  args: string[];
  env: Record<string, string>;
  /** Its lines. */
  stdin: string[];
  isEnded: boolean;
}

const RECORDINGS = join(import.meta.dirname, '../../recordings');

/** The lines of a recording of a runtime; in one of a dialogue, those to the program begin with `> `. */
export function linesOf(runtime: Runtime, recording: string): Line[] {
  const text = readFileSync(join(RECORDINGS, runtime.name, `${recording}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (line.startsWith('> ') ? { expects: line.slice(2) } : { text: line.replace(/^< /, '') }));
}

interface RecordingOptions {
  /** The recordings have what they wait for. */
  isDialogue: boolean;
  /** Default: one that speaks over stdin and stdout. */
  program?: 'replay.ts' | 'replay-opencode.ts';
}

/** Runs a runtime with a program in the place of its own that repeats what the real one wrote. */
export function useRecordings(runtime: Runtime, { isDialogue, program: file = 'replay.ts' }: RecordingOptions) {
  const base = ownFolder();
  let count = 0;

  function makeJob(job: Partial<RuntimeJob> = {}): RuntimeJob {
    const endpoint = { baseUrl: 'http://127.0.0.1:40000/provider', key: 'key-of-the-attempt' };
    return makeJobIn(join(base, `task-${++count}`, '1'), { endpoint, ...job });
  }

  async function run(recorded: Recorded = {}) {
    const { recording = 'success', lines = linesOf(runtime, recording), onEvent } = recorded;
    const { stderr = '', exitCode = 0, signal, hangs = false } = recorded;
    const job = makeJob(recorded.job);
    const [script, dump] = [join(job.folders.root, 'replay.json'), join(job.folders.root, 'given.json')];
    const first = isDialogue ? 0 : job.prompt === '' ? 1 : 2;
    writeFileSync(script, JSON.stringify({ lines, reads: first, stderr, exitCode, signal, hangs, dump }));
    const command = [process.execPath, join(import.meta.dirname, file)];
    const { program, session } = await startRuntime(runtime, job, command, { REPLAY: script });
    const events: RuntimeEvent[] = [];
    for await (const event of session.events) {
      events.push(event);
      onEvent?.(event, session);
    }
    const given = async (): Promise<Given> => {
      if (!hangs) await program.exited;
      return JSON.parse(readFileSync(dump, 'utf8'));
    };
    return { events, process: program, given, job };
  }

  return { run, makeJob };
}
