import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { connect as connectTls, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { until } from '@agent-fleet/shared/testing/until';
import type { Target } from './load.ts';
import { killPrimary } from './redis-failover.ts';
import type { Scorecard } from './scorecard.ts';
import { Stack } from './stack.ts';
import { requireNone } from './under-load.ts';

const COMPOSE_FILES = 'docker-compose.yml:deploy/compose.sentinel.yml:deploy/compose.production.yml';
const SERVICES = ['redis', 'identity', 'agents', 'registry', 'gateway', 'load-balancer'];
const RELOADED_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 10_000;

export interface OverlayRun {
  scorecard: Scorecard;
  /** The name of another project; that of the overlay begins with it. */
  project: string;
  /** For files of the overlay. */
  folder: string;
  /** Of images that are built. */
  tag: string;
  signal: AbortSignal;
}

interface Site {
  stack: Stack;
  folder: string;
  host: string;
  httpPort: number;
  httpsPort: number;
  signal: AbortSignal;
}

/** Checks compose.production.yml over compose.sentinel.yml, in a project of its own. Removes what it starts. */
export async function checkProduction(run: OverlayRun): Promise<void> {
  const { scorecard, tag, signal } = run;
  const folder = join(run.folder, 'secrets');
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const variables = {
    COMPOSE_FILE: COMPOSE_FILES,
    PORT: httpPort,
    HTTPS_PORT: httpsPort,
    SECRETS_DIR: folder,
    TAG: tag,
    RATE_LIMIT_PER_MINUTE: 0,
  };
  const stack = await Stack.create({ project: `${run.project}-production`, folder: run.folder, variables, signal });
  const site: Site = { stack, folder, host: 'localhost', httpPort, httpsPort, signal };
  try {
    if (!(await scorecard.check('production starts with secrets from files', () => start(site)))) {
      console.log(await stack.logs());
      return;
    }
    await scorecard.check('the load balancer serves HTTP/2 by TLS 1.2 and later only', () => checkTls(site));
    await scorecard.check('HTTP is redirected, and HTTPS is remembered', () => checkRedirect(site));
    await scorecard.check('the cookie of a session is Secure', () => checkCookie(site));
    await scorecard.check('a new certificate is served without a failed request', () => renewCertificate(site));
    await scorecard.check('the primary of Redis is killed', async () => killPrimary(stack, await trust(site)));
    await scorecard.check('no secret is in a log or shown by docker inspect', () => searchSecrets(site));
  } finally {
    await scorecard.check('production is removed again', () => stack.remove());
  }
}

async function start(site: Site): Promise<void> {
  await makeSecrets(site);
  await writeFile(join(site.folder, 'api_keys'), `e2e:${randomBytes(24).toString('hex')}\n`);
  await site.stack.up();
  await site.stack.waitHealthy('load-balancer', 1);
}

function makeSecrets({ folder, host, signal }: Site): Promise<string> {
  return readCommand('deploy/make-secrets', [host], { signal, env: { ...process.env, SECRETS_DIR: folder } });
}

/** Makes `fetch` accept the certificate of the site from now on. */
async function trust({ folder, host, httpsPort }: Site): Promise<Target> {
  const certificate = await readFile(join(folder, 'certificates/fleet.pem'), 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
  const keys = await readFile(join(folder, 'api_keys'), 'utf8');
  return { baseUrl: `https://${host}:${httpsPort}`, apiKey: keys.trim().slice('e2e:'.length) };
}

async function checkTls({ host, httpsPort, folder }: Site): Promise<string> {
  const ca = await readFile(join(folder, 'certificates/fleet.pem'));
  const handshake = (maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
    new Promise<string>((resolve) => {
      const options = { host, port: httpsPort, ca, minVersion: 'TLSv1' as const, maxVersion, ALPNProtocols: ['h2'] };
      const socket = connectTls(options, () => {
        resolve(`${socket.getProtocol()} ${socket.alpnProtocol}`);
        socket.destroy();
      }).on('error', () => resolve('refused'));
    });
  const seen = [await handshake('TLSv1.1'), await handshake('TLSv1.2'), await handshake('TLSv1.3')].join(', ');
  if (seen !== 'refused, TLSv1.2 h2, TLSv1.3 h2') throw new Error(seen);
  return seen;
}

async function checkRedirect(site: Site): Promise<void> {
  const { host, httpPort, httpsPort } = site;
  const url = `http://${host}:${httpPort}/agents?limit=1`;
  const { status, headers } = await fetch(url, { method: 'POST', redirect: 'manual' });
  const seen = `${status} ${headers.get('location')}`;
  if (seen !== `308 https://${host}:${httpsPort}/agents?limit=1`) throw new Error(seen);
  const { 'strict-transport-security': policy } = await requestHttps(site, { ':path': '/health' });
  if (policy !== 'max-age=31536000') throw new Error(`Strict-Transport-Security: ${policy}`);
}

async function checkCookie(site: Site): Promise<void> {
  const password = (await readFile(join(site.folder, 'admin_password'), 'utf8')).trim();
  const body = JSON.stringify({ username: 'admin@example.com', password });
  const headers = { ':path': '/session', ':method': 'POST', 'content-type': 'application/json' };
  const { ':status': status, 'set-cookie': cookies } = await requestHttps(site, headers, body);
  const seen = `${status} ${cookies?.map((cookie) => cookie.replace(/=[^;]*/, '')).join()}`;
  if (!/^2\d\d __Host-fleet;.*\bSecure\b/.test(seen)) throw new Error(seen);
}

/** Replaces the certificate while requests are sent, each on a connection of its own. */
async function renewCertificate(site: Site): Promise<string> {
  const { folder, stack } = site;
  const file = join(folder, 'certificates/fleet.pem');
  const before = await readFile(file);
  await readCommand('rm', [file], site);
  await makeSecrets(site);
  const ca = Buffer.concat([before, await readFile(file)]);
  const failed: string[] = [];
  let [requests, isOver] = [0, false];
  const requesting = (async () => {
    for (; !isOver; requests++) {
      const status = await requestHttps(site, { ':path': '/health' }, '', ca).then((reply) => reply[':status'], String);
      if (status !== 200) failed.push(String(status));
    }
  })();
  try {
    const [id = ''] = await stack.replicas('load-balancer');
    await stack.docker(['kill', '--signal', 'USR2', id]);
    const isServed = () =>
      requestHttps(site, { ':path': '/health' }).then(
        () => true,
        () => false,
      );
    await until(isServed, { message: 'the new certificate is served', timeoutMs: RELOADED_TIMEOUT_MS });
  } finally {
    isOver = true;
    await requesting;
  }
  requireNone(failed, `of ${requests} requests failed`);
  return `${requests} requests`;
}

async function searchSecrets({ folder, stack }: Site): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name !== 'certificates');
  const secrets = (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).map((text) =>
    text.trim(),
  );
  const texts = [await stack.compose(['logs', '--no-color'])];
  for (const service of SERVICES) {
    for (const id of await stack.replicas(service)) texts.push(await stack.docker(['inspect', id]));
  }
  const found = files.filter((_, at) => secrets[at] && texts.some((text) => text.includes(secrets[at] ?? '')));
  requireNone(found, 'secrets are shown');
  return `${secrets.filter(Boolean).length} secrets`;
}

/** Sends a request by HTTP/2, and returns the headers of the response; the certificate must be that of the folder. */
async function requestHttps(
  { host, httpsPort, folder }: Site,
  headers: Record<string, string>,
  body = '',
  ca?: Buffer,
): Promise<IncomingHttpHeaders & { ':status'?: number }> {
  const trusted = ca ?? (await readFile(join(folder, 'certificates/fleet.pem')));
  const session = connect(`https://${host}:${httpsPort}`, { ca: trusted });
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request(headers, { endStream: !body });
      stream.on('response', resolve).on('error', reject).resume();
      stream.setTimeout(REQUEST_TIMEOUT_MS, () => stream.close(constants.NGHTTP2_CANCEL));
      if (body) stream.end(body);
    });
  } finally {
    session.close();
  }
}
