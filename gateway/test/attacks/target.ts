import type { RequestListener } from 'node:http';
import { beforeAll, beforeEach, expect } from '@jest/globals';
import { API_KEY, startGateway, type TestGateway, untilReady } from '../support/gateway.ts';
import { answerOk, type Received, startUpstream } from '../support/proxy.ts';
import { exchangeRaw, statusesIn } from '../support/raw-client.ts';

const operation = { responses: { 200: { description: 'It is.' } } };
export const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'A service', version: '1' },
  paths: {
    '/agents': { get: operation, post: operation },
    '/agents/{agent_id}': { get: operation, put: operation, delete: operation },
    '/agents/{agent_id}/tasks': { get: operation, post: operation },
    '/api/skills': { get: operation },
    '/registry.json': { get: operation },
  },
});

const serve: RequestListener = (req, res) => {
  if (req.url === '/openapi.json') res.end(DOCUMENT);
  else answerOk(req, res);
};

/** The whole gateway, ready, before a service in the place of both that remembers each whole request. */
export interface Target {
  gateway: TestGateway;
  port: number;
  /** What reached the service but the gateway's own questions. */
  reached(): Received[];
  /** Begins a new count. */
  forget(): void;
  /** Sends raw bytes and gives all that came back until the gateway closed. */
  send(text: string): Promise<string>;
}

async function startTarget(env: Record<string, string> = {}): Promise<Target> {
  const { url, received } = await startUpstream(serve);
  const gateway = await startGateway({ AGENTS_URL: url, REGISTRY_URL: url, ...env });
  await untilReady(gateway);
  const { port } = gateway.server;
  return {
    gateway,
    port,
    reached: () => received.filter(({ url }) => url !== '/openapi.json' && url !== '/ready'),
    forget() {
      received.length = 0;
    },
    send: (text) => exchangeRaw(port, text),
  };
}

/** One target for all tests of a file; each test begins with a new count. */
export function shareTarget(env: Record<string, string> = {}): Target {
  const target = {} as Target;
  beforeAll(async () => void Object.assign(target, await startTarget(env)));
  beforeEach(() => target.forget());
  return target;
}

/** A request with a good API key on a connection that ends with it; lines without their ends. */
export function request(requestLine: string, ...lines: string[]): string {
  const own = ['Host: fleet.example', `X-API-Key: ${API_KEY}`, 'Connection: close'];
  return [requestLine, ...own, ...lines, '', ''].join('\r\n');
}

const ERRORS: Record<number, string> = {
  400: 'validation_error',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'payload_too_large',
  414: 'uri_too_long',
  431: 'headers_too_large',
};

/** One answer of this status, with the error body of it and a request id, and nothing at the service. */
export function expectRefusal(answer: string, status: number, target: Target): void {
  expect(statusesIn(answer)).toEqual([status]);
  expect(answer).toMatch(/^x-request-id: [\x21-\x7e]{1,128}\r$/im);
  expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im);
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  expect(body).toMatchObject({ error: ERRORS[status], message: expect.any(String) });
  expect(target.reached()).toEqual([]);
}
