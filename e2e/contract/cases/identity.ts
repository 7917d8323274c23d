import type { Account } from '../../harness/accounts.ts';
import {
  BAD_HOST,
  badBodies,
  broken,
  type ContractCases,
  type Prepare,
  plainly,
  proxied,
  signedIn,
  under,
  type World,
  withScope,
} from '../contract-case.ts';
import { LINES_TYPE } from '../document.ts';

/** The cookie of a session without an `Origin`. */
const CROSS_SITE = { as: 'nobody', headers: { cookie: 'fleet=any' } } as const;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const WRONG = { username: 'nobody@example.com', password: 'wrong' };
const form = (fields: Record<string, string>) => String(new URLSearchParams(fields));

const credentialsOf = ({ api }: World) => ({ username: api.admin.email, password: api.admin.password });
const signIn: Prepare = (world) => {
  return { method: 'POST', path: '/token', as: 'nobody', headers: FORM, body: form(credentialsOf(world)) };
};
/** A refresh token of a user of its own. */
const getRefreshToken = async ({ api }: World): Promise<{ account: Account; token: string }> => {
  const account = await api.accounts.create();
  const { refresh_token: token = '' } = await api.accounts.signIn(account, 'offline_access');
  return { account, token };
};
const revoke: Prepare = async (world) => {
  const { token } = await getRefreshToken(world);
  return { method: 'POST', path: '/revoke', as: 'nobody', headers: FORM, body: form({ token }) };
};
const signInBrowser: Prepare = (world) => {
  return { method: 'POST', path: '/session', as: 'nobody', body: credentialsOf(world) };
};
const readSession: Prepare = () => ({ method: 'GET', path: '/session' });
const signOut: Prepare = async ({ api }) => {
  const account = await api.accounts.create();
  return { method: 'DELETE', path: '/session', as: await api.accounts.signInAs(account) };
};
/** Nothing ends. */
const signOutKey: Prepare = () => ({ method: 'DELETE', path: '/session' });
const listSessions: Prepare = () => ({ method: 'GET', path: '/sessions', as: 'token' });
const listMissing: Prepare = () => ({ method: 'GET', path: '/sessions?user_id=missing' });
const endSession: Prepare = async (world) => {
  const { account } = await getRefreshToken(world);
  const [session] = (await world.api.get(`/sessions?user_id=${account.id}`)).json as { id: string }[];
  return { method: 'DELETE', path: `/sessions/${session?.id}` };
};
const listAudit: Prepare = () => ({ method: 'GET', path: '/audit-events?limit=5' });

/** An operation without credentials that reads and writes records. */
function open(good: Prepare, variants: Parameters<typeof plainly>[1]): ContractCases {
  return {
    ...proxied('identity', good),
    500: under('corrupt data', good),
    ...plainly(good, { ...badBodies(), ...variants }),
  };
}

export const SIGN_IN_CASES: Record<string, ContractCases> = {
  'POST /token': open(signIn, {
    200: signIn,
    400: { body: 'username=only' },
    '400 invalid_grant': { body: form({ grant_type: 'refresh_token', refresh_token: 'wrong' }) },
    '400 invalid_scope': async (world) => {
      return { ...(await signIn(world)), body: form({ ...credentialsOf(world), scope: 'everything' }) };
    },
    401: { body: form(WRONG) },
  }),
  'POST /revoke': open(revoke, { 200: revoke, 400: { body: 'x=1' } }),
  'POST /session': open(signInBrowser, {
    204: signInBrowser,
    401: { body: WRONG },
    403: { headers: { origin: 'http://other.example' } },
  }),
};

export const SESSION_CASES: Record<string, ContractCases> = {
  'GET /session': {
    ...signedIn('identity', readSession, { 200: readSession, 400: '/session?optional=maybe' }),
    500: broken('identity', readSession),
  },
  'DELETE /session': {
    ...signedIn('identity', signOutKey, { 204: signOut, 400: BAD_HOST, '403 forbidden': CROSS_SITE }),
    500: under('corrupt data', signOut),
  },
  'GET /sessions': withScope('identity', listSessions, {
    200: listSessions,
    400: '/sessions?limit=0',
    404: listMissing,
  }),
  'DELETE /sessions/{session_id}': signedIn('identity', endSession, {
    204: endSession,
    400: BAD_HOST,
    '403 forbidden': CROSS_SITE,
    404: '/sessions/missing',
  }),
};

export const AUDIT_CASES: Record<string, ContractCases> = {
  'GET /audit-events': withScope('identity', listAudit, {
    200: listAudit,
    [`200 ${LINES_TYPE}`]: { headers: { accept: LINES_TYPE } },
    400: '/audit-events?limit=0',
  }),
};
