import jwt, { type JwtPayload } from 'jsonwebtoken';
import { apiKey } from '../harness/accounts.ts';
import type { Api } from '../harness/api.ts';
import { type Credential, expectStatus } from '../harness/http-client.ts';
import { JWT_SECRET } from '../harness/local-fleet.ts';
import { CONTROLS_PROCESSES } from '../harness/system.ts';
import type { World } from './contract-case.ts';

/** Creates the records to which contract cases refer. */
export async function createWorld(api: Api): Promise<World> {
  const agent = await api.createAgent();
  const [skill] = (await api.get('/api/skills?limit=1')).json as { id: string }[];
  return {
    api,
    agent,
    task: await api.createTask(agent.id),
    skill: String(skill?.id),
    freshToken: () => freshToken(api),
    powerless: await createPowerless(api),
  };
}

/** Lets a user make a key, and takes its scope from the user. */
async function createPowerless(api: Api): Promise<Credential> {
  const { accounts } = api;
  const owner = await accounts.create('operator');
  const { key } = await accounts.createKey({ scopes: ['tasks:write'] }, await accounts.signInAs(owner));
  const body = { role: 'viewer', disabled: false };
  expectStatus(await api.call('PUT', `/users/${owner.id}`, { body }), 200);
  return apiKey(key);
}

/** The gateway caches the user of a verified token for a while; this test needs a new look-up. */
async function freshToken(api: Api): Promise<string> {
  const token = await api.token();
  if (!CONTROLS_PROCESSES) return token;
  return jwt.sign({ ...(jwt.decode(token) as JwtPayload), jti: crypto.randomUUID() }, JWT_SECRET);
}
