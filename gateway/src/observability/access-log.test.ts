import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toPrincipal } from '../auth/schemes/principal.ts';
import { logAccess } from './access-log.ts';
import { createGatewayLog } from './log-destination.ts';
import type { EndedRequest } from './observe-requests.ts';

const REQUEST: EndedRequest = {
  endedAtMs: Date.parse('2026-11-21T10:00:00.007Z'),
  durationMs: 1.23456,
  method: 'GET',
  target: '/agents/7?secret=1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  status: 200,
  aborted: false,
  locals: {
    requestId: 'mine-7',
    route: { template: '/agents/{agent_id}', access: 'credentials', upstream: 'agents' },
    caller: toPrincipal({ actor: { type: 'key', id: '7', name: 'ci' }, uniqueName: 'ci', scopes: [] }),
    clientAddress: '127.0.0.1',
    replica: '10.0.0.7',
  },
};

function linesOf(requests: EndedRequest[], level = 'info'): string[] {
  const lines: string[] = [];
  logAccess(createGatewayLog(level, { write: (line) => lines.push(line) }))(requests);
  return lines;
}

test('a line has all fields of the request, and the time of its end', () => {
  expect(linesOf([REQUEST])).toEqual([
    '{"level":"info","time":"2026-11-21T10:00:00.007Z","service":"gateway","method":"GET","route":"/agents/{agent_id}",' +
      '"upstream":"agents","request_id":"mine-7","trace_id":"0af7651916cd43dd8448eb211c80319c","principal":"key:ci",' +
      '"client":"127.0.0.1","replica":"10.0.0.7","status":200,"duration_ms":1.23,"msg":"request"}\n',
  ]);
});

test('successful probes are logged at debug only', () => {
  const probe: EndedRequest = {
    ...REQUEST,
    locals: { requestId: 'a', route: { template: '/ready', access: 'public', isProbe: true } },
  };
  expect(linesOf([probe])).toEqual([]);
  expect(linesOf([probe], 'debug')[0]).toContain('"level":"debug"');
  expect(linesOf([{ ...probe, status: 503 }])).toHaveLength(1);
});

test('any input of a client is logged as one line of JSON, its path without the query', () => {
  const text = unicodeText();
  fc.assert(
    fc.property(text, text, text, (requestId, name, path) => {
      const caller = toPrincipal({ actor: { type: 'key', id: name, name }, uniqueName: name, scopes: [] });
      const [line = '', ...more] = linesOf([{ ...REQUEST, target: `/${path}`, locals: { requestId, caller } }]);
      expect([more.length, line.indexOf('\n')]).toEqual([0, line.length - 1]);
      const record = JSON.parse(line) as Record<string, unknown>;
      expect(record).toMatchObject({ request_id: requestId, principal: caller.principal });
      expect(record.path).toBe(`/${path}`.split('?', 1)[0]?.slice(0, 200));
    }),
  );
});
