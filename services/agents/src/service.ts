import { answerDocument, createDocument } from '@agent-fleet/shared/contract/openapi';
import { requireScope } from '@agent-fleet/shared/contract/required-scope';
import { type BeforeOperation, createRouter } from '@agent-fleet/shared/contract/router';
import { createHttpApp, finishApp } from '@agent-fleet/shared/http/app';
import { unavailable } from '@agent-fleet/shared/http/errors';
import { answerHealth, answerReady, type Lifecycle } from '@agent-fleet/shared/http/health';
import { requireInternalToken } from '@agent-fleet/shared/http/internal-access';
import { createLogger } from '@agent-fleet/shared/logger';
import { createAgentsContract } from './agents/contract.ts';
import type { AgentsConfig } from './config.ts';
import { requireVisible } from './contract/visible-agents.ts';
import { type FleetOptions, startFleet } from './fleet.ts';
import { createLeaseFromTypes } from './leases/contract.ts';
import { createBindings, TAGS } from './routes.ts';

/** Builds the service. `overrides` are for tests. */
export function createService(config: AgentsConfig, overrides: Partial<FleetOptions> = {}) {
  const logger = overrides.logger ?? createLogger('agents', config.logLevel);
  const { agentTypes } = config;
  const fleet = startFleet(config, { ...overrides, logger });
  const contract = createAgentsContract(agentTypes);
  const leaseFromTypes = createLeaseFromTypes(agentTypes);
  const bindings = createBindings(contract, leaseFromTypes, fleet.operations).map(fleet.audited);
  const operations = bindings.map(({ operation }) => operation);
  const lifecycle: Lifecycle = { stopping: false };
  const checkScope = requireScope(config.internalToken);
  const before: BeforeOperation = (operation, params, req) => {
    checkScope(operation, req);
    requireVisible(operation, params, req);
  };

  const app = createHttpApp();
  app.get('/health', answerHealth);
  app.get('/ready', answerReady(lifecycle, fleet.checkReadiness));
  app.use(requireInternalToken(config.internalToken));
  app.get('/openapi.json', answerDocument(createDocument('Agents API', TAGS, operations)));
  app.use((_req, _res, next) => {
    if (!fleet.isStarted()) throw unavailable('The service is starting; try again');
    next();
  });
  app.use(createRouter(bindings, before));
  finishApp(app, logger);

  const { started, endOpenRequests, close } = fleet;
  return { app, lifecycle, logger, started, endOpenRequests, close };
}
