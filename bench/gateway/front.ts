import { NODE_ENVIRONMENT, NODE_FLAGS } from '@agent-fleet/scripts/services';
import type { LoadGenerator, LoadRequest } from '../load/load.ts';
import { median } from '../load/rounds.ts';
import { hasNginx, startNginxUpstream } from '../peers/nginx.ts';
import type { Stage } from '../stage/stage.ts';
import { signIn, startGateway, startIdentity } from './gateway-process.ts';

const AGENT = '/agents/01a1fc8e-2110-7cb6-8733-f357ca781782';
const MAXIMUM_ROUNDS = 5;
const MAXIMUM_SECONDS = 2;

/**
 * Gateways in front of an upstream that uses almost no processor time, so that the figures are those of the gateway.
 */
export interface Front {
  stage: Stage;
  generator: LoadGenerator;
  /**
   * Ports. `quick` has only the two JSON responses, and is nginx where it is installed; `whole` has all responses, on
   * Node.
   */
  upstreams: { quick: number; whole: number };
  /** Starts a fresh gateway and returns its port. */
  startGateway(
    name: string,
    upstream: keyof Front['upstreams'],
    env?: NodeJS.ProcessEnv,
    main?: string,
  ): Promise<number>;
  /** The port of identity. */
  identity: number;
  bearer: Record<string, string>;
  /**
   * Requests with the bearer token. The response to `small` and `post` has 127 bytes, to `large` 100 KB; `post` has a
   * body of 127 bytes.
   */
  requests: Record<'small' | 'post' | 'large' | 'events' | 'download' | 'upload', LoadRequest>;
}

export async function openFront(stage: Stage, generator: LoadGenerator): Promise<Front> {
  const file = 'bench/upstream/upstream-process.ts';
  const whole = await stage.startNode('upstream', file, NODE_ENVIRONMENT, { path: '/ready' }, NODE_FLAGS);
  const quick = hasNginx ? await startNginxUpstream(stage) : whole;
  const upstreams = { quick, whole };
  const identity = await startIdentity(stage);
  const bearer = await signIn(identity);
  return {
    stage,
    generator,
    upstreams,
    startGateway: (name, upstream, env, main) =>
      startGateway(stage, name, { agents: upstreams[upstream], registry: upstreams[upstream] }, env, main),
    identity,
    bearer,
    requests: {
      small: { path: AGENT, headers: bearer },
      post: {
        method: 'POST',
        path: `${AGENT}/upload`,
        headers: { ...bearer, 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'x'.repeat(116) }),
      },
      large: { path: `${AGENT}/tasks`, headers: bearer },
      events: { path: `${AGENT}/events`, headers: { ...bearer, accept: 'text/event-stream' } },
      download: { path: `${AGENT}/download`, headers: bearer },
      upload: { method: 'POST', path: `${AGENT}/upload`, headers: bearer },
    },
  };
}

/** Returns the maximum rate of short requests per second: the median of several rounds over 64 busy connections. */
export async function measureMaximum({ generator, requests }: Front, port: number): Promise<number> {
  const load = () => generator.load({ port, requests: [requests.small], seconds: MAXIMUM_SECONDS });
  await load();
  const rates: number[] = [];
  for (let round = 0; round < MAXIMUM_ROUNDS; round++) rates.push((await load()).perSecond);
  const maximum = median(rates);
  console.log(`  at most ${Math.round(maximum)} requests/s`);
  return maximum;
}
