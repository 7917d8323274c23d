import { z } from 'zod';
import { integerVariable } from '../config.ts';

/** The variables of the listener of `/metrics`; `port` is the service's default. */
export function metricsVariables(port: number) {
  return {
    METRICS_HOST: z.string().default('127.0.0.1').describe('address of `/metrics` ([Monitoring](monitoring.md))'),
    METRICS_PORT: integerVariable(0, 65_535).default(port).describe('port of `/metrics`; 0 is a free one'),
  };
}

/** Where `/metrics` is served; for the internal network only. */
export interface MetricsConfig {
  host: string;
  /** 0 selects a free port. */
  port: number;
}

export function toMetricsConfig(read: z.output<z.ZodObject<ReturnType<typeof metricsVariables>>>): MetricsConfig {
  return { host: read.METRICS_HOST, port: read.METRICS_PORT };
}
