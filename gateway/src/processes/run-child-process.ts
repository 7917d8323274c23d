import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Closable, runService } from '@agent-fleet/shared/process';
import { type GatewayConfig, readGatewayConfig } from '../config.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { openGatewayLog } from '../observability/log-destination.ts';
import type { FromChild, ToChild } from './child-process.ts';
import { serveGateway } from './serve-gateway.ts';

/** How long a replaced process serves its open connections; its responses have `Connection: close`. */
const RETIRE_SECONDS = 5;
/** A new child process listens after this time even if it is not ready: the others lack the same dependencies. */
const WARM_UP_MS = 5_000;
const CHECK_EVERY_MS = 50;

/** Runs a child process, a complete gateway. */
export async function runChildProcess(): Promise<void> {
  let retiring = false;
  const start = async (): Promise<Closable> => {
    const config = readGatewayConfig(process.env);
    const log = openGatewayLog(config);
    const gateway = createGateway(config, log);
    process.on('message', ({ type }: ToChild) => {
      if (type === 'send_metrics') void sendMetrics(gateway);
    });
    // The first child processes listen at once, like a single process.
    if (isReplacement(config)) await untilReady(gateway, WARM_UP_MS);
    const server = await serveGateway(gateway, config);
    return {
      async close() {
        gateway.stop(retiring ? RETIRE_SECONDS : config.drainSeconds);
        await (retiring ? server.retire(RETIRE_SECONDS) : server.close());
        await gateway.close();
        await sendMetrics(gateway);
        log.logger.debug('process stopped');
      },
    };
  };
  // Without the primary process, this one exits.
  cluster.worker?.on('error', () => {});
  // The terminal sends SIGHUP to all its processes; only the primary process handles it.
  process.on('SIGHUP', () => {});
  const close = await runService(start, (reason) => send({ type: 'failed', reason }));
  process.on('message', ({ type }: ToChild) => {
    if (type !== 'retire') return;
    retiring = true;
    close();
  });
}

function isReplacement({ processes }: GatewayConfig): boolean {
  return (cluster.worker?.id ?? 0) > processes;
}

async function untilReady(gateway: Gateway, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && !(await gateway.ready())) await sleep(CHECK_EVERY_MS);
}

async function sendMetrics({ metrics }: Gateway): Promise<void> {
  await send({ type: 'metrics', metrics: await metrics.registry.getMetricsAsJSON() });
}

/** Resolves when the message is sent or cannot be: without the primary process, this one exits anyway. */
function send(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send?.(message, undefined, undefined, () => resolve())) resolve();
  });
}
