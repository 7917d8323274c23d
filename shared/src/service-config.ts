import type { z } from 'zod';
import { commonVariables, toCommonConfig } from './config.ts';
import { metricsVariables, toMetricsConfig } from './metrics/metrics-config.ts';
import { toTracingConfig, tracingVariables } from './tracing/tracing-config.ts';

/** The variables that every service reads, with the defaults of its ports. */
export function serviceVariables(port: number, metricsPort: number) {
  return { ...commonVariables(port), ...metricsVariables(metricsPort), ...tracingVariables };
}

/** Converts them; `name` is that of the service in traces, which are undefined when they are not exported. */
export function toServiceConfig(read: z.output<z.ZodObject<ReturnType<typeof serviceVariables>>>, name: string) {
  return { ...toCommonConfig(read), metrics: toMetricsConfig(read), tracing: toTracingConfig(read, name) };
}
