import { createIdentityKeys } from '@agent-fleet/access/keys';
import type { Account } from '../../harness/accounts.ts';
import type { Credential } from '../../harness/http-client.ts';
import { withRedis } from '../../harness/redis.ts';
import {
  BAD_HOST,
  badBodies,
  but,
  type ContractCases,
  KNOWN,
  locally,
  type Prepare,
  plainly,
  powerlessly,
  proxied,
  STALE,
  signedIn,
  under,
  type World,
  withScope,
} from '../contract-case.ts';

const MISSING = '/users/missing';
const body = { role: 'viewer', disabled: false };
const input = () => ({ email: `${crypto.randomUUID()}@e2e.example`, role: 'viewer' });

const list: Prepare = () => ({ method: 'GET', path: '/users' });
const create: Prepare = () => ({ method: 'POST', path: '/users', body: input() });
const createAgain: Prepare = ({ api }) => {
  return { method: 'POST', path: '/users', body: { ...input(), email: api.admin.email.toUpperCase() } };
};
const read: Prepare = async ({ api }) => ({ method: 'GET', path: `/users/${(await api.accounts.create()).id}` });
const replace: Prepare = async ({ api }) => {
  return { method: 'PUT', path: `/users/${(await api.accounts.create('worker')).id}`, body };
};
const remove: Prepare = async ({ api }) => ({ method: 'DELETE', path: `/users/${(await api.accounts.create()).id}` });
const createReset: Prepare = async ({ api }) => {
  return { method: 'POST', path: `/users/${(await api.accounts.create()).id}/password-resets` };
};
const readOwn: Prepare = () => ({ method: 'GET', path: '/users/me', as: 'token' });
/** With a wrong password: it may fail in whatever way. */
const changePassword: Prepare = ({ api }) => {
  const fields = { current_password: 'wrong', new_password: api.accounts.newPassword() };
  return { method: 'PUT', path: '/users/me/password', as: 'token', body: fields };
};
const changeOwnPassword: Prepare = async ({ api }) => {
  const account = await api.accounts.create();
  const fields = { current_password: account.password, new_password: api.accounts.newPassword() };
  return { method: 'PUT', path: '/users/me/password', as: await api.accounts.signInAs(account), body: fields };
};
const useReset: Prepare = async ({ api }) => {
  const code = await api.accounts.createReset((await api.accounts.create()).id);
  const fields = { new_password: api.accounts.newPassword() };
  return { method: 'PUT', path: `/password-resets/${code}`, as: 'nobody', body: fields };
};

/** The same request for the last admin. */
function toLastAdmin(prepare: Prepare): Prepare {
  return async (world) => {
    const { json } = await world.api.call('GET', '/users/me', { as: 'token' });
    return { ...(await prepare(world)), path: `/users/${(json as Account).id}` };
  };
}

/** The same request as a user whom the gateway finds by the e-mail address, but identity does not find by the id. */
function asLostUser(prepare: Prepare): Prepare {
  return async (world) => ({ ...(await prepare(world)), as: await loseUser(world) });
}

async function loseUser({ api }: World): Promise<Credential> {
  const account = await api.accounts.create();
  const as = await api.accounts.signInAs(account);
  const { redisUrl, redisPrefix } = api.place;
  const { users, user, userEmail } = createIdentityKeys(redisPrefix);
  await withRedis(redisUrl, async (redis) => {
    await redis.rename(user(account.id), user(`lost-${account.id}`));
    await redis.set(userEmail(account.email), `lost-${account.id}`);
    await redis.zrem(users, account.id);
  });
  return as;
}

function ofOwnUser(good: Prepare, variants: Parameters<typeof plainly>[1]): ContractCases {
  return {
    ...signedIn('identity', good, { '403 forbidden': powerlessly(good), ...variants }),
    404: locally(asLostUser(good)),
  };
}

export const USER_CASES: Record<string, ContractCases> = {
  'GET /users': withScope('identity', list, { 200: list, 400: '/users?limit=0' }),
  'POST /users': {
    ...withScope('identity', create, { ...badBodies(), 201: create, 409: createAgain }),
    '403 quota_exceeded': under('used up quotas', create),
  },
  'GET /users/{user_id}': withScope('identity', read, { 200: read, 304: KNOWN, 400: BAD_HOST, 404: MISSING }),
  'PUT /users/{user_id}': {
    ...withScope('identity', replace, { ...badBodies(), 200: replace, 404: MISSING, 412: STALE }),
    409: locally(toLastAdmin(replace)),
  },
  'DELETE /users/{user_id}': {
    ...withScope('identity', remove, { 204: remove, 400: BAD_HOST, 404: MISSING, 412: STALE }),
    409: locally(toLastAdmin(remove)),
  },
  'GET /users/me': ofOwnUser(readOwn, { 200: readOwn, 304: KNOWN, 400: BAD_HOST }),
  'PUT /users/me/password': ofOwnUser(changePassword, { ...badBodies(), 204: changeOwnPassword }),
  'POST /users/{user_id}/password-resets': withScope('identity', createReset, {
    201: createReset,
    400: BAD_HOST,
    404: `${MISSING}/password-resets`,
  }),
  'PUT /password-resets/{code}': {
    ...proxied('identity', useReset),
    500: under('corrupt data', useReset),
    ...plainly(useReset, { ...badBodies(), 204: useReset, 404: but(useReset, '/password-resets/wrong') }),
  },
};
