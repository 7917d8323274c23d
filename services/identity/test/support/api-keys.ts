import { digestOfSecret } from '@agent-fleet/access/api-key-text';
import type { ApiKeyRecord } from '@agent-fleet/access/records';
import { asNobody, type StartedService } from './start-service.ts';

export type Headers = Record<string, string>;

export interface CreatedKey extends Record<string, unknown> {
  id: string;
  key: string;
}

/** The headers of the gateway for a key with scopes. */
export function asKey(id: string, scopes: string, agents?: string): Headers {
  return {
    ...asNobody(),
    'x-fleet-principal': `key:${id}`,
    'x-fleet-actor-id': id,
    'x-fleet-actor-name': 'A%20key',
    'x-fleet-scopes': scopes,
    ...(agents !== undefined && { 'x-fleet-agents': agents }),
  };
}

export function postKey({ http }: StartedService, headers: Headers, body: unknown) {
  return http
    .post('/api-keys')
    .set(headers)
    .send(body as object);
}

export async function createKey(service: StartedService, headers: Headers, fields: object = {}): Promise<CreatedKey> {
  const body = { name: 'A key', scopes: ['tasks:read'], ...fields };
  return (await postKey(service, headers, body).expect(201)).body;
}

export function rotateKey({ http }: StartedService, headers: Headers, id: string, grace_seconds?: number) {
  return http.post(`/api-keys/${id}/rotations`).set(headers).send({ grace_seconds });
}

export async function readKeyRecord({ redis, keys }: StartedService, id: string): Promise<ApiKeyRecord> {
  return JSON.parse((await redis.get(keys.apiKey(id))) ?? 'null');
}

/** The id of the key that has this text, as long as the text is good; the record says so. */
export async function findKey(service: StartedService, text: string): Promise<string | null> {
  const { redis, keys } = service;
  const digest = digestOfSecret(text);
  const id = await redis.get(keys.apiKeyHash(digest));
  const record = id === null ? null : await readKeyRecord(service, id);
  const isGood = record !== null && Date.now() < endOf(record, digest);
  return isGood ? id : null;
}

/** When a text of a key ends, in ms; 0 when it has. */
export function endOf({ hash, expires_at, previous }: ApiKeyRecord, digest: string): number {
  const until = hash === digest ? expires_at : previous.find((replaced) => replaced.hash === digest)?.until;
  return until === undefined ? 0 : Date.parse(until);
}

/** Moves the expiry of a key to the past, as if time had passed. */
export async function expireKey(service: StartedService, id: string, agoMs = 1_000): Promise<void> {
  const { redis, keys } = service;
  const record = await readKeyRecord(service, id);
  const expiresMs = Date.now() - agoMs;
  const expired = { ...record, expires_at: new Date(expiresMs).toISOString() };
  await redis.set(keys.apiKey(id), JSON.stringify(expired), 'KEEPTTL');
  await redis.zadd(keys.userApiKeys(record.owner_id ?? record.owner), expiresMs, id);
}
