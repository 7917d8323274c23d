import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { resolve } from 'node:path';
import { runCommand } from '@agent-fleet/scripts/testing/command';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const BIN = resolve(import.meta.dirname, '../../bin/fleet.mjs');
const TIMEOUT = { timeoutMs: 60_000 };

/** Runs a line of shell script in which `$FLEET` is the program. */
function shell(script: string, env: NodeJS.ProcessEnv = {}) {
  const FLEET = `'${process.execPath}' '${BIN}'`;
  const options = { cwd: import.meta.dirname, env: { PATH: process.env.PATH, ...env }, ...TIMEOUT };
  return runCommand('bash', ['-c', script.replaceAll('$FLEET', FLEET)], options);
}

test('a reader that has enough is no error', async () => {
  const { stdout, stderr } = await shell('$FLEET --help | head -n 1; echo $PIPESTATUS');
  expect({ stdout, stderr }).toEqual({ stdout: 'Usage: fleet [options] [command]\n0\n', stderr: '' });
});

test('output that cannot be written is an error', async () => {
  const { exitCode, stderr } = await shell('$FLEET --help > /dev/full');
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('ENOSPC') });
});

test('a closed stdout does no harm', async () => {
  expect(await shell('$FLEET --version >&-')).toMatchObject({ exitCode: 0, stderr: '' });
});

describe('proxies', () => {
  let proxy: Server;
  let url: string;
  let asked: string[];

  beforeEach(async () => {
    asked = [];
    proxy = createServer((req, res) => {
      asked.push(String(req.url));
      res.setHeader('Content-Type', 'application/json').end('{"status":"ok"}');
    });
    // Some versions of Node ask a proxy for a tunnel also for http.
    proxy.on('connect', (req, client, head) => {
      asked.push(String(req.url));
      const server = connect((proxy.address() as AddressInfo).port, '127.0.0.1');
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      server.write(head);
      server.pipe(client).pipe(server);
      for (const socket of [server, client]) socket.on('error', () => socket.destroy());
    });
    await new Promise<void>((listening) => void proxy.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  const status = (fleetUrl: string, env: NodeJS.ProcessEnv) =>
    shell(`$FLEET status --json=ready --timeout 20 --url ${fleetUrl}`, { HOME: '/nonexistent', ...env });

  test.each(['HTTP_PROXY', 'http_proxy'])('a fleet elsewhere is asked through %s', async (name) => {
    expect(await status('http://fleet.invalid', { [name]: url })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(asked.join(' ')).toContain('fleet.invalid');
  });

  test('NO_PROXY is honoured', async () => {
    const { exitCode } = await status('http://fleet.invalid', { HTTP_PROXY: url, NO_PROXY: 'other,fleet.invalid' });
    expect({ exitCode, asked }).toEqual({ exitCode: 6, asked: [] });
  });

  test('a fleet of this machine is asked directly', async () => {
    expect(await status(url, { HTTP_PROXY: 'http://127.0.0.1:9' })).toMatchObject({ exitCode: 0 });
    expect(asked).toEqual(['/ready']);
  });
});

describe('text that is not UTF-8', () => {
  const add = (args: string) => `$FLEET tasks add writer --url http://127.0.0.1:9 ${args}; echo "[$?]"`;
  const CASES: [what: string, script: string, says: string][] = [
    [
      'of a file in UTF-16',
      `${add('x --input @<(printf "\\377\\376{\\0}\\0")')}`,
      'is not UTF-8 at line 1, column 1: it looks like UTF-16',
    ],
    [
      'of a file in Latin-1',
      `${add('x --metadata @<(printf "{\\n\\"a\\":\\"\\374\\"}")')}`,
      'is not UTF-8 at line 2, column 6',
    ],
    ['on stdin', `printf 'gr\\374n' | ${add('-')}`, 'stdin is not UTF-8 at line 1, column 3'],
    [
      'of a file with a key',
      'FLEET_API_KEY_FILE=<(printf "\\376\\377k") $FLEET whoami; echo "[$?]"',
      'is not UTF-8 at line 1, column 1',
    ],
    [
      'that is no JSON in a file',
      `${add('x --input @<(printf "\\357\\273\\277[1,\\n  2,]")')}`,
      '--input is not JSON at line 2, column 5',
    ],
    ['that is no JSON in an argument', `${add("x --schema '{a}'")}`, '--schema is not JSON at line 1, column 2'],
  ];

  test.each(CASES)('%s ends with 2 and says where', async (_what, script, says) => {
    const { stdout, stderr } = await shell(script, { HOME: '/nonexistent' });
    expect(stdout).toBe('[2]\n');
    expect(stderr).toContain(says);
  });

  test('is none of a file and a stdin with a byte order mark', async () => {
    const bom = 'printf "\\357\\273\\277{}"';
    const { stdout } = await shell(`${bom} | ${add(`- --input @<(${bom})`)}`, { HOME: '/nonexistent' });
    // No fleet is there.
    expect(stdout).toBe('[6]\n');
  });
});
