import { expect } from '@jest/globals';
import type { Answer } from '../harness/http-client.ts';

export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const STRONG_ETAG = /^"[^"]+"$/;

/** The answer is exactly this status and JSON body. */
export function expectAnswer(answer: Answer, status: number, body: unknown): void {
  expect({ status: answer.status, body: answer.json ?? answer.text }).toEqual({ status, body });
  expectJson(answer);
}

export function expectJson({ headers }: Answer): void {
  expect(headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/);
  expect(headers['x-request-id']).toMatch(/^[\x21-\x7e]{1,128}$/);
}

/** An answer without a body. */
export function expectNoBody(answer: Answer, status: number): void {
  expect({ status: answer.status, body: answer.text }).toEqual({ status, body: '' });
  expect(answer.headers['content-type']).toBeUndefined();
  expect(answer.headers['x-request-id']).toBeDefined();
}

export function expectDetail(answer: Answer, status: number, detail: string): void {
  expectAnswer(answer, status, { detail });
}

export function expectUnauthenticated(answer: Answer, detail = 'Could not validate credentials'): void {
  expectDetail(answer, 401, detail);
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

/** `{"error", "message", "details"?}` with this code. */
export function expectError(answer: Answer, status: number, error: string): void {
  const body = { error, message: expect.stringMatching(/./) };
  const { details } = Object(answer.json) as { details?: unknown };
  expectAnswer(answer, status, details === undefined ? body : { ...body, details: expect.any(Object) });
}

/** 400 that names these fields, in any order; `''` is the request as a whole. */
export function expectInvalid(answer: Answer, ...paths: string[]): void {
  expectError(answer, 400, 'validation_error');
  const { details } = answer.json as { details: { fields: { path: string; code: string; message: string }[] } };
  expect(new Set(details.fields.map(({ path }) => path))).toEqual(new Set(paths));
  for (const { code, message } of details.fields) {
    expect(code).toMatch(/./);
    expect(message).toMatch(/./);
  }
}

/** The targets of a `Link` header (RFC 8288) by relation. */
export function linksOf({ headers }: Answer): Record<string, string> {
  const links = String(headers.link ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g);
  return Object.fromEntries([...links].map(([, target, relation]) => [relation, target]));
}
