import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processTree, remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { expect, test } from '@jest/globals';
import { ownFolder } from '../testing/own-folder.ts';
import { startChild } from './child-process.ts';

const dir = ownFolder();
let count = 0;

function start(script: string, graceSeconds = 5) {
  count += 1;
  const logFile = join(dir, `${count}.log`);
  return { logFile, process: startChild(process.execPath, ['-e', script], { output: { logFile }, graceSeconds }) };
}

function untilPrinted(file: string): Promise<string> {
  const read = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return until(read, { holds: (printed) => printed.includes('\n'), message: file, timeoutMs: 60_000 });
}

/** Less than the grace of a command that is to end at once. */
const ENDED_MS = 30_000;
const WAIT = 'console.log(process.pid); setInterval(() => {}, 1000);';

test('reports the exit code and the printed lines of a command', async () => {
  const { process: child, logFile } = start('console.log("out"); console.error("err"); process.exit(3)');
  await expect(child.exited).resolves.toEqual({ code: 3, reason: 'exit code 3' });
  expect(child.printed()).toBe('out\nerr\n');
  expect(statSync(logFile).mode & 0o777).toBe(0o600);
});

test('stop ends a command with SIGTERM', async () => {
  const { process: child, logFile } = start(`process.on('SIGTERM', () => process.exit(0)); ${WAIT}`);
  await untilPrinted(logFile);
  await child.stop();
  await expect(child.exited).resolves.toEqual({ code: 0, reason: 'exit code 0' });
});

test('stop kills a command that ignores SIGTERM after the grace', async () => {
  const { process: child, logFile } = start(`process.on('SIGTERM', () => {}); ${WAIT}`, 1);
  await untilPrinted(logFile);
  await child.stop();
  await expect(child.exited).resolves.toMatchObject({ reason: 'SIGKILL' });
});

test('kill ends a command at once', async () => {
  const { process: child, logFile } = start(`process.on('SIGTERM', () => {}); ${WAIT}`, 600);
  const processes = processTree(Number(await untilPrinted(logFile)));
  expect(processes).toHaveLength(1);
  await child.kill();
  await expect(remaining(processes, ENDED_MS)).resolves.toEqual([]);
});

test('reports the name of the signal that ended a command', async () => {
  const { process: child, logFile } = start(WAIT);
  process.kill(Number(await untilPrinted(logFile)), 'SIGKILL');
  await expect(child.exited).resolves.toEqual({ code: 137, reason: 'SIGKILL' });
});

test('a command ends when its parent is killed with -9', async () => {
  const logFile = join(dir, 'orphan.log');
  const module = new URL('./child-process.ts', import.meta.url).href;
  const script = `import { startChild } from ${JSON.stringify(module)};
    startChild(process.execPath, ['-e', ${JSON.stringify(WAIT)}], { output: { logFile: ${JSON.stringify(logFile)} } });
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const processes = processTree(Number(await untilPrinted(logFile)));
  expect(processes).toHaveLength(1);
  parent.kill('SIGKILL');
  await expect(remaining(processes, ENDED_MS)).resolves.toEqual([]);
});

test('keeps standard output and standard error apart in memory', async () => {
  const child = startChild(process.execPath, ['-e', 'console.log("out"); console.error("err")']);
  await child.closed;
  expect(child.written).toEqual({ stdout: 'out\n', stderr: 'err\n' });
  expect(child.isRunning()).toBe(false);
});

test('the id is that of the command, which gets the signals and has no other children', async () => {
  const child = startChild(process.execPath, ['-e', `process.on('SIGHUP', () => process.exit(4)); ${WAIT}`]);
  await until(() => child.printed().includes('\n'));
  expect(Number(child.printed())).toBe(child.pid);
  expect(processTree(child.pid)).toHaveLength(1);
  child.signal('SIGHUP');
  await expect(child.exited).resolves.toMatchObject({ code: 4 });
});

test('the rest of the process group ends with the command', async () => {
  const child = startChild('sh', ['-c', 'sleep 61.5 & sleep 62.5 & echo started; wait -n 2>/dev/null; wait']);
  await until(() => child.printed().includes('\n') && processTree(child.pid).length === 3);
  const processes = processTree(child.pid);
  child.signal('SIGKILL');
  await expect(remaining(processes, ENDED_MS)).resolves.toEqual([]);
});
