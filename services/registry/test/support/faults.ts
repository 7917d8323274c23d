import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { registryOf, send } from './fake-upstream.ts';

const respond = (body: string | Buffer, status = 200, headers: Record<string, string> = {}): RequestListener => {
  return (_req, res) => send(res, status, body, headers);
};
const redirect = (location: string): RequestListener => {
  return (_req, res) => res.writeHead(302, { location }).end();
};
const mostlyBad = JSON.stringify([...registryOf(90).skills, ...new Array(23).fill(null)]);

/** Faults of an upstream with at least forty skills, and the code of each in the status. */
export const FAULTS: [how: string, code: string, RequestListener][] = [
  ['closes the connection', 'unreachable', (_req, res) => res.destroy()],
  [
    'ends its response early',
    'truncated',
    (_req, res) => res.writeHead(200, { 'content-length': 99 }).write('[', () => res.destroy()),
  ],
  ['responds with 500', 'http_status', respond('{}', 500)],
  ['responds with 429', 'rate_limited', respond('{}', 429, { 'retry-after': '900' })],
  ['sends a web page', 'html', respond('<!doctype html>502 Bad Gateway')],
  ['sends a part of JSON', 'not_json', respond(JSON.stringify(registryOf(40)).slice(0, -9))],
  ['sends nothing', 'empty', respond(' \n')],
  ['sends other JSON', 'unknown_shape', respond('{"message":"moved"}')],
  ['has no skills any more', 'shrunk', respond('{"skills":[]}')],
  ['has lost more than half of its skills', 'shrunk', respond(JSON.stringify(registryOf(19)))],
  ['has more than a fifth of bad records', 'mostly_rejected', respond(mostlyBad)],
  ['redirects to itself', 'redirect', redirect('/registry.json')],
  ['redirects to a file', 'redirect', redirect('file:///etc/passwd')],
  ['sends a gzip bomb', 'too_large', respond(gzipSync(Buffer.alloc(8_000_000)), 200, { 'content-encoding': 'gzip' })],
];
