import { beforeEach, expect, test } from '@jest/globals';
import { toRedirectTarget } from '../../src/fetch/exchange.ts';
import { type FakeUpstream, send } from '../support/fake-upstream.ts';
import { openUpstream } from '../support/open-registry.ts';
import { failureOf, fetchFiles } from './fetching.ts';

const BODY = JSON.stringify([{ name: 'one' }]);

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await openUpstream(0);
});

function redirectTo(location: string | undefined, status = 302): void {
  upstream.answer = (req, res) => {
    if (req.url === '/new') send(res, 200, BODY);
    else res.writeHead(status, location === undefined ? {} : { location }).end();
  };
}

test.each([301, 302, 303, 307, 308])('a redirect with %d is followed', async (status) => {
  redirectTo('/new', status);
  expect((await fetchFiles(upstream.url)).texts).toEqual([BODY]);
});

test('at most three redirects are followed', async () => {
  redirectTo(upstream.url);
  const before = upstream.requests.length;
  expect(await failureOf(upstream.url)).toMatchObject({ code: 'redirect' });
  expect(upstream.requests.length - before).toBe(4);
});

test.each([undefined, 'ftp://example.com/', 'data:application/json,[]', 'http://['])(
  'a redirect to %s is refused',
  async (location) => {
    redirectTo(location);
    expect(await failureOf(upstream.url)).toMatchObject({ code: 'redirect' });
  },
);

test('a redirect from https to http is refused', () => {
  const from = new URL('https://example.com/a');
  expect(() => toRedirectTarget(from, 'http://example.com/a')).toThrow('from https to http');
  expect(toRedirectTarget(from, '//example.org/b').href).toBe('https://example.org/b');
});

const refused = { code: 'private_address', message: expect.stringContaining('internal') };

test('a redirect to an internal address is refused before a connection, also if a host name resolves to it', async () => {
  const isInternal = (address: string) => address === '127.0.0.2';
  redirectTo(`http://127.0.0.2:${upstream.port}/new`);
  expect(await failureOf(upstream.url, { isInternal })).toMatchObject(refused);
  redirectTo(`http://0x7f000002:${upstream.port}/new`);
  expect(await failureOf(upstream.url, { isInternal })).toMatchObject(refused);
  let seen = 0;
  redirectTo(`http://localhost:${upstream.port}/new`);
  expect(await failureOf(upstream.url, { isInternal: () => seen++ > 0 })).toMatchObject(refused);
  expect(upstream.requests.at(-1)?.url).toBe('/registry.json');
});

test('a redirect from a public to an internal address is refused, also the second one', async () => {
  const before = upstream.requests.length;
  const isInternal = () => upstream.requests.length !== before + 1;
  redirectTo(upstream.url.replace('127.0.0.1', 'localhost'));
  expect(await failureOf(upstream.url, { isInternal })).toMatchObject(refused);
  expect(upstream.requests.length).toBe(before + 2);
});

test('a redirect to an internal address is followed if the source itself is internal', async () => {
  redirectTo(`http://localhost:${upstream.port}/new`);
  expect((await fetchFiles(upstream.url, { isInternal: () => true })).texts).toEqual([BODY]);
});
