import { expect } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import type { Caller, HttpResponse } from '../harness/http-client.ts';

export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$/;
export const STRONG_ETAG = /^"[^"]+"$/;

/** Expects exactly this status and JSON body. */
export function expectResponse(response: HttpResponse, status: number, body: unknown): void {
  expect({ status: response.status, body: response.json ?? response.text }).toEqual({ status, body });
  expectJson(response);
}

export function expectJson({ headers }: HttpResponse): void {
  expect(headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/);
  expect(headers['x-request-id']).toMatch(/^[\x21-\x7e]{1,128}$/);
}

/** Expects a response without a body. */
export function expectNoBody(response: HttpResponse, status: number): void {
  expect({ status: response.status, body: response.text }).toEqual({ status, body: '' });
  expect(response.headers['content-type']).toBeUndefined();
  expect(response.headers['x-request-id']).toBeDefined();
}

export function expectDetail(response: HttpResponse, status: number, detail: string): void {
  expectResponse(response, status, { detail });
}

export function expectUnauthenticated(response: HttpResponse, detail = 'Could not validate credentials'): void {
  expectDetail(response, 401, detail);
  expect(response.headers['www-authenticate']).toBe('Bearer');
}

/** Expects `{"error", "message", "details"?}` with this code. */
export function expectError(response: HttpResponse, status: number, error: string): void {
  const body = { error, message: expect.stringMatching(/./) };
  const { details } = Object(response.json) as { details?: unknown };
  expectResponse(response, status, details === undefined ? body : { ...body, details: expect.any(Object) });
}

/** Expects a 403 that names the scope that is missing. */
export function expectForbidden(response: HttpResponse, required: string): void {
  expectError(response, 403, 'forbidden');
  expect(response.json).toMatchObject({ details: { required } });
}

/** Expects a 400 that names these fields, in any order; `''` is the request as a whole. */
export function expectInvalid(response: HttpResponse, ...paths: string[]): void {
  expectError(response, 400, 'validation_error');
  const { details } = response.json as { details: { fields: { path: string; code: string; message: string }[] } };
  expect(new Set(details.fields.map(({ path }) => path))).toEqual(new Set(paths));
  for (const { code, message } of details.fields) {
    expect(code).toMatch(/./);
    expect(message).toMatch(/./);
  }
}

/** The targets of a `Link` header (RFC 8288) by relation. */
export function linksOf({ headers }: HttpResponse): Record<string, string> {
  const links = String(headers.link ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g);
  return Object.fromEntries([...links].map(([, target, relation]) => [relation, target]));
}

/** All pages of a list, by their links. */
export async function pagesOf(api: Api, first: string, as?: Caller): Promise<HttpResponse[]> {
  const pages: HttpResponse[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const page = await api.call('GET', path, { as });
    expect(page.status).toBe(200);
    pages.push(page);
    path = linksOf(page).next;
  }
  return pages;
}

/** The records on all pages of a list. */
export async function listAll<Item>(api: Api, first: string): Promise<Item[]> {
  return (await pagesOf(api, first)).flatMap(({ json }) => json as Item[]);
}
