import { z } from 'zod';
import { integerVariable } from '../config.ts';

/** The variables of the listener of `/metrics`; `port` is the service's default. */
export function metricsVariables(port: number) {
  return {
    METRICS_HOST: z.string().default('127.0.0.1').meta({ example: '127.0.0.1' }),
    METRICS_PORT: integerVariable(0, 65_535).default(port).meta({ example: port }),
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
