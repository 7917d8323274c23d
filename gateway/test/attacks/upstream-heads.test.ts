import { afterEach, expect, test } from '@jest/globals';
import { closeAll, startGateway, startTcpUpstream } from '../proxy/proxy-fixture.ts';

afterEach(closeAll);

/** What a client gets when a service answers with these bytes. */
async function answerTo(bytes: string) {
  const { url } = await startTcpUpstream((socket) => {
    socket.once('data', () => socket.write(bytes, 'latin1'));
  });
  const { origin } = await startGateway(url);
  return fetch(`${origin}/agents`, { method: 'POST', signal: AbortSignal.timeout(20_000) });
}

test.each([
  ['a status of 600', 'HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n'],
  ['a status of 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}'],
  ['a status of 600 and chunks', 'HTTP/1.1 600 Odd\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  ['a status of 099', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'],
  ['a status of letters', 'HTTP/1.1 2xx OK\r\nContent-Length: 0\r\n\r\n'],
  ['a bare CR in a value', 'HTTP/1.1 200 OK\r\nX-A: b\rX-B: c\r\nContent-Length: 0\r\n\r\n'],
  ['a bare CR at the end of a value', 'HTTP/1.1 200 OK\r\nX-A: b\r\r\nContent-Length: 0\r\n\r\n'],
  ['a bare CR in a name', 'HTTP/1.1 200 OK\r\nX\rA: b\r\nContent-Length: 0\r\n\r\n'],
  ['a bare CR before a value', 'HTTP/1.1 200 OK\r\nX-A:\rb\r\nContent-Length: 0\r\n\r\n'],
  ['two CRs at the end of the status line', 'HTTP/1.1 200 OK\r\r\nContent-Length: 0\r\n\r\n'],
  ['two CRs at the end of the head', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\r\n'],
  ['a bare CR in the reason', 'HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n'],
  ['a bare CR behind the status line', 'HTTP/1.1 200 OK\rContent-Length: 0\r\n\r\n'],
  ['a bare CR behind the status', 'HTTP/1.1 200\rContent-Length: 0\r\n\r\n'],
  ['a bare CR as the end of the head', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r{}'],
])('answers 502 to a response with %s', async (_what, bytes) => {
  const response = await answerTo(bytes);
  expect(response.status).toBe(502);
  expect(await response.json()).toMatchObject({ error: 'upstream_error' });
});
