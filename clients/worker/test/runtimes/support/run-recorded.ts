import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from '@jest/globals';
import type {
  AttemptFolders,
  Runtime,
  RuntimeEvent,
  RuntimeJob,
  RuntimeProcess,
} from '../../../src/runtimes/runtime.ts';

/** A line as text, a long line of `x`, or a wait for the next line of stdin. */
export type Line = { text: string } | { bytes: number } | { pause: true };

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
  onEvent?(event: RuntimeEvent, cancel: () => void): void;
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
const REPLAY = join(import.meta.dirname, 'replay.ts');

/** The lines of a recording of a runtime. */
export function linesOf(runtime: Runtime, recording: string): Line[] {
  const text = readFileSync(join(RECORDINGS, runtime.name, `${recording}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => ({ text: line }));
}

/** Runs a runtime with a program in the place of its own that repeats what the real one wrote. */
export function useRecordings(runtime: Runtime, { reads }: { reads: 'line' | 'all' }) {
  const base = mkdtempSync(join(tmpdir(), 'fleet-runtime-'));
  const children: RuntimeProcess['child'][] = [];
  let count = 0;
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  function makeJob(job: Partial<RuntimeJob> = {}): RuntimeJob {
    const folders = makeFolders(join(base, `task-${++count}`, '1'));
    const endpoint = { baseUrl: 'http://127.0.0.1:40000/provider', key: 'key-of-the-attempt' };
    const unset = { model: undefined, outputSchema: undefined, session: undefined };
    return { prompt: 'Say hello', folders, permissions: 'edit', skills: [], endpoint, ...unset, ...job };
  }

  async function run(recorded: Recorded = {}) {
    const { recording = 'success', lines = linesOf(runtime, recording), onEvent } = recorded;
    const { stderr = '', exitCode = 0, signal, hangs = false } = recorded;
    const job = makeJob(recorded.job);
    const [script, dump] = [join(job.folders.root, 'replay.json'), join(job.folders.root, 'given.json')];
    writeFileSync(script, JSON.stringify({ lines, reads, stderr, exitCode, signal, hangs, dump }));
    await runtime.prepare(job);
    const { args, env } = runtime.command(job);
    const process = start(args, { ...env, REPLAY: script });
    children.push(process.child);
    const session = runtime.connect(process, job);
    const events: RuntimeEvent[] = [];
    for await (const event of session.events) {
      events.push(event);
      onEvent?.(event, session.cancel);
    }
    const given = async (): Promise<Given> => {
      if (!hangs) await process.exited;
      return JSON.parse(readFileSync(dump, 'utf8'));
    };
    return { events, process, given, job };
  }

  return { run, makeJob };
}

function makeFolders(root: string): AttemptFolders {
  const folder = (name: string) => join(root, name);
  const folders = {
    workspace: folder('workspace'),
    home: folder('home'),
    skills: folder('skills'),
    tmp: folder('tmp'),
  };
  for (const path of Object.values(folders)) mkdirSync(path, { recursive: true });
  return { root, ...folders, events: folder('events.jsonl') };
}

function start(args: readonly string[], env: Record<string, string>): RuntimeProcess {
  const command = [REPLAY, ...args];
  const child = spawn(process.execPath, command, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, stdin: child.stdin, stdout: child.stdout, stderr: () => stderr, exited };
}
