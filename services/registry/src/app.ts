import type { RequestListener } from 'node:http';
import type { Lifecycle } from '@agent-fleet/shared/http/health';
import { toTokenCheck } from '@agent-fleet/shared/http/internal-access';
import type { App } from '@agent-fleet/shared/http/serve';
import type { Logger } from '@agent-fleet/shared/logger';
import { exposeCounter } from '@agent-fleet/shared/metrics/scraped-metrics';
import { createServiceApp } from '@agent-fleet/shared/service';
import type { Registry } from 'prom-client';
import type { RegistryConfig } from './config.ts';
import type { Snapshots } from './publish/snapshots.ts';
import { createBindings, TAGS } from './routes.ts';
import { allowAnyOrigin } from './serve/http/cors.ts';
import { ResponseCache } from './serve/response-cache.ts';
import type { SkillFiles } from './serve/skill-file/skill-files.ts';

interface AppOptions {
  config: RegistryConfig;
  snapshots: Snapshots;
  files: SkillFiles;
  metrics: Registry;
  lifecycle: Lifecycle;
  logger: Logger;
}

/** The HTTP application: the response cache in front of Express. */
export function createApp({ config, snapshots, files, metrics, lifecycle, logger }: AppOptions): App {
  const cache = new ResponseCache();
  snapshots.onServed((served) => cache.reset(served));
  const isFromGateway = toTokenCheck(config.acceptedTokens);
  exposeCounter(metrics, {
    name: 'registry_cached_responses_total',
    help: 'Requests answered from the response cache, which the durations leave out',
    read: () => cache.hits,
  });
  const app = createServiceApp({
    title: 'Skills Registry API',
    tags: TAGS,
    bindings: createBindings({ snapshots, refreshMs: config.refreshMs, cache, files }),
    acceptedTokens: config.acceptedTokens,
    registry: metrics,
    logger,
    lifecycle,
    checkReadiness: async () => ({ snapshot: snapshots.served ? 'ok' : 'missing' }),
    first: allowAnyOrigin,
  });
  const { request, response } = app;
  const listener: RequestListener = (req, res) => {
    if (!cache.respond(req, res, isFromGateway)) app(req, res);
  };
  return Object.assign(listener, { request, response });
}
