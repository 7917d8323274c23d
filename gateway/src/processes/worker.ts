import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import { type Closable, runService } from '@agent-fleet/shared/process';
import { type GatewayConfig, readGatewayConfig } from '../config.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { createGatewayLogger } from './gateway-logger.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { serveGateway } from './serve-gateway.ts';

/** For how long one that leaves serves the connections that it has, and asks their clients to open others. */
const LEAVE_SECONDS = 5;
/** After this time a new worker listens although it is not ready: its dependencies are unavailable for the others too. */
const WARM_UP_MS = 5_000;
const ASK_EVERY_MS = 50;

/** One of several processes of the gateway, each a whole one. */
export async function runWorker(): Promise<void> {
  let leaving = false;
  const start = async (): Promise<Closable> => {
    const config = readGatewayConfig(process.env);
    const logger = createGatewayLogger(config);
    const gateway = createGateway(config, logger);
    answerForMetrics(gateway);
    // The first ones listen at once, as a gateway of one process does.
    if (isReplacement(config)) await untilReady(gateway, WARM_UP_MS);
    const server = await serveGateway(gateway, config);
    return { close: () => stop(gateway, server, leaving ? LEAVE_SECONDS : undefined, config, logger) };
  };
  // Without the primary process this one ends.
  cluster.worker?.on('error', () => {});
  // A hang-up of the terminal reaches all its processes; the first of them decides.
  process.on('SIGHUP', () => {});
  const close = await runService(start, (reason) => send({ type: 'failed', reason }));
  process.on('message', (message: ToWorker) => {
    if (message.type !== 'leave') return;
    leaving = true;
    close();
  });
}

function isReplacement({ processes }: GatewayConfig): boolean {
  return (cluster.worker?.id ?? 0) > processes;
}

async function untilReady(gateway: Gateway, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && !(await gateway.ready())) await sleep(ASK_EVERY_MS);
}

async function stop(
  gateway: Gateway,
  server: RunningServer,
  leaveSeconds: number | undefined,
  { drainSeconds }: GatewayConfig,
  logger: Logger,
): Promise<void> {
  gateway.stop(leaveSeconds ?? drainSeconds);
  await (leaveSeconds === undefined ? server.close() : server.leave(leaveSeconds));
  await gateway.close();
  await sendMetrics(gateway);
  logger.debug('process stopped');
}

function answerForMetrics(gateway: Gateway): void {
  process.on('message', (message: ToWorker) => {
    if (message.type === 'send_metrics') void sendMetrics(gateway);
  });
}

async function sendMetrics({ metricsRegistry }: Gateway): Promise<void> {
  await send({ type: 'metrics', metrics: await metricsRegistry.getMetricsAsJSON() });
}

/** Resolves when it has been sent, or cannot be: without the first process this one ends anyway. */
function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send?.(message, undefined, undefined, () => resolve())) resolve();
  });
}
