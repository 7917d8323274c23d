import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import type { Exit } from '../local/child-process.ts';
import { type Running, Supervisor } from './supervisor.ts';

/** A process as the supervisor sees it. */
class Part implements Running {
  end!: (exit: Exit) => void;
  readonly exited = new Promise<Exit>((resolve) => {
    this.end = resolve;
  });

  crash(): void {
    this.end({ code: 137, reason: 'SIGKILL' });
  }

  async stop(): Promise<void> {
    this.end({ code: 0, reason: 'exit code 0' });
  }

  kill = () => this.stop();
}

function supervise(restart: () => Part, mayRestart = true) {
  const lines: string[] = [];
  const givenUp: string[] = [];
  const first = new Part();
  const supervisor = new Supervisor('agents', first, {
    restart,
    mayRestart: () => mayRestart,
    say: (line) => lines.push(line),
    giveUp: (message) => givenUp.push(message),
  });
  return { supervisor, first, lines, givenUp };
}

test('does not restart a process that it has stopped', async () => {
  let restarts = 0;
  const { supervisor, lines } = supervise(() => {
    restarts += 1;
    return new Part();
  });
  await supervisor.stop();
  await sleep(150);
  expect({ restarts, lines }).toEqual({ restarts: 0, lines: [] });
});

test('gives up after five crashes within a minute', async () => {
  const { givenUp, lines, first } = supervise(() => {
    const part = new Part();
    part.crash();
    return part;
  });
  first.crash();
  await until(() => givenUp.length > 0);
  expect(givenUp).toEqual(['agents ended (SIGKILL)']);
  expect(lines).toHaveLength(5);
});

test('does not restart a process that ends before the first start is complete', async () => {
  const { first, givenUp } = supervise(() => new Part(), false);
  first.crash();
  await until(() => givenUp.length > 0);
  expect(givenUp).toEqual(['agents ended (SIGKILL)']);
});

test('gives up with the reason when a restart fails', async () => {
  const { first, givenUp } = supervise(() => {
    throw new Error('no room');
  });
  first.crash();
  await until(() => givenUp.length > 0);
  expect(givenUp).toEqual(['no room']);
});
