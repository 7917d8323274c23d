import type { RequestListener } from 'node:http';
import { until } from '@agent-fleet/shared/testing/until';
import { expect } from '@jest/globals';
import { answerOk, closeAll, exchangeRaw, type Received, startUpstream, statusesIn } from '../proxy/proxy-fixture.ts';
import { API_KEY, startGateway, type TestGateway } from '../support/gateway.ts';

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
  close(): Promise<void>;
}

export async function startTarget(env: Record<string, string> = {}): Promise<Target> {
  const { url, received } = await startUpstream(serve);
  const gateway = await startGateway({ AGENTS_URL: url, REGISTRY_URL: url, ...env });
  await until(async () => (await fetch(`${gateway.url}/ready`)).status === 200);
  const { port } = gateway.server;
  return {
    gateway,
    port,
    reached: () => received.filter(({ url }) => url !== '/openapi.json' && url !== '/ready'),
    forget() {
      received.length = 0;
    },
    send: (text) => exchangeRaw(port, text),
    async close() {
      gateway.server.server.closeAllConnections();
      await gateway.close();
      await closeAll();
    },
  };
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
