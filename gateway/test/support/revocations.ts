import type { UserRecord } from '@agent-fleet/access/records';
import { until } from '@agent-fleet/shared/testing/until';
import { expect } from '@jest/globals';
import { startWithServices, type TestGateway } from './gateway.ts';
import { statusOf, withApiKey, withToken } from './requests.ts';

/** Of `expectRevocations`, in long tests; others run a share. */
export const ROUNDS = 200;

/** However the change is lost, nothing revoked is accepted for longer. */
export const MOST_MS = 3_000;

export const hitsOf = async ({ metrics }: TestGateway) =>
  Number(/gateway_credential_cache_total\{result="hit"\} (\d+)/.exec(await metrics())?.[1]);

/** Uses the credential until it is served from the cache. */
export async function untilCached(gateway: TestGateway, headers: Record<string, string>): Promise<void> {
  await until(async () => {
    const before = await hitsOf(gateway);
    expect(await statusOf(gateway, headers)).toBe(200);
    return (await hitsOf(gateway)) > before;
  });
}

/** Milliseconds until the last request was sent with the credential that was not refused. */
export async function timeToRefusal(
  gateway: TestGateway,
  headers: Record<string, string>,
  startedAt = performance.now(),
) {
  let acceptedAt = startedAt;
  const isRefused = async () => {
    const sentAt = performance.now();
    if ((await statusOf(gateway, headers)) >= 400) return true;
    acceptedAt = sentAt;
    return false;
  };
  await until(isRefused, { pollMs: 1 });
  return acceptedAt - startedAt;
}

/** Revokes tokens, sessions, keys, cookies and users, and expects two gateways to refuse them soon. */
export async function expectRevocations(rounds: number): Promise<void> {
  const one = await startWithServices();
  const { identity } = one;
  const two = await startWithServices({ REDIS_PREFIX: one.prefix });
  const times: number[] = [];
  const revocations: ((user: UserRecord) => Promise<[Record<string, string>, () => Promise<unknown>]>)[] = [
    async (user) => {
      const [sessionId, tokenId] = [crypto.randomUUID(), crypto.randomUUID()];
      const headers = withToken(identity.issue(user, { sessionId, tokenId }));
      return [headers, () => identity.revoke('session', sessionId)];
    },
    async (user) => {
      const tokenId = crypto.randomUUID();
      return [withToken(identity.issue(user, { tokenId })), () => identity.revoke('token', tokenId)];
    },
    async () => {
      const { text, record } = await identity.addApiKey();
      return [withApiKey(text), () => identity.removeApiKey(record)];
    },
    async (user) => {
      const { cookie, session } = await identity.addSession(user);
      return [{ cookie: `fleet=${cookie}` }, () => identity.endSession(session)];
    },
    async (user) => [withToken(identity.issue(user)), () => identity.changeUser(user, { disabled: true })],
    async (user) => {
      // A key that may do less with its owner.
      const { text } = await identity.addApiKey({ owner_id: user.id, scopes: ['agents:read', 'audit:read'] });
      return [withApiKey(text), () => identity.removeUser(user)];
    },
  ];
  for (let round = 0; round < rounds; round++) {
    const revoke = revocations[round % revocations.length] as (typeof revocations)[number];
    const [headers, run] = await revoke(await identity.addUser());
    for (const gateway of [one, two]) {
      for (let use = 0; use < 2; use++) expect(await statusOf(gateway, headers)).toBe(200);
    }
    await run();
    const startedAt = performance.now();
    times.push(...(await Promise.all([one, two].map((gateway) => timeToRefusal(gateway, headers, startedAt)))));
  }
  times.sort((a, b) => a - b);
  expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(MOST_MS);
  // The uses before were served from the cache: the change itself took them out.
  expect(await hitsOf(one)).toBeGreaterThan(rounds * 0.75);
}
