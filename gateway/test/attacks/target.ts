import type { Socket } from 'node:net';
import { beforeAll, beforeEach, expect } from '@jest/globals';
import { API_KEY, type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import { exchangeRaw, statusesIn } from '../support/raw-client.ts';

type Target = ReturnType<typeof shareTarget>;

/**
 * Starts the whole gateway in front of one service that replaces all services, for all tests of a file; clears the
 * received requests before each test.
 */
export function shareTarget(env: Record<string, string> = {}) {
  let gateway: GatewayWithServices;
  let seen = 0;
  let connections: Socket[] = [];
  const forget = () => {
    seen = gateway.reached().length;
    connections = [];
  };
  beforeAll(async () => {
    gateway = await startWithServices(env);
    gateway.server.server.on('connection', (socket) => connections.push(socket));
  });
  beforeEach(forget);
  return {
    get gateway() {
      return gateway;
    },
    get port() {
      return gateway.server.port;
    },
    /** The requests that the service has received in this test. */
    reached: () => gateway.reached().slice(seen),
    forget,
    /** The bytes that the gateway has read from the connections of this test; the kernel accepts more. */
    bytesRead: () => connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    /** Sends raw bytes and returns everything that the gateway sends until it closes the connection. */
    send: (text: string) => exchangeRaw(gateway.server.port, text),
  };
}

/** A request with a valid API key and `Connection: close`; `lines` have no line ends. */
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

/** Expects one response with this status, an error body and a request id, and no request at the service. */
export function expectRefusal(response: string, status: number, target: Target): void {
  expect(statusesIn(response)).toEqual([status]);
  expect(response).toMatch(/^x-request-id: [\x21-\x7e]{1,128}\r$/im);
  expect(response).toMatch(/^x-content-type-options: nosniff\r$/im);
  const body = JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
  expect(body).toMatchObject({ error: ERRORS[status], message: expect.any(String) });
  expect(target.reached()).toEqual([]);
}
