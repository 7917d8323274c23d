import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { readSettings, requireFreePort, shownPath } from './settings.ts';

test('defaults to port 8080 on all interfaces, and data in .data', () => {
  expect(readSettings({})).toEqual({
    port: 8080,
    host: '0.0.0.0',
    url: 'http://localhost:8080',
    dataDir: join(ROOT, '.data'),
    redisUrl: undefined,
  });
});

test('derives the URL from the address that the gateway binds', () => {
  expect(readSettings({ HOST: '127.0.0.2', PORT: '81' }).url).toBe('http://127.0.0.2:81');
  expect(readSettings({ HOST: '::1', PORT: '81' }).url).toBe('http://[::1]:81');
  expect(readSettings({ HOST: '::', PORT: '81' }).url).toBe('http://localhost:81');
});

test.each(['0', '65536', 'http', '8080.5', '-1', '0x50'])('PORT=%s is refused in one line', (PORT) => {
  expect(() => readSettings({ PORT })).toThrow(/^PORT: must be a whole number from 1 to 65535 \(example: PORT=8080\)$/);
});

test('refuses an address that this machine does not have', async () => {
  await expect(requireFreePort(readSettings({ HOST: '192.0.2.1' }))).rejects.toThrow(
    /^HOST: cannot listen on 192\.0\.2\.1/,
  );
});

test('shows paths inside the checkout relative to it', () => {
  expect(shownPath(join(ROOT, '.data/logs'))).toBe('.data/logs');
  expect(shownPath('/var/lib/fleet')).toBe('/var/lib/fleet');
});
