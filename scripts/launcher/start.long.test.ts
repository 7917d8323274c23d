import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataDir } from '@agent-fleet/shared/testing/data-dir';
import { processTree, remaining } from '@agent-fleet/shared/testing/processes';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../local/ports.ts';
import { findOnPath, installSystemPackage } from '../local/system-packages.mjs';
import { ROOT } from '../services.ts';
import { Launched } from '../testing/launched.ts';
import { own } from '../testing/own.ts';

const GONE_MS = 30_000;

beforeAll(() => {
  if (!findOnPath(['curl'])) installSystemPackage({ 'apt-get': 'curl', apk: 'curl', dnf: 'curl' }, console.info);
});

function newDataDir(): string {
  const dir = makeDataDir('fleet-data-');
  own(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function launch(dataDir: string, port: number, env?: NodeJS.ProcessEnv): Launched {
  const launched = new Launched(dataDir, port, env);
  own(async () => {
    launched.signal('SIGTERM');
    await launched.ended();
  });
  return launched;
}

async function launchReady(dataDir: string, env?: NodeJS.ProcessEnv): Promise<Launched> {
  const launched = launch(dataDir, await freePort(), env);
  await launched.untilPrinted('the data stay');
  return launched;
}

/** Runs the printed curl command in a shell. */
function runCurl({ printed }: Launched): { id: string; name: string; type: string } {
  const line = printed.split('\n').find((candidate) => candidate.trim().startsWith('curl ')) ?? '';
  const { stdout, stderr } = spawnSync('sh', ['-c', line.replace('curl ', 'curl -sS --fail-with-body ')], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The status of a GET of an agent with the key of the credentials file. */
async function getAgent({ url }: Launched, dataDir: string, id: string): Promise<number> {
  const script = `. '${dataDir}/credentials.env'; echo "$API_KEYS"`;
  const key = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.trim().replace('local:', '');
  const response = await fetch(`${url}/agents/${id}`, { headers: { 'x-api-key': key } });
  await response.text();
  return response.status;
}

async function readPage({ url }: Launched, path: string): Promise<string> {
  const response = await fetch(url + path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  return response.text();
}

test('the printed curl works, pages are there, a restart keeps data and credentials, SIGTERM leaves nothing running', async () => {
  const dataDir = newDataDir();
  const first = await launchReady(dataDir);
  expect(first.printed).toMatch(/Agent Fleet is ready \(\d+\.\d s\)/);
  expect(first.printed).toMatch(
    new RegExp(`ready .*\\n\\n +Console +${first.url}/console\\n +Skills +${first.url}/\\n`),
  );
  expect(first.printed).toMatch(/User +admin@example\.com\n +Password +\S+\n +API key +fleet_\S+\n/);
  const page = await readPage(first, '/console');
  expect(page).toContain('<title>Console');
  expect(await readPage(first, '/')).toContain('<title>Skills');
  expect((await fetch(`${first.url}/download/fleet.tgz`)).status).toBe(200);
  const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  expect((await fetch(first.url + script)).headers.get('cache-control')).toContain('immutable');
  const agent = runCurl(first);
  expect(agent).toMatchObject({ name: 'My first agent', type: 'claude' });
  const processes = processTree(first.pid);
  expect(processes.length).toBeGreaterThanOrEqual(6);
  first.signal('SIGTERM');
  await expect(first.ended()).resolves.toBe(0);
  await expect(remaining(processes, 0)).resolves.toEqual([]);

  const second = await launchReady(dataDir);
  expect(second.printed).not.toMatch(/Password +\S/);
  expect(second.printed).toContain(`in ${dataDir}/credentials.env`);
  expect(await readPage(second, '/console/tasks')).toContain('<title>Console');
  await expect(getAgent(second, dataDir, agent.id)).resolves.toBe(200);
  expect(runCurl(second).id).not.toBe(agent.id);
});

describe('while it runs', () => {
  let dataDir: string;
  let launched: Launched;

  beforeAll(async () => {
    dataDir = makeDataDir('fleet-data-');
    launched = new Launched(dataDir, await freePort());
    await launched.untilPrinted('the data stay');
  });

  afterAll(async () => {
    launched.signal('SIGTERM');
    await launched.ended();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test.each([
    ['agents', 'services/agents/src/main.ts'],
    ['registry', 'services/registry/src/main.ts'],
    ['gateway', 'gateway/src/main.ts'],
    ['redis', 'redis-server'],
  ])('%s killed with -9 is started again and nothing is lost', async (name, command) => {
    const { id } = runCurl(launched);
    // Redis syncs its append-only file every second.
    if (name === 'redis') await sleep(1200);
    process.kill(launched.find(command).pid, 'SIGKILL');
    await launched.untilPrinted(`${name} ended (SIGKILL); restarting it`);
    let status = 0;
    for (const deadline = Date.now() + 60_000; status !== 200 && Date.now() < deadline; ) {
      await sleep(50);
      status = await getAgent(launched, dataDir, id).catch(() => 0);
    }
    expect(status).toBe(200);
  });

  test('a second launcher on the same port or data is refused with one line', async () => {
    await until(async () => (await fetch(`${launched.url}/ready`)).ok);
    const samePort = launch(newDataDir(), launched.port);
    await expect(samePort.ended()).resolves.toBe(1);
    expect(samePort.printed).toMatch(/^Port \d+ is in use: .* PORT=\d+ npm start\n$/);
    const sameData = launch(dataDir, await freePort());
    await expect(sameData.ended()).resolves.toBe(1);
    expect(sameData.printed).toMatch(/^A Redis already runs on the data in .*\n$/);
    expect((await fetch(`${launched.url}/ready`)).status).toBe(200);
  });
});

test('a port in use is reported before anything is started or written', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '0.0.0.0');
  own(() => server.close());
  const dataDir = newDataDir();
  const launched = launch(dataDir, port);
  await expect(launched.ended()).resolves.toBe(1);
  expect(launched.printed).toBe(
    `Port ${port} is in use: stop what listens there, or take another one: PORT=${port + 1} npm start\n`,
  );
  expect(readdirSync(dataDir)).toEqual([]);
});

test('an invalid variable is reported and everything stops', async () => {
  const launched = launch(newDataDir(), await freePort(), { ACCESS_TOKEN_TTL_SECONDS: 'soon', JWT_ISSUER: 'me' });
  await launched.untilPrinted('Redis: ');
  const processes = processTree(launched.pid);
  await expect(launched.ended()).resolves.toBe(1);
  expect(launched.printed).toMatch(
    /^ACCESS_TOKEN_TTL_SECONDS: must be .*\n(?:gateway|identity) ended \(exit code 1\), its log: .*\n$/m,
  );
  await expect(remaining(processes, 0)).resolves.toEqual([]);
});

describe('nothing is left running', () => {
  test.each(['launcher/start.ts', 'run.mjs'])('when %s is killed with -9', async (part) => {
    const launched = await launchReady(newDataDir());
    const processes = processTree(launched.pid);
    process.kill(launched.find(part).pid, 'SIGKILL');
    await expect(remaining(processes, GONE_MS)).resolves.toEqual([]);
  });

  test('after Ctrl-C, and at once after a second Ctrl-C', async () => {
    const launched = await launchReady(newDataDir());
    const processes = processTree(launched.pid);
    // The gateway waits for a request that never ends until its deadline.
    const held = connect(launched.port, 'localhost').on('error', () => undefined);
    const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\nExpect: 100-continue';
    held.write(`POST /token HTTP/1.1\r\nHost: localhost\r\n${form}\r\n\r\n`);
    // A part of the body starts the request: the gateway does not wait for requests that have not started.
    await once(held, 'data');
    held.write('grant');
    await sleep(1_500);
    launched.signal('SIGINT');
    await launched.untilPrinted('Stopping …');
    await sleep(700);
    const began = Date.now();
    launched.signal('SIGINT');
    await expect(launched.ended()).resolves.toBe(130);
    // Without the second one it would wait 20 s.
    expect(Date.now() - began).toBeLessThan(15_000);
    await expect(remaining(processes, 0)).resolves.toEqual([]);
    held.destroy();
  });
});
