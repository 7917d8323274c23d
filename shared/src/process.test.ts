import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';

/** Runs a service whose `start` prints a line and then runs `rest`. */
function spawnService(rest: string) {
  const program = `import { runService } from ${JSON.stringify(new URL('./process.ts', import.meta.url).href)};
    setInterval(() => {}, 1_000);
    await runService(async () => { console.log('starting'); ${rest} });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  return { child, ended };
}

test.each(['SIGTERM', 'SIGINT'] as const)('a service exits with 0 on %s while it is starting', async (signal) => {
  const { child, ended } = spawnService('await new Promise(() => {});');
  await once(child.stdout, 'data');
  child.kill(signal);
  expect(await ended).toEqual([0, null]);
});

test('a service that cannot start exits with 1', async () => {
  expect(await spawnService("throw new Error('no');").ended).toEqual([1, null]);
});
