import { describe, expect, test } from '@jest/globals';
import { clientName, isThisSession, type Session, sortSessions } from '../../src/pages/access/session.ts';

const EXPIRES = '2026-12-02T09:00:00.000Z';

function session(id: string, changes: Partial<Session> = {}): Session {
  return {
    id,
    kind: 'browser',
    created_at: '2026-11-25T09:00:00.000Z',
    last_used_at: '2026-11-25T10:00:00.000Z',
    address: '192.0.2.1',
    user_agent: '',
    ...changes,
  };
}

describe('the session of this browser', () => {
  test('is the one that ends when the session of the page does', () => {
    expect(isThisSession(session('1'), EXPIRES)).toBe(true);
    expect(isThisSession(session('1', { created_at: '2026-11-25T09:00:00.001Z' }), EXPIRES)).toBe(false);
    expect(isThisSession(session('1', { kind: 'refresh' }), EXPIRES)).toBe(false);
    for (const unknown of [null, undefined]) expect(isThisSession(session('1'), unknown)).toBe(false);
  });

  test('comes first, then the one that was used last', () => {
    const others = ['2026-11-25T11:00:00.000Z', '2026-11-25T13:00:00.000Z', '2026-11-25T12:00:00.000Z'].map(
      (last_used_at, at) => session(`other-${at}`, { last_used_at, kind: 'refresh' }),
    );
    const sorted = sortSessions([...others, session('this')], EXPIRES).map(({ id }) => id);
    expect(sorted).toEqual(['this', 'other-1', 'other-2', 'other-0']);
  });
});

const MOZILLA = 'Mozilla/5.0';
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

test.each([
  ['Firefox 145 on Linux', `${MOZILLA} (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0`],
  ['Chrome 142 on Windows', `${MOZILLA} (Windows NT 10.0; Win64; x64) ${CHROME}`],
  ['Edge 142 on macOS', `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) ${CHROME} Edg/142.0.0.0`],
  ['Chrome 142 on Linux', `${MOZILLA} (X11; Linux x86_64) ${CHROME.replace('Chrome', 'HeadlessChrome')}`],
  ['Chrome 142 on Android', `${MOZILLA} (Linux; Android 10; K) ${CHROME}`],
  [
    'Safari 18 on iPhone',
    `${MOZILLA} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1`,
  ],
  ['curl/8.14.1', 'curl/8.14.1'],
  ['node', 'node'],
  ['x'.repeat(40), 'x'.repeat(200)],
  ['Unknown client', ' '],
])('a client is called %s', (name, userAgent) => {
  expect(clientName(userAgent)).toBe(name);
});
