import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiKey } from '../../harness/accounts.ts';
import {
  BAD_HOST,
  badBodies,
  but,
  type ContractCases,
  KNOWN,
  type Prepare,
  STALE,
  type World,
  withScope,
} from '../contract-case.ts';

const MISSING = '/api-keys/missing';
const MAX_KEYS = 100;
const MAX_REPLACED = 10;
/** Longer than a busy machine needs for a request beside those of all other cases. */
const SHORT_MS = 15_000;
const input = { name: 'A key', role: 'viewer' };

const makeKey = async ({ api }: World, fields?: Record<string, unknown>) =>
  `/api-keys/${(await api.accounts.createKey(fields)).id}`;
/** A key of `API_KEYS`; they are listed first. */
const environmentKey = async ({ api }: World) => {
  const [key] = (await api.get('/api-keys?limit=1')).json as ApiKey[];
  return `/api-keys/${key?.id}`;
};

const list: Prepare = () => ({ method: 'GET', path: '/api-keys' });
const create: Prepare = () => ({ method: 'POST', path: '/api-keys', body: input });
const createLate = but(create, { body: { ...input, expires_at: '2026-01-01T00:00:00Z' } });
const createTooMany: Prepare = async (world) => {
  const { accounts } = world.api;
  const as = await accounts.signInAs(await accounts.create());
  await Promise.all(Array.from({ length: MAX_KEYS }, () => accounts.createKey(input, as)));
  return but(create, { as })(world);
};
const read: Prepare = async (world) => ({ method: 'GET', path: await makeKey(world) });
const remove: Prepare = async (world) => ({ method: 'DELETE', path: await makeKey(world) });
const removeManaged: Prepare = async (world) => ({ method: 'DELETE', path: await environmentKey(world) });
const toRotation = (path: string) => ({ method: 'POST', path: `${path}/rotations`, body: { grace_seconds: 60 } });
const rotate: Prepare = async (world) => toRotation(await makeKey(world));
const rotateManaged: Prepare = async (world) => toRotation(await environmentKey(world));
const rotateTooOften: Prepare = async (world) => {
  const request = toRotation(await makeKey(world));
  for (let time = 0; time < MAX_REPLACED; time++) await world.api.call('POST', request.path, { body: request.body });
  return request;
};
const rotateExpired: Prepare = async (world) => {
  const path = await makeKey(world, { expires_at: new Date(Date.now() + SHORT_MS).toISOString() });
  await sleep(SHORT_MS);
  return toRotation(path);
};

export const API_KEY_CASES: Record<string, ContractCases> = {
  'GET /api-keys': withScope('identity', list, { 200: list, 400: '/api-keys?limit=0' }),
  'POST /api-keys': withScope('identity', create, {
    ...badBodies(),
    201: create,
    '403 quota_exceeded': createTooMany,
    422: createLate,
  }),
  'GET /api-keys/{key_id}': withScope('identity', read, { 200: read, 304: KNOWN, 400: BAD_HOST, 404: MISSING }),
  'DELETE /api-keys/{key_id}': withScope('identity', remove, {
    204: remove,
    400: BAD_HOST,
    404: MISSING,
    409: removeManaged,
    412: STALE,
  }),
  'POST /api-keys/{key_id}/rotations': withScope('identity', rotate, {
    ...badBodies(),
    201: rotate,
    '403 quota_exceeded': rotateTooOften,
    404: `${MISSING}/rotations`,
    409: rotateManaged,
    422: rotateExpired,
  }),
};
