import type { AuditEntry } from '@agent-fleet/access/audit';
import type { SessionRecord, UserRecord } from '@agent-fleet/access/records';
import type { Role } from '@agent-fleet/shared/contract/scopes';
import { ADMIN, asNobody, asUser, type StartedService } from './start-service.ts';

/** Cheap hashes, for tests that sign in often. */
export const CHEAP_HASHES = { PASSWORD_HASH_MEMORY_KIB: '8192', PASSWORD_HASH_PASSES: '1' };

export interface Account {
  id: string;
  email: string;
  password: string;
  role: Role;
}

interface TokenBody {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  refresh_token: string;
  scope?: string;
}

/** The claims of our access tokens. */
interface Claims {
  sub: string;
  jti: string;
  sid: string;
  uid: string;
  scope: string;
  iat: number;
  exp: number;
  auth_time_ms: number;
}

let accounts = 0;

/** The headers of an administrator. */
export async function asAdmin({ redis, keys }: StartedService): Promise<Record<string, string>> {
  return asUser((await redis.get(keys.userEmail(ADMIN.email))) as string, ADMIN.email, 'admin');
}

export async function createAccount(service: StartedService, role: Role = 'operator'): Promise<Account> {
  const number = ++accounts;
  const email = `user-${number}@example.com`;
  const password = `a good password, number ${number}`;
  const created = await service.http
    .post('/users')
    .set(await asAdmin(service))
    .send({ email, role, password })
    .expect(201);
  return { id: created.body.id, email, password, role };
}

/** The headers of the gateway for a user. */
export function asAccount({ id, email, role }: Account, sessionId?: string): Record<string, string> {
  return asUser(id, email, role, sessionId);
}

/** Disables or enables a user, or changes the role. */
export async function changeAccount(service: StartedService, { id, role }: Account, disabled: boolean, to = role) {
  const body = { role: to, disabled };
  await service.http
    .put(`/users/${id}`)
    .set(await asAdmin(service))
    .send(body)
    .expect(200);
}

/** Sends the form to `POST /token`. */
function postToken({ http }: Pick<StartedService, 'http'>, form: string | Record<string, string>) {
  return http.post('/token').set(asNobody()).type('form').send(form);
}

export function signIn(service: StartedService, { email, password }: Account, scope?: string) {
  return postToken(service, { username: email, password, ...(scope !== undefined && { scope }) });
}

/** The answer to a sign-in that succeeds. */
export async function getTokens(service: StartedService, account: Account, scope?: string): Promise<TokenBody> {
  return (await signIn(service, account, scope).expect(200)).body;
}

export function refresh(service: Pick<StartedService, 'http'>, refreshToken: string, scope?: string) {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return postToken(service, { ...form, ...(scope !== undefined && { scope }) });
}

export function revoke({ http }: StartedService, form: string | Record<string, string>) {
  return http.post('/revoke').set(asNobody()).type('form').send(form);
}

export function claimsOf({ access_token }: TokenBody): Claims {
  return JSON.parse(Buffer.from(access_token.split('.')[1] as string, 'base64url').toString());
}

export async function readUser({ redis, keys }: StartedService, { id }: Account): Promise<UserRecord> {
  return JSON.parse((await redis.get(keys.user(id))) as string);
}

export async function readSession({ redis, keys }: StartedService, id: string): Promise<SessionRecord | undefined> {
  const text = await redis.get(keys.session(id));
  return text === null ? undefined : JSON.parse(text);
}

/** Moves the times of a session, and of the end of its user's tokens, into the past. */
export async function passTime(service: StartedService, sessionId: string, ms: number): Promise<void> {
  const { redis, keys } = service;
  const session = await readSession(service, sessionId);
  if (!session) return;
  const earlier = (time: string) => new Date(Date.parse(time) - ms).toISOString();
  const moved: SessionRecord = {
    ...session,
    created_at: earlier(session.created_at),
    last_used_at: earlier(session.last_used_at),
    expires_at: earlier(session.expires_at),
    previous: session.previous && { ...session.previous, at: session.previous.at - ms },
  };
  const leftMs = (await redis.pttl(keys.session(sessionId))) - ms;
  const user: UserRecord = JSON.parse((await redis.get(keys.user(session.user_id))) as string);
  const before = { ...user, tokens_valid_after: Math.max(0, user.tokens_valid_after - ms) };
  await redis.set(keys.user(user.id), JSON.stringify(before));
  if (leftMs <= 0) await redis.del(keys.session(sessionId));
  else await redis.set(keys.session(sessionId), JSON.stringify(moved), 'PX', Math.ceil(leftMs));
}

/** The entries of the audit trail, oldest first. */
export async function readAudit({ redis, keys }: StartedService, action?: string): Promise<AuditEntry[]> {
  const entries = (await redis.xrange(keys.audit, '-', '+')).map(([, fields]) => JSON.parse(fields[1] as string));
  return action === undefined ? entries : entries.filter((entry) => entry.action === action);
}

/** The names of what gateways were told to forget. */
export async function readChanges({ redis, keys }: StartedService): Promise<string[]> {
  return (await redis.xrange(keys.changes, '-', '+')).map(([, fields]) => fields[1] as string);
}

/** What is written besides what requests change. */
const HOUSEKEEPING = /:(durable|audit-log|audit-log-lock)$/;

/** Every key and value in Redis that requests change, as one text. */
export async function dumpRedis({ redis, prefix }: StartedService): Promise<string> {
  const dump: unknown[] = [];
  for (const key of (await redis.keys(`${prefix}:*`)).sort()) {
    if (HOUSEKEEPING.test(key)) continue;
    const type = await redis.type(key);
    if (type === 'string') dump.push(key, await redis.get(key));
    else if (type === 'zset') dump.push(key, await redis.zrange(key, 0, '-1'));
    else if (type === 'set') dump.push(key, await redis.smembers(key));
    else if (type === 'hash') dump.push(key, await redis.hgetall(key));
    else if (type === 'stream') dump.push(key, await redis.xrange(key, '-', '+'));
    else throw new Error(`${key}: a ${type}`);
  }
  return JSON.stringify(dump);
}
