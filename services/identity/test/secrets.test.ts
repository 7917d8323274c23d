import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createKey } from './support/api-keys.ts';
import { ADMIN, asNobody, JWT_SECRET, startService } from './support/start-service.ts';
import { adminOf, createUser, dumpRedis, getTokens, refresh, requestTokens } from './support/users.ts';

const NEW_PASSWORD = 'another long password';

const service = await startService();

test('no password, token, key, cookie or code is in Redis or in the log, also when requests fail', async () => {
  const { http, redis, keys } = service;
  const account = await createUser(service);
  const { headers } = account;
  const wrong = 'a wrong and secret password';
  await requestTokens(service, { ...account, password: wrong }).expect(401);
  const tokens = [await getTokens(service, account)];
  tokens.push((await refresh(service, String(tokens[0]?.refresh_token)).expect(200)).body);
  const body = { username: account.email, password: account.password };
  const cookie = String((await http.post('/session').set(asNobody()).send(body).expect(204)).headers['set-cookie']);
  const { id, key } = await createKey(service, headers);
  const rotated = await http.post(`/api-keys/${id}/rotations`).set(headers).expect(201);
  const path = `/users/${account.id}/password-resets`;
  const { headers: admin } = await adminOf(service);
  const { code } = (await http.post(path).set(admin).expect(201)).body;

  const useCode = () => http.put(`/password-resets/${code}`).set(asNobody()).send({ new_password: NEW_PASSWORD });
  // The script fails at the number of the change, after the record with its hash.
  await redis.rename(keys.change, `${keys.prefix}kept`);
  await redis.lpush(keys.change, 'no number');
  await useCode().expect(500);
  await redis.rename(`${keys.prefix}kept`, keys.change);
  const dump = await dumpRedis(service);
  // A read fails.
  const resetKey = keys.reset(hash('sha256', code));
  await redis.del(resetKey);
  await redis.lpush(resetKey, 'no text');
  await useCode().expect(500);
  const failed = service.logs.filter(({ msg }) => msg === 'request failed');
  expect(failed).toMatchObject([{ route: '/password-resets/{code}' }, { route: '/password-resets/{code}' }]);

  const logs = JSON.stringify(service.logs);
  const texts = [key, rotated.body.key].flatMap((text: string) => [text, text.slice(17, -6)]);
  const parts = tokens.flatMap(({ access_token, refresh_token }) => [
    access_token,
    access_token.slice(access_token.lastIndexOf('.') + 1),
    refresh_token,
    refresh_token.slice(22, 64),
  ]);
  const passwords = [account.password, ADMIN.password, wrong, NEW_PASSWORD];
  const secrets = [...passwords, ...texts, ...parts, cookie.slice(6, 49), code, JWT_SECRET];
  for (const text of [dump, logs]) {
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  }
  expect(logs).not.toContain('argon2id');
  expect(dump).toContain('argon2id');
  expect(dump).toContain(id);
});
