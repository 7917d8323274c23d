import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@agent-fleet/shared/testing/until';
import { INTERNAL_TOKEN, LocalFleet } from '../harness/local-fleet.ts';
import type { LocalProcess } from '../harness/local-process.ts';

/** A reserved one (RFC 2606). */
const NAME = 'registry.test';
const READY_TIMEOUT_MS = 90_000;

/**
 * Replicas of the registry at addresses of this machine, one upstream, and a gateway that finds them by one host name.
 */
export class RegistryReplicas {
  /** How many requests the upstream has had. */
  requests = 0;
  readonly #upstream: Server;
  readonly #dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-registry-'));
  #fleet: LocalFleet | undefined;
  #body = '';

  private constructor(upstream: Server) {
    this.#upstream = upstream;
    upstream.on('request', (req, res) => {
      this.requests++;
      const etag = `"${this.#body.length}"`;
      if (req.headers['if-none-match'] === etag) res.writeHead(304, { etag }).end();
      else res.writeHead(200, { 'content-type': 'application/json', etag }).end(this.#body);
    });
  }

  /** With `count` skills upstream; all replicas start at once. */
  static async start(addresses: readonly string[], count: number, refreshSeconds: number): Promise<RegistryReplicas> {
    const upstream = createServer().listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const replicas = new RegistryReplicas(upstream);
    replicas.serve(count);
    await replicas.#start(addresses, refreshSeconds);
    await replicas.untilAllServe(count);
    return replicas;
  }

  get replicas(): LocalProcess[] {
    return this.#fleet ? [this.#fleet.services.registry, ...this.#fleet.replicas] : [];
  }

  async #start(addresses: readonly string[], refreshSeconds: number): Promise<void> {
    const names = join(this.#dir, 'names.json');
    writeFileSync(names, JSON.stringify({ [NAME]: addresses }));
    const [first = '', ...others] = addresses;
    const source = `http://127.0.0.1:${(this.#upstream.address() as AddressInfo).port}/registry.json`;
    this.#fleet = await LocalFleet.start({
      nodeArgs: ['--import', fileURLToPath(new URL('./names.ts', import.meta.url))],
      hostNames: { registry: NAME },
      replicas: { registry: others },
      env: {
        registry: { HOST: first, REGISTRY_SOURCE_URL: source, REGISTRY_REFRESH_SECONDS: String(refreshSeconds) },
        gateway: { E2E_NAMES_FILE: names },
      },
    });
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
    return fetch(`${this.#fleet?.baseUrl}${path}`);
  }

  /** The status of each replica, which is read without the gateway. */
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
    await this.#fleet?.close();
    this.#upstream.closeAllConnections();
    this.#upstream.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
