import type { Lifecycle } from '@agent-fleet/shared/http/health';
import { createLogger } from '@agent-fleet/shared/logger';
import { createMetricsRegistry } from '@agent-fleet/shared/metrics/metrics-app';
import { createServiceApp } from '@agent-fleet/shared/service';
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
  const lifecycle: Lifecycle = { stopping: false };

  const app = createServiceApp({
    title: 'Agents API',
    tags: TAGS,
    bindings,
    acceptedTokens: config.acceptedTokens,
    registry,
    logger,
    lifecycle,
    checkReadiness: fleet.checkReadiness,
    isStarted: fleet.isStarted,
    before: requireVisible,
    barrier: fleet.barrier,
  });
  const tracing = createServiceTracing(config.tracing, 'agents', registry, logger);
  const { started, endOpenRequests } = fleet;
  const close = async () => {
    await tracing.close();
    await fleet.close();
  };
  return { app: tracing.trace(app), metrics: registry, lifecycle, logger, started, endOpenRequests, close };
}
