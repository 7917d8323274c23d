import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { readProcessorTimes } from './processor-time.ts';

const BURN = 'const start = process.cpuUsage(); while (process.cpuUsage(start).user < 100_000);';

test('counts the processor time of a child that has a process group of its own', async () => {
  const child = spawn(process.execPath, ['-e', `${BURN} console.log(); process.stdin.resume()`], { detached: true });
  try {
    const before = (await readProcessorTimes()).ofTree(process.pid);
    await once(child.stdout, 'data');
    expect((await readProcessorTimes()).ofTree(process.pid) - before).toBeGreaterThan(0.09);
  } finally {
    child.stdin.end();
    await once(child, 'exit');
  }
});
