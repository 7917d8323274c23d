import type { UserRecord } from '@agent-fleet/access/records';
import { until } from '@agent-fleet/shared/testing/until';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import type { TestIdentity } from '../support/identity.ts';
import { send, withToken } from '../support/requests.ts';

let gateway: GatewayWithServices;
let identity: TestIdentity;
let user: UserRecord;

beforeAll(async () => {
  gateway = await startWithServices();
  ({ identity } = gateway);
});
beforeEach(async () => {
  user = await identity.addUser();
});

const REFUSED = { status: 401, body: { detail: 'Could not validate credentials' } };
const check = (token: string) => send(gateway, '/protected', { headers: withToken(token) });
/** The status now and, because changes are followed, a little later. */
async function untilRefused(token: string): Promise<void> {
  const response = await until(() => check(token), { holds: ({ status }) => status !== 200 });
  expect(response).toMatchObject(REFUSED);
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
}

test('a token of a disabled user is refused until the user is enabled', async () => {
  const token = identity.issue(user);
  expect((await check(token)).status).toBe(200);
  const disabled = await identity.changeUser(user, { disabled: true });
  await untilRefused(token);
  await identity.changeUser(disabled, { disabled: false });
  expect((await check(token)).status).toBe(200);
});

describe('after a user has signed out everywhere', () => {
  const at = Date.now() - 60_000;
  const issue = (authTimeMs: number, rest = {}) => identity.issue(user, { authTimeMs, ...rest });
  const signOut = (kept: string | null = null) =>
    identity.changeUser(user, { tokens_valid_after: at, kept_session: kept });

  test.each([
    ['a second before', at - 1_000, 401],
    ['a fraction of a millisecond before', at - 0.001, 401],
    ['at the same time', at, 200],
    ['after it', at + 0.001, 200],
  ])('a token from %s', async (_when, authTimeMs, status) => {
    const token = issue(authTimeMs);
    expect((await check(token)).status).toBe(200);
    await signOut();
    await until(async () => (await check(issue(0))).status === 401);
    expect((await check(token)).status).toBe(status);
  });

  test('the session that did it stays, with all of its tokens', async () => {
    const [kept, sibling] = [1, 2].map(() => issue(at - 1_000, { sessionId: 'kept' })) as [string, string];
    const other = issue(at - 1_000);
    for (const token of [kept, sibling, other]) expect((await check(token)).status).toBe(200);
    await signOut('kept');
    await untilRefused(other);
    for (const token of [kept, sibling]) expect((await check(token)).status).toBe(200);
    // Nobody else has a session of that name.
    const another = await identity.addUser({ tokens_valid_after: at });
    expect(await check(identity.issue(another, { authTimeMs: 0, sessionId: 'kept' }))).toMatchObject(REFUSED);
  });
});
