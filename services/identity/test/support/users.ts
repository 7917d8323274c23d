import type { AuditEntry } from '@agent-fleet/access/audit';
import type { SessionRecord, UserRecord } from '@agent-fleet/access/records';
import type { Role } from '@agent-fleet/shared/contract/scopes';
import { ADMIN, asNobody, asUser, type StartedService } from './start-service.ts';

export const PASSWORD = 'a long enough password';

export interface TestUser {
  id: string;
  email: string;
  password: string;
  role: Role;
  /** The headers of the gateway for the user. */
  headers: Record<string, string>;
}

interface TokenBody {
  access_token: string;
  refresh_token: string;
}

/** The claims of our access tokens. */
interface Claims {
  jti: string;
  sid: string;
  auth_time_ms: number;
}

type Store = Pick<StartedService, 'redis' | 'keys'>;

/** The first user. */
export async function adminOf({ redis, keys }: Store): Promise<TestUser> {
  const id = (await redis.get(keys.userEmail(ADMIN.email))) as string;
  return { id, ...ADMIN, role: 'admin', headers: asUser(id, ADMIN.email, 'admin') };
}

let count = 0;

/** Creates a user with `PASSWORD`, unless another one or none is given. */
export async function createUser(
  service: StartedService,
  role: Role = 'operator',
  fields: { password?: string | undefined } = {},
): Promise<TestUser> {
  const input = { email: `user-${++count}@example.com`, role, password: PASSWORD, ...fields };
  const { headers } = await adminOf(service);
  const { id, email } = (await service.http.post('/users').set(headers).send(input).expect(201)).body;
  return { id, email, password: input.password ?? '', role, headers: asUser(id, email, role) };
}

/** The headers of the gateway for a user in a session. */
export function inSession({ id, email, role }: TestUser, sessionId: string | undefined): Record<string, string> {
  return asUser(id, email, role, sessionId);
}

/** The response to a sign-in by a browser. */
export function signIn(service: StartedService, email: string, password = PASSWORD, address?: string) {
  return service.http.post('/session').set(asNobody(address)).send({ username: email, password });
}

/** Signs in, and returns the id of the session. */
export async function openSession(service: StartedService, user: TestUser): Promise<string> {
  const known = new Set(await sessionsOf(service, user.id));
  await signIn(service, user.email).expect(204);
  return (await sessionsOf(service, user.id)).find((id) => !known.has(id)) as string;
}

/** The sessions of a user that have not ended, oldest first. */
export async function sessionsOf({ redis, keys }: Store, userId: string): Promise<string[]> {
  const ids = await redis.zrange(keys.userSessions(userId), 0, '-1');
  const live = await Promise.all(ids.map((id) => redis.exists(keys.session(id))));
  return ids.filter((_id, at) => live[at] === 1);
}

/** Sends the form to `POST /token`. */
function postToken({ http }: Pick<StartedService, 'http'>, form: Record<string, string>) {
  return http.post('/token').set(asNobody()).type('form').send(form);
}

/** The response to a sign-in for tokens, with a refresh token. */
export function requestTokens(service: StartedService, { email, password }: TestUser) {
  return postToken(service, { username: email, password, scope: 'offline_access' });
}

export async function getTokens(service: StartedService, user: TestUser): Promise<TokenBody> {
  return (await requestTokens(service, user).expect(200)).body;
}

export function refresh(service: Pick<StartedService, 'http'>, refreshToken: string) {
  return postToken(service, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

export function revoke({ http }: StartedService, token: string) {
  return http.post('/revoke').set(asNobody()).type('form').send({ token });
}

export function claimsOf({ access_token }: TokenBody): Claims {
  return JSON.parse(Buffer.from(access_token.split('.')[1] as string, 'base64url').toString());
}

export async function readUser({ redis, keys }: Store, userId: string): Promise<UserRecord> {
  return JSON.parse((await redis.get(keys.user(userId))) ?? 'null');
}

export async function readSession({ redis, keys }: Store, id: string): Promise<SessionRecord | undefined> {
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
  const user = await readUser(service, session.user_id);
  const before = { ...user, tokens_valid_after: Math.max(0, user.tokens_valid_after - ms) };
  await redis.set(keys.user(user.id), JSON.stringify(before));
  if (leftMs <= 0) await redis.del(keys.session(sessionId));
  else await redis.set(keys.session(sessionId), JSON.stringify(moved), 'PX', Math.ceil(leftMs));
}

/** What gateways must forget since `after` changes. */
export async function changesOf({ redis, keys }: Store, after = 0): Promise<string[]> {
  const entries = await redis.xrange(keys.changes, `(${after}-0`, '+');
  return entries.map(([, [, name]]) => name as string);
}

export async function lastChange({ redis, keys }: Store): Promise<number> {
  return Number((await redis.get(keys.change)) ?? 0);
}

/** The entries of the audit trail, of one action or all, oldest first. */
export async function readAudit({ redis, keys }: Store, action?: string): Promise<AuditEntry[]> {
  const entries = (await redis.xrange(keys.audit, '-', '+')).map(([, fields]) => JSON.parse(fields[1] as string));
  return action === undefined ? entries : entries.filter((entry) => entry.action === action);
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
