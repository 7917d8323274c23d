import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { own } from '@agent-fleet/scripts/testing/own';
import { signalGroup } from '../../../src/processes/marked-processes.ts';
import { NO_RULES } from '../../../src/runtimes/rules.ts';
import type {
  Runtime,
  RuntimeEvent,
  RuntimeJob,
  RuntimeProcess,
  RuntimeSession,
} from '../../../src/runtimes/runtime.ts';

/** A job in folders that are made. */
export function makeJob(root: string, job: Partial<RuntimeJob> = {}): RuntimeJob {
  const folder = (name: string) => join(root, name);
  const folders = {
    workspace: folder('workspace'),
    home: folder('home'),
    skills: folder('skills'),
    tmp: folder('tmp'),
  };
  for (const path of Object.values(folders)) mkdirSync(path, { recursive: true });
  return {
    prompt: 'Say hello',
    folders: { root, ...folders, events: folder('events.jsonl') },
    permissions: 'edit',
    model: undefined,
    outputSchema: undefined,
    session: undefined,
    endpoint: undefined,
    skills: [],
    approvals: 'deny',
    instructions: undefined,
    effort: undefined,
    rules: NO_RULES,
    servers: [],
    ...job,
  };
}

/** Starts a program for a job, in a process group that ends with the test. */
export async function startRuntime(
  runtime: Runtime,
  job: RuntimeJob,
  [command = runtime.program, ...first]: readonly string[] = [],
  more: NodeJS.ProcessEnv = {},
): Promise<{ program: RuntimeProcess; session: RuntimeSession }> {
  await runtime.prepare(job);
  const { args, env } = runtime.command(job);
  const child = spawn(command, [...first, ...args], {
    cwd: job.folders.workspace,
    env: { PATH: process.env.PATH, ...env, ...more },
    detached: true,
    stdio: 'pipe',
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  own(() => {
    signalGroup(child.pid, 'SIGKILL');
    return exited;
  });
  const program = { child, stdin: child.stdin, stdout: child.stdout, stderr: () => stderr, exited };
  return { program, session: runtime.connect(program, job) };
}

export async function collect({ events }: RuntimeSession): Promise<RuntimeEvent[]> {
  const all: RuntimeEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
