import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { own } from '@agent-fleet/scripts/testing/own';
import { remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { expect } from '@jest/globals';

export const LAUNCHER = resolve(import.meta.dirname, '../../bin/fleet-worker.mjs');
const GONE_MS = 30_000;

/** Starts a command that runs `fleet-worker`, until the test ends. */
export function startCommand([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Child {
  // A killed program must not leave a process behind.
  const child = startChild(file, args, { env, endsWithParent: false });
  own(() => {
    child.signal('SIGKILL');
    return child.closed;
  });
  return child;
}

/** Waits for a file that a program writes, with an end of line. */
export async function writtenBy(path: string): Promise<string> {
  const read = () => readFileSync(path, 'utf8');
  return (await until(read, { holds: (text) => text.endsWith('\n'), message: path })).trim();
}

/** Waits until the process whose id is in the file has ended. */
export async function expectEnd(file: string, command: string): Promise<void> {
  const pid = Number(await writtenBy(file));
  expect(await remaining([{ pid, parent: 0, command }], GONE_MS)).toEqual([]);
}
