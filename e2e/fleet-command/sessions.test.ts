import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { FleetProgram, HAS_TERMINAL } from './fleet-program.ts';

interface Profile {
  url: string;
  access_token?: string;
  refresh_token?: string;
  api_key?: string;
  expires_at?: string;
}

const api = new Api();
beforeAll(() => api.open(), 180_000);
afterAll(() => api.close(), 180_000);

/** A user of a machine, who has no credentials yet. */
const createUser = () => new FleetProgram({ FLEET_URL: api.baseUrl });

function profileOf({ configPath }: FleetProgram, name = 'default'): Profile | undefined {
  return (JSON.parse(readFileSync(configPath, 'utf8')) as { profiles: Record<string, Profile> }).profiles[name];
}

function changeProfile(program: FleetProgram, change: Partial<Profile>): void {
  const profiles = { default: { ...profileOf(program), ...change } };
  writeFileSync(program.configPath, JSON.stringify({ profiles }));
}

async function signIn(program: FleetProgram, args: string[] = []): Promise<Profile> {
  const { email, password } = api.admin;
  await program.json(['login', '--user', email, '--password-stdin', ...args], { input: `${password}\n` });
  return profileOf(program) as Profile;
}

test('signs in by password, keeps the tokens in a file for the user alone, and signs out', async () => {
  const program = createUser();
  const { refresh_token = '' } = await signIn(program);
  expect(statSync(program.configPath).mode & 0o777).toBe(0o600);
  expect(await program.json(['whoami'])).toMatchObject({ user: api.admin.email, role: 'admin', url: api.baseUrl });
  expect(readFileSync(program.configPath, 'utf8')).not.toContain(api.admin.password);
  await program.json(['logout']);
  expect(profileOf(program)).toBeUndefined();
  const { status } = await api.accounts.refresh(refresh_token);
  expect(status).toBe(400);
  expect(await program.run(['whoami'])).toMatchObject({ code: 4 });
});

test('keeps an API key, and only one that the fleet accepts', async () => {
  const program = createUser();
  expect(await program.run(['login', '--api-key-stdin'], { input: 'wrong' })).toMatchObject({ code: 4 });
  const { key, name } = await api.accounts.createKey({ role: 'viewer' });
  expect(await program.json(['login', '--api-key-stdin'], { input: `${key}\n` })).toMatchObject({ user: name });
  expect(profileOf(program)).toMatchObject({ api_key: key });
  await program.json(['agents', 'list']);
});

const onTerminal = HAS_TERMINAL ? test : test.skip;
onTerminal('asks for the e-mail and the password on a terminal, and does not show the password', async () => {
  const program = createUser();
  const { email, password } = api.admin;
  const { code, stdout } = await program.run(['login'], {
    answers: [
      ['E-mail', `${email}\r`],
      ['Password', `${password}\r`],
    ],
  });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`Signed in to ${api.baseUrl}`) });
  expect(stdout).not.toContain(password);
});

test('an access token that has ended is replaced, also by two commands at once', async () => {
  const program = createUser();
  const { access_token } = await signIn(program);
  changeProfile(program, { expires_at: new Date(0).toISOString() });
  await Promise.all([program.json(['agents', 'list']), program.json(['tasks', 'list']), program.json(['whoami'])]);
  expect(profileOf(program)?.access_token).not.toBe(access_token);
  await program.json(['whoami']);
});

test('a sign-in that was ended elsewhere is exit code 4', async () => {
  const program = createUser();
  const { refresh_token = '' } = await signIn(program);
  await api.accounts.revoke(refresh_token);
  changeProfile(program, { expires_at: new Date(0).toISOString() });
  const { code, stderr } = await program.run(['agents', 'list']);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('fleet login') });
});
