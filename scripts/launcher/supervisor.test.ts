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
  const said: string[] = [];
  const givenUp: string[] = [];
  const first = new Part();
  const supervisor = new Supervisor('agents', first, {
    restart,
    mayRestart: () => mayRestart,
    say: (line) => said.push(line),
    giveUp: (message) => givenUp.push(message),
  });
  return { supervisor, first, said, givenUp };
}

test('what crashes is started again', async () => {
  const second = new Part();
  let restarts = 0;
  const { supervisor, first, said, givenUp } = supervise(() => {
    restarts += 1;
    return second;
  });
  first.crash();
  await until(() => restarts === 1);
  expect(said).toEqual(['agents ended (SIGKILL); starting it again']);
  await supervisor.stop();
  await expect(second.exited).resolves.toMatchObject({ code: 0 });
  expect(givenUp).toEqual([]);
});

test('what ends because it is stopped stays stopped', async () => {
  let restarts = 0;
  const { supervisor, said } = supervise(() => {
    restarts += 1;
    return new Part();
  });
  await supervisor.stop();
  await sleep(150);
  expect({ restarts, said }).toEqual({ restarts: 0, said: [] });
});

test('what goes on crashing is given up after five times', async () => {
  const { givenUp, said, first } = supervise(() => {
    const part = new Part();
    part.crash();
    return part;
  });
  first.crash();
  await until(() => givenUp.length > 0);
  expect(givenUp).toEqual(['agents ended (SIGKILL)']);
  expect(said).toHaveLength(5);
});

test('what ends before the fleet was ever ready is not started again', async () => {
  const { first, givenUp } = supervise(() => new Part(), false);
  first.crash();
  await until(() => givenUp.length > 0);
  expect(givenUp).toEqual(['agents ended (SIGKILL)']);
});

test('what cannot be started again is given up with the reason', async () => {
  const { first, givenUp } = supervise(() => {
    throw new Error('no room');
  });
  first.crash();
  await until(() => givenUp.length > 0);
  expect(givenUp).toEqual(['no room']);
});
