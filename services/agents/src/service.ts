import { answerDocument, createDocument } from '@agent-fleet/shared/contract/openapi';
import { createServiceRouter } from '@agent-fleet/shared/contract/service-router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { refuseWrongToken, reportErrors, requireInternalToken } from '@agent-fleet/shared/http/internal-access';
import { createLogger } from '@agent-fleet/shared/logger';
import { measureRequests } from '@agent-fleet/shared/metrics/http-metrics';
import { createMetricsRegistry } from '@agent-fleet/shared/metrics/metrics-app';
import { refuseAfter } from '@agent-fleet/shared/redis/replicated-writes';
import { createServiceTracing } from '@agent-fleet/shared/tracing/trace-service';
import { createAgentsContract } from './agents/contract.ts';
import type { AgentsConfig } from './config.ts';
import { requireVisible } from './contract/callers.ts';
import { startFleet } from './fleet.ts';
import { createLeaseFromTypes } from './leases/contract.ts';
import type { FleetOptions } from './redis/fleet-context.ts';
import { createBindings, TAGS } from './routes.ts';

/** Builds the service. `overrides` are for tests. */
export function createService(config: AgentsConfig, overrides: Partial<FleetOptions> = {}) {
  const logger = overrides.logger ?? createLogger('agents', config.logLevel);
  const { agentTypes } = config;
  const registry = createMetricsRegistry();
  const fleet = startFleet({ ...overrides, config, logger, registry });
  const contract = createAgentsContract(agentTypes);
  const leaseFromTypes = createLeaseFromTypes(agentTypes);
  const bindings = createBindings(contract, leaseFromTypes, fleet.operations).map(fleet.audited);
  const operations = bindings.map(({ operation }) => operation);
  const lifecycle: Lifecycle = { stopping: false };

  const app = createHttpApp(measureRequests(registry));
  app.get('/health', answerHealth);
  app.get('/ready', refuseWrongToken(config.acceptedTokens), answerReady(lifecycle, fleet.checkReadiness));
  app.use(requireInternalToken(config.acceptedTokens));
  app.get('/openapi.json', answerDocument(createDocument('Agents API', TAGS, operations)));
  app.use((_req, _res, next) => {
    if (!fleet.isStarted()) throw unavailable('The service is starting; try again', 1, undefined, 'starting');
    next();
  });
  app.use(createServiceRouter({ bindings, acceptedTokens: config.acceptedTokens, before: requireVisible }));
  app.use(refuseAfter(fleet.barrier), reportErrors);
  finishApp(app, logger);

  const tracing = createServiceTracing(config.tracing, 'agents', registry, logger);
  const { started, endOpenRequests } = fleet;
  const close = async () => {
    await tracing.close();
    await fleet.close();
  };
  return { app: tracing.trace(app), metrics: registry, lifecycle, logger, started, endOpenRequests, close };
}
