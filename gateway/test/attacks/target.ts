import { beforeAll, beforeEach, expect } from '@jest/globals';
import { API_KEY, type GatewayWithServices, startWithServices } from '../support/gateway.ts';
import { exchangeRaw, statusesIn } from '../support/raw-client.ts';

type Target = ReturnType<typeof shareTarget>;

/** The whole gateway before a service in the place of all, for all tests of a file; each begins with a new count. */
export function shareTarget(env: Record<string, string> = {}) {
  let gateway: GatewayWithServices;
  let seen = 0;
  const forget = () => {
    seen = gateway.reached().length;
  };
  beforeAll(async () => {
    gateway = await startWithServices(env);
  });
  beforeEach(forget);
  return {
    get gateway() {
      return gateway;
    },
    get port() {
      return gateway.server.port;
    },
    /** What reached the service since the test began. */
    reached: () => gateway.reached().slice(seen),
    forget,
    /** Sends raw bytes and gives all that came back until the gateway closed. */
    send: (text: string) => exchangeRaw(gateway.server.port, text),
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
