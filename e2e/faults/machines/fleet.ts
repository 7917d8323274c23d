import { SERVICE_NAMES, type ServiceName } from '@agent-fleet/scripts/services';
import { until } from '@agent-fleet/shared/testing/until';
import { prepareSandbox, removeSandbox } from '../sandbox.ts';
import { ProcessClock } from './clock.ts';
import { createLoadBalancer } from './load-balancer.ts';
import { Network } from './network.ts';
import type { Program } from './program.ts';
import type { Setting } from './redis-node.ts';
import { createSentinelPicture, type RedisPicture } from './sentinel-picture.ts';
import { createServices, type Services, type ServicesOptions, urlOf } from './services.ts';

const READY_TIMEOUT_MS = 60_000;

/** `strict`: as `sentinel`, but with every write on all replicas, so that whichever is promoted has it. */
export const PICTURES = ['sentinel', 'strict'] as const;
export type PictureName = (typeof PICTURES)[number];

type Planted = Pick<ServicesOptions, 'nodeArgs' | 'env'>;

/** Every process of one picture on its machine. */
export class Fleet {
  readonly picture: PictureName;
  readonly network = new Network();
  readonly redis: RedisPicture;
  readonly services: Services;
  readonly loadBalancer: Program;
  readonly baseUrl: string;
  /** Of each gateway, past the load balancer. */
  readonly gatewayUrls: readonly string[];

  private constructor(picture: PictureName, setting: Setting, planted: Planted) {
    const { network } = this;
    this.picture = picture;
    this.redis = createSentinelPicture(network, setting, picture === 'strict' ? 2 : 1);
    this.services = createServices({ network, redis: this.redis, setting, ...planted });
    const gateways = this.services.gateway.map(({ machine }) => machine);
    const { program, url } = createLoadBalancer(network.add('load-balancer'), gateways, setting);
    this.loadBalancer = program;
    this.baseUrl = url;
    this.gatewayUrls = this.services.gateway.map((gateway) => urlOf(gateway, 'gateway'));
  }

  /** Resolves when every service is ready. */
  static async start(picture: PictureName, setting: Setting, planted: Planted = {}): Promise<Fleet> {
    prepareSandbox();
    ProcessClock.buildLibrary();
    const fleet = new Fleet(picture, setting, planted);
    try {
      const redisStarts = fleet.redis.start();
      for (const name of SERVICE_NAMES) for (const program of fleet.services[name]) program.start();
      fleet.loadBalancer.start();
      await redisStarts;
      await fleet.untilAllReady();
      return fleet;
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  /** Each replica of each service: one that hangs is not seen from outside while another serves. */
  async untilAllReady(): Promise<void> {
    const all = SERVICE_NAMES.flatMap((name) => this.services[name].map((program) => this.untilReady(program, name)));
    await Promise.all(all);
  }

  /** `program`: a replica of the service. */
  async untilReady(program: Program, name: ServiceName): Promise<void> {
    const message = () => `${program.name} is ready: ${program.lastOutput()}`;
    await until(() => isReady(urlOf(program, name)), { message, timeoutMs: READY_TIMEOUT_MS, pollMs: 100 });
  }

  get programs(): Program[] {
    const redis = [...this.redis.nodes.map(({ program }) => program), ...this.redis.sentinels];
    return [...redis, ...SERVICE_NAMES.flatMap((name) => this.services[name]), this.loadBalancer];
  }

  /** Kills everything and removes the networks. */
  async close(): Promise<void> {
    this.redis.close();
    await Promise.all(this.programs.map((program) => program.kill()));
    this.network.close();
    removeSandbox();
  }
}

export async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(3_000) });
  await response.arrayBuffer();
  return response.ok;
}
