import { expect, test } from '@jest/globals';
import type { Api } from '../../harness/api.ts';
import type { HttpResponse } from '../../harness/http-client.ts';

/** A response without what differs by request. */
function toComparable({ status, text, headers }: HttpResponse) {
  const { 'x-request-id': _, date: __, ratelimit: ___, ...rest } = headers;
  return { status, text, headers: rest };
}

/** The accounts that a sign-in refuses, each for another reason. */
export async function createRefused(api: Api) {
  const { accounts } = api;
  const [disabled, wrong] = [await accounts.create(), await accounts.create()];
  await api.call('PUT', `/users/${disabled.id}`, { body: { role: 'viewer', disabled: true } });
  const { email } = await accounts.invite();
  return {
    unknown: { username: `${crypto.randomUUID()}@e2e.example`, password: 'a wrong password' },
    disabled: { username: disabled.email, password: disabled.password },
    'without a password': { username: email, password: 'a wrong password' },
    'a wrong password': { username: wrong.email, password: 'a wrong password' },
  };
}

/** Nobody learns whether an account exists. */
export function specifyEnumeration(api: Api): void {
  const { accounts } = api;

  test('a refused sign-in is the same for an unknown, a disabled and a passwordless user, and a wrong password', async () => {
    const refused = await createRefused(api);
    for (const post of [accounts.postToken.bind(accounts), accounts.postSession.bind(accounts)]) {
      const responses: Record<string, ReturnType<typeof toComparable>> = {};
      for (const [name, fields] of Object.entries(refused)) responses[name] = toComparable(await post(fields));
      expect(responses.unknown?.status).toBe(401);
      expect(responses.unknown?.headers['set-cookie']).toBeUndefined();
      for (const [name, response] of Object.entries(responses))
        expect([name, response]).toEqual([name, responses.unknown]);
    }
  });
}
