import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@agent-fleet/shared/ports';
import type { LocalFleet, LocalFleetOptions } from '../harness/local-fleet.ts';
import type { LocalProcess } from '../harness/local-process.ts';
import { until } from '../harness/until.ts';

/** A reserved one (RFC 2606). */
const NAME = 'agents.test';
export const GATEWAY_PROCESSES = 2;
const NOTICE_TIMEOUT_MS = 30_000;

/** Replicas of the agents at addresses of this machine, which a gateway of two processes knows by one host name. */
export class AgentsReplicas {
  readonly #dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-names-'));
  readonly #names = join(this.#dir, 'names.json');
  readonly #metricsUrl: string;
  readonly #replicas = new Map<string, LocalProcess>();
  readonly options: LocalFleetOptions;

  private constructor(first: string, metricsPort: number) {
    this.#metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    this.nameThem([first]);
    this.options = {
      nodeArgs: ['--import', fileURLToPath(new URL('./names.ts', import.meta.url))],
      agentsName: NAME,
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
  at(address: string, { agents, agentsAt }: LocalFleet): LocalProcess {
    const replica = this.#replicas.get(address) ?? (address === agents.host ? agents : agentsAt(address));
    this.#replicas.set(address, replica);
    return replica;
  }

  /** From now on the name has these addresses. */
  nameThem(addresses: readonly string[]): void {
    writeFileSync(`${this.#names}.next`, JSON.stringify({ [NAME]: addresses }));
    renameSync(`${this.#names}.next`, this.#names);
  }

  /** Waits until each process of the gateway takes so many replicas to be up. */
  async untilUp(count: number): Promise<void> {
    const sample = /^gateway_upstream_replicas\{upstream="agents",state="up"\} (\d+)$/m;
    await until(`${count} replicas are up`, NOTICE_TIMEOUT_MS, async () => {
      return Number(sample.exec(await this.#metrics())?.[1]) === count * GATEWAY_PROCESSES;
    });
  }

  /** Waits until the replica at this address has answered more requests than now. */
  async untilAnswers(address: string): Promise<void> {
    const sample = new RegExp(
      `^gateway_upstream_requests_total\\{upstream="agents",replica="${address}",outcome="2xx"\\} (\\d+)$`,
      'm',
    );
    const count = async () => Number(sample.exec(await this.#metrics())?.[1] ?? 0);
    const before = await count();
    await until(`${address} answers`, NOTICE_TIMEOUT_MS, async () => (await count()) > before);
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #metrics(): Promise<string> {
    return await (await fetch(this.#metricsUrl)).text();
  }
}
