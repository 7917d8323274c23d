import { exchangeRaw } from '../proxy/proxy-fixture.ts';

/** A GET of this target with these header lines, on a connection of its own. */
export async function rawGet(url: string, target: string, ...lines: string[]) {
  const request = [`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, '', ''].join('\r\n');
  const [head = '', body = ''] = (await exchangeRaw(Number(new URL(url).port), request)).split('\r\n\r\n', 2);
  // Of a connection that was cut there is no head.
  if (head === '') throw new Error('no response');
  return { status: Number(head.slice(9, 12)), head: head.toLowerCase(), body };
}
