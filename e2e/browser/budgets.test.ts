import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import type { HttpResponse } from '../harness/http-client.ts';

const KIBIBYTE = 1_024;
const CATALOGUE_KIBIBYTES = 60;
const ALL_KIBIBYTES = 256;
const ASSET = /[\w.-]+-[A-Z0-9]{8}\.(?:js|css)/g;
const SHELLS = ['/', '/console'];

const api = new Api();
beforeAll(() => api.open(), 60_000);
afterAll(() => api.close(), 60_000);

const get = (path: string, coding = 'br') =>
  api.call('GET', path, { as: 'nobody', headers: { 'accept-encoding': coding } });

/** A file as it is sent, in brotli. */
interface Sent {
  bytes: number;
  text: string;
}

async function read(path: string): Promise<Sent> {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  const isCompressed = response.headers['content-encoding'] === 'br';
  const text = isCompressed ? brotliDecompressSync(response.bytes).toString() : response.text;
  return { bytes: response.bytes.length, text };
}

const assetsIn = ({ text }: Sent) => (text.match(ASSET) ?? []).map((name) => `/assets/${name}`);
/** What a shell needs before its page runs. */
const neededBy = ({ text }: Sent) =>
  Array.from(text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path = '']) => path);

/** The shells, and everything that they or their scripts can load. */
async function readAll(): Promise<Map<string, Sent>> {
  const all = new Map<string, Sent>();
  const paths = new Set(SHELLS);
  for (const path of paths) {
    const sent = await read(path);
    all.set(path, sent);
    for (const found of assetsIn(sent)) paths.add(found);
  }
  return all;
}

const kibibytes = (files: readonly Sent[]) => files.reduce((sum, { bytes }) => sum + bytes, 0) / KIBIBYTE;

test(`the catalogue has at most ${CATALOGUE_KIBIBYTES} KiB of script and style`, async () => {
  const shell = await read('/');
  const files = [shell, ...(await Promise.all(neededBy(shell).map(read)))];
  expect(files.length).toBeGreaterThan(1);
  console.info(`The catalogue: ${kibibytes(files).toFixed(1)} KiB in brotli`);
  expect(kibibytes(files)).toBeLessThanOrEqual(CATALOGUE_KIBIBYTES);
});

test(`all pages together have at most ${ALL_KIBIBYTES} KiB of script and style`, async () => {
  const files = [...(await readAll()).values()];
  console.info(`All pages: ${kibibytes(files).toFixed(1)} KiB in brotli, ${files.length} files`);
  expect(kibibytes(files)).toBeLessThanOrEqual(ALL_KIBIBYTES);
});

test('assets are kept for ever, and shells are asked for again', async () => {
  for (const [path] of await readAll()) {
    const { headers } = await get(path);
    const isShell = SHELLS.includes(path);
    expect([path, headers['cache-control']]).toEqual([
      path,
      isShell ? 'no-cache' : 'public, max-age=31536000, immutable',
    ]);
    // Small files are not compressed.
    if (headers['content-encoding'])
      expect([path, headers.vary]).toEqual([path, expect.stringMatching(/accept-encoding/i)]);
    expect([path, headers['x-content-type-options']]).toEqual([path, 'nosniff']);
    if (!isShell) continue;
    expect(headers.etag).toMatch(/^"[^"]+"$/);
    const again = { 'accept-encoding': 'br', 'if-none-match': headers.etag };
    expect((await api.call('GET', path, { as: 'nobody', headers: again })).status).toBe(304);
  }
});

/** As browsers compute them for `script-src` and `style-src`. */
function hashesOf(html: string, element: 'script' | 'style'): string[] {
  const contents = html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'));
  return [...contents].map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
}

function policyOf({ headers }: HttpResponse): Record<string, string> {
  const parts = String(headers['content-security-policy']).split(';');
  return Object.fromEntries(
    parts.map((part) => part.trim().split(/ (.*)/s)).map(([name, value = '']) => [name, value]),
  );
}

test.each([...SHELLS, '/skills/x', '/guide', '/console/agents/a/tasks/b'])(
  'the policy of %s is as strict as can be',
  async (path) => {
    const response = await get(path, 'identity');
    const html = response.text;
    expect(html).not.toMatch(/<style |\son\w+=|javascript:/);
    expect(policyOf(response)).toEqual({
      'default-src': "'none'",
      'script-src': ["'self'", ...hashesOf(html, 'script')].join(' '),
      'connect-src': "'self'",
      'img-src': "'self' data:",
      'style-src': ["'self'", ...hashesOf(html, 'style')].join(' '),
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    });
  },
);
