import type { Server } from 'node:http';
import { promisify } from 'node:util';
import { createRequestMetrics } from '@agent-fleet/shared/metrics/http-metrics';
import { createMetricsRegistry } from '@agent-fleet/shared/metrics/metrics-app';
import { createRedisMetrics } from '@agent-fleet/shared/metrics/redis-metrics';
import { exposeGauge } from '@agent-fleet/shared/metrics/scraped-metrics';
import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import { Counter, type Registry } from 'prom-client';
import { templateOf } from '../routing/routes.ts';
import type { EndedRequest } from './observe-requests.ts';
import { rejectionOf } from './rejections.ts';

/** The metrics of the gateway, and of its connections to Redis. */
export function createMetrics(connections: readonly RedisClient[]) {
  const registry = createMetricsRegistry();
  createRedisMetrics(registry).measure(...connections);
  const observeRequest = createRequestMetrics(registry, 'the start of a request, after the admission queue,');
  const rejections = new Counter({
    name: 'gateway_rejections_total',
    help: 'Error responses by code and by the stage or cause that the access log names',
    labelNames: ['error', 'rejected_by'],
    registers: [registry],
  });
  return {
    /** The registry of all metrics of the gateway. */
    registry,
    observe(requests: readonly EndedRequest[]): void {
      for (const { method, status, durationMs, locals } of requests) {
        const { isEventStream = false } = locals;
        observeRequest({ method, route: templateOf(locals), status, durationMs, isEventStream });
      }
    },
    /** Counts error responses, of refused requests too. */
    countRejections(requests: readonly EndedRequest[]): void {
      for (const { locals } of requests) {
        const rejection = rejectionOf(locals);
        if (rejection) rejections.inc({ error: rejection.error, rejected_by: rejection.rejectedBy });
      }
    },
  };
}

export function measureConnections(registry: Registry, server: Server): void {
  exposeGauge(registry, {
    name: 'http_connections',
    help: 'Open client connections, including idle ones',
    read: promisify(server.getConnections.bind(server)),
  });
}
