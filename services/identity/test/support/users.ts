import type { UserRecord } from '@agent-fleet/access/records';
import type { Role } from '@agent-fleet/shared/contract/scopes';
import { ADMIN, asNobody, asUser, type StartedService } from './start-service.ts';

export const PASSWORD = 'a long enough password';

export interface TestUser {
  id: string;
  email: string;
  /** The headers of the gateway for the user. */
  headers: Record<string, string>;
}

/** The first user. */
export async function adminOf({ redis, keys }: StartedService): Promise<TestUser> {
  const id = (await redis.get(keys.userEmail(ADMIN.email))) as string;
  return { id, email: ADMIN.email, headers: asUser(id, ADMIN.email, 'admin') };
}

let count = 0;

/** Creates a user with `PASSWORD`, unless another one or none is given. */
export async function createUser(
  service: StartedService,
  role: Role = 'operator',
  fields: { email?: string; password?: string | undefined } = {},
): Promise<TestUser> {
  const input = { email: `user-${++count}@example.com`, role, password: PASSWORD, ...fields };
  const { headers } = await adminOf(service);
  const { body } = await service.http.post('/users').set(headers).send(input).expect(201);
  return { id: body.id, email: body.email, headers: asUser(body.id, body.email, role) };
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
export async function sessionsOf({ redis, keys }: StartedService, userId: string): Promise<string[]> {
  const ids = await redis.zrange(keys.userSessions(userId), 0, '-1');
  const live = await Promise.all(ids.map((id) => redis.exists(keys.session(id))));
  return ids.filter((_id, at) => live[at] === 1);
}

export async function readRecord({ redis, keys }: StartedService, userId: string): Promise<UserRecord> {
  return JSON.parse((await redis.get(keys.user(userId))) ?? 'null');
}

/** What gateways must forget since `after` changes. */
export async function changesOf({ redis, keys }: StartedService, after = 0): Promise<string[]> {
  const entries = await redis.xrange(keys.changes, `(${after}-0`, '+');
  return entries.map(([, [, name]]) => name as string);
}

export async function lastChange({ redis, keys }: StartedService): Promise<number> {
  return Number((await redis.get(keys.change)) ?? 0);
}

/** The entries of the audit trail about a target, oldest first. */
export async function auditOf({ redis, keys }: StartedService, targetId: string) {
  const entries = await redis.xrange(keys.audit, '-', '+');
  return entries.map(([, fields]) => JSON.parse(fields[1] as string)).filter(({ target }) => target?.id === targetId);
}
