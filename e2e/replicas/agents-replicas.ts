import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { until } from '@agent-fleet/shared/testing/until';
import type { LocalFleet, LocalFleetOptions } from '../harness/local-fleet.ts';
import type { LocalProcess } from '../harness/local-process.ts';

/** A reserved one (RFC 2606). */
const NAME = 'agents.test';
export const GATEWAY_PROCESSES = 2;
const NOTICE_TIMEOUT_MS = 90_000;
const REPLICAS = 'gateway_upstream_replicas';
const REQUESTS = 'gateway_upstream_requests_total';

/** Replicas of the agents at addresses of this machine, which a gateway of two processes knows by one host name. */
export class AgentsReplicas {
  readonly #dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-names-'));
  readonly #names = join(this.#dir, 'names.json');
  readonly #metricsUrl: string;
  readonly options: LocalFleetOptions;

  private constructor(first: string, metricsPort: number) {
    this.#metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    this.nameThem([first]);
    this.options = {
      nodeArgs: ['--import', fileURLToPath(new URL('./names.ts', import.meta.url))],
      hostNames: { agents: NAME },
      env: {
        // Longer than in docker-compose.yml: a busy machine may need seconds for what each second is asked.
        agents: { HOST: first, DRAIN_SECONDS: '5' },
        gateway: {
          E2E_NAMES_FILE: this.#names,
          GATEWAY_PROCESSES: String(GATEWAY_PROCESSES),
          METRICS_PORT: String(metricsPort),
        },
      },
    };
  }

  /** `first` is the address of the agents that a fleet with these options starts. */
  static async create(first: string): Promise<AgentsReplicas> {
    return new AgentsReplicas(first, await freePort());
  }

  /** The replica at an address, which may not run yet. */
  at(address: string, fleet: LocalFleet): LocalProcess {
    const replicas = [fleet.services.agents, ...fleet.replicas];
    return replicas.find(({ host }) => host === address) ?? fleet.addReplica('agents', address);
  }

  /** From now on the name has these addresses. */
  nameThem(addresses: readonly string[]): void {
    writeFileSync(`${this.#names}.next`, JSON.stringify({ [NAME]: addresses }));
    renameSync(`${this.#names}.next`, this.#names);
  }

  /**
   * Waits until so many replicas take requests, so many are unhealthy, and none is ejected. Of the gateway's processes,
   * which may learn of it one after the other, the metrics tell the most that any of them sees.
   */
  async untilUp(up: number, aside = 0): Promise<void> {
    await until(
      async () => {
        const metrics = await this.#metrics();
        const seen = ['up', 'unhealthy', 'ejected'].map((state) => readSample(metrics, REPLICAS, `state="${state}"`));
        return isDeepStrictEqual(seen, [up, aside, 0]);
      },
      { message: `${up} replicas are up and ${aside} aside`, timeoutMs: NOTICE_TIMEOUT_MS },
    );
  }

  /** Waits until the replica at this address has answered more requests than now. */
  async untilAnswers(address: string): Promise<void> {
    const count = async () => readSample(await this.#metrics(), REQUESTS, `replica="${address}",outcome="2xx"`);
    const before = await count();
    await until(async () => (await count()) > before, { message: `${address} answers`, timeoutMs: NOTICE_TIMEOUT_MS });
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #metrics(): Promise<string> {
    return await (await fetch(this.#metricsUrl)).text();
  }
}

/** 0 where there is no such sample. */
function readSample(metrics: string, name: string, labels: string): number {
  return Number(new RegExp(`^${name}\\{upstream="agents",${labels}\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
}
