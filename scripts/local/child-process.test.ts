import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree, remaining } from '@agent-fleet/shared/testing/processes';
import { afterAll, expect, test } from '@jest/globals';
import { startKept } from './child-process.ts';

const dir = mkdtempSync(join(tmpdir(), 'fleet-kept-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let count = 0;

function keep(script: string, graceSeconds = 5) {
  count += 1;
  const logFile = join(dir, `${count}.log`);
  return { logFile, process: startKept(process.execPath, ['-e', script], { logFile, graceSeconds }) };
}

async function untilPrinted(file: string): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const printed = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (printed.includes('\n')) return printed.trim();
    await sleep(25);
  }
  throw new Error(`nothing was printed into ${file}`);
}

/** Less than the grace of a command that is to end at once. */
const ENDED_MS = 30_000;
const WAIT = 'console.log(process.pid); setInterval(() => {}, 1000);';

test('tells the exit code and what was printed', async () => {
  const { process: child, logFile } = keep('console.log("out"); console.error("err"); process.exit(3)');
  await expect(child.exited).resolves.toEqual({ code: 3, reason: 'exit code 3' });
  expect(child.printed()).toBe('out\nerr\n');
  expect(statSync(logFile).mode & 0o777).toBe(0o600);
});

test('stop lets the command end by itself', async () => {
  const { process: child, logFile } = keep(`process.on('SIGTERM', () => process.exit(0)); ${WAIT}`);
  await untilPrinted(logFile);
  await child.stop();
  await expect(child.exited).resolves.toEqual({ code: 0, reason: 'exit code 0' });
});

test('a command that ignores SIGTERM is killed after the grace', async () => {
  const { process: child, logFile } = keep(`process.on('SIGTERM', () => {}); ${WAIT}`, 1);
  await untilPrinted(logFile);
  await child.stop();
  await expect(child.exited).resolves.toMatchObject({ reason: 'SIGKILL' });
});

test('kill ends the command at once', async () => {
  const { process: child, logFile } = keep(`process.on('SIGTERM', () => {}); ${WAIT}`, 600);
  const processes = processTree(Number(await untilPrinted(logFile)));
  expect(processes).toHaveLength(1);
  await child.kill();
  await expect(remaining(processes, ENDED_MS)).resolves.toEqual([]);
});

test('a command that somebody kills is reported by the name of the signal', async () => {
  const { process: child, logFile } = keep(WAIT);
  process.kill(Number(await untilPrinted(logFile)), 'SIGKILL');
  await expect(child.exited).resolves.toEqual({ code: 137, reason: 'SIGKILL' });
});

test('the command ends when its parent is killed with -9', async () => {
  const logFile = join(dir, 'orphan.log');
  const module = new URL('./child-process.ts', import.meta.url).href;
  const script = `import { startKept } from ${JSON.stringify(module)};
    startKept(process.execPath, ['-e', ${JSON.stringify(WAIT)}], { logFile: ${JSON.stringify(logFile)} });
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const processes = processTree(Number(await untilPrinted(logFile)));
  expect(processes).toHaveLength(1);
  parent.kill('SIGKILL');
  await expect(remaining(processes, ENDED_MS)).resolves.toEqual([]);
});
