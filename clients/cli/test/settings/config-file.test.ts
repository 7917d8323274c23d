import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { runCommand } from '@agent-fleet/scripts/testing/command';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { createFleet } from '@agent-fleet/sdk';
import { beforeEach, expect, test } from '@jest/globals';
import { readProfile, updateProfile, writeProfile } from '../../src/settings/config-file.ts';
import { findConnection } from '../../src/settings/connection.ts';
import { createUserToken } from '../../src/settings/user-token.ts';

const BIN = resolve(import.meta.dirname, '../../bin/fleet.mjs');
const HOUR_MS = 3_600_000;

let folder: string;
let path: string;
/** The next refresh token is good, once, as in a real fleet without its ten seconds of grace. */
let next: number;
let status: number;
let refreshes: string[];
/** Access tokens. */
let refused: string[];

const url = await serveUntilEnd(async (req, res) => {
  const isRefused = refused.includes(req.headers.authorization?.slice('Bearer '.length) ?? '');
  const session = isRefused ? { code: 401, body: { detail: 'no' } } : { code: 200, body: SESSION };
  const { code, body } = req.url === '/token' ? await refresh(req) : session;
  res.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
});
beforeEach(() => {
  folder = ownFolder();
  path = join(folder, 'fleet/config.json');
  next = 1;
  status = 200;
  refreshes = [];
  refused = [];
});

const SESSION = { user: 'me@example.com', role: 'admin', scopes: [], expires_at: null };

async function refresh(req: IncomingMessage) {
  const token = new URLSearchParams(await text(req)).get('refresh_token') ?? '';
  refreshes.push(token);
  if (status !== 200) return { code: status, body: { error: 'unavailable', message: 'try later' } };
  if (token !== `refresh-${next}`) return { code: 400, body: { error: 'invalid_grant' } };
  next += 1;
  return {
    code: 200,
    body: { access_token: `access-${next}`, token_type: 'bearer', expires_in: 3600, refresh_token: `refresh-${next}` },
  };
}

const expired = () => ({
  url,
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  expires_at: new Date(Date.now() - HOUR_MS).toISOString(),
});
const modeOf = (file: string) => statSync(file).mode & 0o777;
const read = () => JSON.parse(readFileSync(path, 'utf8'));

test('the file and its folder are for their owner only, whatever they and the umask were', async () => {
  const before = process.umask(0);
  try {
    await writeProfile(path, 'default', { url });
    expect([modeOf(path), modeOf(join(path, '..'))]).toEqual([0o600, 0o700]);
    chmodSync(path, 0o666);
    await writeProfile(path, 'default', { url, api_key: 'x' });
    expect(modeOf(path)).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

test('a file that others may read is closed when it is read', async () => {
  await writeProfile(path, 'default', { url, api_key: 'x' });
  const find = () => findConnection({}, { XDG_CONFIG_HOME: folder }, folder);
  for (const mode of [0o640, 0o604, 0o622]) {
    chmodSync(path, mode);
    expect(find().profile?.value.api_key).toBe('x');
    expect(modeOf(path)).toBe(0o600);
  }
  chmodSync(path, 0o400);
  find();
  expect(modeOf(path)).toBe(0o400);
});

test('other profiles and unknown fields stay, and nothing is left beside the file', async () => {
  await writeProfile(path, 'a', { url: 'http://a' });
  writeFileSync(path, JSON.stringify({ ...read(), theme: 'dark' }));
  await writeProfile(path, 'b', { url: 'http://b' });
  await writeProfile(path, 'a', undefined);
  expect(read()).toEqual({ theme: 'dark', profiles: { b: { url: 'http://b' } } });
  expect(readdirSync(join(path, '..'))).toEqual(['config.json']);
});

test('a file that is a link stays one', async () => {
  const target = join(folder, 'dotfiles.json');
  writeFileSync(target, '{}');
  mkdirSync(join(path, '..'));
  symlinkSync(target, path);
  await writeProfile(path, 'default', { url });
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ profiles: { default: { url } } });
  expect(modeOf(target)).toBe(0o600);
});

test('a change that fails leaves the file as it was', async () => {
  await writeProfile(path, 'default', { url });
  const before = readFileSync(path, 'utf8');
  await expect(updateProfile(path, 'default', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(readdirSync(join(path, '..'))).toEqual(['config.json']);
});

test('a file that is damaged is reported, and is not replaced', async () => {
  mkdirSync(join(path, '..'));
  writeFileSync(path, '{"profiles": {');
  await expect(writeProfile(path, 'default', { url })).rejects.toThrow(/not JSON at line 1, column 15/);
  expect(readFileSync(path, 'utf8')).toBe('{"profiles": {');
});

test('a file may begin with a byte order mark, and must be UTF-8', async () => {
  mkdirSync(join(path, '..'));
  writeFileSync(path, `\ufeff${JSON.stringify({ profiles: { default: { url } } })}`);
  expect(readProfile(path, 'default')).toEqual({ url });
  writeFileSync(path, Buffer.from('{"profiles":{}, "theme": "gr\xfcn"}', 'latin1'));
  expect(() => readProfile(path, 'default')).toThrow(/not UTF-8 at line 1, column 29/);
});

test('commands that sign in to several profiles at once keep them all', async () => {
  const fleetCommand = `'${process.execPath}' '${BIN}' login --api-key-stdin --url ${url}`;
  const script = `for i in 1 2 3 4 5 6; do echo "key-$i" | ${fleetCommand} --profile "p$i" & done; wait`;
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder };
  const { stderr } = await runCommand('bash', ['-c', script], { cwd: folder, env, timeoutMs: 60_000 });
  expect(stderr).toBe('');
  expect(
    Object.values(read().profiles)
      .map((profile) => (profile as { api_key: string }).api_key)
      .sort(),
  ).toEqual([1, 2, 3, 4, 5, 6].map((n) => `key-${n}`));
});

test('of commands that need a new access token at once, one refreshes it', async () => {
  await writeProfile(path, 'default', expired());
  const script = `for i in 1 2 3 4; do '${process.execPath}' '${BIN}' whoami --json=user & done; wait`;
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder };
  const { stdout, stderr } = await runCommand('bash', ['-c', script], { cwd: folder, env, timeoutMs: 60_000 });
  expect({ stdout, stderr }).toEqual({ stdout: '{"user":"me@example.com"}\n'.repeat(4), stderr: '' });
  expect(refreshes).toEqual(['refresh-1']);
  expect(readProfile(path, 'default')).toMatchObject({ access_token: 'access-2', refresh_token: 'refresh-2' });
});

test('a command that runs for long refreshes its token again', async () => {
  await writeProfile(path, 'default', expired());
  const token = createUserToken(url, { path, name: 'default' });
  await expect(Promise.all([token(), token()])).resolves.toEqual(['access-2', 'access-2']);
  await updateProfile(path, 'default', (profile) => ({ ...expired(), ...profile, expires_at: expired().expires_at }));
  await expect(token()).resolves.toBe('access-3');
  expect(refreshes).toEqual(['refresh-1', 'refresh-2']);
});

test('a token that the fleet refuses is refreshed once, whatever the clock says', async () => {
  const stored = { ...expired(), access_token: 'access-old', expires_at: new Date(Date.now() + HOUR_MS).toISOString() };
  await writeProfile(path, 'default', stored);
  const fleet = createFleet({ url, token: createUserToken(url, { path, name: 'default' }), retries: 0 });
  refused = ['access-old'];
  const calls = [fleet.get('/session'), fleet.get('/session')];
  expect((await Promise.all(calls)).map(({ data }) => data)).toEqual([SESSION, SESSION]);
  expect(refreshes).toEqual(['refresh-1']);
  refused = ['access-2', 'access-3'];
  await expect(fleet.get('/session')).rejects.toMatchObject({ status: 401 });
  expect(refreshes).toEqual(['refresh-1', 'refresh-2']);
});

test('a sign-in that the fleet has ended says so, and one that it cannot check stays', async () => {
  await writeProfile(path, 'default', expired());
  const token = createUserToken(url, { path, name: 'default' });
  status = 503;
  await expect(token()).rejects.toMatchObject({ status: 503 });
  expect(readProfile(path, 'default')).toMatchObject({ refresh_token: 'refresh-1' });
  status = 200;
  next = 9;
  await expect(token()).rejects.toMatchObject({ exitCode: 4, hint: expect.stringContaining('fleet login') });
});
