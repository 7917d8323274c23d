import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { own } from '@agent-fleet/scripts/testing/own';
import { startTestRedis, type TestServer, withConnections } from '@agent-fleet/scripts/testing/test-redis';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { makeDataDir } from '../testing/data-dir.ts';
import { connectRedis, waitForRedis } from './connection.ts';

const password = 'x'.repeat(32);
const dir = makeDataDir('fleet-tls-');
const [certificate, key] = [join(dir, 'redis.crt'), join(dir, 'redis.key')];
const authorities = getCACertificates('default');

beforeAll(() => {
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-keyout', key, '-out', certificate];
  const names = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...made, ...names], { stdio: 'pipe' });
  setDefaultCACertificates([...authorities, readFileSync(certificate, 'utf8')]);
});
afterAll(() => setDefaultCACertificates(authorities));

/** A server with a second port, for TLS; returns that port. */
async function startWithTls(...args: string[]): Promise<{ server: TestServer; tlsPort: number }> {
  const tlsPort = await freePort();
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no'];
  const server = await startTestRedis({ password, args: ['--tls-port', String(tlsPort), ...files, ...args] });
  own(server.close);
  return { server, tlsPort };
}

async function expectWorking(url: string): Promise<void> {
  const client = connectRedis(url, createLogger('test', 'silent'));
  own(() => client.disconnect());
  await waitForRedis(client, 10_000);
  expect(await client.set('text', 'x')).toBe('OK');
}

test('rediss+sentinel:// connects to sentinels and their master by TLS', async () => {
  const [master, sentinel] = [await startWithTls(), await startWithTls('--sentinel')];
  await withConnections([sentinel.server], async ([redis]) => {
    await redis?.call('SENTINEL', 'MONITOR', 'fleet', '127.0.0.1', master.tlsPort, 1);
  });
  await expectWorking(`rediss+sentinel://:${password}@127.0.0.1:${sentinel.tlsPort}/fleet`);
});

test('rediss+cluster:// connects to all nodes by TLS', async () => {
  const busPort = String(await freePort());
  const announced = ['--cluster-announce-ip', '127.0.0.1', '--cluster-port', busPort];
  // Otherwise Redis 7.0 announces the port without TLS.
  const bus = ['--tls-cluster', 'yes', '--tls-ca-cert-file', certificate];
  const { server, tlsPort } = await startWithTls('--cluster-enabled', 'yes', ...announced, ...bus);
  await withConnections([server], async ([redis]) => {
    await redis?.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  });
  await expectWorking(`rediss+cluster://:${password}@127.0.0.1:${tlsPort}`);
});
