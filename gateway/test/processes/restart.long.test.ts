import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { remaining } from '@agent-fleet/shared/testing/processes';
import { afterEach, expect, test } from '@jest/globals';
import { API_KEY, getToken } from '../support/gateway.ts';
import { endAll, startProcesses } from '../support/gateway-process.ts';

const CLIENTS = 8;
const TIMEOUT_MS = 90_000;

afterEach(endAll);

/** Sends GETs over keep-alive connections, one after the other on each, until `end` is called. */
function startLoad(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const wrong: unknown[] = [];
  let answers = 0;
  let isEnding = false;
  const ask = () =>
    new Promise<void>((resolve) => {
      const headers = { 'x-api-key': API_KEY };
      const request = get(`${url}/agents`, { agent, headers }, (res) => {
        if (res.statusCode === 200) answers++;
        else wrong.push(res.statusCode);
        res.resume().on('close', resolve);
      });
      request.on('error', (error) => {
        wrong.push(error);
        resolve();
      });
    });
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isEnding) await ask();
  });
  return {
    async end() {
      isEnding = true;
      await Promise.all(clients);
      agent.destroy();
      return { wrong, answers };
    },
  };
}

function writeKey(): { file: string; dir: string; change(pem: string): void } {
  const dir = makeDataDir('gateway-key-');
  const file = join(dir, 'jwt.pem');
  writeFileSync(file, newKey());
  return { file, dir, change: (pem) => writeFileSync(file, pem) };
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

test(
  'SIGHUP replaces all processes, which read their key files anew, and loses no request',
  async () => {
    const key = writeKey();
    const gateway = await startProcesses(2, { JWT_PRIVATE_KEY_FILE: key.file });
    const token = await getToken(gateway.url);
    const before = gateway.children();
    const load = startLoad(gateway.url);
    key.change(newKey());
    gateway.signal('SIGHUP');
    await gateway.untilLogged('replaced all processes');
    const { wrong, answers } = await load.end();
    expect(wrong).toEqual([]);
    expect(answers).toBeGreaterThan(100);
    await expect(remaining(before, 0)).resolves.toEqual([]);
    expect(gateway.children()).toHaveLength(2);
    expect((await fetch(`${gateway.url}/protected`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      401,
    );
    // What was counted by those that have gone is not lost; the new ones count a little later.
    const all = `route="/agents",status="200"} ${answers}\n`;
    await gateway.until(async () => (await gateway.metrics()).includes(all));
    rmSync(key.dir, { recursive: true });
  },
  TIMEOUT_MS,
);

test('after SIGHUP with a bad key file the old processes stay', async () => {
  const key = writeKey();
  const gateway = await startProcesses(2, { JWT_PRIVATE_KEY_FILE: key.file });
  const before = gateway.children();
  key.change('no key');
  gateway.signal('SIGHUP');
  const line = await gateway.untilLogged('failed to replace processes, keeping the old ones');
  expect(line).toMatchObject({ level: 'error', reason: expect.stringMatching(/^JWT_PRIVATE_KEY_FILE: [^\n]*$/) });
  expect(gateway.children()).toEqual(before);
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
  expect(gateway.errors).toBe('');
  rmSync(key.dir, { recursive: true });
});

test('a gateway of one process logs and ignores SIGHUP', async () => {
  const gateway = await startProcesses(1);
  gateway.signal('SIGHUP');
  const line = await gateway.untilLogged('SIGHUP ignored: a single process cannot restart without losing requests');
  expect(line).not.toHaveProperty('pid');
  expect(gateway.children()).toEqual([]);
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
});

test('log lines of all processes are whole and complete at the end', async () => {
  const gateway = await startProcesses(2);
  const load = startLoad(gateway.url);
  await gateway.until(() => gateway.log().length > 3_000);
  const { answers } = await load.end();
  gateway.signal('SIGTERM');
  await expect(gateway.ended()).resolves.toBe(0);
  const requests = gateway.log().filter(({ route }) => route === '/agents');
  expect(requests).toHaveLength(answers);
});
