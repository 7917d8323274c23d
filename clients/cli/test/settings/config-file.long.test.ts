import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { beforeAll, expect, test } from '@jest/globals';
import { readProfile, writeProfile } from '../../src/settings/config-file.ts';

const KILLS = 40;
const SOURCE = resolve(import.meta.dirname, '../../src/settings/config-file.ts');
/** Writes a growing profile for ever. */
const WRITER = `
  const { writeProfile } = await import(${JSON.stringify(SOURCE)});
  for (let round = 0; ; round++) {
    await writeProfile(process.argv[1], 'written', { url: 'http://localhost', access_token: 'x'.repeat(round * 100) });
    if (round === 0) console.log('writing');
  }`;

const folder = ownFolder();
const path = join(folder, 'fleet/config.json');
beforeAll(() => writeProfile(path, 'kept', { url: 'http://localhost', api_key: 'kept' }));

async function writeUntilKilled(afterMs: number): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', WRITER, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  await new Promise((resolve) => void child.stdout.once('data', resolve));
  await sleep(afterMs);
  child.kill('SIGKILL');
  await ended;
}

test('kill -9 while credentials are written leaves the old or the new ones, and the next command goes on', async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    await writeUntilKilled(Math.random() * 20);
    expect(readProfile(path, 'kept')).toEqual({ url: 'http://localhost', api_key: 'kept' });
    expect(readProfile(path, 'written')).toMatchObject({ access_token: expect.stringMatching(/^x*$/) });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  const beganAt = performance.now();
  await writeProfile(path, 'written', undefined);
  expect(performance.now() - beganAt).toBeLessThan(5_000);
  expect(readdirSync(dirname(path))).toEqual(['config.json']);
});
