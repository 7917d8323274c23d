import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { integerVariable } from '../config.ts';

export type TracingConfig = NonNullable<ReturnType<typeof toTracingConfig>>;

const RATIO_PROBLEM = 'must be a number from 0 to 1';
const HEADER_PROBLEM = 'must be HTTP headers, name=value, separated by commas, percent-encoded';

function collectorUrl(example: string, description: string) {
  const url = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' });
  return url.optional().meta({ example, description });
}

/** OpenTelemetry's variables; a collector's URL enables tracing. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl('http://collector:4318', 'collector for OTLP over HTTP; enables traces'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorUrl('http://collector:4318/v1/traces', 'its whole URL for traces'),
  OTEL_EXPORTER_OTLP_HEADERS: headersVariable('headers for the collector: `name=value,…`'),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headersVariable('further ones, for traces'),
  OTEL_EXPORTER_OTLP_TIMEOUT: integerVariable(1, 600_000).default(10_000).describe('limit of an export, in ms'),
  OTEL_SERVICE_NAME: z.string().optional().describe('name of the service; otherwise `agent-fleet-agents` …'),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .default('')
    .transform(toPairs)
    .meta({ example: 'deployment.environment=staging', description: 'attributes of each trace' }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^\d?(?:\.\d{1,12})?$/, RATIO_PROBLEM)
    .default('1')
    .transform(Number)
    .refine((ratio) => ratio <= 1, RATIO_PROBLEM)
    .meta({ example: 0.1, range: '0 to 1', description: 'share of new traces that is exported; of the gateway' }),
};

/** Undefined when spans are not to be exported. `service`: the default of the service's name. */
export function toTracingConfig(read: z.output<z.ZodObject<typeof tracingVariables>>, service: string) {
  const base = read.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/$/, '')}/v1/traces`);
  if (url === undefined) return undefined;
  const { 'service.name': name = service, ...resource } = read.OTEL_RESOURCE_ATTRIBUTES;
  return {
    /** The collector's URL for OTLP over HTTP in JSON. */
    url,
    headers: { ...read.OTEL_EXPORTER_OTLP_HEADERS, ...read.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    /** Resource attributes of the process. */
    resource: { ...resource, 'service.name': read.OTEL_SERVICE_NAME ?? name } as Record<string, string>,
    /** The share of new traces that is recorded, 0 to 1. */
    sampleRatio: read.OTEL_TRACES_SAMPLER_ARG,
    /** Deadline of one export with its retries. */
    timeoutMs: read.OTEL_EXPORTER_OTLP_TIMEOUT,
  };
}

function headersVariable(description: string) {
  return z
    .string()
    .default('')
    .transform(toPairs)
    .refine(areHeaders, HEADER_PROBLEM)
    .meta({ example: 'x-api-key=$(cat collector.key)', secret: true, description });
}

/** Percent-encoded `name=value` pairs, separated by commas (W3C Baggage, as OpenTelemetry specifies). */
function toPairs(text: string, context: z.RefinementCtx): Record<string, string> {
  try {
    return Object.fromEntries(text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [toPair(pair)])));
  } catch {
    context.addIssue('must be name=value pairs, separated by commas, percent-encoded');
    return z.NEVER;
  }
}

function toPair(pair: string): [string, string] {
  const equals = pair.indexOf('=');
  const name = decodeURIComponent(pair.slice(0, Math.max(equals, 0)).trim());
  if (name === '') throw new Error('no name');
  return [name, decodeURIComponent(pair.slice(equals + 1).trim())];
}

function areHeaders(headers: Record<string, string>): boolean {
  try {
    for (const name in headers) {
      validateHeaderName(name);
      validateHeaderValue(name, headers[name] as string);
    }
    return true;
  } catch {
    return false;
  }
}
