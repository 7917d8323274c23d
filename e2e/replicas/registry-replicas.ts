import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { testRedisUrl, uniquePrefix } from '@agent-fleet/shared/testing/redis';
import { until } from '@agent-fleet/shared/testing/until';
import { JWT_SECRET } from '../harness/local-fleet.ts';
import { LocalProcess } from '../harness/local-process.ts';

/** A reserved one (RFC 2606). */
const NAME = 'registry.test';
const INTERNAL_TOKEN = 'e2e-internal-token-e2e-internal-token';
const READY_TIMEOUT_MS = 90_000;

/** Three replicas of the registry at addresses of this machine, one upstream, and a gateway that knows them by one host name. */
export class RegistryReplicas {
  readonly replicas: LocalProcess[];
  readonly gateway: LocalProcess;
  /** How often upstream was asked. */
  asked = 0;
  readonly #upstream: Server;
  readonly #dir: string;
  #body = '';

  private constructor(addresses: readonly string[], ports: number[], upstream: Server, refreshSeconds: number) {
    this.#upstream = upstream;
    this.#dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-registry-'));
    const [port = 0, gatewayPort = 0, nobodysPort = 0] = ports;
    const common = {
      LOG_LEVEL: 'info',
      REDIS_URL: testRedisUrl(),
      REDIS_PREFIX: uniquePrefix('e2e-registry'),
      INTERNAL_TOKEN,
    };
    const source = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/registry.json`;
    this.replicas = addresses.map((HOST) => {
      const env = { ...common, HOST, REGISTRY_SOURCE_URL: source, REGISTRY_REFRESH_SECONDS: String(refreshSeconds) };
      return new LocalProcess(`registry at ${HOST}`, 'services/registry/src/main.ts', port, env);
    });
    const names = join(this.#dir, 'names.json');
    writeFileSync(names, JSON.stringify({ [NAME]: addresses }));
    this.gateway = new LocalProcess(
      'gateway',
      'gateway/src/main.ts',
      gatewayPort,
      {
        ...common,
        E2E_NAMES_FILE: names,
        AGENTS_URL: `http://127.0.0.1:${nobodysPort}`,
        REGISTRY_URL: `http://${NAME}:${port}`,
        JWT_SECRET,
        METRICS_PORT: '0',
        GATEWAY_PROCESSES: '1',
        RATE_LIMIT_PER_MINUTE: '0',
        SIGN_IN_LIMIT_PER_MINUTE: '0',
      },
      ['--import', fileURLToPath(new URL('./names.ts', import.meta.url))],
    );
    upstream.on('request', (req, res) => {
      this.asked++;
      const etag = `"${this.#body.length}"`;
      if (req.headers['if-none-match'] === etag) res.writeHead(304, { etag }).end();
      else res.writeHead(200, { 'content-type': 'application/json', etag }).end(this.#body);
    });
  }

  /** With `count` skills upstream; all replicas start at once. */
  static async start(addresses: readonly string[], count: number, refreshSeconds: number): Promise<RegistryReplicas> {
    const upstream = createServer().listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const ports = [await freePort(), await freePort(), await freePort()];
    const fleet = new RegistryReplicas(addresses, ports, upstream, refreshSeconds);
    fleet.serve(count);
    await Promise.all([...fleet.replicas, fleet.gateway].map((process) => process.start()));
    await fleet.untilAllServe(count);
    await until(async () => (await fleet.read('/api/skills?limit=1')).ok, {
      message: 'the gateway passes on',
      timeoutMs: READY_TIMEOUT_MS,
    });
    return fleet;
  }

  /** From now on upstream has `count` skills. */
  serve(count: number): void {
    const skills = Array.from({ length: count }, (_, at) => ({
      name: `skill-${at}`,
      description: `Number ${at} of the skills for this test.`,
      repo: 'owner/skills',
      path: `skills/${at}`,
    }));
    this.#body = JSON.stringify({ skills });
  }

  /** Through the gateway. */
  read(path: string): Promise<Response> {
    return fetch(`${this.gateway.url}${path}`);
  }

  /** What each replica says by itself. */
  async statuses(replicas = this.replicas): Promise<{ snapshot_id: string; counts: { skills: number } }[]> {
    const headers = { 'x-fleet-internal-token': INTERNAL_TOKEN };
    return Promise.all(
      replicas.map(async ({ url }) => (await fetch(`${url}/api/registry/status`, { headers })).json()),
    ) as Promise<{ snapshot_id: string; counts: { skills: number } }[]>;
  }

  async untilAllServe(count: number, replicas = this.replicas): Promise<void> {
    await until(
      async () => {
        const statuses = await this.statuses(replicas);
        return statuses.every(({ counts }) => counts.skills === count);
      },
      { message: `all replicas have ${count} skills`, timeoutMs: READY_TIMEOUT_MS },
    );
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await Promise.all(this.replicas.map((replica) => replica.close()));
    this.#upstream.closeAllConnections();
    this.#upstream.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
