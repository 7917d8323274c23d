import { expect, test } from '@jest/globals';
import { readCommand, runCommand } from './command.ts';

const node = (script: string) => ['-e', script];

test('resolves with the exit code and both outputs of a command', async () => {
  const script = node('console.log("out"); console.error("err"); process.exit(3)');
  const result = await runCommand(process.execPath, script);
  expect(result).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
});

test('reads the standard output of a command', async () => {
  await expect(readCommand('echo', ['hello'])).resolves.toBe('hello\n');
});

test('rejects with the output of a command that fails, and when there is no such command', async () => {
  const began = performance.now();
  const failure = await readCommand('sh', ['-c', 'echo why; exit 4']).catch(String);
  const seconds = Number(/^Error: sh -c .* failed \(4\) after (\d+) s\nwhy$/.exec(failure)?.[1]);
  expect(seconds).toBeLessThanOrEqual(Math.round((performance.now() - began) / 1_000));
  await expect(readCommand('no-such-command', [])).rejects.toThrow('no-such-command failed (127)');
});

test('ends a command after its timeout, and when its signal is aborted', async () => {
  await expect(readCommand('sleep', ['63.5'], { timeoutMs: 50 })).rejects.toThrow('sleep 63.5 failed (143)');
  const { exitCode } = await runCommand('sleep', ['64.5'], { signal: AbortSignal.timeout(50) });
  expect(exitCode).toBe(143);
});
