import { parseEnv } from 'node:util';
import { request } from './load.ts';
import type { Stack } from './stack.ts';
import type { Scene } from './under-load.ts';

const FILE = '/credentials/credentials.env';

export interface Admin {
  email: string;
  password: string;
}

export async function readAdmin(stack: Stack): Promise<Admin> {
  const { ADMIN_EMAIL: email = '', ADMIN_PASSWORD: password = '' } = await readCredentials(stack);
  return { email, password };
}

/** The API key comes from the environment; the other credentials were generated. */
export async function checkCredentials({ stack, target }: Scene): Promise<undefined> {
  const { API_KEYS: made = '' } = await readCredentials(stack);
  const apiKey = made.slice(made.indexOf(':') + 1);
  const given = await request(target, '/agents');
  const other = await request({ ...target, apiKey }, '/agents');
  if (given.status !== 200) throw new Error(`With the given key: ${given.problem}`);
  if (other.status !== 403) throw new Error(`With the other one: ${other.problem}`);
}

async function readCredentials(stack: Stack): Promise<NodeJS.Dict<string>> {
  const [gateway = ''] = await stack.replicas('gateway');
  return parseEnv(await stack.exec(gateway, ['cat', FILE]));
}
